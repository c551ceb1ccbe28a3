//! Rectangles and boxes of elements in memory, and the copies between them.

use std::ops::Range;

use super::copy::{check_recordable, exclude_graphs, record_uses, with_candidate_launches};
use super::{Buffer, CopyKind, LinearCopy};
use crate::cuda::DriverError;
use crate::cuda::array::ArrayHandle;
use crate::cuda::copies::{Box3, Corner, Rows};
use crate::cuda::stream::Stream as CudaStream;
use crate::graph::record::{Operation, RecordedBox};
use crate::memory::{Extent3, MemoryError};
use crate::stream::Stream;

/// Elements in rows and planes: those of a row lie side by side, and there may be gaps between rows and between planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PitchedRegion {
    /// The first element.
    pub(crate) start: *mut u8,
    /// Width, height and depth in elements.
    pub(crate) extent: [usize; 3],
    /// Bytes of an element.
    pub(crate) size: usize,
    /// Bytes from one row to the next.
    pub(crate) pitch: usize,
    /// Rows from one plane to the next.
    pub(crate) rows: usize,
}

// SAFETY: an address and lengths; following the address takes unsafe code.
unsafe impl Send for PitchedRegion {}
// SAFETY: as above.
unsafe impl Sync for PitchedRegion {}

/// Rows of an [`PitchedRegion`], each as far behind the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StridedRows {
    /// The first element.
    pub(crate) to: *mut u8,
    /// Bytes from one row to the next.
    pub(crate) pitch: usize,
    /// Rows.
    pub(crate) height: usize,
}

/// The most bytes from row to row that drivers set memory with.
const MAX_PITCH: usize = i32::MAX as usize;

impl PitchedRegion {
    /// Elements without gaps.
    pub(crate) fn tight<T>(start: *mut T, extent: Extent3) -> PitchedRegion {
        let (extent, size) = (<[usize; 3]>::from(extent), size_of::<T>());
        PitchedRegion {
            start: start.cast(),
            extent,
            size,
            pitch: extent[0] * size,
            rows: extent[1],
        }
    }

    /// The elements of three ranges, which lie within the extent.
    pub(crate) fn part(self, [x, y, z]: [Range<usize>; 3]) -> PitchedRegion {
        let extent = [x.len(), y.len(), z.len()];
        if extent.contains(&0) {
            return PitchedRegion { extent, ..self };
        }
        PitchedRegion {
            start: self.row(y.start, z.start).wrapping_add(x.start * self.size),
            extent,
            ..self
        }
    }

    fn row(&self, y: usize, z: usize) -> *mut u8 {
        self.start.wrapping_add((z * self.rows + y) * self.pitch)
    }

    /// Bytes of a row of elements.
    fn row_bytes(&self) -> usize {
        self.extent[0] * self.size
    }

    /// Whether all elements lie side by side.
    fn has_no_gaps(&self) -> bool {
        let [_, height, depth] = self.extent;
        let in_planes = height == 1 || self.pitch == self.row_bytes();
        let between = depth == 1 || self.rows == height && self.pitch == self.row_bytes();
        in_planes && between
    }

    /// All rows, as few groups of equally spaced rows as possible: none if there are no bytes, one if the planes follow one another without gaps, else one
    /// for each plane, or for the rows at one place of all planes.
    pub(crate) fn strided_rows(self) -> Vec<StridedRows> {
        let [_, height, depth] = self.extent;
        if self.row_bytes() == 0 || height == 0 || depth == 0 {
            return vec![];
        }
        let rows = |to, pitch, height| StridedRows { to, pitch, height };
        let between_planes = self.rows.saturating_mul(self.pitch);
        if depth == 1 || self.rows == height {
            vec![rows(self.start, self.pitch, height * depth)]
        } else if height < depth && between_planes <= MAX_PITCH {
            let starts = (0..height).map(|y| self.row(y, 0));
            starts.map(|to| rows(to, between_planes, depth)).collect()
        } else {
            let starts = (0..depth).map(|z| self.row(0, z));
            starts.map(|to| rows(to, self.pitch, height)).collect()
        }
    }

