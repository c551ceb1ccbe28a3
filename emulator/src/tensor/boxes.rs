//! The rows of a box: where they lie in the tensor, and which of their elements are outside of it.

use super::{MOST_DIMENSIONS, TensorMap};

/// The elements of a box along the first dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoxRow {
    /// Where it begins in the box, in bytes, before parts are permuted.
    pub offset: usize,
    /// Its bytes in the box.
    pub bytes: usize,
    /// The bytes of it, from its first on, in front of the tensor; all of them if the row is outside.
    pub before: usize,
    /// How many bytes after those are in the tensor. What follows is outside.
    pub inside: usize,
    /// The address of the first byte that is inside; of no meaning without any.
    pub address: usize,
}

/// All rows of a box, as they follow each other in shared memory.
#[derive(Debug)]
pub struct Rows<'a> {
    map: &'a TensorMap,
    at: [i64; MOST_DIMENSIONS],
    /// The next one, counted along each dimension but the first.
    next: [usize; MOST_DIMENSIONS],
    offset: usize,
    left: usize,
    /// Elements along the first dimension that count as those of the tensor.
    extent: i64,
}

impl<'a> Rows<'a> {
    pub(super) fn new(map: &'a TensorMap, at: &[i32], extent: u64) -> Self {
        let mut first = [0; MOST_DIMENSIONS];
        for (to, from) in first.iter_mut().zip(at) {
            *to = i64::from(*from);
        }
        Self {
            map,
            at: first,
            next: [0; MOST_DIMENSIONS],
            offset: 0,
            left: map.row_count(),
            extent: extent as i64,
        }
    }

    /// The address of the row that is next along all dimensions but the first; `None`: it is outside of the tensor.
    fn address(&self) -> Option<usize> {
        let map = self.map;
        let mut address = map.base as usize;
        for dimension in 1..map.rank {
            let step = i64::from(map.steps[dimension].max(1));
            let at = self.at[dimension] + self.next[dimension] as i64 * step;
            if at < 0 || at as u64 >= map.dims[dimension] {
                return None;
            }
            address += at as usize * map.strides[dimension] as usize;
        }
        Some(address)
    }

    fn advance(&mut self) {
        for dimension in 1..self.map.rank {
            self.next[dimension] += 1;
            if self.next[dimension] < self.map.taken(dimension) {
                return;
            }
            self.next[dimension] = 0;
        }
    }
}

impl Iterator for Rows<'_> {
    type Item = BoxRow;

    fn next(&mut self) -> Option<BoxRow> {
        self.left = self.left.checked_sub(1)?;
        let (map, width) = (self.map, self.map.element.bytes());
        let (count, first) = (map.taken(0) as i64, self.at[0]);
        let bytes = count as usize * width;
        let from = first.clamp(0, self.extent);
        let to = (first + count).clamp(0, self.extent);
        let row = match self.address() {
            Some(address) if from < to => BoxRow {
                offset: self.offset,
                bytes,
                before: (from - first) as usize * width,
                inside: (to - from) as usize * width,
                address: address + from as usize * width,
            },
            _ => BoxRow {
                offset: self.offset,
                bytes,
                before: bytes,
                inside: 0,
                address: 0,
            },
        };
        self.offset += map.pitch();
        self.advance();
        Some(row)
    }
}
