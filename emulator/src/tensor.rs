//! Tensor maps as the emulator keeps them, and which bytes of a box of a tensor lie where.
//!
//! A GPU's map is 128 bytes of a format that only the driver knows; here the same bytes hold the fields themselves.

mod boxes; // rows of a box, in global and in shared memory
mod element; // types of elements, and arithmetic on them

pub use boxes::{BoxRow, Rows};
pub use element::{Element, Reduction};

/// Bytes of a tensor map, on a GPU and here.
pub const MAP_BYTES: usize = 128;

/// What the first eight bytes of a map hold.
const MARK: u64 = u64::from_le_bytes(*b"wltensor");

/// Dimensions of a tensor, at most.
pub const MOST_DIMENSIONS: usize = 5;

/// How the parts of 16 bytes of a box are permuted in shared memory, so that neither rows nor columns are in one bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(u8)]
pub enum Swizzle {
    /// As they are.
    #[default]
    None = 0,
    /// In pieces of 32 bytes: bit 4 of an address is changed by bit 7.
    B32 = 1,
    /// In pieces of 64 bytes: bits 4 and 5 of an address are changed by bits 7 and 8.
    B64 = 2,
    /// In pieces of 128 bytes: bits 4 to 6 of an address are changed by bits 7 to 9.
    B128 = 3,
}

impl Swizzle {
    /// Bytes of a piece in which parts are permuted; 16, a part, without a permutation.
    #[must_use]
    pub const fn span(self) -> usize {
        16 << self as usize
    }

    /// Where the byte lies that is at this address of shared memory without a permutation.
    #[must_use]
    pub const fn apply(self, address: usize) -> usize {
        address ^ (address >> 3 & (self.span() - 16))
    }
}

/// What elements outside of the tensor are in a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(u8)]
pub enum Fill {
    /// Zeros.
    #[default]
    Zeros = 0,
    /// No numbers.
    Nan = 1,
}

/// A tensor in global memory, and the box of it that one copy moves. The first dimension is the one whose elements lie side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorMap {
    /// Address of the first element.
    pub base: u64,
    /// The type of the elements.
    pub element: Element,
    /// How many dimensions count, 1 to 5.
    pub rank: usize,
    /// Elements along each dimension.
    pub dims: [u64; MOST_DIMENSIONS],
    /// Bytes from one element to the next along each dimension; the first is that of an element.
    pub strides: [u64; MOST_DIMENSIONS],
    /// Elements of a box along each dimension, before the steps are taken.
    pub extents: [u32; MOST_DIMENSIONS],
    /// Of how many elements along each dimension one is taken. The first counts as 1.
    pub steps: [u32; MOST_DIMENSIONS],
    /// How the box is permuted.
    pub swizzle: Swizzle,
    /// What is outside of the tensor.
    pub fill: Fill,
}

impl TensorMap {
    /// The map as a kernel gets it.
    #[must_use]
    pub fn to_words(&self) -> [u64; MAP_BYTES / 8] {
        let mut words = [0; MAP_BYTES / 8];
        words[0] = MARK;
        words[1] = self.base;
        words[2] = self.element as u64
            | (self.rank as u64) << 8
            | (self.swizzle as u64) << 16
            | (self.fill as u64) << 24;
        words[3..8].copy_from_slice(&self.dims);
        words[8..13].copy_from_slice(&self.strides);
        for i in 0..MOST_DIMENSIONS {
            // Below 2^16 each.
            let both = u64::from(self.extents[i] | self.steps[i] << 16);
            words[13 + i / 2] |= both << (32 * (i % 2));
        }
        words
    }

    /// The map that a kernel got; `None`: these bytes are none.
    #[must_use]
    pub fn from_words(words: &[u64; MAP_BYTES / 8]) -> Option<TensorMap> {
        let [mark, base, kinds, ..] = *words;
        let byte = |at: u32| (kinds >> (8 * at) & 0xff) as u8;
        let element = Element::of(byte(0))?;
        let rank = byte(1) as usize;
        if mark != MARK || !(1..=MOST_DIMENSIONS).contains(&rank) {
            return None;
        }
        let swizzle = match byte(2) {
            0 => Swizzle::None,
            1 => Swizzle::B32,
            2 => Swizzle::B64,
            3 => Swizzle::B128,
            _ => return None,
        };
        let fill = match byte(3) {
            0 => Fill::Zeros,
            1 => Fill::Nan,
            _ => return None,
        };
        let packed: [u32; MOST_DIMENSIONS] =
            std::array::from_fn(|i| (words[13 + i / 2] >> (32 * (i as u32 % 2))) as u32);
        Some(TensorMap {
            base,
            element,
            rank,
            dims: std::array::from_fn(|i| words[3 + i]),
            strides: std::array::from_fn(|i| words[8 + i]),
            extents: packed.map(|both| both & 0xffff),
            steps: packed.map(|both| both >> 16),
            swizzle,
            fill,
        })
    }

    /// Elements of a box along a dimension, as they lie in shared memory.
    #[must_use]
    pub fn taken(&self, dimension: usize) -> usize {
        let step = if dimension == 0 {
            1
        } else {
            self.steps[dimension]
        };
        self.extents[dimension].div_ceil(step.max(1)) as usize
    }

    /// Bytes of a row of a box: of its elements along the first dimension.
    #[must_use]
    pub fn row_bytes(&self) -> usize {
        self.taken(0) * self.element.bytes()
    }

    /// Bytes from one row of a box to the next in shared memory: with a permutation, a piece each, also if a row is shorter.
    #[must_use]
    pub fn pitch(&self) -> usize {
        match self.swizzle {
            Swizzle::None => self.row_bytes(),
            swizzle => swizzle.span(),
        }
    }

    /// Rows of a box.
    #[must_use]
    pub fn row_count(&self) -> usize {
        (1..self.rank).map(|i| self.taken(i)).product()
    }

    /// Bytes of shared memory that a box takes, with what lies between its rows.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        self.row_count() * self.pitch()
    }

    /// Bytes that a copy of a box brings to shared memory, elements outside of the tensor included.
    #[must_use]
    pub fn box_bytes(&self) -> usize {
        self.row_count() * self.row_bytes()
    }

    /// The rows of the box at these coordinates, as a copy into shared memory reads them.
    #[must_use]
    pub fn rows(&self, at: &[i32]) -> Rows<'_> {
        Rows::new(self, at, self.dims[0])
    }

    /// The same, as a copy out of shared memory writes them: in parts of 16 bytes, so that a row of the tensor which ends within a part is written to the end of that. Measured on
    /// an H100.
    #[must_use]
    pub fn written_rows(&self, at: &[i32]) -> Rows<'_> {
        Rows::new(self, at, self.written_extent())
    }

    /// Elements along the first dimension that copies may write.
    #[must_use]
    pub fn written_extent(&self) -> u64 {
        self.dims[0].next_multiple_of(16 / self.element.bytes() as u64)
    }
}

#[cfg(test)]
mod tests;
