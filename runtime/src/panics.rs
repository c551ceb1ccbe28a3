//! A panic of a kernel becomes an `Err`.
//!
//! On a GPU the panicking thread fills a record in host memory and ends; the host looks at it whenever it has waited for
//! work. Protocol of the record (one per loaded module; `warploom_device::panic_record` says what the thread does):
//! 1. The thread that changes the module's variable `__warploom_panic_claim` from 0 to 1 owns the record; others end without a word.
//! 2. The owner writes all fields, then a system-wide fence, then `ready` = 1.
//! 3. The host reads after it saw `ready`, writes `ready` = 0, then 0 to the module's claim. If it cannot do the latter, it writes `ready` = 1.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use warploom_device::panic_record::PanicRecord;
use warploom_emulator::check::{Code, Report, Severity};

use crate::checked::{is_wait, write_errors};
use crate::cuda::memory::MappedMemory;
use crate::cuda::{Context, DriverError};

/// A thread of a kernel panicked.
///
/// That thread ended; all others went on. Buffers keep what was written, and the device takes further work.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
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
        // SAFETY: the memory holds a record, aligned to a page; host and GPU touch `ready` only as an atomic.
        unsafe { AtomicU32::from_ptr(&raw mut (*self.record()).ready) }
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
        // SAFETY: by rule 2 nobody writes the record after `ready` until rule 3 gives the claim free.
        let record = Box::new(unsafe { self.record().read() });
        self.ready().store(0, Ordering::Release);
        Some(record)
    }

    /// Undoes [`take`](Self::take), as long as the claim was not given free.
    pub(crate) fn put_back(&self) {
        self.ready().store(1, Ordering::Release);
    }
}

/// Most kernels remembered between two waits.
const RECENT: usize = 64;

/// Which kernels were launched where since their stream was last waited for.
#[derive(Default)]
pub(crate) struct Recent(Vec<Launched>);

#[derive(Clone, Copy)]
struct Launched {
    stream: u64,
    name: &'static str,
    base: &'static str,
    at: &'static Location<'static>,
}

impl Recent {
    /// Remembers a launch. Costs a comparison of addresses if the same was launched before.
    pub(crate) fn note(
        &mut self,
        stream: u64,
        [name, base]: [&'static str; 2],
        at: &'static Location<'static>,
    ) {
        let same = |old: &Launched| {
            old.stream == stream && std::ptr::eq(old.at, at) && std::ptr::eq(old.name, name)
        };
        if self.0.iter().rev().any(same) {
            return;
        }
        if self.0.len() == RECENT {
            self.0.remove(0);
        }
        self.0.push(Launched {
            stream,
            name,
            base,
            at,
        });
    }

    /// All work of `stream` is done and was looked at.
    pub(crate) fn forget(&mut self, stream: u64) {
        self.0.retain(|launched| launched.stream != stream);
    }

    /// Puts a record in the user's words. `name`: the full name of the kernel that has the record's number.
    pub(crate) fn explain(&self, record: &PanicRecord, name: Option<&str>) -> KernelPanic {
        let known = self.0.iter().find(|old| Some(old.name) == name);
        let (kernel, launched_at) = match (known, name) {
            (Some(launched), _) => (launched.base.to_owned(), Some(launched.at)),
            (None, Some(name)) => (short(name).to_owned(), None),
            (None, None) => self.guess(),
        };
        KernelPanic {
            kernel,
            message: match record.kind {
                PanicRecord::BOUNDS => format!(
                    "index out of bounds: the len is {} but the index is {}",
                    record.len, record.index
                ),
                _ => text(&record.text, record.text_len),
            },
            file: text(&record.file, record.file_len),
            line: record.line,
            column: record.column,
            block: record.block,
            thread: record.thread,
            launched_at,
            findings: vec![],
        }
    }

    /// The kernel, when the device does not know: one that was launched since the last wait.
    fn guess(&self) -> (String, Option<&'static Location<'static>>) {
        let mut names: Vec<&str> = Vec::new();
        for launched in &self.0 {
            if !names.contains(&launched.base) {
                names.push(launched.base);
            }
        }
        match &*self.0 {
            [] => ("?".to_owned(), None),
            [only] => (only.base.to_owned(), Some(only.at)),
            _ => (names.join(" or "), None),
        }
    }
}

fn text(bytes: &[u8], len: u32) -> String {
    let len = usize::try_from(len).map_or(bytes.len(), |len| len.min(bytes.len()));
    String::from_utf8_lossy(&bytes[..len]).into_owned()
}

/// `scale` for `shop::kernels::scale<f32>`.
fn short(name: &str) -> &str {
    let path = name.split('<').next().unwrap_or(name);
    path.rsplit("::").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> PanicRecord {
        let mut record = PanicRecord::empty();
        (record.kernel, record.kind, record.index, record.len) = (3, 1, 7, 5);
        record.file[..11].copy_from_slice(b"src/main.rs");
        (record.file_len, record.line, record.column) = (11, 12, 9);
        (record.block, record.thread) = ([1, 0, 0], [3, 0, 0]);
        record
    }

    #[test]
    fn a_bounds_check_names_index_and_length() {
        let here = Location::caller();
        let mut recent = Recent::default();
        recent.note(1, ["shop::other", "other"], here);
        recent.note(1, ["shop::saxpy", "saxpy"], here);
        let panic = recent.explain(&record(), Some("shop::saxpy"));
        assert_eq!(
            panic.to_string(),
            format!(
                "kernel `saxpy` panicked at src/main.rs:12:9: index out of bounds: the len is 5 but the index is 7 \
                 (block (1,0,0), thread (3,0,0); launched at {here})"
            )
        );
    }

    #[test]
    fn a_text_is_cut_at_its_length() {
        let mut record = record();
        record.kind = 0;
        record.text[..4].copy_from_slice(b"lost");
        record.text_len = 4;
        record.file_len = u32::MAX;
        let panic = Recent::default().explain(&record, Some("a::b<f32>"));
        assert_eq!((&*panic.kernel, &*panic.message), ("b", "lost"));
        assert_eq!(panic.file.len(), 256);
    }

    #[test]
    fn an_unknown_kernel_is_one_of_those_launched() {
        let here = Location::caller();
        let mut recent = Recent::default();
        let kernel = |recent: &Recent| recent.explain(&record(), None).kernel;
        assert_eq!(kernel(&recent), "?");
        recent.note(1, ["shop::first", "first"], here);
        assert_eq!(kernel(&recent), "first");
        recent.note(2, ["shop::second", "second"], here);
        recent.note(2, ["shop::second", "second"], here);
        assert_eq!(kernel(&recent), "first or second");
        recent.forget(1);
        assert_eq!(kernel(&recent), "second");
    }

    #[test]
    fn only_the_latest_launches_are_remembered() {
        let mut recent = Recent::default();
        for stream in 0..1000 {
            recent.note(stream, ["shop::first", "first"], Location::caller());
        }
        assert_eq!(recent.0.len(), RECENT);
    }
}
