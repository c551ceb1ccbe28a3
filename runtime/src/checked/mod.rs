//! What the emulator checks a kernel for, and what a user learns of it.

mod code; // kernels that say what they do to memory
mod costs; // what accesses cost, by kernel
mod filter; // which launches are checked
mod page; // what a kernel costs, as HTML
mod parameters; // what is known of a launch's arguments
mod report; // what was found becomes an error, or text
#[cfg_attr(warploom_device, path = "statics_unavailable.rs")]
mod statics; // those of the program, for instrumented code
mod warnings; // what was found and is no error

pub(crate) use code::{Body, body, note_unchecked, options};
pub(crate) use costs::Costs;
pub use costs::KernelCosts;
pub use filter::Filter;
pub(crate) use filter::filter;
pub(crate) use page::write_page;
pub(crate) use parameters::{Parameters, may_have_addresses};
pub use report::{KernelFindings, allow, unused_allowances};
pub(crate) use report::{Launched, conclude, is_wait, remark, write_errors};
pub(crate) use statics::start_run;
pub(crate) use warnings::Warnings;
#[doc(inline)]
pub use warploom_emulator::check::{
    AccessCosts, Code, GlobalCost, Note, Place, Report, Severity, SharedCost, Side, Who,
};
