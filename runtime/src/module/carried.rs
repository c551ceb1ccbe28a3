//! The PTX that the program carries for its own kernels, to be read by people and tools.

use warploom_manifest::Kernel;

use super::embedded::embedded;
use super::images::Arch;
use crate::launch::error::LaunchError;

/// PTX of one or more kernels, for one architecture: what the driver loads as one module.
#[derive(Debug, Clone, Copy)]
pub struct CarriedPtx {
    arch: Arch,
    text: &'static str,
    kernels: &'static [Kernel],
}

/// The PTX that this program carries, for each architecture that the build was asked for. Nothing is loaded, and no GPU is needed. Kernels
/// that share functions or statics are in one text, others each in one of their own; a program also carries those of other examples (tests,
/// benchmarks) of its package. Empty if the program was built without device code.
///
/// With `WARPLOOM_DUMP=1` the build writes the same text into files. CUDA: `nvcc --ptx`.
///
/// ```
/// use warploom_runtime::module::carried_ptx;
/// for ptx in carried_ptx()? {
///     for kernel in ptx.kernels() {
///         println!("{}, {kernel}:\n{}", ptx.arch(), ptx.kernel(kernel).unwrap_or_default());
///     }
/// }
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
///
/// # Errors
/// [`LaunchError::DamagedImages`] if the program's file was changed after it was built.
pub fn carried_ptx() -> Result<Vec<CarriedPtx>, LaunchError> {
    let mut found = Vec::new();
    for container in embedded()? {
        for image in &container.manifest.images {
            let text = text_of(container.ptx(image), image.sm)?;
            let capability = (image.sm / 10, image.sm % 10);
            found.push(CarriedPtx {
                arch: if image.exact {
                    Arch::exact(capability.0, capability.1)
                } else {
                    Arch::new(capability.0, capability.1)
                },
                text,
                kernels: &container.manifest.kernels,
            });
        }
    }
    Ok(found)
}

/// The text of an image for `sm`, without the zeros at its end.
fn text_of(bytes: Option<&[u8]>, sm: u32) -> Result<&str, LaunchError> {
    let damaged = |what: String| LaunchError::DamagedImages {
        reason: format!("the image for sm_{sm} {what}"),
    };
    let bytes = bytes.ok_or_else(|| damaged("has no bytes in its container".to_owned()))?;
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        damaged(format!(
            "is no text from its byte {at} of {} on",
            bytes.len()
        ))
    })?;
    Ok(text.trim_end_matches('\0'))
}

impl CarriedPtx {
    /// What it was made for.
    #[must_use]
    pub fn arch(&self) -> Arch {
        self.arch
    }

    /// All of it: kernels, the functions that they call, statics.
    #[must_use]
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// The kernels with their paths and generic arguments: `my_crate::sums::reduce<256>`.
    pub fn kernels(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.kernels.iter().map(|kernel| kernel.name.as_str())
    }

    /// The text of one kernel, from its first line to its closing brace, without the functions that it calls. `name` is that of
    /// [`kernels`](CarriedPtx::kernels), or its end behind a `::`; of several the first.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&'static str> {
        let kernel = self
            .kernels
            .iter()
            .find(|kernel| names(&kernel.name, name))?;
        definition(self.text, &kernel.entry)
    }
}

/// Whether `name` is the path `full`, or its end.
fn names(full: &str, name: &str) -> bool {
    let before = full.strip_suffix(name);
    before.is_some_and(|path| path.is_empty() || path.ends_with("::"))
}

/// The kernel with the entry point `entry`.
fn definition<'a>(ptx: &'a str, entry: &str) -> Option<&'a str> {
    let head = format!(".entry {entry}(");
    let start = ptx[..ptx.find(&head)?].rfind('\n').map_or(0, |end| end + 1);
    let text = &ptx[start..];
    Some(&text[..body_end(text)?])
}

/// Behind the brace that closes the first one of `ptx`; those in comments and strings count for nothing.
fn body_end(ptx: &str) -> Option<usize> {
    let (mut at, mut open) = (0, 0u32);
    while let Some(byte) = ptx.as_bytes().get(at) {
        let rest = &ptx[at..];
        // What a comment or a string starts with, and what it ends with.
        let skipped = [("//", "\n"), ("/*", "*/"), ("\"", "\"")]
            .into_iter()
            .find(|(start, _)| rest.starts_with(start));
        if let Some((start, end)) = skipped {
            at += start.len() + rest[start.len()..].find(end)? + end.len();
            continue;
        }
        at += rest.chars().next().map_or(1, char::len_utf8);
        match byte {
            b'{' => open += 1,
            b'}' => {
                open = open.checked_sub(1)?;
                if open == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_cut_out_whole() {
        let ptx = ".version 7.0\n\n.visible .entry ab(\n\t.param .u64 p\n)\n{\n\tret;\n}\n// more\n.visible .entry a(\n)\n{\n$L:\n\tret;\n\n}\n";
        assert_eq!(
            definition(ptx, "ab"),
            Some(".visible .entry ab(\n\t.param .u64 p\n)\n{\n\tret;\n}")
        );
        assert_eq!(
            definition(ptx, "a"),
            Some(".visible .entry a(\n)\n{\n$L:\n\tret;\n\n}")
        );
        assert_eq!(definition(ptx, "b"), None);
    }

    #[test]
    fn inner_braces_end_no_kernel() {
        let whole = ".entry k(\n)\n{\n{ // }\n\t.loc 1 2 3 /* } */\n}\n\t.pragma \"}\";\n\tret;\n}";
        let ptx = format!("{whole}\n.func f()\n{{\n}}\n");
        assert_eq!(definition(&ptx, "k"), Some(whole));
        // A text that ends too early has no whole kernel.
        assert_eq!(definition(&whole[..whole.len() - 1], "k"), None);
        assert_eq!(definition(".entry k(\n)\n{ // }", "k"), None);
    }

    #[test]
    fn an_image_that_is_no_text_is_named() {
        assert_eq!(text_of(Some(b"ret;\0\0"), 70).unwrap(), "ret;");
        let error = text_of(Some(b"ret\xFF"), 90).unwrap_err().to_string();
        assert!(
            error.contains("the image for sm_90 is no text from its byte 3 of 4 on"),
            "{error}"
        );
        assert!(text_of(None, 90).is_err());
    }

    #[test]
    fn a_kernel_has_its_path_or_the_end_of_it() {
        assert!(names("sums::reduce", "sums::reduce"));
        assert!(names("sums::reduce", "reduce"));
        assert!(!names("sums::reduce", "uce"));
        assert!(!names("sums::reduce<4>", "reduce"));
    }
}
