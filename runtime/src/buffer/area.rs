//! Rectangles and boxes of elements in memory, and the copies between them.

use std::ops::Range;

use warploom_emulator::check;

use super::copy::{hand_all, no_graphs, suspect};
use super::{Buffer, Copy};
use crate::cuda::copies::Box3;
use crate::memory::MemoryError;
use crate::stream::Stream;

/// Elements in rows and planes: those of a row lie side by side, and there may be gaps between rows and between planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Area {
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

/// Which memory the two sides of a copy are in. The first two wait until the copy is done, as pageable memory asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    In,
    Out,
    Within,
    InPinned,
    OutPinned,
}

impl Area {
    /// Elements without gaps.
    pub(crate) fn tight(start: *mut u8, extent: [usize; 3], size: usize) -> Area {
        Area {
            start,
            extent,
            size,
            pitch: extent[0] * size,
            rows: extent[1],
        }
    }

    /// The elements of three ranges, which lie within the extent.
    pub(crate) fn part(self, [x, y, z]: [Range<usize>; 3]) -> Area {
        let extent = [x.len(), y.len(), z.len()];
        if extent.contains(&0) {
            return Area { extent, ..self };
        }
        Area {
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

    /// Where each row starts.
    pub(crate) fn all_rows(self) -> impl Iterator<Item = *mut u8> {
        let [_, height, depth] = self.extent;
        (0..depth).flat_map(move |z| (0..height).map(move |y| self.row(y, z)))
    }

    /// Copies this area to another of the same extent, in order with the work on `stream`.
    ///
    /// # Safety
    /// All elements of both areas are memory as `way` says, in `buffers` but for pageable memory; no element is in both. The buffers belong
    /// to the stream's device or are portable; the caller holds a shared borrow of this area and an exclusive one of `to`.
    #[track_caller]
    pub(crate) unsafe fn copy(
        self,
        to: Area,
        way: Way,
        buffers: &[&Buffer],
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        // SAFETY: the caller's promise.
        unsafe { self.queue(to, way, buffers, stream) }.map_err(|error| suspect(error, stream))
    }

    /// # Safety
    /// As [`copy`](Area::copy).
    #[track_caller]
    unsafe fn queue(
        self,
        to: Area,
        way: Way,
        buffers: &[&Buffer],
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        let [_, height, depth] = self.extent;
        let row = self.row_bytes();
        // Absurd numbers of rows are possible where these have no bytes.
        let bytes = if row == 0 { 0 } else { row * height * depth };
        if bytes == 0 || self.has_no_gaps() && to.has_no_gaps() {
            let (from, to) = (self.start.cast_const(), to.start);
            let copy = match way {
                Way::In => Copy::In { from, to },
                Way::Out => Copy::Out { from, to },
                Way::Within => Copy::Within { from, to },
                Way::InPinned => Copy::InPinned { from, to },
                Way::OutPinned => Copy::OutPinned { from, to },
            };
            // SAFETY: the caller's promise; the areas are ranges of `bytes` bytes.
            return unsafe { copy.run(bytes, buffers, stream) };
        }
        let locks = hand_all(buffers, stream)?;
        match stream.queue().cuda() {
            Some(cuda) => {
                let copy = Box3 {
                    from: self.start.expose_provenance() as u64,
                    from_host: matches!(way, Way::In | Way::InPinned),
                    from_pitch: self.pitch,
                    from_rows: self.rows,
                    to: to.start.expose_provenance() as u64,
                    to_host: matches!(way, Way::Out | Way::OutPinned),
                    to_pitch: to.pitch,
                    to_rows: to.rows,
                    width: row,
                    height,
                    depth,
                };
                // SAFETY: the caller promises the areas. Pageable memory stays borrowed until the wait below; other memory is kept by
                // `buffers`, which note this stream.
                unsafe { cuda.copy_box(&copy)? };
            }
            None => {
                let _no_graphs = no_graphs(buffers, stream);
                let mut remarked = false;
                for (from, to) in self.all_rows().zip(to.all_rows()) {
                    // SAFETY: on the emulator all addresses are host addresses; the caller promises the areas.
                    unsafe { to.copy_from_nonoverlapping(from, row) };
                    match way {
                        Way::In => check::initialise(to, row),
                        Way::Within | Way::InPinned => check::copied(to, from, row),
                        Way::Out | Way::OutPinned => {
                            // One remark is enough for all rows.
                            remarked = remarked || stream.device().host_reads(from, row);
                        }
                    }
                }
            }
        }
        drop(locks);
        match way {
            Way::In | Way::Out => Ok(stream.synchronize()?),
            Way::Within | Way::InPinned | Way::OutPinned => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(extent: [usize; 3], size: usize, pitch: usize, rows: usize) -> Area {
        Area {
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
    fn rows_come_plane_by_plane() {
        let all = area([4, 2, 2], 1, 16, 5);
        let offsets: Vec<_> = all
            .all_rows()
            .map(|row| row.addr() - all.start.addr())
            .collect();
        assert_eq!(offsets, [0, 16, 80, 96]);
    }
}
