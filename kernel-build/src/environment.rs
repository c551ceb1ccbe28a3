//! The variables and flags by which the processes of the nested build find each other's settings.

use crate::options::Options;
use std::path::PathBuf;

/// Tells a re-entered build script that it is the nested build's compiler wrapper or linker.
pub(crate) const ROLE: &str = "WARPLOOM_ROLE";

/// Options for the device linker, as JSON.
pub(crate) const OPTIONS: &str = "WARPLOOM_OPTIONS";

/// Path of the LLVM that the build script has chosen.
pub(crate) const LLVM: &str = "WARPLOOM_LLVM_LIBRARY";

/// Marks device compilations; cargo puts it into their flags, and build scripts see it as `CARGO_CFG_WARPLOOM_DEVICE`.
pub(crate) const DEVICE_CFG: &str = "warploom_device";

/// Set for the rustc process of a device compilation; `warploom-macros` reads it.
pub(crate) const DEVICE_PASS: &str = "WARPLOOM_DEVICE_PASS";

/// Changes when the device linker or LLVM does.
pub(crate) const LINKER_STAMP: &str = "WARPLOOM_LINKER_STAMP";

/// Keeps intermediate results beside the output of the device linker, for debugging.
pub(crate) const DUMP: &str = "WARPLOOM_DUMP";

/// Names the crate target to the device linker: `photo (bin)`.
pub(crate) const TARGET: &str = "WARPLOOM_TARGET";

/// The target folder of the nested build.
pub(crate) const TARGET_FOLDER: &str = "WARPLOOM_TARGET_FOLDER";

/// The folder from which paths of sources are written: cargo makes them relative to the workspace, and a member that is built as a dependency of
/// another package is in none.
pub(crate) const PATHS_FROM: &str = "WARPLOOM_PATHS_FROM";

/// The device linker and its LLVM, as a text that is another one for others; `None` outside of a nested build.
pub(crate) fn compiler() -> Option<String> {
    std::env::var(LINKER_STAMP).ok()
}

/// What the device linker is told: its options, and where LLVM is.
pub(crate) fn linker_options() -> Option<(Options, PathBuf)> {
    let options = serde_json::from_str(&std::env::var(OPTIONS).ok()?).ok()?;
    Some((options, PathBuf::from(std::env::var_os(LLVM)?)))
}
