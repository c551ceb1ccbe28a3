//! A panic of a kernel becomes an `Err`.
//!
//! On a GPU the panicking thread fills a record in host memory and ends; the host reads it whenever it has waited for
//! work. Protocol of the record (one per loaded module; `warploom_device_std::panic_record` says what the thread does):
//! 1. The thread that clears `FREE` in the module's variable `__warploom_panic_record`, which also has the record's address, owns the record;
//!    others end without a word.
//! 2. The owner writes all fields, then `ready` = the kind of the panic, with system-wide release.
//! 3. The host reads after it saw `ready`, writes `ready` = 0, then `FREE` into the module's variable. If it cannot do the latter, it
//!    writes back what `ready` was.

mod formatted; // messages with values
mod recent; // launches whose end is not known
mod reported; // what a record says

pub use crate::past_launch::PastLaunch;
pub(crate) use recent::{Done, Recent, launches_so_far};
pub(crate) use reported::Reported;

use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use warploom_device_std::panic_record::PanicRecord;
use warploom_emulator::check::{Code, Report, Severity};

use crate::checked::{is_wait, write_errors};
use crate::cuda::memory::MappedMemory;
use crate::cuda::{Context, DriverError};

/// A thread of a kernel panicked.
///
/// That thread ended; all others went on. Buffers keep what was written, and the device takes further work.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelPanic {
    /// The kernel's name. If the device could not say which, all that it may be.
    pub kernel: String,
    /// The panic's message.
    pub message: String,
    /// Source file of the panic; empty if unknown.
    pub file: String,
    /// Line in the file, from 1.
    pub line: u32,
    /// Column in the line, from 1.
    pub column: u32,
    /// The thread's block: x, y, z.
    pub block: [u32; 3],
    /// The thread in its block: x, y, z.
    pub thread: [u32; 3],
    /// Where the kernel was launched; on a GPU, where launches are not numbered, the first that fits.
    pub launched_at: Option<&'static Location<'static>>,
    /// What the emulator found in this launch: the panic first, then all else, the worst first. Empty on a GPU.
    pub findings: Vec<Report>,
}

impl KernelPanic {
    /// The class of the finding: `WL0310` for integer arithmetic that overflowed, else `WL0400`.
    #[must_use]
    pub fn code(&self) -> Code {
        class(&self.message)
    }
}

/// The class of a panic with this message.
pub(crate) fn class(message: &str) -> Code {
    // The texts of core, which is what programs show for these.
    if message.starts_with("attempt to ") && message.ends_with(" with overflow") {
        Code::OVERFLOW
    } else {
        Code::PANIC
    }
}

impl std::error::Error for KernelPanic {}

impl fmt::Display for KernelPanic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel `{}` panicked", self.kernel)?;
        if !self.file.is_empty() {
            write!(f, " at {}:{}:{}", self.file, self.line, self.column)?;
        }
        let ([bx, by, bz], [tx, ty, tz]) = (self.block, self.thread);
        write!(
            f,
            ": {} (block ({bx},{by},{bz}), thread ({tx},{ty},{tz})",
            self.message
        )?;
        launched_at(f, self.launched_at)?;
        write_errors(f, &self.findings)
    }
}

/// The emulator proved that threads of a kernel wait for each other for ever. On a GPU such a kernel never ends.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelDeadlock {
    /// The kernel's name.
    pub kernel: String,
    /// Which block is stuck, and where its threads wait.
    pub report: String,
    /// Where the kernel was launched.
    pub launched_at: &'static Location<'static>,
    /// What the emulator found in this launch, the worst first: why the threads wait is among it.
    pub findings: Vec<Report>,
}

impl KernelDeadlock {
    /// The class of the finding: one of those that say why threads wait, `WL0223` if none does.
    #[must_use]
    pub fn code(&self) -> Code {
        let mut codes = self.findings.iter().map(|report| report.code);
        codes
            .find(|code| is_wait(*code) && code.severity() == Severity::Error)
            .unwrap_or(Code::DEADLOCK)
    }
}

impl std::error::Error for KernelDeadlock {}

impl fmt::Display for KernelDeadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel `{}` never ends: {}", self.kernel, self.report)?;
        write!(f, " (")?;
        launched_at_text(f, self.launched_at)?;
        write!(f, ")")?;
        write_errors(f, &self.findings)
    }
}

fn launched_at(
    f: &mut fmt::Formatter<'_>,
    location: Option<&'static Location<'static>>,
) -> fmt::Result {
    if let Some(location) = location {
        write!(f, "; ")?;
        launched_at_text(f, location)?;
    }
    write!(f, ")")
}

fn launched_at_text(f: &mut fmt::Formatter<'_>, location: &Location<'_>) -> fmt::Result {
    write!(f, "launched at {location}")
}

/// A module's record, in host memory that the GPU can write.
pub(crate) struct MappedRecord(MappedMemory);

impl MappedRecord {
    pub(crate) fn new(context: Arc<Context>) -> Result<MappedRecord, DriverError> {
        MappedMemory::zeroed(context, size_of::<PanicRecord>()).map(MappedRecord)
    }

    /// Where the GPU finds it.
    pub(crate) fn device_address(&self) -> u64 {
        self.0.address()
    }

    fn record(&self) -> *mut PanicRecord {
        self.0.host().cast()
    }

    fn ready(&self) -> &AtomicU32 {
        // SAFETY: the memory holds a record, aligned to a page.
        let ready = unsafe { &raw mut (*self.record()).ready };
        // SAFETY: host and GPU touch `ready` only as an atomic.
        unsafe { AtomicU32::from_ptr(ready) }
    }

    /// Whether a panic waits to be taken. One load from host memory.
    pub(crate) fn is_ready(&self) -> bool {
        self.ready().load(Ordering::Acquire) != 0
    }

    /// Takes the panic out, so that the next one finds room. Under the device's submission lock.
    pub(crate) fn take(&self) -> Option<Box<PanicRecord>> {
        if !self.is_ready() {
            return None;
        }
        // SAFETY: by rule 2 no thread writes the record after `ready` until rule 3 gives the record free.
        let record = Box::new(unsafe { self.record().read() });
        self.ready().store(0, Ordering::Release);
        Some(record)
    }

    /// Undoes [`take`](Self::take), as long as the record was not given free.
    pub(crate) fn put_back(&self, record: &PanicRecord) {
        self.ready().store(record.ready, Ordering::Release);
    }
}
