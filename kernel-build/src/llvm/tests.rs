//! Which library is rustc's LLVM, and what is said where it cannot be used.

use super::{Context, LLVM_MAJOR, LoadError, Machine, Module, find, load, on_fatal_error};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The toolchain that runs these tests.
pub(crate) fn sysroot() -> PathBuf {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(["--print", "sysroot"]).output();
    PathBuf::from(String::from_utf8(output.unwrap().stdout).unwrap().trim())
}

/// A context over this toolchain's LLVM. What LLVM cannot report otherwise must not look like success.
pub(crate) fn context() -> Context {
    on_fatal_error(|reason| {
        eprintln!("LLVM gave up: {reason}");
        std::process::abort();
    });
    Context::new(&find(&sysroot()).unwrap()).unwrap()
}

fn toolchain(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let sysroot = std::env::temp_dir().join(format!("warploom-{name}-{}", std::process::id()));
    std::fs::create_dir_all(sysroot.join("lib")).unwrap();
    for (file, content) in files {
        std::fs::write(sysroot.join("lib").join(file), content).unwrap();
    }
    sysroot
}

/// `libLLVM-22-rust-….so` is a text of 42 bytes for linkers, in which the library is named.
#[test]
fn the_linker_script_is_not_taken_for_the_library() {
    let library = "libLLVM.so.22.1-rust-1.95.0-stable";
    let files = [
        (
            "libLLVM-22-rust-1.95.0-stable.so",
            "INPUT(libLLVM.so.22.1-rust-1.95.0-stable)\n",
        ),
        ("libLLVM.so.21.1-rust-1.90.0-stable", ""),
        (library, ""),
        ("librustc_driver-0.so", ""),
    ];
    let sysroot = toolchain("script", &files);
    assert_eq!(find(&sysroot).unwrap(), sysroot.join("lib").join(library));
}

#[test]
fn the_library_of_this_toolchain_is_llvm_itself() {
    let path = find(&sysroot()).unwrap();
    let start = std::fs::read(&path).unwrap();
    assert!(start.starts_with(b"\x7fELF"), "{}", path.display());
    assert!(load(&path).is_ok());
}

#[test]
fn a_toolchain_without_the_library_says_where_it_was_sought() {
    let sysroot = toolchain("none", &[("libLLVM.so.21.1-rust-1.90.0-stable", "")]);
    let text = find(&sysroot).unwrap_err().to_string();
    assert!(text.contains("no `libLLVM.so.22.*` in "), "{text}");
    assert!(
        text.contains(&sysroot.join("lib").display().to_string()),
        "{text}"
    );
}

#[test]
fn what_is_no_library_is_said_to_be_none() {
    let sysroot = toolchain("broken", &[("libLLVM.so.22.1-rust", "INPUT(elsewhere)\n")]);
    let error = load(&find(&sysroot).unwrap());
    assert!(matches!(error, Err(LoadError::CannotLoad { .. })));
}

fn built(name: &str, source: &str) -> PathBuf {
    let folder = toolchain(name, &[("source.rs", source)]).join("lib");
    let library = folder.join(format!("libLLVM.so.{LLVM_MAJOR}.1-{name}"));
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let status = Command::new(rustc)
        .args(["--crate-type=cdylib", "-Cpanic=abort", "-o"])
        .args([&library, &folder.join("source.rs")])
        .status();
    assert!(status.unwrap().success());
    library
}

#[test]
fn another_version_is_refused_before_anything_else() {
    let source = "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn LLVMGetVersion(a: *mut u32, b: *mut u32, c: *mut u32) {\n    unsafe { (*a, *b, *c) = (21, 1, 8) }\n}\n";
    let library = built("older", source);
    let Err(error) = load(&library) else {
        panic!("LLVM 21 is taken for LLVM {LLVM_MAJOR}");
    };
    assert!(
        matches!(&error, LoadError::OtherVersion { found: 21, .. }),
        "{error}"
    );
    let text = error.to_string();
    assert!(
        text.contains("is LLVM 21, but this version of warploom-build understands LLVM 22 only"),
        "{text}"
    );
}

#[test]
fn missing_functions_are_named() {
    let source = "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn LLVMContextCreate() -> *mut u8 {\n    std::ptr::null_mut()\n}\n";
    let Err(error) = load(&built("lacking", source)) else {
        panic!("a library without functions is accepted");
    };
    let text = error.to_string();
    assert!(
        text.contains("lacks ") && text.contains("LLVMRunPasses"),
        "{text}"
    );
    assert!(!text.contains("LLVMContextCreate"), "{text}");
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
fn a_path_that_is_nowhere_is_named() {
    let error = load(Path::new("/nowhere/libLLVM.so.22.1"));
    assert!(error.is_err_and(|e| e.to_string().contains("/nowhere/libLLVM.so.22.1")));
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
