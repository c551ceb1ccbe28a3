//! One run of the benchmarks: the device, its stream, the twins, the clock.

use std::path::{Path, PathBuf};
use std::time::Instant;

use warploom::prelude::*;
use warploom::{Event, LaunchError, MemoryError, StreamError};
use warploom_harness::benchmark::{Repetitions, Times, Twin, interleave};
use warploom_harness::record::{Measured, RecordError};
use warploom_harness::results::ResultsError;
use warploom_harness::statistics::summarise;

use super::driver::{Allocator, DevicePointer, Driver, DriverError, Peer, RawStream};

/// Elements of the buffers between which the copy bandwidth is measured: 1 GiB of f32.
const COPY_ELEMENTS: usize = 1 << 28;

/// Why the benchmarks end early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error("{0} functions are wrong, see above")]
    #[allow(dead_code, reason = "the other benchmark goes on after one")]
    Several(usize),
    #[error(transparent)]
    Warploom(#[from] warploom::Error),
    #[error(transparent)]
    Driver(#[from] DriverError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Results(#[from] ResultsError),
    #[error(
        "{kernel} at size {size}, {side}: relative error {error:.1e} at {at}, at most {limit:.0e} is right"
    )]
    Wrong {
        kernel: &'static str,
        size: u64,
        side: &'static str,
        error: f64,
        at: usize,
        limit: f64,
    },
    #[error("{kernel} at size {size}: ours and the peer are both right, but not the same")]
    #[allow(dead_code, reason = "the other benchmark takes another measure")]
    Differ { kernel: &'static str, size: u64 },
    #[error("no benchmark and no group is called `{0}`; known are {1}")]
    #[allow(dead_code, reason = "the other benchmark takes any name")]
    Unknown(String, String),
    #[error("{twin} has no `{function}`, the twin of {kernel}")]
    #[allow(dead_code, reason = "the other benchmark has few files")]
    NoTwin {
        kernel: &'static str,
        function: &'static str,
        twin: PathBuf,
    },
    #[error("unknown argument `{0}`; known are --twins FOLDER, --out FILE, --runs N, --only NAME")]
    Argument(String),
}

impl BenchError {
    /// With the place in the result, if this is an error at one of `places`.
    #[allow(dead_code, reason = "the other benchmark compares sums")]
    pub(crate) fn at(mut self, places: &[usize]) -> Self {
        if let Self::Wrong { at, .. } = &mut self {
            *at = places.get(*at).copied().unwrap_or(*at);
        }
        self
    }
}

macro_rules! from_room {
    ($($error:ty),*) => {$(
        impl From<$error> for BenchError {
            fn from(error: $error) -> Self {
                Self::Warploom(error.into())
            }
        }
    )*};
}
from_room!(LaunchError, MemoryError, StreamError);

/// What all benchmarks share.
pub(crate) struct Session {
    pub(crate) device: Device,
    pub(crate) stream: Stream,
    pub(crate) repetitions: Repetitions,
    start: Event,
    end: Event,
    /// The peer's side; none on the emulator.
    pub(crate) gpu: Option<Gpu>,
}

/// The driver, and where the twins lie.
pub(crate) struct Gpu {
    driver: Driver,
    twins: PathBuf,
}

/// Both results of one benchmark are compared with the reference by this.
pub(crate) struct Verdict {
    pub(crate) kernel: &'static str,
    pub(crate) size: u64,
    /// Largest relative error that is right.
    pub(crate) limit: f64,
}

impl Session {
    /// Opens GPU 0, or the emulator if `WARPLOOM_DEVICE` asks for it or there is no GPU.
    pub(crate) fn open(twins: &Path, repetitions: Repetitions) -> Result<Self, BenchError> {
        let emulator = std::env::var_os("WARPLOOM_DEVICE").is_some_and(|value| value == "emulator");
        let device = match Device::cuda(0) {
            Ok(device) if !emulator => device,
            Ok(_) | Err(_) => Device::emulator(),
        };
        Self::on(device, twins, repetitions)
    }

    /// The emulator, where nothing is timed.
    #[allow(dead_code, reason = "the other benchmarks ask the environment")]
    pub(crate) fn emulated() -> Result<Self, BenchError> {
        let none = Repetitions {
            warm_up: 0,
            measured: 0,
        };
        Self::on(Device::emulator(), Path::new(""), none)
    }

    fn on(device: Device, twins: &Path, repetitions: Repetitions) -> Result<Self, BenchError> {
        let gpu = if device.is_gpu() {
            Some(Gpu {
                driver: Driver::open()?,
                twins: twins.to_owned(),
            })
        } else {
            None
        };
        Ok(Self {
            stream: device.stream()?,
            start: device.event()?,
            end: device.event()?,
            device,
            repetitions,
            gpu,
        })
    }

    /// The stream as the driver knows it.
    pub(crate) fn raw_stream(&self) -> RawStream {
        self.stream.raw()
    }

    /// Milliseconds on the device between before and after `work`.
    pub(crate) fn time<E>(&self, work: impl FnOnce() -> Result<(), E>) -> Result<f64, BenchError>
    where
        BenchError: From<E>,
    {
        self.stream.record(&self.start)?;
        work()?;
        self.stream.record(&self.end)?;
        Ok(self.start.elapsed_ms(&self.end)?)
    }

    /// Alternates both sides.
    pub(crate) fn interleave<A, B>(
        &self,
        mut ours: impl FnMut() -> Result<(), A>,
        mut peer: impl FnMut() -> Result<(), B>,
    ) -> Result<Times, BenchError>
    where
        BenchError: From<A> + From<B>,
    {
        interleave(
            self.repetitions,
            || self.time(&mut ours),
            || self.time(&mut peer),
        )
    }