    /// Where each row starts.
    pub(crate) fn all_rows(self) -> impl Iterator<Item = *mut u8> {
        let [_, height, depth] = self.extent;
        (0..depth).flat_map(move |z| (0..height).map(move |y| self.row(y, z)))
    }

    fn rows_for_driver(&self) -> Rows {
        Rows {
            start: self.start.expose_provenance() as u64,
            pitch: self.pitch,
            rows: self.rows,
        }
    }
}

/// One side of a copy of rectangles or boxes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Region<'a> {
    Memory(PitchedRegion),
    /// A part of an array of a GPU; those of the emulator are memory.
    Array(ArrayRegion<'a>),
}

/// Elements of an array of a GPU.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArrayRegion<'a> {
    /// Whose array it is.
    pub(crate) buffer: &'a Buffer,
    pub(crate) array: &'a ArrayHandle,
    /// Which level of it `array` is.
    pub(crate) level: usize,
    /// The first element: along x, y, and z or by layers.
    pub(crate) at: [usize; 3],
    /// Width, height, and depth or layers in elements.
    pub(crate) extent: [usize; 3],
    /// Bytes of an element.
    pub(crate) size: usize,
}

impl<'a> Region<'a> {
    pub(crate) fn extent(&self) -> [usize; 3] {
        match self {
            Region::Memory(area) => area.extent,
            Region::Array(part) => part.extent,
        }
    }

