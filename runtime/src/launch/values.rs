//! What a launch takes as values: numbers, structs, closures, and what it adds by itself.

use crate::kernel::Param;
use crate::launch::arguments::Arg;

/// What can be given for a closure of a kernel: it is copied to every thread.
///
/// Its captures are copied byte by byte, so a captured reference would point to host memory: the device pass refuses it. Capture values.
#[diagnostic::on_unimplemented(
    message = "this closure cannot be copied to every thread of a kernel",
    label = "needs `Copy + Send + Sync + 'static`",
    note = "write `move |x| ..` and capture numbers only; pass buffers as arguments of the kernel"
)]
pub trait ClosureArg: Copy + Send + Sync + 'static {}

impl<F: Copy + Send + Sync + 'static> ClosureArg for F {}

/// An argument that every thread gets a copy of.
#[derive(Debug, Clone, Copy)]
pub struct ByValue<T>(T);

// SAFETY: the value can only be reached through `get`, whose caller promises that threads may share it.
unsafe impl<T> Sync for ByValue<T> {}
// SAFETY: as above.
unsafe impl<T> Send for ByValue<T> {}

impl<T: Copy> ByValue<T> {
    /// Keeps the value until the launch is over.
    #[must_use]
    pub fn new(value: T) -> ByValue<T> {
        ByValue(value)
    }

    /// A copy for one thread.
    ///
    /// # Safety
    /// `T` is a kernel argument (numbers only) or a [`ClosureArg`]: copies may go to other threads.
    #[must_use]
    pub unsafe fn get(&self) -> T {
        self.0
    }

    /// Where the value is, for all threads.
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        &raw const self.0
    }

    /// The argument as [`submit`](super::submit) takes it.
    #[must_use]
    pub fn arg(&self) -> Arg<'_> {
        Arg::value(Param::by_value::<T>(), self.as_ptr().cast())
    }
}

/// The word of device memory with which the blocks of a cooperative grid wait for each other: the stream's own.
#[derive(Debug, Default, Clone, Copy)]
#[non_exhaustive]
pub struct GridBarrier;

impl GridBarrier {
    /// Stands for it until the launch.
    #[must_use]
    pub fn new() -> GridBarrier {
        GridBarrier
    }

    /// The argument as [`submit`](super::submit) takes it.
    #[must_use]
    pub fn arg(&self) -> Arg<'_> {
        Arg::grid_barrier()
    }
}
