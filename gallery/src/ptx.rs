//! What a program's own PTX says of its kernels.

use warploom::module::carried_ptx;

use crate::program::Result;

/// A kernel as PTX.
#[derive(Debug, Clone, Copy)]
pub struct Ptx {
    text: &'static str,
}

/// The PTX of a kernel, as the program carries it. `None` if it was built without device code. The name is the kernel's, or the end of its
/// path; a kernel of this program comes before those of others, which it carries too.
///
/// ```
/// let loads = |kernel| -> warploom_gallery::Result<Option<usize>> {
///     let ptx = warploom_gallery::ptx(kernel)?;
///     Ok(ptx.map(|ptx| ptx.instructions("ld.global").len()))
/// };
/// assert!(!matches!(loads("a_kernel_that_is_not_here"), Ok(Some(_))));
/// ```
///
/// # Errors
/// If device code is there, but no such kernel in it; or the program's file was changed after it was built.
pub fn ptx(kernel: &str) -> Result<Option<Ptx>> {
    let carried = carried_ptx()?;
    let program = std::env::current_exe()?;
    let program = program.file_stem().unwrap_or_default().to_string_lossy();
    let own = format!("{program}::{kernel}");
    let find = |name: &str| carried.iter().find_map(|ptx| ptx.kernel(name));
    let found = find(&own).or_else(|| find(kernel));
    match found {
        Some(text) => Ok(Some(Ptx { text })),
        None if carried.is_empty() => Ok(None),
        None => Err(format!("the program carries no kernel `{kernel}`").into()),
    }
}

impl Ptx {
    /// All of its lines.
    #[must_use]
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// The instructions whose names start so, such as `ld.global`: their full names, in the order of the text. Those that a predicate
    /// guards count too; those that report a panic do not.
    #[must_use]
    pub fn instructions(&self, start: &str) -> Vec<&'static str> {
        // From behind the comment that names it to its `exit`.
        let mut in_panic = false;
        let lines = self.text.lines().map(str::trim).filter(|line| {
            let is_left = !in_panic;
            in_panic = (in_panic || line.starts_with("// __warploom_panic")) && *line != "exit;";
            is_left
        });
        let code = lines.filter(|line| line.ends_with(';'));
        code.filter_map(|line| {
            line.split_whitespace()
                .find(|word| !word.starts_with(['@', '{']))
        })
        .filter(|name| name.starts_with(start))
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_found_behind_predicates_and_braces() {
        let text = "{\n\t.reg .b32 %r<3>;\n\tld.global.nc.b32 \t%r1, [%rd1];\n\t@%p1 bra \t$L;\n\t{ add.f32 %f, %f, %f; }\n\tld.global.v2.b32 {%r1, %r2}, [%rd2];\n\tret;\n}";
        let ptx = Ptx { text };
        assert_eq!(
            ptx.instructions("ld.global"),
            ["ld.global.nc.b32", "ld.global.v2.b32"]
        );
        assert_eq!(ptx.instructions("bra"), ["bra"]);
    }

    #[test]
    fn panics_have_no_instructions() {
        let text = "{\n\tbar;\n\t// __warploom_panic_fmt\n\tbar;\n\texit;\n\tbar.sync;\n}";
        assert_eq!(Ptx { text }.instructions("bar"), ["bar;", "bar.sync;"]);
    }

    #[test]
    fn a_kernel_that_is_not_there_is_named() {
        let error = ptx("none_of_this_name").err().map(|e| e.to_string());
        let nothing = carried_ptx().unwrap().is_empty();
        let text = "the program carries no kernel `none_of_this_name`".to_owned();
        assert_eq!(error, (!nothing).then_some(text));
    }
}