    /// The elements of three ranges, which lie within the extent.
    pub(crate) fn part(self, ranges: [Range<usize>; 3]) -> Region<'a> {
        let mut part = match self {
            Region::Memory(area) => return Region::Memory(area.part(ranges)),
            Region::Array(part) => part,
        };
        for (axis, range) in ranges.into_iter().enumerate() {
            part.at[axis] += range.start;
            part.extent[axis] = range.len();
        }
        Region::Array(part)
    }

    fn row_bytes(&self) -> usize {
        match self {
            Region::Memory(area) => area.row_bytes(),
            Region::Array(part) => part.extent[0] * part.size,
        }
    }

    #[inline]
    fn corner(&self, is_host: bool) -> Corner<'a> {
        match *self {
            Region::Memory(area) if is_host => Corner::Host(area.rows_for_driver()),
            Region::Memory(area) => Corner::Device(area.rows_for_driver()),
            Region::Array(ArrayRegion {
                array, at, size, ..
            }) => Corner::Array(array, [at[0] * size, at[1], at[2]]),
        }
    }

    /// Copies this side to another of the same extent, in order with the work on `stream`.
    ///
    /// # Safety
    /// All elements of both sides are memory as `kind` says, in `buffers` but for pageable memory; no element is on both. The buffers belong
    /// to the stream's device or are portable; the caller holds a shared borrow of this side and an exclusive one of `to`.
    #[track_caller]
    pub(crate) unsafe fn copy(
        self,
        to: Region<'_>,
        kind: CopyKind,
        buffers: &[&Buffer],
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        // SAFETY: the caller's promise.
        unsafe { self.queue(to, kind, buffers, stream) }
            .map_err(|error| with_candidate_launches(error, stream))
    }

    /// Queues the copy on a GPU's stream, and orders it with nothing else.
    ///
    /// # Safety
    /// Both sides are memory as `kind` says, of one extent, and stay so until the stream got there; no element is on both.
    #[inline]
    pub(crate) unsafe fn queue_alone(
        self,
        to: Region<'_>,
        kind: CopyKind,
        cuda: &CudaStream,
    ) -> Result<(), DriverError> {
        let [_, height, depth] = self.extent();
        let width = self.row_bytes();
        if [width, height, depth].contains(&0) {
            return Ok(());
        }
        let copy = Box3 {
            from: self.corner(matches!(
                kind,
                CopyKind::HostToDevice | CopyKind::PinnedToDevice
            )),
            to: to.corner(matches!(
                kind,
                CopyKind::DeviceToHost | CopyKind::DeviceToPinned
            )),
            width,
            height,
            depth,
        };
        // SAFETY: the caller's promise.
        unsafe { cuda.copy_box(&copy) }.map_err(|error| *error)
    }

    /// The copy to another side of the same extent within the device, for the driver; none of the extents is zero.
    pub(crate) fn within(self, to: Region<'a>) -> Box3<'a> {
        let [_, height, depth] = self.extent();
        Box3 {
            from: self.corner(false),
            to: to.corner(false),
            width: self.row_bytes(),
            height,
            depth,
        }
    }

    /// # Safety
    /// As [`copy`](Region::copy).
    #[track_caller]
    unsafe fn queue(
        self,
        to: Region<'_>,
        kind: CopyKind,
        buffers: &[&Buffer],
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        let [_, height, depth] = self.extent();
        let row = self.row_bytes();
        // Absurd numbers of rows are possible where these have no bytes.
        let bytes = if row == 0 { 0 } else { row * height * depth };
        if let (Region::Memory(from), Region::Memory(to)) = (self, to)
            && (bytes == 0 || from.has_no_gaps() && to.has_no_gaps())
        {
            let (from, to) = (from.start.cast_const(), to.start);
            let copy = LinearCopy {
                kind,
                from,
                to,
                bytes,
            };
            // SAFETY: the caller's promise; the areas are ranges of `bytes` bytes.
            return unsafe { copy.run(buffers, stream) };
        }
        if let Some(recording) = stream.recording() {
            check_recordable(kind, buffers, stream)?;
            let operation = match bytes {
                0 => Operation::Nothing,
                _ => Operation::Box(RecordedBox::new(self, to, buffers)),
            };
            return Ok(recording.push(operation)?);
        }
        let locks = record_uses(buffers, stream)?;
        match (stream.queue().cuda(), self, to) {
            // SAFETY: the caller promises both sides. Pageable memory stays borrowed until the wait below; other memory is kept by
            // `buffers`, which note this stream.
            (Some(cuda), from, to) => unsafe { from.queue_alone(to, kind, cuda)? },
            (None, Region::Memory(from), Region::Memory(to)) => {
                let _no_graphs = exclude_graphs(buffers, stream);
                // What is found is the error of the next wait.
                if !from.host_accesses(false, stream) {
                    to.host_accesses(true, stream);
                }
                // SAFETY: on the emulator all addresses are host addresses; the caller promises the areas.
                unsafe { from.write_to(to, kind, stream) };
            }
            // Arrays of GPUs do not get here: the caller promises buffers of the stream's device.
            (None, ..) => {}
        }
        drop(locks);
        match kind.waits() {
            true => Ok(stream.synchronize()?),
            false => Ok(()),
        }
    }
}

impl PitchedRegion {
    /// Reports a launch that accesses elements which work on the stream reads, or `writes`, and that this work need not come after; whether there was one. The report has the
    /// caller's place.
    #[track_caller]
    pub(super) fn host_accesses(self, writes: bool, stream: &Stream) -> bool {
        let (device, after) = (stream.device(), Some(stream.number()));
        let bytes = self.row_bytes();
        // The gaps between rows are not accessed. No closure: it would have a place of its own.
        for row in self.all_rows() {
            if device.host_accesses((row, bytes), writes, after) {
                return true; // one report is enough for all rows
            }
        }
        false
    }

