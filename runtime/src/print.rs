//! What kernels print becomes text on the host.
//!
//! Threads leave records in a ring (`warploom_device_std::print::record`). One ring per device, made when it is first needed; on a GPU it
//! lies in mapped host memory, so that lines survive a broken context, and its description in device memory, where threads add to
//! `head`. [`Prints::flush`] looks for records, whenever the program launches or waits.

mod format; // Rust's format strings at run time
mod records; // whole records in the ring
mod ring; // its memory

use std::collections::{HashSet, VecDeque};
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use warploom_device_std::print::record::RING_BYTES;

use crate::cuda::DriverError;
use crate::cuda::callback::in_host_callback;
use crate::cuda::module::Module;
use crate::device::{Backend, Device, Gpu};
use crate::stream::StreamError;
use crate::sync::lock;

use ring::{CudaRing, HostRing, Ring};

/// Bytes of a ring if nothing else is asked for, as in CUDA.
const DEFAULT_BYTES: usize = 1 << 20;
/// Module variable that holds the address of the ring's description.
const RING: &std::ffi::CStr = c"__warploom_print_ring";

type Handler = Arc<dyn Fn(&str) + Send + Sync>;

/// What a device's kernels print.
#[derive(Default)]
pub(crate) struct Prints {
    /// Whether there was a ring ever. Launches test it first: most devices have no kernel that prints.
    used: AtomicBool,
    state: Mutex<State>,
    output: Mutex<Output>,
}

#[derive(Default)]
struct State {
    /// Bytes asked for; `None`: the default.
    bytes: Option<usize>,
    ring: Option<Ring>,
    /// What `last` was at the latest look.
    seen: u64,
    /// Positions of the records that the ring held at the latest look: they are printed.
    printed: HashSet<u64>,
}

/// Where the text goes.
#[derive(Default)]
struct Output {
    handler: Option<Handler>,
    waiting: VecDeque<String>,
    /// Some thread works off `waiting`.
    busy: bool,
}

impl State {
    fn bytes(&self) -> usize {
        self.bytes.unwrap_or(DEFAULT_BYTES)
    }

    /// The texts of all records that were not printed yet, the oldest first.
    fn take(&mut self) -> Vec<String> {
        let Some(ring) = &self.ring else {
            return Vec::new();
        };
        let last = ring.last();
        if last == self.seen {
            return Vec::new();
        }
        self.seen = last;
        let found = records::records(ring.words(), ring.key());
        let texts = found
            .iter()
            .filter(|record| !self.printed.contains(&record.position))
            .map(|record| {
                let text = record.text();
                text.unwrap_or_else(|malformed| format!("{malformed}\n"))
            })
            .collect();
        self.printed = found.iter().map(|record| record.position).collect();
        texts
    }
}

impl Prints {
    /// Prints what threads left so far.
    #[inline]
    pub(crate) fn flush(&self) {
        if self.used.load(Ordering::Acquire) {
            self.flush_ring();
        }
    }

    fn flush_ring(&self) {
        if in_host_callback() {
            return; // a handler may use the device, which functions of the host must not
        }
        let texts = lock(&self.state).take();
        if !texts.is_empty() {
            self.deliver(texts);
        }
    }

    /// Hands texts on, in order. A handler may itself use the device: no lock is held while it runs.
    fn deliver(&self, texts: Vec<String>) {
        let mut output = lock(&self.output);
        output.waiting.extend(texts);
        if output.busy {
            return;
        }
        output.busy = true;
        while !output.waiting.is_empty() {
            let texts = std::mem::take(&mut output.waiting);
            let handler = output.handler.clone();
            drop(output);
            let _free = Free(&self.output);
            match handler {
                Some(handler) => texts.iter().for_each(|text| handler(text)),
                None => {
                    let mut stdout = std::io::stdout().lock();
                    // The output was closed: there is no reader.
                    let _ = texts
                        .iter()
                        .try_for_each(|t| stdout.write_all(t.as_bytes()));
                    let _ = stdout.flush();
                }
            }
            std::mem::forget(_free);
            output = lock(&self.output);
        }
        output.busy = false;
    }

    /// The ring for a run of the emulator, which holds it until the run is over.
    pub(crate) fn host_ring(&self) -> Arc<HostRing> {
        let mut state = lock(&self.state);
        if let Some(Ring::Host(ring)) = &state.ring {
            return Arc::clone(ring);
        }
        let ring = Arc::new(HostRing::new(state.bytes()));
        state.ring = Some(Ring::Host(Arc::clone(&ring)));
        self.used.store(true, Ordering::Release);
        ring
    }

