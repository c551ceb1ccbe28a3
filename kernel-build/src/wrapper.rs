//! The compiler wrapper of the nested build: passes every call on to rustc, and gives device compilations what they need.
//!
//! Only compilations that cargo marks with `--cfg warploom_device` are touched, never those of proc macros and build scripts. The
//! unstable switches are allowed (`RUSTC_BOOTSTRAP`) in exactly these processes, because build scripts of dependencies look for that
//! variable and would turn nightly features on.

use std::ffi::OsString;
use std::process::Command;

/// Marks device compilations; cargo puts it into their flags, and build scripts see it as `CARGO_CFG_WARPLOOM_DEVICE`.
pub(crate) const DEVICE_CFG: &str = "warploom_device";

/// Set for the rustc process of a device compilation; `warploom-macros` reads it.
pub(crate) const DEVICE_PASS: &str = "WARPLOOM_DEVICE_PASS";

/// What device compilations get, each for a reason:
const DEVICE_FLAGS: &[&str] = &[
    // JumpThreading duplicates calls into branches, barriers too: threads would then wait at different barriers.
    "-Zmir-enable-passes=-JumpThreading",
    // The launch handle's name is part of a constant.
    "-Zcrate-attr=feature(const_type_name)",
    // `--test` harnesses must build although panics abort.
    "-Zpanic-abort-tests",
    // No landing pads: a device cannot unwind.
    "-Cpanic=abort",
    // Bitcode instead of machine code, one module per crate, untouched by host optimisation.
    "-Clinker-plugin-lto",
    "-Cno-prepopulate-passes",
    "-Ccodegen-units=1",
    "-Copt-level=3",
    "-Csymbol-mangling-version=v0",
    // Lines for error messages and `.loc`, no variables.
    "-Cdebuginfo=line-directives-only",
    "-Cstrip=none",
    // The host pass shows the same warnings.
    "--cap-lints=allow",
];

/// Runs rustc as cargo asked, with additions; returns its exit code.
pub(crate) fn run(args: &[OsString]) -> i32 {
    let Some((rustc, rest)) = args.split_first() else {
        return 1;
    };
    let mut command = Command::new(rustc);
    command.args(rest);
    let is = |text: &str| rest.iter().any(|a| a == text);
    let device = rest
        .windows(2)
        .any(|w| w[0] == "--cfg" && w[1] == DEVICE_CFG);
    // Without a crate name of cargo's it is some build script that probes the compiler: it must see a stable one.
    if device && std::env::var_os("CARGO_CRATE_NAME").is_some() {
        command.args(DEVICE_FLAGS);
        command.env("RUSTC_BOOTSTRAP", "1").env(DEVICE_PASS, "1");
        if std::env::var_os("CARGO_PRIMARY_PACKAGE").is_some() {
            add_linker(&mut command, rest, is("--test"));
        }
    }
    // The nested cargo may run under another job server's limits; nothing else differs from a plain call.
    match command.status() {
        Ok(status) => status.code().unwrap_or(1),
        Err(error) => {
            eprintln!("cannot run {}: {error}", rustc.display());
            1
        }
    }
}

/// Names this executable as linker of the package's own targets; a library is linked once more, as a `cdylib`, just for that.
fn add_linker(command: &mut Command, args: &[OsString], test: bool) {
    let Ok(this) = std::env::current_exe() else {
        return;
    };
    let mut linker = OsString::from("-Clinker=");
    linker.push(this);
    command.arg(linker).arg("-Clinker-flavor=gcc");
    let crate_type = |name: &str| {
        args.windows(2)
            .any(|w| w[0] == "--crate-type" && w[1] == name)
    };
    if !test && (crate_type("lib") || crate_type("rlib")) && !crate_type("cdylib") {
        command.arg("--crate-type=cdylib");
    }
}
