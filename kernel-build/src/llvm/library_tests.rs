//! Which files are refused, and what is said of them.

use super::{Library, LoadError};
use crate::llvm::tests::library;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A library that says it is a version of LLVM, and has these functions.
pub(crate) fn pretended(file: &Path, major: u32, functions: &[&str]) {
    let functions: String = functions
        .iter()
        .map(|name| format!("void {name}(void) {{}}\n"))
        .collect();
    let version = format!(
        "void LLVMGetVersion(unsigned *a, unsigned *b, unsigned *c) {{ *a = {major}; *b = 1; *c = 0; }}\n"
    );
    built(file, &(version + &functions));
}

/// A library of a program in C.
fn built(file: &Path, program: &str) {
    let source = file.with_extension("c");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&source, program).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"]).arg(file).arg(&source);
    assert!(cc.status().unwrap().success());
    std::fs::remove_file(source).unwrap();
}

pub(crate) const NVPTX: &str = "LLVMInitializeNVPTXTarget";

fn file(name: &str) -> PathBuf {
    let folder = format!("warploom-library-{name}-{}", std::process::id());
    std::env::temp_dir().join(folder).join("libLLVM.so.test")
}

#[track_caller]
fn refused(path: &Path, least: u32) -> (LoadError, String) {
    let error = Library::open(path, least).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&path.display().to_string()), "{text}");
    (error, text)
}

#[test]
fn the_library_of_this_toolchain_is_llvm_itself() {
    let Library { path, major } = library();
    let start = std::fs::read(&path).unwrap();
    assert!(start.starts_with(b"\x7fELF"), "{}", path.display());
    assert_eq!(Library::open(&path, major).unwrap(), library());
}

/// A newer LLVM reads the bitcode of an older one, never the other way round.
#[test]
fn a_version_older_than_rustcs_is_refused() {
    let (error, text) = refused(&library().path, 99);
    assert!(matches!(error, LoadError::TooOld { least: 99, .. }));
    assert!(text.contains(", but LLVM 99 or newer is needed"), "{text}");
}

#[test]
fn a_version_older_than_the_oldest_known_is_refused_before_anything_else() {
    let older = file("older");
    pretended(&older, 21, &[]);
    let (error, text) = refused(&older, 0);
    assert!(matches!(error, LoadError::TooOld { found: 21, .. }));
    assert!(
        text.ends_with("is LLVM 21, but LLVM 22 or newer is needed"),
        "{text}"
    );
}

#[test]
fn a_library_without_nvptx_is_refused() {
    let for_the_host = file("host");
    pretended(&for_the_host, 22, &["LLVMInitializeX86Target"]);
    let (error, text) = refused(&for_the_host, 22);
    assert!(matches!(error, LoadError::NoNvptx { found: 22, .. }));
    assert!(
        text.ends_with("is LLVM 22 without the target NVPTX"),
        "{text}"
    );
}

#[test]
fn missing_functions_are_named() {
    let lacking = file("lacking");
    pretended(&lacking, 22, &[NVPTX, "LLVMContextCreate"]);
    let (_, text) = refused(&lacking, 22);
    assert!(text.contains("is LLVM 22, but lacks "), "{text}");
    assert!(text.contains("LLVMRunPasses"), "{text}");
    assert!(!text.contains("LLVMContextCreate,"), "{text}");
}

#[test]
fn what_is_no_library_is_said_to_be_none() {
    let script = file("script");
    std::fs::create_dir_all(script.parent().unwrap()).unwrap();
    std::fs::write(&script, "INPUT(elsewhere)\n").unwrap();
    for path in [&script, Path::new("/nowhere/libLLVM.so.22.1")] {
        let (error, text) = refused(path, 22);
        assert!(matches!(error, LoadError::CannotLoad { .. }));
        assert!(text.starts_with("cannot load "), "{text}");
    }
    let other = file("other");
    built(&other, "void LLVMContextCreate(void) {}\n");
    let (error, text) = refused(&other, 22);
    assert!(matches!(error, LoadError::NotLlvm { .. }));
    assert!(
        text.ends_with("is not LLVM: it lacks LLVMGetVersion"),
        "{text}"
    );
}