    /// The address of the ring's description, for a module that prints.
    fn cuda_ring(&self, gpu: &Gpu) -> Result<u64, DriverError> {
        let mut state = lock(&self.state);
        if let Some(Ring::Cuda(ring)) = &state.ring {
            return Ok(ring.control());
        }
        let ring = CudaRing::new(gpu, state.bytes())?;
        let address = ring.control();
        state.ring = Some(Ring::Cuda(ring));
        self.used.store(true, Ordering::Release);
        Ok(address)
    }

    /// Changes the size. No kernel runs, or those that do keep the ring that they have.
    fn resize(&self, backend: &Backend, bytes: usize) -> Result<(), DriverError> {
        let mut state = lock(&self.state);
        match (&mut state.ring, backend) {
            (Some(Ring::Cuda(ring)), Backend::Cuda(gpu)) => ring.resize(gpu, bytes)?,
            _ => state.ring = None,
        }
        state.bytes = Some(bytes);
        state.seen = 0;
        state.printed.clear();
        Ok(())
    }
}

/// Lets others deliver if a handler panics.
struct Free<'a>(&'a Mutex<Output>);

impl Drop for Free<'_> {
    fn drop(&mut self) {
        lock(self.0).busy = false;
    }
}

/// Tells a fresh module where to print, if it prints at all.
pub(crate) fn connect(module: &Module, gpu: &Gpu, device: &Device) -> Result<(), DriverError> {
    let Some((variable, 8)) = module.global(RING)? else {
        return Ok(());
    };
    let address = device.0.prints.cuda_ring(gpu)?.to_le_bytes();
    // SAFETY: the variable has eight bytes, as was just checked; `address` stays until the wait is over.
    unsafe { gpu.own_stream.upload(variable, address.as_ptr(), 8)? };
    gpu.own_stream.synchronize()
}

impl Device {
    /// Gives what kernels print to `handler` instead of the standard output: the text of one call at a time, whole, with the end of its
    /// line if it has one.
    ///
    /// The handler runs in whichever thread flushes (see [`flush_prints`](Device::flush_prints)) and may itself use the device.
    ///
    /// ```
    /// let device = warploom_runtime::Device::emulator();
    /// let lines = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    /// let kept = lines.clone();
    /// device.on_print(move |text| kept.lock().unwrap().push(text.to_owned()));
    /// ```
    pub fn on_print(&self, handler: impl Fn(&str) + Send + Sync + 'static) {
        lock(&self.0.prints.output).handler = Some(Arc::new(handler));
    }

    /// Prints what kernels have left so far.
    ///
    /// Happens by itself at the start of a launch, when a stream, an event or a copy is waited for, when a [`Module`](crate::Module) is loaded or
    /// unloaded, and when the last handle of the device is dropped. A program that exits without any of these loses what is left: `static`s are never dropped, for example.
    #[inline]
    pub fn flush_prints(&self) {
        self.0.prints.flush();
    }

    /// Bytes of the buffer for what kernels print: 1 MiB if nothing was set. CUDA: `cuCtxGetLimit(CU_LIMIT_PRINTF_FIFO_SIZE)`.
    #[must_use]
    pub fn print_buffer(&self) -> usize {
        lock(&self.0.prints.state).bytes()
    }

    /// Sets the size of the buffer for what kernels print, in bytes, rounded up to a power of two from 1 KiB to 64 MiB.
    ///
    /// A line takes 24 bytes, its format string, and 9 to 17 for each value, texts more. When the buffer is full, new lines take the place of the oldest; a
    /// line that is larger than the whole buffer is not printed. Waits for all work of the device and prints what it left.
    /// CUDA: `cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE)`.
    ///
    /// # Errors
    /// [`StreamError::Driver`] if earlier work failed, or if there is no memory for the buffer.
    ///
    /// ```
    /// let device = warploom_runtime::Device::emulator();
    /// assert_eq!(device.print_buffer(), 1 << 20);
    /// device.set_print_buffer(5000)?;
    /// assert_eq!(device.print_buffer(), 8192);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn set_print_buffer(&self, bytes: usize) -> Result<(), StreamError> {
        let [least, most] = RING_BYTES;
        let bytes = bytes.clamp(least, most).next_power_of_two();
        let submission = match &self.0.backend {
            Backend::Emulator(_) => None,
            Backend::Cuda(gpu) => {
                // Nothing is launched until the ring is changed.
                let submission = gpu.submission();
                gpu.context.synchronize()?;
                Some(submission)
            }
        };
        let left = lock(&self.0.prints.state).take();
        let resized = self.0.prints.resize(&self.0.backend, bytes);
        drop(submission);
        self.0.prints.deliver(left);
        Ok(resized?)
    }
}

#[cfg(all(test, target_os = "linux"))]
#[path = "print/flush_tests.rs"]
mod flush_tests;
