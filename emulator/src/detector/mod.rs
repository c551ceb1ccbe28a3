//! Compares every access to memory of instrumented kernels: races, bounds, values, order by atomics.
//!
//! A kernel comes in two forms: *native*, as rustc compiled it for the host, and *instrumented*, the device's own code for the host's
//! processor, in which each access to memory first calls a hook of `hooks.rs`. Both run on the same engine. `README.md` says when two
//! accesses race. Must not know: LLVM, how instrumented code is made, how findings are rendered.

mod access; // reads and writes, one by one: the slow path
mod atomic; // atomics and fences
mod bulk; // copies of many bytes, and what they do not see
mod clock; // what each lane of a block knows of the others
mod copies; // asynchronous copies
mod cursor; // granules in lines, and the line that a site goes along
mod describe; // what reports of races say
mod early; // stores that come before a load
mod epochs; // numbers of epochs in which accesses change nothing
mod exits; // lanes that exited before a barrier
mod fast; // reads and writes that bounds order, or that tell nothing new
mod fast_atomic; // relaxed atomics that tell nothing but that they were made
mod fetches; // reads of textures
mod footprint; // what launches have accessed of buffers
mod frees; // memory that is freed while others use it
mod hints; // atomics that say why a race is one
mod hooks; // what instrumented code calls
mod launches; // launches of different streams
mod line; // what is remembered of neighbouring granules
mod lines; // first reads of neighbours, remembered together
mod memory; // which addresses there are: allocations, their bytes, where they come from
mod observed; // reads and writes that the lints are told quickly
mod observer; // what the lints are told
mod order; // releases, and who acquired them
mod pending_acquires; // what lanes read that a fence may acquire
mod race; // two accesses that nothing orders
mod remote; // shared memory of other blocks
mod rows; // many reads of one site at once
mod seq_cst; // sequentially consistent fences of other threads than those of an atomic
mod shadow; // what is remembered of each piece of memory
mod slot; // one access, as it is remembered
mod space; // which memory an access goes to
mod state; // what a run keeps, and each of its blocks
mod touch; // what a launch has done with a piece of memory
mod turn; // the place of a launch among those of all streams
mod uninitialised; // reads of what has no value
mod weak; // which stores atomic loads may read, in explorations
mod window; // parts of memory that sites have accessed before

pub(crate) use access::{reads, writes};
pub(crate) use atomic::{
    Does, around, around_packed, arrives, bulk_will_end, fence, phase_ends, sees_phase, will_arrive,
};
pub(crate) use bulk::{
    begins as bulk_begins, lands as bulk_lands, misaligned, proxy_fence, reads as bulk_reads,
    reads_shared as bulk_reads_shared, reads_shared_now as bulk_reads_shared_now,
    source_read as bulk_source_read, writes as bulk_writes,
};
pub(crate) use copies::begins as copy_begins;
pub(crate) use fetches::fetches;
pub use frees::heap_free;
pub use hooks::{HOOKS, Hook};
pub use memory::{
    ForeignMemory, GlobalMemory, allocate, allocate_at, copied, forget_values, forget_views, free,
    gets_slice, heap_alloc, host_reads, initialise, keep_freed_memory, limit_heap, may_lead_to,
    name, name_view, reads_only,
};
pub(crate) use memory::{leaks, outside_surface};
pub(crate) use observer::{Observer, ReadRow, Target};
pub(crate) use slot::AccessKind;
pub(crate) use state::{Exit, Observe, RunChecks};
pub use turn::{InFlight, Launches, Turn, takes_turn};
