//! Instructions of the build script for cargo.

use std::cell::{Cell, RefCell};

thread_local! {
    /// The instructions so far.
    static WRITTEN: RefCell<Vec<String>> = const { RefCell::new(vec![]) };
    /// Whether they are not printed: cargo reads the output of build scripts alone, and not when the pass runs again for a compilation.
    static IS_IGNORED: Cell<bool> = const { Cell::new(false) };
}

/// Prints no further instructions: the pass runs again for a compilation, whose output cargo does not read.
pub(crate) fn ignore() {
    IS_IGNORED.set(true);
}

pub(crate) fn are_ignored() -> bool {
    IS_IGNORED.get()
}

/// The instructions for the linker.
pub(crate) fn for_linker() -> Vec<String> {
    WRITTEN.with_borrow(|written| {
        let all = written
            .iter()
            .filter(|line| line.starts_with("rustc-link-"));
        all.cloned().collect()
    })
}

/// The errors, and those that are variables for `#[kernel]`.
pub(crate) fn problems() -> Vec<String> {
    WRITTEN.with_borrow(|written| {
        let errors = written.iter().filter_map(|line| {
            let variable = line
                .strip_prefix("rustc-env=")
                .and_then(|v| Some(v.split_once('=')?.1));
            line.strip_prefix("error=").or(variable)
        });
        errors.map(str::to_owned).collect()
    })
}

pub(crate) fn fail(line: &str) {
    instruct(&format!("error={line}"));
}

#[expect(
    clippy::print_stdout,
    reason = "this is how build scripts speak to cargo"
)]
pub(crate) fn instruct(instruction: &str) {
    WRITTEN.with_borrow_mut(|written| written.push(instruction.to_owned()));
    if !IS_IGNORED.get() {
        println!("cargo::{instruction}");
    }
}
