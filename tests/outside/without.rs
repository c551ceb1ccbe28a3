//! Builds without device code, by choice or because there is no LLVM: programs then run on the emulator.

use crate::support::Outside;
use std::os::unix::fs::PermissionsExt as _;

const MAIN: &str = include_str!("saxpy/src/main.rs");

#[track_caller]
fn runs_on_the_emulator_only(program: &Outside, reason: &str) {
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

#[test]
fn a_toolchain_without_llvm_gets_one_warning_that_says_why() {
    let program = Outside::program("without-llvm", MAIN)
        .file("toolchain/empty", "")
        .file(
            "toolchain/rustc",
            "#!/bin/sh\nif [ \"$*\" = \"--print sysroot\" ]; then cd \"$(dirname \"$0\")\" && pwd; else exec rustc \"$@\"; fi\n",
        );
    let rustc = program.folder.join("toolchain/rustc");
    std::fs::set_permissions(&rustc, std::fs::Permissions::from_mode(0o755)).unwrap();
    // Set in the build script alone: cargo would compile every dependency anew for another compiler.
    let script = format!(
        "fn main() {{\n    // SAFETY: no other thread runs.\n    unsafe {{ std::env::set_var(\"RUSTC\", {rustc:?}) }};\n    warploom_build::compile();\n}}\n"
    );
    let program = program.file("build.rs", &script);
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
        "libLLVM",
    ] {
        assert!(
            warnings[0].contains(expected),
            "no {expected:?} in {}",
            warnings[0]
        );
    }
    runs_on_the_emulator_only(&program, "libLLVM");
}
