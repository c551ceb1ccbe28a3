//! What a run is checked for, beyond what any run finds: every access to memory, in instrumented kernels.
//!
//! A kernel comes in two forms: *native*, as rustc compiled it for the host, and *instrumented*, the device's own code for the host's
//! processor, in which each access to memory first calls a hook of `hooks`. Both run on the same engine. This module gives the hooks
//! their meaning and turns what they find into [`Report`]s. Must not know: LLVM, how instrumented code is made.

mod access; // reads and writes, one by one: the thorough way
mod array_name; // what reports call shared arrays
mod atomic; // atomics and fences
mod atomic_quick; // relaxed atomics that tell nothing but that they were made
mod clock; // what each lane of a block knows of the others
mod collect; // folds what is found
mod copies; // asynchronous copies
mod describe; // what reports of races say
mod frees; // memory that is freed while others use it
mod hooks; // what instrumented code calls
mod host; // what stands in for the device library
mod html; // a page about a kernel
mod lines; // first reads of neighbours, remembered together
mod lints; // what it shows of performance
mod looked; // what lanes read that a fence may acquire
mod memory; // which addresses there are: allocations, their bytes, where they come from
mod options; // what to check, in which order threads run
mod order; // releases, and who acquired them
mod quick; // reads and writes that floors order, or that tell nothing new
mod race; // two accesses that nothing orders
mod render; // as text
mod report; // what a finding says
mod rows; // many reads of one site at once
mod shadow; // what is remembered of each piece of memory
mod site; // places in the source of instrumented code
mod source; // the text there
mod space; // which memory an access goes to
mod state; // what a run keeps, and each of its blocks
mod stretch; // numbers of stretches of time in which accesses change nothing
mod suppress; // findings that someone has allowed
mod unread; // reads of what has no value
mod window; // parts of memory that sites have accessed before

pub(crate) use access::{reads, writes};
pub(crate) use array_name::type_of;
pub(crate) use atomic::{Does, around, arrives, fence, sees_phase, will_arrive};
pub use collect::{Key, Sink};
pub(crate) use copies::{begins as copy_begins, ends as copy_ends};
pub use hooks::{HOOKS, Hook};
pub use host::HOST;
pub use html::Page;
pub(crate) use lints::Exit;
pub use lints::Profile;
pub use memory::{
    Birth, ForeignMemory, GlobalMemory, Kind, Origin, allocate, allocate_at, copied, forget_values,
    free, heap_alloc, heap_free, host_reads, initialise, limit_heap, name, name_view,
};
pub(crate) use memory::{Ended, leaks};
pub use options::{Mode, Options, OptionsError, Schedule};
pub use render::colours;
pub use report::{Code, Note, Place, Report, Severity, Side, Who};
pub use site::{Frame, SiteId, SiteInfo, register, site};
pub use source::Sources;
pub(crate) use source::sources;
pub(crate) use state::{BlockChecks, RunChecks, blocks_met};
pub use suppress::{Allowance, Allowances};
