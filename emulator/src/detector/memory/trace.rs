//! Where in the user's source a call stack starts.

use std::backtrace::Backtrace;

use crate::finding::Place;

/// The innermost place of a call stack that is the user's own; `None` if the program was built without what it takes to tell.
pub(super) fn place(trace: &Backtrace) -> Option<Place> {
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
    fn places_are_read() {
        let place = parse("./src/my dir/a:b.rs:12:5").unwrap();
        assert_eq!(
            (&*place.file, place.line, place.column),
            ("src/my dir/a:b.rs", 12, 5)
        );
        assert_eq!(parse("nonsense"), None);
    }
}
