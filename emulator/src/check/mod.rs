//! What a run is checked for, beyond what any run finds: every access to memory, in instrumented kernels.
//!
//! A kernel comes in two forms: *native*, as rustc compiled it for the host, and *instrumented*, the device's own code for the host's
//! processor, in which each access to memory first calls a hook of [`hooks`]. Both run on the same engine. This module gives the hooks
//! their meaning and turns what they find into [`Report`]s. Must not know: LLVM, how instrumented code is made.

mod hooks; // what instrumented code calls
mod html; // a page about a kernel
mod lints; // what it shows of performance
mod memory; // which addresses there are: allocations, their bytes, where they come from
mod options; // what to check, in which order threads run
mod report; // what a finding says
mod site; // places in the source of instrumented code

pub use hooks::HOOKS;
pub use html::Page;
pub use lints::{Access, AccessKind, Lints, Profile, Space, SyncKind};
pub use memory::{Birth, Kind, allocate, free, initialise, name};
pub use options::{Mode, Options, Schedule};
pub use report::{Code, Note, Place, Report, Severity, Side, Who};
pub use site::{Frame, SiteId, SiteInfo, register, site};
