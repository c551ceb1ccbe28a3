//! Crates outside the workspace, as users have them: built by plain cargo, offline, run on the emulator.
//!
//! Each crate is copied to (or written into) a temporary folder. They share two target folders and therefore have names of their own.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests may fail as the tests do"
)]

#[path = "outside/agreement.rs"]
mod agreement; // launches where a cfg makes host and device differ
#[path = "outside/attacks.rs"]
mod attacks; // safe code against the checks of parameters
#[path = "outside/commands.rs"]
mod commands; // check, doc, clippy, test; errors of the user's own
#[path = "outside/crashes.rs"]
mod crashes; // where LLVM crashes
#[path = "outside/cross.rs"]
mod cross; // programs and libraries for other targets
#[path = "outside/ecosystem.rs"]
mod ecosystem; // crates of the registry in kernels
#[path = "outside/exports.rs"]
mod exports; // the first program; libraries that export kernels; packaging
#[path = "outside/features.rs"]
mod features; // host and device compile the same versions, features and checks
#[path = "outside/inputs.rs"]
mod inputs; // lock file, manifests and configuration of cargo
#[path = "outside/large.rs"]
mod large; // a kernel with thousands of checks
#[path = "outside/macros.rs"]
mod macros; // kernels and launches of one call of a macro
#[path = "outside/names.rs"]
mod names; // warploom under another path
#[path = "outside/partly.rs"]
mod partly; // one target of several has no device code
#[path = "outside/profiles.rs"]
mod profiles; // one profile for host and device
#[path = "outside/publishing.rs"]
mod publishing; // the packages, as a registry has them
#[path = "outside/rebuilds.rs"]
mod rebuilds; // what is built again, and what is not
#[path = "outside/refusals.rs"]
mod refusals; // kernels that cannot run on a GPU
#[path = "outside/sources.rs"]
mod sources; // lines of source in findings
#[path = "outside/subcommand.rs"]
mod subcommand; // cargo warploom
#[path = "outside/support.rs"]
mod support;
#[path = "outside/transcripts.rs"]
mod transcripts; // what cargo warploom prints
#[path = "outside/traps.rs"]
mod traps; // the nested cargo and the outer build do not disturb each other
#[path = "outside/untested.rs"]
mod untested; // rustc and LLVM that were not tested
#[path = "outside/versions.rs"]
mod versions; // two versions of one library
#[path = "outside/without.rs"]
mod without; // no device code: by choice, or because there is no LLVM
