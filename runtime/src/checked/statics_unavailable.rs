//! In the device pass nothing runs, and the program's statics are not known.

use warploom_emulator::check::Kind;
use warploom_manifest::instrumented::{Global, Static};

pub(crate) type Run = ();

pub(crate) fn start_run() -> Run {}

/// # Safety
/// Anything may be given.
pub(crate) unsafe fn connect(_of: &Static, _global: &Global, _at: *mut u8) -> Result<Kind, String> {
    Err("this is the device pass".into())
}
