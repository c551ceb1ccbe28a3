//! What the emulator checks a kernel for, and what a user learns of it.

mod report; // what was found becomes an error, or text

pub use report::{KernelFindings, allow, unused_allowances};
pub(crate) use report::{Launched, conclude, is_wait, write_errors};
#[doc(inline)]
pub use warploom_emulator::check::{Code, Note, Place, Report, Severity, Side, Who};
