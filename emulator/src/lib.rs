//! Runs a kernel on the CPU as a GPU would: blocks, 32-lane warps, barriers, shuffles, votes, atomics and shared memory.
//!
//! Takes a [`Shape`] and the body of one thread, which calls [`intrinsics`]; gives back `Ok` or one [`Fault`].
//! Must not know: macros, CUDA, LLVM. Start at `block.rs`: it decides who waits for whom.
//!
//! ```
//! use std::sync::atomic::{AtomicU32, Ordering};
//! use warploom_emulator::{Shape, intrinsics, run};
//!
//! let sum = AtomicU32::new(0);
//! run(Shape::new([3, 1, 1], [83, 1, 1]), &|| {
//!     let index = intrinsics::block_idx_x() * intrinsics::block_dim_x() + intrinsics::thread_idx_x();
//!     sum.fetch_add(index, Ordering::Relaxed);
//! })?;
//! assert_eq!(sum.into_inner(), (0..249).sum());
//! # Ok::<(), warploom_emulator::Fault>(())
//! ```

mod block; // rendezvous: barriers, warp operations, lanes that returned
pub mod check; // what instrumented code is checked for
mod context; // switches between stacks
mod crew; // the fibers of one block
mod diagnose; // reports of what barriers and warp operations found
mod exact; // floating point in integers, rounded once in any mode
mod fault; // what the caller reads when a run went wrong
mod fiber; // a stack for a lane that has to wait
mod grid; // blocks over OS threads, and which fault is the first
mod helpers; // OS threads that sleep between runs
mod here; // what each OS thread keeps
pub mod intrinsics; // what a kernel may call
mod model; // what GPUs of each compute capability have room for
mod order; // in which order blocks start
mod panics; // a panic of a lane becomes a record, not output
mod place; // where in the source: of a call, or of instrumented code
mod quiet; // whether all that is left only polls
mod run; // the way in
mod set; // blocks that are there together
mod shape; // how many blocks of how many threads
mod shared; // the memory that the lanes of one block share
mod spin; // lanes that poll memory
#[cfg_attr(any(miri, warploom_threads), path = "stack_of_threads.rs")]
mod stack; // memory for stacks, kept between runs
mod sync; // std's primitives, or loom's
mod warp; // one warp: votes, shuffles, `warp_sync`
mod worker; // sets of blocks on one OS thread

pub use fault::{Fault, Wait, WaitPoint};
pub use model::{Model, ModelLimits, UnknownModel};
pub use run::{Outcome, run, run_together, run_with};
pub use shape::{Shape, Together, resident_blocks};
pub use shared::SharedKey;
