//! Arrays: memory without addresses, which copies of rows reach by coordinates.

use crate::code::Code;
use crate::memory::Kind;
use crate::state::{Held, driver, not_null, put};

/// `CUDA_ARRAY3D_LAYERED`; the other flags are for cubes, textures and surfaces, which no caller here uses.
const LAYERED: u32 = 1;

/// An array, in truth rows and planes without gaps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Array {
    pub(crate) context: u64,
    /// Where its rows are among the regions: no address for any other code.
    pub(crate) start: u64,
    /// Bytes of a row; rows; planes or layers.
    pub(crate) extent: [usize; 3],
}

/// `CUDA_ARRAY3D_DESCRIPTOR_v2`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Described {
    width: usize,
    height: usize,
    depth: usize,
    format: i32,
    channels: u32,
    flags: u32,
}

const _: () = assert!(size_of::<Described>() == 40);

impl Described {
    /// Bytes of an element; `None` for what no array holds.
    fn element(&self) -> Option<usize> {
        let channel = match self.format {
            0x01 | 0x08 => 1,
            0x02 | 0x09 | 0x10 => 2,
            0x03 | 0x0A | 0x20 => 4,
            _ => return None,
        };
        matches!(self.channels, 1 | 2 | 4).then_some(channel * self.channels as usize)
    }

    /// The most along each side, by the number of dimensions and whether there are layers.
    fn limits(&self) -> Option<[usize; 3]> {
        match (self.flags, self.height, self.depth) {
            (0, 0, 0) => Some([131_072, 0, 0]),
            (0, _, 0) => Some([131_072, 65_536, 0]),
            (0, 1.., _) => Some([16_384; 3]),
            (LAYERED, 0, 1..) => Some([32_768, 0, 2048]),
            (LAYERED, _, 1..) => Some([32_768, 32_768, 2048]),
            _ => None,
        }
    }
}

impl Held {
    /// Where a row of a part of an array is: at so many bytes, in this row and plane.
    pub(crate) fn in_array(
        &self,
        array: u64,
        [x, y, z]: [usize; 3],
        width: usize,
    ) -> Result<u64, Code> {
        let Array { start, extent, .. } = *self.arrays.get(array)?;
        if x + width > extent[0] || y >= extent[1] || z >= extent[2] {
            return Err(Code::INVALID_VALUE);
        }
        Ok(start + ((z * extent[1] + y) * extent[0] + x) as u64)
    }
}

driver! {
    /// Makes an array.
    fn cuArray3DCreate_v2(state; array: *mut u64, described: *const Described) needs Context {
        not_null(array)?;
        let described = *not_null(described)?;
        let element = described.element().ok_or(Code::INVALID_VALUE)?;
        let limits = described.limits().ok_or(Code::INVALID_VALUE)?;
        let given = [described.width, described.height, described.depth];
        if given[0] == 0 || given.iter().zip(limits).any(|(given, limit)| *given > limit) {
            return Err(Code::INVALID_VALUE);
        }
        let extent = [given[0] * element, given[1].max(1), given[2].max(1)];
        let bytes = extent[0].checked_mul(extent[1] * extent[2]).ok_or(Code::OUT_OF_MEMORY)?;
        let start = state.allocate(Kind::Array, bytes, 0)?;
        let context = state.current()?;
        let made = state.arrays.add(Array { context, start, extent });
        put(array, made)
    }

    /// Destroys an array.
    fn cuArrayDestroy(state; array: u64) needs Context {
        let Array { start, .. } = *state.arrays.get(array)?;
        super::memory::before_freeing(state, "cuArrayDestroy", start)?;
        state.arrays.remove(array)?;
        state.free(start, &[Kind::Array])
    }
}
