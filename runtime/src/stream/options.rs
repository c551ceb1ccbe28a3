//! How a stream relates to others: priorities, and the default stream.

use std::sync::Arc;

use super::turns::Role;
use super::{Queue, Stream, StreamError, reject_in_host_callback};
use crate::cuda::stream::Stream as CudaStream;
use crate::device::{Backend, Device};

/// What a stream is like. Made with `Device::stream_with`.
///
/// # The default stream
/// CUDA has one stream in each context that work goes to unless it names another: the legacy default stream. Its rule: work of the default
/// stream starts when all earlier work of all *blocking* streams is done, and later work of the blocking streams starts when it is done.
/// *Non-blocking* streams take no part.
///
/// warploom itself never uses the default stream, so its streams are non-blocking as a rule. Libraries and code in C++ do use it. Three
/// ways to keep the order with such code in the same process:
/// 1. [`blocking`](StreamOptions::blocking) makes a stream that takes part in the rule.
/// 2. [`Device::default_stream`] is the default stream itself.
/// 3. Events order any stream with any other: [`Stream::record`] and [`Stream::wait`].
///
/// A default stream for each thread (`CU_STREAM_PER_THREAD`) cannot be had as a [`Stream`]: it would be another stream in each thread
/// that has the value. On the emulator all work is done when its call returns, so every order holds.
///
/// ```
/// # use warploom_runtime::{Device, StreamOptions};
/// let device = Device::emulator();
/// let urgent = device.stream_priorities()?.greatest;
/// let stream = device.stream_with(StreamOptions::new().priority(urgent))?;
/// assert_eq!(stream.priority(), urgent);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StreamOptions {
    priority: i32,
    blocking: bool,
    /// Of the default stream itself.
    is_default: bool,
}

/// The priorities that streams of a device can have: numbers from `greatest` to `least`. Lower numbers are higher priorities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamPriorities {
    /// The lowest priority, the largest number; 0, which is every stream's priority unless it asks for another.
    pub least: i32,
    /// The highest priority, the smallest number. Equal to `least` where the device has no priorities.
    pub greatest: i32,
}

/// As the driver says of GPUs since compute capability 7.0.
const EMULATED: StreamPriorities = StreamPriorities {
    least: 0,
    greatest: -5,
};

impl StreamOptions {
    /// Non-blocking, of priority 0.
    #[must_use]
    pub fn new() -> StreamOptions {
        StreamOptions::default()
    }

    /// With this priority, of those that [`Device::stream_priorities`] names. Blocks of a kernel that wait for a place get it in the order
    /// of their streams' priorities; blocks that run are not stopped. Copies have no priorities. CUDA: `cuStreamCreateWithPriority`.
    #[must_use]
    pub fn priority(self, priority: i32) -> StreamOptions {
        StreamOptions { priority, ..self }
    }

    /// In order with the legacy default stream. CUDA: `CU_STREAM_DEFAULT` in place of `CU_STREAM_NON_BLOCKING`.
    #[must_use]
    pub fn blocking(self) -> StreamOptions {
        StreamOptions {
            blocking: true,
            ..self
        }
    }

    /// How a stream of these options relates to the legacy default stream.
    pub(crate) fn role(self) -> Role {
        match (self.is_default, self.blocking) {
            (true, _) => Role::Default,
            (false, true) => Role::Blocking,
            (false, false) => Role::Apart,
        }
    }
}

impl StreamPriorities {
    /// Whether a stream can have this priority.
    #[must_use]
    pub fn contains(self, priority: i32) -> bool {
        (self.greatest..=self.least).contains(&priority)
    }
}

impl Device {
    /// Makes a stream as the options say. [`stream`](Device::stream) makes one with the default options.
    ///
    /// # Errors
    /// [`StreamError::PriorityOutOfRange`] for a priority that the device does not have, where CUDA takes the nearest;
    /// [`StreamError::Driver`] if the driver refuses.
    pub fn stream_with(&self, options: StreamOptions) -> Result<Stream, StreamError> {
        reject_in_host_callback()?;
        let StreamOptions {
            priority, blocking, ..
        } = options;
        if priority != 0 {
            let range = self.stream_priorities()?;
            if !range.contains(priority) {
                return Err(StreamError::PriorityOutOfRange {
                    given: priority,
                    least: range.least,
                    greatest: range.greatest,
                    device: self.name().to_owned(),
                });
            }
        }
        let queue = Queue::new(self, |gpu| {
            CudaStream::with(Arc::clone(&gpu.context), blocking, priority)
        })
        .map_err(|error| self.explain(None, error))?;
        Ok(Stream::new(self, queue, options))
    }

    /// The legacy default stream of the device's context, which code in C++ uses when it names no stream; [`StreamOptions`] has its rule.
    /// It is there for such code: work of other streams does not overlap with it. Never destroyed. CUDA: `CU_STREAM_LEGACY`.
    ///
    /// # Errors
    /// [`StreamError::Driver`] if the driver refuses. None on the emulator.
    pub fn default_stream(&self) -> Result<Stream, StreamError> {
        reject_in_host_callback()?;
        let queue = Queue::new(self, |gpu| Ok(CudaStream::legacy(Arc::clone(&gpu.context))))?;
        let options = StreamOptions {
            is_default: true,
            ..StreamOptions::new().blocking()
        };
        Ok(Stream::new(self, queue, options))
    }

    /// The priorities that streams can have. The emulator, where they have no effect, has those of a GPU. CUDA:
    /// `cuCtxGetStreamPriorityRange`.
    ///
    /// # Errors
    /// [`StreamError::Driver`] if the driver refuses. None on the emulator.
    pub fn stream_priorities(&self) -> Result<StreamPriorities, StreamError> {
        match &self.0.backend {
            Backend::Emulator(_) => Ok(EMULATED),
            Backend::Cuda(gpu) => {
                let range = gpu.context.stream_priorities();
                let [least, greatest] = range.map_err(|error| self.explain(None, error))?;
                Ok(StreamPriorities { least, greatest })
            }
        }
    }
}

impl Stream {
    /// The priority that the stream was made with. CUDA: `cuStreamGetPriority`.
    #[must_use]
    pub fn priority(&self) -> i32 {
        self.options.priority
    }

    /// Whether the stream keeps order with the legacy default stream; see [`StreamOptions`]. CUDA: `cuStreamGetFlags`.
    #[must_use]
    pub fn is_blocking(&self) -> bool {
        self.options.blocking
    }
}
