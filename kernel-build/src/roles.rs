//! The roles of the build script's executable beside that of a build script: compiler wrapper and linker of the nested build, and what
//! `#[kernel]` starts to compare two builds; and the process of the self-test.
//!
//! They begin before `main`. Cargo reads what rustc prints, so a line that `build.rs` prints before `compile()` would be taken for rustc's; and
//! what it does there is meant for a build script, in whose environment it is not then.

use crate::environment::{DEVICE_PASS, ROLE};
use crate::{linker, proof, self_test, wrapper};
use std::ffi::OsString;

/// Called by the C library, which glibc does after it has given `std` the arguments.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[used]
// SAFETY: the section holds pointers to functions of this type; that of `std`, which must run before, has a priority.
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = {
    extern "C" fn before_main() {
        play();
    }
    before_main
};

/// Does what this process was started for, and ends it; returns in a build script, which has no arguments.
pub(crate) fn play() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let code = match args[..] {
        [] if role == proof::COMPARE => proof::compare(),
        [] if role == self_test::PROCESS => self_test::play(),
        [] => return,
        _ if std::env::var_os(DEVICE_PASS).is_some() => linker::run(&args),
        _ => wrapper::run(&args),
    };
    #[expect(
        clippy::exit,
        reason = "these roles must end here, before the rest of build.rs"
    )]
    std::process::exit(code);
}
