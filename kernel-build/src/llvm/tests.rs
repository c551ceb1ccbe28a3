//! A context for all tests of this crate, and what concerns no single object of LLVM.

use super::{Context, Library, Machine, Module, NAMED, Search, on_fatal_error};
use std::path::PathBuf;
use std::process::Command;

/// The toolchain that runs these tests.
pub(crate) fn sysroot() -> PathBuf {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(["--print", "sysroot"]).output();
    PathBuf::from(String::from_utf8(output.unwrap().stdout).unwrap().trim())
}

/// This toolchain's LLVM, or the one that `WARPLOOM_LLVM` names: so all tests run with any LLVM.
pub(crate) fn library() -> Library {
    let named = std::env::var_os(NAMED).map(PathBuf::from);
    let host = "x86_64-unknown-linux-gnu";
    Search::new(named, &sysroot(), host, 22).find().unwrap()
}

/// A context over that LLVM. What LLVM cannot report otherwise must not look like success.
pub(crate) fn context() -> Context {
    on_fatal_error(|reason| {
        eprintln!("LLVM gave up: {reason}");
        std::process::abort();
    });
    Context::new(&library().path).unwrap()
}

#[test]
fn the_data_layout_is_nvptx() {
    let context = context();
    let machine = Machine::new(&context, "nvptx64-nvidia-cuda", "sm_75", "").unwrap();
    assert!(
        machine.data_layout().starts_with("e-"),
        "{}",
        machine.data_layout()
    );
    assert!(Machine::new(&context, "no-such-target", "", "").is_err());
}

#[test]
fn the_largest_function_counts_its_instructions() {
    let context = context();
    let size = |text: &str| {
        let module = Module::from_text(&context, text).unwrap();
        module.largest_function()
    };
    assert_eq!(size("declare void @outside()"), 0);
    let small = "define void @small() { ret void }\n";
    let large = "define i32 @large(i32 %a) { br label %b\nb: %c = add i32 %a, 1\n ret i32 %c }\n";
    assert_eq!(size(small), 1);
    assert_eq!(size(&format!("{small}{large}")), 3);
}