    /// For times of the host: a few microseconds that vary with everything else on the machine, and cost little to take again.
    pub(crate) fn often(&self) -> Repetitions {
        Repetitions {
            warm_up: 10 * self.repetitions.warm_up,
            measured: 10 * self.repetitions.measured,
        }
    }

    /// Milliseconds of the host for each of `count` calls of `enqueue`, without the work on the device.
    pub(crate) fn time_host<E>(
        &self,
        count: u64,
        mut enqueue: impl FnMut() -> Result<(), E>,
    ) -> Result<f64, BenchError>
    where
        BenchError: From<E>,
    {
        self.stream.synchronize()?;
        let started = Instant::now();
        for _ in 0..count {
            enqueue()?;
        }
        let elapsed = started.elapsed();
        self.stream.synchronize()?;
        Ok(elapsed.as_secs_f64() * 1e3 / count as f64)
    }

    /// Bytes read and written per second, in 10^9, by a copy within device memory; the median of the repetitions.
    pub(crate) fn copy_gb_s(&self) -> Result<f64, BenchError> {
        let Some(gpu) = &self.gpu else { return Ok(0.0) };
        let from = self.device.zeroed::<f32>(COPY_ELEMENTS)?;
        let to = self.device.zeroed::<f32>(COPY_ELEMENTS)?;
        let bytes = COPY_ELEMENTS * size_of::<f32>();
        let copy = || {
            // SAFETY: both buffers have `bytes` bytes and stay valid until `time` has waited for the end of the copy.
            self.time(|| unsafe {
                gpu.driver
                    .copy(to.raw_ptr(), from.raw_ptr(), bytes, self.raw_stream())
            })
        };
        for _ in 0..self.repetitions.warm_up {
            copy()?;
        }
        let times: Result<Vec<f64>, BenchError> =
            (0..self.repetitions.measured).map(|_| copy()).collect();
        let median = summarise(&times?).map_or(f64::NAN, |summary| summary.median);
        Ok(2.0 * bytes as f64 / (median / 1e3) / 1e9)
    }
}

impl Gpu {
    pub(crate) fn allocator(&self, stream: RawStream) -> Result<Allocator<'_>, DriverError> {
        self.driver.allocator(stream)
    }

    /// # Safety
    /// As [`Driver::there_and_back`].
    pub(crate) unsafe fn there_and_back(
        &self,
        host: [usize; 2],
        device: DevicePointer,
        bytes: usize,
        stream: RawStream,
    ) -> Result<(), DriverError> {
        // SAFETY: the caller's promise.
        unsafe { self.driver.there_and_back(host, device, bytes, stream) }
    }

    /// # Safety
    /// As [`Driver::through_array`].
    #[allow(dead_code, reason = "the other benchmark copies nothing")]
    pub(crate) unsafe fn through_array(
        &self,
        memory: [DevicePointer; 2],
        array: *mut std::ffi::c_void,
        extents: [usize; 2],
        stream: RawStream,
    ) -> Result<(), DriverError> {
        // SAFETY: the caller's promise.
        unsafe { self.driver.through_array(memory, array, extents, stream) }
    }

    pub(crate) fn load(&self, twin: Twin) -> Result<Peer<'_>, DriverError> {
        self.load_from(twin.file, twin.function)
    }

    /// Loads one kernel of a file with several.
    pub(crate) fn load_from(&self, file: &str, function: &str) -> Result<Peer<'_>, DriverError> {
        self.driver
            .load(&self.twins.join(file).with_extension("cubin"), function)
    }
}

impl Verdict {
    /// Compares `values` with their references, each error taken by its `scale`; the largest one, if it is small enough.
    pub(crate) fn check(
        &self,
        side: &'static str,
        values: impl IntoIterator<Item = Compared>,
    ) -> Result<f64, BenchError> {
        let mut largest = 0.0;
        for (
            at,
            Compared {
                value,
                reference,
                scale,
            },
        ) in values.into_iter().enumerate()
        {
            let error = (value - reference).abs() / scale;
            // Not `error > limit`: that holds for no NaN.
            if error.is_nan() || error > self.limit {
                let Self {
                    kernel,
                    size,
                    limit,
                } = *self;
                return Err(BenchError::Wrong {
                    kernel,
                    size,
                    side,
                    error,
                    at,
                    limit,
                });
            }
            largest = f64::max(largest, error);
        }
        Ok(largest)
    }
}

/// A value, what it should be, and the size by which a difference is judged.
#[derive(Clone, Copy)]
pub(crate) struct Compared {
    pub(crate) value: f64,
    pub(crate) reference: f64,
    pub(crate) scale: f64,
}

/// What a benchmark returns that has verified ours and has no peer here.
pub(crate) fn only_verified(max_error: f64) -> Measured {
    Measured {
        times: Times::default(),
        max_error,
    }
}

/// What a benchmark of copies returns, if all elements have arrived. Without a peer there are no times.
pub(crate) fn copied<T: PartialEq>(
    (kernel, size): (&'static str, u64),
    (found, given): (&[T], &[T]),
    times: Option<Times>,
) -> Result<Measured, BenchError> {
    if let Some(at) = found.iter().zip(given).position(|(a, b)| a != b) {
        return Err(BenchError::Wrong {
            kernel,
            size,
            side: "ours",
            error: 1.0,
            at,
            limit: 0.0,
        });
    }
    Ok(Measured {
        times: times.unwrap_or_default(),
        max_error: 0.0,
    })
}
