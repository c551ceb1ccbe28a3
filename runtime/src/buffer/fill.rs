//! Setting memory: one value again and again.

use warploom_emulator::check;

use super::Buffer;
use super::copy::{exclude_graphs, with_candidate_launches};
use super::region::PitchedRegion;
use crate::cuda::DriverError;
use crate::cuda::copies::Memset;
use crate::cuda::stream::Stream as CudaStream;
use crate::graph::record::{Operation, RecordedFill};
use crate::memory::MemoryError;
use crate::stream::Stream;

/// Rows of elements, each to become the same value. `pitch` bytes lie between the starts of two rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fill<'a> {
    pub(crate) to: *mut u8,
    pub(crate) pitch: usize,
    /// Bytes of the value.
    pub(crate) value: &'a [u8],
    /// Elements of a row.
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Fill<'_> {
    /// Queues it on `stream`, which may record a graph; does not wait.
    ///
    /// # Safety
    /// All elements lie in `buffer`, which belongs to the stream's device; the caller has an exclusive borrow of them.
    #[track_caller]
    pub(crate) unsafe fn run(self, buffer: &Buffer, stream: &Stream) -> Result<(), MemoryError> {
        // SAFETY: the caller's promise.
        unsafe { self.hand(buffer, stream) }.map_err(|error| with_candidate_launches(error, stream))
    }

    /// # Safety
    /// As [`run`](Fill::run).
    #[track_caller]
    unsafe fn hand(self, buffer: &Buffer, stream: &Stream) -> Result<(), MemoryError> {
        if let Some(recording) = stream.recording() {
            // A run orders its memory with other work of its own device alone.
            buffer.check_own(stream)?;
            return Ok(recording.push(Operation::Fill(RecordedFill::new(self, buffer)))?);
        }
        let _order = buffer.record_use_on(stream)?;
        match stream.queue().cuda() {
            // SAFETY: the caller promises the range; the buffer notes this stream, and waits for it before it frees its memory.
            Some(cuda) => unsafe { self.queue(cuda) }?,
            None => {
                let _no_graphs = exclude_graphs(&[buffer], stream);
                self.elements().host_accesses(true, stream); // what is found is the error of the next wait
                // SAFETY: on the emulator all addresses are host addresses; the caller promises the range.
                unsafe { self.write() };
            }
        }
        Ok(())
    }

    /// # Safety
    /// The memory lies on the stream's device, may be written, and stays until the stream got there.
    pub(crate) unsafe fn queue(self, cuda: &CudaStream) -> Result<(), DriverError> {
        for set in self.calls() {
            let to = self.to.addr() as u64 + set.offset as u64;
            let (unit, value) = (set.unit, set.value);
            if set.height == 1 {
                // SAFETY: part of the caller's range.
                unsafe { cuda.set(to, unit, value, set.width)? };
            } else {
                let extent = (set.width, set.height);
                // SAFETY: part of the caller's range.
                unsafe { cuda.set_rows(to, set.pitch, unit, value, extent)? };
            }
        }
        Ok(())
    }

    fn elements(&self) -> PitchedRegion {
        PitchedRegion {
            start: self.to,
            extent: [self.width, self.height, 1],
            size: self.value.len(),
            pitch: self.pitch,
            rows: self.height,
        }
    }

    /// # Safety
    /// The memory lies on the host and may be written.
    pub(crate) unsafe fn write(self) {
        let size = self.value.len();
        if size == 0 || self.width == 0 {
            return;
        }
        let bytes = self.width * size;
        for row in 0..self.height {
            let start = self.to.wrapping_add(row * self.pitch);
            // SAFETY: the first element of a row of the caller's range.
            unsafe { start.copy_from_nonoverlapping(self.value.as_ptr(), size) };
            // The elements that are written already are copied behind themselves until the row is full.
            let mut done = size;
            while done < bytes {
                let next = done.min(bytes - done);
                let end = start.wrapping_add(done);
                // SAFETY: within the row; no more is copied than lies before it.
                unsafe { end.copy_from_nonoverlapping(start, next) };
                done += next;
            }
            check::initialise(start, bytes);
        }
    }

    /// The driver sets units of 1, 2 or 4 bytes. Larger values become columns of units, unless all their units are alike: within each row,
    /// or, where there are more rows than elements in one, across all of them.
    pub(crate) fn calls(self) -> Vec<Memset> {
        let size = self.value.len();
        if size == 0 || self.width == 0 || self.height == 0 {
            return vec![];
        }
        let unit = [4, 2, 1]
            .into_iter()
            .find(|unit| size.is_multiple_of(*unit));
        let unit = unit.unwrap_or(1);
        let units: Vec<u32> = self.value.chunks(unit).map(number).collect();
        let (first, n_units) = (units[0], units.len());
        // Without gaps between the rows they are one row.
        let in_one = self.height == 1 || self.pitch == self.width * size;
        let (width, height) = match in_one {
            true => (self.width * self.height, 1),
            false => (self.width, self.height),
        };
        if units.iter().all(|value| *value == first) {
            return vec![Memset {
                offset: 0,
                pitch: self.pitch,
                unit,
                value: first,
                width: width * n_units,
                height,
            }];
        }
        let (columns, step, pitch, length) = match width < height {
            true => (width, size, self.pitch, height),
            false => (height, self.pitch, size, width),
        };
        let sets = (0..columns).flat_map(|column| {
            units.iter().enumerate().map(move |(i, value)| Memset {
                offset: column * step + i * unit,
                pitch,
                unit,
                value: *value,
                width: 1,
                height: length,
            })
        });
        sets.collect()
    }
}

