//! One launch, on its way from a kernel's `launch` to the driver or the emulator.

use std::panic::Location;
use std::sync::Mutex;

use crate::buffer::Buffer;
use crate::cuda::DriverError;
use crate::device::Device;
use crate::kernel::Kernel;
use crate::launch::arguments::Arg;
use crate::launch::cache::LoadedKernel;
use crate::launch::error::LaunchError;
use crate::launch_config::Launch;
use crate::launch_shape::CheckedShape;
use crate::stream::Stream;

/// One thread of a kernel on the CPU. Every closure that can be copied and shared is one.
///
/// Called, it runs the thread that the emulator says is running.
pub trait ThreadBody: Fn() + Sync {
    /// A copy that may run after this call's arguments are gone.
    ///
    /// # Safety
    /// The copy runs only while what the closure points to is there.
    unsafe fn keep(&self) -> Box<dyn Fn() + Send + Sync>;
}

impl<F: Fn() + Clone + Send + Sync> ThreadBody for F {
    unsafe fn keep(&self) -> Box<dyn Fn() + Send + Sync> {
        let kept: Box<dyn Fn() + Send + Sync + '_> = Box::new(self.clone());
        // SAFETY: only the bound of the captures' life changes, and the caller answers for that.
        unsafe { std::mem::transmute(kept) }
    }
}

/// What is to be launched, with what, where, and by which line.
pub(crate) struct LaunchRequest<'a> {
    pub(crate) stream: &'a Stream,
    pub(crate) launch: Launch,
    pub(crate) kernel: &'a Kernel<'a>,
    pub(crate) args: &'a [Arg<'a>],
    /// The body of one thread, for the emulator.
    pub(crate) cpu: &'a dyn ThreadBody,
    /// The line that launches.
    pub(crate) caller: &'static Location<'static>,
    /// The kernel of a module that the user loaded; otherwise the program carries its code.
    pub(crate) loaded: Option<&'a Mutex<LoadedKernel>>,
}

impl<'a> LaunchRequest<'a> {
    #[inline]
    pub(super) fn device(&self) -> &'a Device {
        self.stream.device()
    }

    /// The memory among the arguments.
    pub(super) fn buffers(&self) -> impl Iterator<Item = &'a Buffer> {
        self.args.iter().filter_map(Arg::buffer)
    }

    /// The driver refused a call that this launch needs.
    #[cold]
    pub(super) fn driver_error(&self, source: DriverError) -> LaunchError {
        LaunchError::Driver {
            kernel: self.kernel.base,
            source,
        }
    }

    /// Blocks of more than `limit` threads.
    #[cold]
    pub(super) fn too_many_threads(&self, shape: &CheckedShape, limit: u32) -> LaunchError {
        LaunchError::TooManyThreads {
            kernel: self.kernel.base,
            given: shape.threads_per_block(),
            limit,
        }
    }

    /// More shared memory than a block can have; `fixed` bytes are the kernel's own.
    #[cold]
    pub(super) fn too_much_shared(&self, shape: &CheckedShape, fixed: u32) -> LaunchError {
        LaunchError::SharedTooLarge {
            kernel: self.kernel.base,
            given: shape.dynamic_shared_bytes,
            fixed,
            limit: self.device().0.limits.shared_bytes_opt_in,
            device: self.device().name().to_owned(),
        }
    }
}
