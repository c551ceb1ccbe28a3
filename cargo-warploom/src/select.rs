//! Kernels by name: the end of a path, with or without generic arguments.

use crate::device_code::{DeviceCode, DeviceKernel};
use std::fmt::Write as _;

/// The kernel that a name means; `by_entry`: its name in the PTX. Errors list what there is.
pub(crate) fn kernel<'a>(
    code: &'a DeviceCode,
    name: &str,
    by_entry: bool,
) -> Result<&'a DeviceKernel, String> {
    if code.kernels.is_empty() {
        return Err(none(code));
    }
    let is_it = |kernel: &&DeviceKernel| match by_entry {
        true => kernel.entry == name,
        false => is_meant(&kernel.name, name),
    };
    let found: Vec<&DeviceKernel> = code.kernels.iter().filter(is_it).collect();
    match found[..] {
        [kernel] => Ok(kernel),
        [] => Err(format!(
            "no kernel is called `{name}`; there are{}",
            list(&code.kernels)
        )),
        _ => Err(format!(
            "`{name}` is the name of {} kernels; give more of the path, the generic arguments, or, with --entry, the name in the PTX (the second one):{}",
            found.len(),
            list(found)
        )),
    }
}

/// Why there are no kernels at all.
pub(crate) fn none(code: &DeviceCode) -> String {
    let mut text = "the programs that were built carry no kernels with device code".to_owned();
    for (target, reason) in &code.failures {
        // Writing to a text cannot fail.
        let _ = write!(
            text,
            "\n  {target}: {}",
            reason.lines().next().unwrap_or_default()
        );
    }
    if code.failures.is_empty() {
        text.push_str("; a build dependency on warploom-build and `warploom_build::compile()` in build.rs make it, and `cargo warploom doctor` checks both");
    }
    text
}

/// A line for each kernel: its name, its name in the PTX, and its place.
pub(crate) fn list<'a>(kernels: impl IntoIterator<Item = &'a DeviceKernel>) -> String {
    let mut text = String::new();
    for kernel in kernels {
        let _ = write!(text, "\n  {}  {}", kernel.name, kernel.entry);
        if !kernel.file.is_empty() {
            let _ = write!(text, "  {}:{}", kernel.file, kernel.line);
        }
    }
    text
}

/// Whether a kernel of this name is meant: the same end of the path, and the same generic arguments if some are given.
fn is_meant(kernel: &str, wanted: &str) -> bool {
    let (path, arguments) = split(kernel);
    let (wanted_path, wanted_arguments) = split(wanted);
    let rest = path.strip_suffix(wanted_path);
    let is_end = rest.is_some_and(|rest| rest.is_empty() || rest.ends_with("::"));
    is_end && (wanted_arguments.is_empty() || short(arguments) == short(wanted_arguments))
}

/// Path and generic arguments: `a::k` and `<f32>` of `a::k<f32>` and `a::k::<f32>`.
fn split(name: &str) -> (&str, &str) {
    let name = name.trim();
    let (path, arguments) = name.split_at(name.find('<').unwrap_or(name.len()));
    (path.trim_end_matches("::"), arguments)
}

/// Types without the modules that they are in, and without spaces.
fn short(arguments: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let (mut out, mut name) = (String::new(), String::new());
    let mut rest = arguments.chars().filter(|c| !c.is_whitespace()).peekable();
    while let Some(c) = rest.next() {
        if is_name(c) {
            name.push(c);
        } else if c == ':' && rest.peek() == Some(&':') {
            rest.next();
            name.clear();
        } else {
            out.push_str(&name);
            name.clear();
            out.push(c);
        }
    }
    out + &name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device_code::tests::kernel as named;

    fn code(names: &[&str]) -> DeviceCode {
        DeviceCode {
            kernels: names.iter().map(|name| named(name)).collect(),
            failures: vec![],
        }
    }

    fn chosen(names: &[&str], wanted: &str) -> Result<String, String> {
        kernel(&code(names), wanted, false).map(|k| k.name.clone())
    }

    #[test]
    fn the_end_of_the_path_is_enough() {
        let names = [
            "app::saxpy",
            "app::fast::scan",
            "app::slow::scan",
            "app::my_saxpy",
        ];
        assert_eq!(chosen(&names, "saxpy").as_deref(), Ok("app::saxpy"));
        assert_eq!(chosen(&names, "app::saxpy").as_deref(), Ok("app::saxpy"));
        assert_eq!(
            chosen(&names, "fast::scan").as_deref(),
            Ok("app::fast::scan")
        );
    }

    #[test]
    fn several_and_none_are_listed() {
        let names = ["app::fast::scan", "app::slow::scan", "app::saxpy"];
        let several = chosen(&names, "scan").unwrap_err();
        assert!(
            several.starts_with("`scan` is the name of 2 kernels; "),
            "{several}"
        );
        assert!(
            several.contains("\n  app::slow::scan  scan  src/main.rs:5"),
            "{several}"
        );
        assert!(!several.contains("saxpy"), "{several}");
        let none = chosen(&names, "axpy").unwrap_err();
        assert!(
            none.starts_with("no kernel is called `axpy`; there are\n  app::fast::scan"),
            "{none}"
        );
    }

    #[test]
    fn generic_arguments_are_compared_without_modules() {
        let names = ["app::scan<f32>", "app::scan<app::types::Pair<u8, u16>>"];
        assert_eq!(chosen(&names, "scan::<f32>").as_deref(), Ok(names[0]));
        assert_eq!(
            chosen(&names, "scan<Pair<u8,u16>>").as_deref(),
            Ok(names[1])
        );
        assert!(chosen(&names, "scan").is_err());
        assert!(chosen(&names, "scan<f64>").is_err());
    }

    #[test]
    fn the_name_in_the_ptx_chooses_among_equals() {
        let mut two = code(&["app::map", "app::map"]);
        two.kernels[1].entry = "map_2".into();
        assert_eq!(kernel(&two, "map_2", true).unwrap().entry, "map_2");
        assert_eq!(kernel(&two, "map", true).unwrap().entry, "map");
        for name in ["map", "app::map"] {
            let several = kernel(&two, name, false).unwrap_err();
            assert!(several.contains("  map_2  "), "{several}");
        }
    }

    #[test]
    fn without_kernels_the_reason_is_told() {
        let mut empty = code(&[]);
        assert!(
            kernel(&empty, "k", false)
                .unwrap_err()
                .contains("cargo warploom doctor")
        );
        empty
            .failures
            .push(("app (bin)".into(), "no LLVM can be used\nmore".into()));
        let told = kernel(&empty, "k", false).unwrap_err();
        assert!(
            told.ends_with("\n  app (bin): no LLVM can be used"),
            "{told}"
        );
    }
}