/// Up to four bytes as the number that they are in memory.
fn number(bytes: &[u8]) -> u32 {
    match *bytes {
        [a] => u32::from(a),
        [a, b] => u32::from(u16::from_ne_bytes([a, b])),
        [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(value: &[u8], width: usize, height: usize, pitch: usize) -> Fill<'_> {
        Fill {
            to: std::ptr::null_mut(),
            pitch,
            value,
            width,
            height,
        }
    }

    /// What the driver would write, byte by byte; 0xEE where nothing.
    fn carried_out(fill: Fill<'_>, bytes: usize) -> Vec<u8> {
        let mut memory = vec![0xEE; bytes];
        for set in fill.calls() {
            for row in 0..set.height {
                for i in 0..set.width {
                    let at = set.offset + row * set.pitch + i * set.unit;
                    let value = set.value.to_ne_bytes();
                    memory[at..at + set.unit].copy_from_slice(&value[..set.unit]);
                }
            }
        }
        memory
    }

    #[test]
    fn what_the_driver_sets_is_what_the_host_writes() {
        for size in 1..=17 {
            let value: Vec<u8> = (0..size as u8).map(|i| i.wrapping_mul(37) + 1).collect();
            let alike = vec![7; size];
            for value in [value, alike] {
                for (width, height, gap) in [(1, 1, 0), (5, 1, 0), (5, 3, 0), (5, 3, 8), (1, 4, 16)]
                {
                    let pitch = width * size + gap * size;
                    let bytes = pitch * height;
                    let mut expected = vec![0xEE; bytes];
                    let mut fill = fill(&value, width, height, pitch);
                    fill.to = expected.as_mut_ptr();
                    // SAFETY: the vector has all rows.
                    unsafe { fill.write() };
                    assert_eq!(
                        carried_out(fill, bytes),
                        expected,
                        "{size} {width} {height} {gap}"
                    );
                }
            }
        }
    }

    #[test]
    fn simple_values_are_one_call() {
        let many = 6 << 32;
        for (value, unit, width) in [
            (&[1][..], 1, many),
            (&[1, 2], 2, many),
            (&[1, 2, 3, 4], 4, many),
            (&[0; 8], 4, 2 * many),
            (&[9; 3], 1, 3 * many),
        ] {
            let calls = fill(value, many, 1, 0).calls();
            assert_eq!(calls.len(), 1);
            assert_eq!(
                (calls[0].unit, calls[0].width, calls[0].height),
                (unit, width, 1)
            );
        }
        let calls = fill(&[0; 16], 10, 7, 512).calls();
        assert_eq!((calls.len(), calls[0].width, calls[0].height), (1, 40, 7));
    }

    #[test]
    fn columns_are_as_few_as_there_can_be() {
        let value = [1, 0, 0, 0, 2, 0, 0, 0]; // two units that differ
        for (width, height, expected) in [(100, 3, 6), (3, 100, 6), (1, 100, 2), (100, 1, 2)] {
            assert_eq!(fill(&value, width, height, 1024).calls().len(), expected);
        }
    }

    #[test]
    fn nothing_is_no_call() {
        assert!(fill(&[], 5, 1, 0).calls().is_empty());
        assert!(fill(&[1], 0, 1, 0).calls().is_empty());
        assert!(fill(&[1], 1, 0, 8).calls().is_empty());
    }
}
