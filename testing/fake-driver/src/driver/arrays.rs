//! Arrays: memory without addresses, which copies of rows reach by coordinates.

use crate::code::Code;
use crate::memory::Kind;
use crate::state::{Held, driver, not_null, put};

/// `CUDA_ARRAY3D_LAYERED` and so on.
const LAYERED: u32 = 1;
const SURFACE_LDST: u32 = 2;
const CUBEMAP: u32 = 4;
const TEXTURE_GATHER: u32 = 8;

/// An array, in truth rows and planes without gaps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Array {
    pub(crate) context: u64,
    /// Where its rows are among the regions: no address for any other code.
    pub(crate) start: u64,
    /// Bytes of a row; rows; planes or layers.
    pub(crate) extent: [usize; 3],
    /// The mipmapped array whose level it is; 0: none.
    pub(crate) of: u64,
    pub(crate) described: Described,
}

/// Several arrays that are levels of detail, in one piece of memory.
#[derive(Debug, Clone)]
pub(crate) struct Mipmapped {
    pub(crate) context: u64,
    pub(crate) start: u64,
    /// The imported memory that it is in; 0: memory of its own.
    pub(crate) external: u64,
    pub(crate) levels: Vec<u64>,
    pub(crate) described: Described,
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
        let (width, height, depth) = (self.width, self.height, self.depth);
        let cubes = width == height && depth.is_multiple_of(6) && depth > 0;
        let surface = self.flags & SURFACE_LDST != 0;
        match (self.flags & !SURFACE_LDST, height, depth) {
            (0, 0, 0) if surface => Some([32_768, 0, 0]),
            (0, 0, 0) => Some([131_072, 0, 0]),
            (0, _, 0) => Some([131_072, 65_536, 0]),
            (TEXTURE_GATHER, 1.., 0) => Some([32_768, 32_768, 0]),
            (0, 1..=8192, 16_385..) if !surface && width <= 8192 => Some([8192, 8192, 32_768]),
            (0, 1.., _) => Some([16_384; 3]),
            (LAYERED, 0, 1..) => Some([32_768, 0, 2048]),
            (LAYERED, _, 1..) => Some([32_768, 32_768, 2048]),
            (CUBEMAP, ..) if cubes && depth == 6 => Some([32_768, 32_768, 6]),
            (flags, ..) if flags == CUBEMAP | LAYERED && cubes => Some([32_768, 32_768, 2046]),
            _ => None,
        }
    }

    /// Bytes of a row; rows; planes or layers.
    fn extent(&self) -> Result<[usize; 3], Code> {
        let element = self.element().ok_or(Code::INVALID_VALUE)?;
        let limits = self.limits().ok_or(Code::INVALID_VALUE)?;
        let given = [self.width, self.height, self.depth];
        if given[0] == 0
            || given
                .iter()
                .zip(limits)
                .any(|(given, limit)| *given > limit)
        {
            return Err(Code::INVALID_VALUE);
        }
        Ok([given[0] * element, given[1].max(1), given[2].max(1)])
    }

    /// The same half as long along each side that is no layer.
    fn halved(&self) -> Described {
        let half = |side: usize| side.min((side / 2).max(1));
        let is_deep = self.flags & (LAYERED | CUBEMAP) == 0;
        Described {
            width: half(self.width),
            height: half(self.height),
            depth: if is_deep {
                half(self.depth)
            } else {
                self.depth
            },
            ..*self
        }
    }

    /// Levels that there can be.
    fn most_levels(&self) -> u32 {
        let is_deep = self.flags & (LAYERED | CUBEMAP) == 0;
        let depth = if is_deep { self.depth } else { 0 };
        let longest = self.width.max(self.height).max(depth).max(1);
        longest.ilog2() + 1
    }

    pub(crate) fn is_cube(&self) -> bool {
        self.flags & CUBEMAP != 0
    }

    pub(crate) fn is_for_surfaces(&self) -> bool {
        self.flags & SURFACE_LDST != 0
    }

    /// Refuses a view that has other extents, or layers that are not there.
    pub(crate) fn check_view(&self, extents: [usize; 3], layers: [u32; 2]) -> Result<(), Code> {
        let n_layers = match self.flags & LAYERED {
            0 => 1,
            _ => self.depth,
        };
        let [first, last] = layers.map(|layer| layer as usize);
        if extents != [self.width, self.height, self.depth] || first > last || last >= n_layers {
            return Err(Code::INVALID_VALUE);
        }
        Ok(())
    }

    /// Bytes of an element of an array that was made.
    pub(crate) fn element_bytes(&self) -> u64 {
        self.element().unwrap_or(0) as u64
    }

    /// Whether a channel is an integer; of 32 bits if the second says so.
    pub(crate) fn is_integer(&self) -> [bool; 2] {
        [self.format < 0x10, matches!(self.format, 0x03 | 0x0A)]
    }
}

