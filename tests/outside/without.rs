//! Builds without device code, by choice or because there is no LLVM: programs then run on the emulator.

use crate::support::Outside;
use std::os::unix::fs::PermissionsExt as _;

const MAIN: &str = include_str!("saxpy/src/main.rs");

#[track_caller]
pub(crate) fn runs_on_the_emulator_only(program: &Outside, reason: &str) {
    assert_eq!(
        program.prints(&format!("debug/{}", program.name)).trim(),
        "emulator: y[0] = 5, all equal: true"
    );
    let code = program.device_code();
    assert_eq!(code.len(), 1);
    assert!(code[0].ptx.is_empty() && code[0].manifest.kernels.is_empty());
    let failure = code[0].manifest.failure.as_deref().unwrap();
    assert!(failure.contains(reason), "{failure}");
}

#[test]
fn the_builder_turns_the_device_pass_off() {
    let program = Outside::program("without-builder", MAIN).file(
        "build.rs",
        "fn main() {\n    warploom_build::Builder::new().enabled(false).compile();\n}\n",
    );
    let said = program.builds();
    assert!(!said.text.contains("no GPU code"), "{}", said.text);
    runs_on_the_emulator_only(&program, "turned off");
}

#[test]
fn the_environment_turns_the_device_pass_off_and_on() {
    let program = Outside::program("without-environment", MAIN).env("WARPLOOM_DEVICE_CODE", "0");
    let said = program.builds();
    assert!(!said.text.contains("no GPU code"), "{}", said.text);
    runs_on_the_emulator_only(&program, "turned off");
    let program = program.env("WARPLOOM_DEVICE_CODE", "1");
    program.builds();
    assert_eq!(
        program.device_code()[0].kernels(),
        ["without_environment::saxpy"]
    );
}

/// A program whose build script has another rustc: a script that answers some calls (cases of a shell) itself.
pub(crate) fn with_rustc(name: &str, answers: &str) -> Outside {
    let script = format!("#!/bin/sh\ncase \"$*\" in\n{answers}\n*) exec rustc \"$@\";;\nesac\n");
    let program = Outside::program(name, MAIN)
        .file("toolchain/empty", "")
        .file("toolchain/rustc", &script);
    let rustc = program.folder.join("toolchain/rustc");
    std::fs::set_permissions(&rustc, std::fs::Permissions::from_mode(0o755)).unwrap();
    // Set in the build script alone: cargo would compile every dependency anew for another compiler.
    let script = format!(
        "fn main() {{\n    // SAFETY: no other thread runs.\n    unsafe {{ std::env::set_var(\"RUSTC\", {rustc:?}) }};\n    warploom_build::compile();\n}}\n"
    );
    program.file("build.rs", &script)
}

/// A toolchain in `toolchain/`, without libraries; `llvm` is what its rustc says of its LLVM.
fn without_libraries(name: &str, llvm: &str) -> Outside {
    let sysroot = "\"--print sysroot\") cd \"$(dirname \"$0\")\" && pwd;;";
    let version = format!("-vV) rustc -vV | sed 's/^LLVM version: .*/LLVM version: {llvm}/';;");
    with_rustc(name, &format!("{sysroot}\n{version}"))
}

/// LLVM 99, which no system has either.
#[test]
fn a_toolchain_without_llvm_gets_one_warning_that_says_why() {
    let program = without_libraries("without-llvm", "99.0.1");
    let said = program.builds();
    println!("{}", said.text);
    let warnings: Vec<&str> = said
        .text
        .lines()
        .filter(|l| l.contains("GPU code"))
        .collect();
    assert_eq!(warnings.len(), 1, "{}", said.text);
    for expected in [
        "warning: without-llvm@0.1.0: no GPU code is built for `without-llvm`",
        "emulator only",
        "was built with LLVM 99; no LLVM can be used; LLVM 99 or newer with the target NVPTX is needed",
    ] {
        assert!(
            warnings[0].contains(expected),
            "no {expected:?} in {}",
            warnings[0]
        );
    }
    let lib = program.folder.join("toolchain/lib");
    let tried = [
        "no libLLVM in ",
        &lib.display().to_string(),
        "WARPLOOM_LLVM names a library",
    ];
    assert!(tried.iter().all(|t| said.text.contains(t)), "{}", said.text);
    runs_on_the_emulator_only(&program, "libLLVM");
}

#[test]
fn a_library_that_appears_later_is_noticed() {
    let library = std::process::Command::new("sh")
        .args(["-c", "ls \"$(rustc --print sysroot)\"/lib/libLLVM.so.*"])
        .output()
        .unwrap();
    let library = String::from_utf8(library.stdout).unwrap();
    let program = without_libraries("without-llvm-yet", "22.1.2");
    let said = program.builds();
    if !said.text.contains("no GPU code is built") {
        println!("skipped: this system has an LLVM that can be used");
        return;
    }
    program.builds();
    let before = program.script_ran();
    program.builds();
    assert_eq!(
        program.script_ran(),
        before,
        "the script ran again for nothing"
    );
    let folder = program.folder.join("toolchain/lib/x86_64-linux-gnu");
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(library.trim(), folder.join("libLLVM.so.22.1")).unwrap();
    program.builds();
    assert_eq!(
        program.device_code()[0].kernels(),
        ["without_llvm_yet::saxpy"]
    );
}

#[test]
fn a_named_library_that_cannot_be_used_is_an_error() {
    let program = Outside::program("without-named", MAIN).env("WARPLOOM_LLVM", "/nowhere/lib");
    let text = program.fails();
    assert!(
        text.contains("WARPLOOM_LLVM names no LLVM that can be used"),
        "{text}"
    );
    assert!(text.contains("cannot load /nowhere/lib: "), "{text}");
    let relative = program.env("WARPLOOM_LLVM", "lib").fails();
    assert!(
        relative.contains("WARPLOOM_LLVM=lib is no absolute path"),
        "{relative}"
    );
}
