//! Runs a kernel on the CPU as a GPU would: blocks, 32-lane warps, barriers, shuffles, votes, atomics and shared memory.
//!
//! Takes a [`Shape`] and the body of one thread, which calls [`intrinsics`]; gives back `Ok` or one [`Fault`].
//! Must not know: macros, CUDA, LLVM. Start at `engine/block.rs`: it decides who waits for whom.
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

mod access_costs; // sectors and passes, in all
#[cfg(not(warploom_device))]
pub mod check; // the public names of what runs are checked for
#[cfg(warploom_device)]
#[path = "device_pass.rs"]
pub mod check; // what the runtime needs in order to compile
mod control; // which thread goes on at atomic accesses, decided outside
#[cfg(not(warploom_device))]
mod detector; // compares accesses to memory: races, bounds, values
#[cfg(not(warploom_device))]
mod engine; // blocks, warps, fibers, scheduling, shared memory
#[cfg_attr(
    warploom_device,
    expect(dead_code, reason = "`matrix` alone uses it there")
)]
mod exact; // floating point in integers, rounded once in any mode
mod fault; // what the caller reads when a run went wrong
mod finding; // what a finding says
#[cfg(not(warploom_device))]
mod host; // what instrumented code calls instead of the device library
#[cfg(not(warploom_device))]
pub mod intrinsics; // what a kernel may call
pub mod matrix; // the arithmetic of tensor cores
mod memory_kind; // what the runtime says of memory
mod model; // what GPUs of each compute capability have room for
mod options; // what to check, in which order threads run
mod random; // numbers for random orders
#[cfg(not(warploom_device))]
mod report; // findings as text and pages, lints, suppression
#[cfg(not(warploom_device))]
mod run; // the way in
mod shape; // how many blocks of how many threads
mod site; // where in the source: of a call, or of instrumented code
mod source; // texts of source files
mod sync; // std's primitives, or loom's
pub mod tensor; // maps of tensors, and boxes of them
pub mod texture; // the arithmetic of texture units, and places in surfaces

#[cfg(warploom_device)]
pub use check::{Outcome, run, run_together, run_with};
#[cfg(not(warploom_device))]
pub use engine::shared::SharedKey;
pub use fault::{Fault, Wait, WaitPoint};
pub use model::{Model, ModelLimits, UnknownModel};
#[cfg(not(warploom_device))]
pub use run::{Outcome, run, run_together, run_with};
pub use shape::{Shape, Together, resident_blocks};