fn bytes([row, height, depth]: [usize; 3]) -> Result<usize, Code> {
    row.checked_mul(height * depth).ok_or(Code::OUT_OF_MEMORY)
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

/// An array of this extent, format, channels and flags, and its bytes of a row, rows, and planes.
pub(super) fn described(
    [width, height, depth]: [usize; 3],
    format: i32,
    channels: u32,
    flags: u32,
) -> Result<(Described, [usize; 3]), Code> {
    let described = Described {
        width,
        height,
        depth,
        format,
        channels,
        flags,
    };
    Ok((described, described.extent()?))
}

/// The levels of an array, the finest first, each with its extent, and the bytes of all.
type Levels = Vec<(Described, [usize; 3])>;

/// What levels there are, and how many bytes they have.
pub(super) fn levels(described: Described, n_levels: u32) -> Result<(Levels, usize), Code> {
    let n_levels = n_levels.clamp(1, described.most_levels());
    let levels: Levels = std::iter::successors(Some(described), |level| Some(level.halved()))
        .take(n_levels as usize)
        .map(|level| Ok((level, level.extent()?)))
        .collect::<Result<_, Code>>()?;
    let sizes: Vec<_> = levels
        .iter()
        .map(|(_, extent)| bytes(*extent))
        .collect::<Result<_, _>>()?;
    Ok((levels, sizes.iter().sum()))
}

/// An array with these levels in memory from `start` on, which is of other memory if `external` is not 0.
pub(super) fn add_levels(
    state: &mut Held,
    start: u64,
    external: u64,
    levels: Levels,
) -> Result<u64, Code> {
    let context = state.current()?;
    let described = levels.first().ok_or(Code::INVALID_VALUE)?.0;
    let made = state.mipmapped.add(Mipmapped {
        context,
        start,
        external,
        levels: vec![],
        described,
    });
    let mut at = start;
    for (described, extent) in levels {
        let level = state.arrays.add(Array {
            context,
            start: at,
            extent,
            of: made,
            described,
        });
        state.mipmapped.get_mut(made)?.levels.push(level);
        at += bytes(extent)? as u64;
    }
    Ok(made)
}

driver! {
    /// Makes an array.
    fn cuArray3DCreate_v2(state; array: *mut u64, described: *const Described) needs Context {
        not_null(array)?;
        let described = *not_null(described)?;
        let extent = described.extent()?;
        let start = state.allocate(Kind::Array, bytes(extent)?, 0)?;
        let context = state.current()?;
        let made = state.arrays.add(Array { context, start, extent, of: 0, described });
        put(array, made)
    }

    /// Destroys an array, but no level of another one.
    fn cuArrayDestroy(state; array: u64) needs Context {
        let Array { start, of, .. } = *state.arrays.get(array)?;
        if of != 0 {
            return Err(Code::INVALID_HANDLE);
        }
        state.check_no_objects("cuArrayDestroy", start);
        super::memory::before_freeing(state, "cuArrayDestroy", start)?;
        state.arrays.remove(array)?;
        state.free(start, &[Kind::Array])
    }

    /// Makes an array with levels of detail.
    fn cuMipmappedArrayCreate(state; array: *mut u64, described: *const Described, n_levels: u32) needs Context {
        not_null(array)?;
        let (levels, bytes) = levels(*not_null(described)?, n_levels)?;
        let start = state.allocate(Kind::Array, bytes, 0)?;
        let made = add_levels(state, start, 0, levels)?;
        put(array, made)
    }

    /// A level of detail, which goes with its array.
    fn cuMipmappedArrayGetLevel(state; level: *mut u64, array: u64, number: u32) needs Context {
        let levels = &state.mipmapped.get(array)?.levels;
        let found = *levels.get(number as usize).ok_or(Code::INVALID_VALUE)?;
        put(level, found)
    }

    /// Destroys an array with its levels.
    fn cuMipmappedArrayDestroy(state; array: u64) needs Context {
        let start = state.mipmapped.get(array)?.start;
        state.check_no_objects("cuMipmappedArrayDestroy", start);
        super::memory::before_freeing(state, "cuMipmappedArrayDestroy", start)?;
        let Mipmapped { external, .. } = state.mipmapped.remove(array)?;
        state.arrays.retain(|_, level| level.of != array);
        if let Ok(memory) = state.external.get_mut(external) {
            memory.mapped.retain(|mapped| *mapped != start);
        }
        state.free(start, &[Kind::Array])
    }
}
