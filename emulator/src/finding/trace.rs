//! Where in the user's source a call stack starts.

use std::backtrace::Backtrace;

use super::Place;

/// The innermost place of a call stack that is the user's own; `None` if the program was built without what it takes to tell.
pub(crate) fn place(trace: &Backtrace) -> Option<Place> {
    let text = trace.to_string();
    let mut lines = text.lines();
    let mut is_own = false;
    lines.find_map(|line| {
        let line = line.trim_start();
        // `3: shop::main`, then `at ./src/main.rs:12:5`.
        match line.strip_prefix("at ") {
            Some(at) if is_own => parse(at),
            Some(_) => None,
            None => {
                is_own = line
                    .split_once(": ")
                    .is_some_and(|(_, function)| !is_library(function));
                None
            }
        }
    })
}

/// The innermost place of the user's own in the call stack of a panic, as the panic's hook sees it.
pub(crate) fn place_of_panic(trace: &Backtrace) -> Option<Place> {
    own_place_behind_panic(&trace.to_string())
}

fn own_place_behind_panic(text: &str) -> Option<Place> {
    // Inside of it are std's panics and the hook.
    let (_, behind) = text.split_once("begin_unwind")?;
    let mut places = behind
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("at "));
    places.find(|at| is_users_file(at)).and_then(parse)
}

/// Whether a file is neither std's nor the device library's, generic code of which has no path in its functions' names.
pub(crate) fn is_users_file(file: &str) -> bool {
    const LIBRARIES: [&str; 4] = [
        "/rustc/",
        "/library/",
        "device-std/src/",
        "/warploom-device-std-",
    ];
    !LIBRARIES.iter().any(|library| file.contains(library))
}

/// Whether a function belongs to std or to the crates that carry a kernel, which no user wants to see.
fn is_library(function: &str) -> bool {
    const LIBRARIES: [&str; 7] = [
        "std::",
        "core::",
        "alloc::",
        "warploom_emulator::",
        "warploom_runtime::",
        "warploom_device_std::",
        "__rust",
    ];
    let function = function.trim_start_matches(['<', '&', '*', '[']);
    let function = function.strip_prefix("mut ").unwrap_or(function);
    LIBRARIES
        .iter()
        .any(|library| function.starts_with(library))
}

/// `./src/main.rs:12:5`.
fn parse(at: &str) -> Option<Place> {
    let (rest, column) = at.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some(Place {
        file: file.strip_prefix("./").unwrap_or(file).to_owned(),
        line: line.parse().ok()?,
        column: column.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_libraries_are_told_from_those_of_users() {
        for library in [
            "core::ptr::drop_in_place<shop::Stock>",
            "<warploom_runtime::buffer::Buffer as core::ops::drop::Drop>::drop",
            "<&mut alloc::vec::Vec<T> as core::fmt::Debug>::fmt",
            "std::panicking::try",
        ] {
            assert!(is_library(library), "{library}");
        }
        for own in [
            "shop::main",
            "<shop::Stock as core::ops::drop::Drop>::drop",
            "stdx::f",
        ] {
            assert!(!is_library(own), "{own}");
        }
    }

    #[test]
    fn the_place_of_a_panic_lies_behind_the_panic() {
        let text = "   1: {closure#0}
             at ./src/engine/panics.rs:50:17
   2: __rustc::rust_begin_unwind
             at /rustc/5980/library/std/src/panicking.rs:689:5
   3: precondition_check
             at /rustc/5980/library/core/src/ub_checks.rs:71:21
   4: shift
             at ./src/kernels.rs:12:9
   5: main
             at ./src/main.rs:3:5
";
        let place = own_place_behind_panic(text).unwrap();
        assert_eq!((&*place.file, place.line), ("src/kernels.rs", 12));
        assert_eq!(own_place_behind_panic("   1: main"), None);
    }

    #[test]
    fn places_are_read() {
        let place = parse("./src/my dir/a:b.rs:12:5").unwrap();
        assert_eq!(
            (&*place.file, place.line, place.column),
            ("src/my dir/a:b.rs", 12, 5)
        );
        assert_eq!(parse("nonsense"), None);
    }
}