    /// Copies on the host.
    ///
    /// # Safety
    /// As [`Region::copy`], on the emulator.
    #[track_caller]
    pub(crate) unsafe fn write_to(self, to: PitchedRegion, kind: CopyKind, stream: &Stream) {
        let row = self.row_bytes();
        let mut remarked = false; // one report is enough for all rows
        for (from, to) in self.all_rows().zip(to.all_rows()) {
            // SAFETY: the caller promises the areas.
            unsafe { to.copy_from_nonoverlapping(from, row) };
            kind.note_emulated(to, from, row, stream.device(), &mut remarked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(extent: [usize; 3], size: usize, pitch: usize, rows: usize) -> PitchedRegion {
        PitchedRegion {
            start: std::ptr::without_provenance_mut(1 << 40),
            extent,
            size,
            pitch,
            rows,
        }
    }

    #[test]
    fn parts_start_where_their_first_element_is() {
        let all = area([100, 50, 20], 4, 512, 60);
        let part = all.part([3..10, 7..8, 2..5]);
        assert_eq!(
            part.start.addr() - all.start.addr(),
            (2 * 60 + 7) * 512 + 12
        );
        assert_eq!(part.extent, [7, 1, 3]);
        assert_eq!((part.pitch, part.rows), (512, 60));
        let again = part.part([1..2, 0..1, 1..2]);
        assert_eq!(again, all.part([4..5, 7..8, 3..4]));
        assert_eq!(all.part([0..0, 5..9, 20..20]).start, all.start);
    }

    #[test]
    fn large_areas_do_not_wrap_around_at_32_bits() {
        let all = area([1 << 20, 1 << 20, 1 << 10], 8, 8 << 20, 1 << 20);
        let corner = all.part([(1 << 20) - 1..1 << 20, (1 << 20) - 1..1 << 20, 1023..1024]);
        assert_eq!(corner.start.addr() - all.start.addr(), (8 << 40 << 10) - 8);
    }

    #[test]
    fn gaps_are_seen() {
        assert!(area([4, 3, 2], 4, 16, 3).has_no_gaps());
        assert!(area([4, 1, 1], 4, 512, 9).has_no_gaps());
        assert!(area([4, 3, 1], 4, 16, 9).has_no_gaps());
        assert!(!area([4, 3, 1], 4, 20, 3).has_no_gaps());
        assert!(!area([4, 3, 2], 4, 16, 4).has_no_gaps());
        assert!(!area([4, 1, 2], 4, 16, 4).has_no_gaps());
        assert!(!area([4, 1, 2], 4, 20, 1).has_no_gaps());
    }

    #[test]
    fn strided_rows_are_few_and_have_each_row_once() {
        let shapes = [
            ([4, 3, 5], 3, 1), // planes without gaps
            ([4, 3, 1], 7, 1), // one plane
            ([4, 1, 6], 7, 1), // one row of each plane
            ([4, 2, 6], 7, 2),
            ([4, 6, 2], 7, 2),
            ([0, 3, 5], 3, 0),
            ([4, 0, 5], 3, 0),
        ];
        for (extent, rows, expected) in shapes {
            let all = area(extent, 2, 16, rows);
            let groups = all.strided_rows();
            assert_eq!(groups.len(), expected, "{extent:?}");
            let rows_of = |group: StridedRows| {
                (0..group.height).map(move |row| group.to.addr() + row * group.pitch)
            };
            let mut found: Vec<usize> = groups.into_iter().flat_map(rows_of).collect();
            found.sort_unstable();
            let rows = all.all_rows().map(|row| row.addr());
            let rows: Vec<usize> = rows.filter(|_| extent[0] > 0).collect();
            assert_eq!(found, rows, "{extent:?}");
        }
        // No driver takes such a step.
        assert_eq!(area([4, 1, 6], 2, 1 << 30, 2).strided_rows().len(), 6);
    }

    #[test]
    fn rows_come_plane_by_plane() {
        let all = area([4, 2, 2], 1, 16, 5);
        let offsets: Vec<_> = all
            .all_rows()
            .map(|row| row.addr() - all.start.addr())
            .collect();
        assert_eq!(offsets, [0, 16, 80, 96]);
    }
}
