//! Runs the threads of a grid: blocks, warps, fibers, barriers, shared memory. `README.md` has the protocol of waiting, numbered.
//!
//! Must not know: how accesses are compared, how findings are rendered.

pub(crate) mod block; // rendezvous: barriers, warp operations, lanes that returned
pub(crate) mod block_scheduler; // the fibers of one block
pub(crate) mod bulk; // copies of many bytes under way
pub(crate) mod checker; // what the detector is told and asked
pub(crate) mod co_resident; // blocks that are there together
pub(crate) mod context; // switches between stacks
pub(crate) mod diagnose; // reports of what barriers and warp operations found
pub(crate) mod fiber; // a stack for a lane that has to wait
pub(crate) mod grid; // blocks over OS threads, and which fault is the first
pub(crate) mod launch; // what the threads of one run share
pub(crate) mod livelock; // whether all that is left only polls
pub(crate) mod mbarrier; // the bytes of a barrier in memory
pub(crate) mod order; // in which order blocks start
pub(crate) mod overflow; // reports of lanes that need more stack than they have
pub(crate) mod panic_record; // where and with which words a lane panicked
pub(crate) mod panics; // a panic of a lane becomes a record, not output
pub(crate) mod pending; // atomic accesses at which lanes wait to be chosen
mod remarks; // what is odd about a rendezvous
pub(crate) mod reserve; // what lies below a stack and is not accessible
pub(crate) mod shared; // the memory that the lanes of one block share
pub(crate) mod shared_array; // what reports call shared arrays
pub(crate) mod spin; // lanes that poll memory
#[cfg_attr(any(miri, warploom_threads), path = "stack_of_threads.rs")]
pub(crate) mod stack; // memory for stacks, kept between runs
pub(crate) mod thread_pool; // OS threads that sleep between runs
pub(crate) mod tls; // what each OS thread keeps
pub(crate) mod warp; // one warp: votes, shuffles, `warp_sync`
mod warp_op; // what the lanes of a warp do together
pub(crate) mod worker; // sets of blocks on one OS thread
