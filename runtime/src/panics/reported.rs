//! What a record says, together with the constants that it points to.

use warploom_device_std::panic_record::{PanicLocation, PanicRecord};

use super::formatted;
use crate::cuda::DriverError;

/// A panic that a thread of a GPU has written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Reported {
    /// Which kernel of the module, from 1; 0 if several share the code.
    pub(crate) kernel: u32,
    pub(crate) message: String,
    /// Empty if unknown.
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) block: [u32; 3],
    pub(crate) thread: [u32; 3],
}

/// Reads so many bytes at an address of the device.
pub(crate) type Read<'a> = &'a dyn Fn(u64, usize) -> Result<Vec<u8>, DriverError>;

/// Longer texts are cut. Those of a program are not as long: this is for records that are damaged.
const TEXT_MAX: usize = 1 << 16;

impl Reported {
    /// Puts it together. A constant that cannot be read must not lose the panic: the message then says so, and the location is unknown.
    pub(crate) fn of(record: &PanicRecord, read: Read<'_>) -> Reported {
        let [thread_y, thread_z] = halves(record.thread_yz);
        let [block_x, block_y] = halves(record.block_xy);
        let [block_z, thread_x] = halves(record.block_z_thread_x);
        let mut reported = Reported {
            message: message(record, read),
            block: [block_x, block_y, block_z],
            thread: [thread_x, thread_y, thread_z],
            ..Reported::default()
        };
        if record.place != 0
            && let Ok(bytes) = read(record.place, size_of::<PanicLocation>())
            && let Some(location) = location_of(&bytes)
        {
            reported.kernel = location.kernel;
            // A line without its file, or an error in the place of the file's name, would be a wrong place.
            if let Ok(file) = text(read, location.file, location.file_len) {
                reported.file = file;
                reported.line = location.line;
                reported.column = location.column;
            }
        }
        reported
    }
}

fn message(record: &PanicRecord, read: Read<'_>) -> String {
    let (first, second) = (record.first, record.second);
    let [length, ..] = record.values;
    match record.ready {
        PanicRecord::WRITTEN => {
            let len = usize::try_from(first).unwrap_or(usize::MAX);
            let written = record.text.get(..len).unwrap_or(&record.text);
            String::from_utf8_lossy(written).into_owned()
        }
        PanicRecord::BOUNDS => {
            format!("index out of bounds: the len is {second} but the index is {first}")
        }
        PanicRecord::LITERAL => {
            text(read, first, second).unwrap_or_else(|error| unreadable(&error))
        }
        PanicRecord::RANGE => out_of_range(first, second, length),
        PanicRecord::FORMATTED => {
            let len = usize::try_from(second).map_or(TEXT_MAX, |len| len.min(TEXT_MAX));
            match read(first, len) {
                Ok(bytes) => formatted::message(&bytes, &record.values),
                Err(error) => unreadable(&error),
            }
        }
        PanicRecord::OUT_OF_MEMORY => format!("memory allocation of {first} bytes failed"),
        kind => format!("a panic of kind {kind}, which this version of warploom does not know"),
    }
}

/// The texts of core.
fn out_of_range(start: u64, end: u64, len: u64) -> String {
    if start > len {
        format!("range start index {start} out of range for slice of length {len}")
    } else if end > len || start <= end {
        // The second: an inclusive range that ends at `len`.
        format!("range end index {end} out of range for slice of length {len}")
    } else {
        format!("slice index starts at {start} but ends at {end}")
    }
}

fn text(read: Read<'_>, address: u64, len: u64) -> Result<String, DriverError> {
    let len = usize::try_from(len).map_or(TEXT_MAX, |len| len.min(TEXT_MAX));
    if len == 0 {
        return Ok(String::new());
    }
    Ok(String::from_utf8_lossy(&read(address, len)?).into_owned())
}

fn unreadable(error: &DriverError) -> String {
    format!("(a text that could not be read from the GPU: {error})")
}

fn location_of(bytes: &[u8]) -> Option<PanicLocation> {
    let number = |at: usize| -> Option<u32> {
        Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
    };
    let wide = |at: usize| Some(u64::from(number(at)?) | u64::from(number(at + 4)?) << 32);
    Some(PanicLocation {
        file: wide(0)?,
        file_len: wide(8)?,
        line: number(16)?,
        column: number(20)?,
        kernel: number(24)?,
        padding: 0,
    })
}

/// The lower and the upper half.
fn halves(word: u64) -> [u32; 2] {
    let [a, b, c, d, e, f, g, h] = word.to_le_bytes();
    [
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes([e, f, g, h]),
    ]
}

#[cfg(test)]
#[path = "reported_tests.rs"]
mod tests;
