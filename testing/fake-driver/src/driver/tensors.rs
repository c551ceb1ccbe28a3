//! Maps of tensors: the checks of the driver's manual. What the fake encodes only it reads.

use std::ffi::c_void;

use crate::code::Code;
use crate::state::{driver, not_null, put};

/// Bytes of a row of a box that are permuted at most, by the number of the swizzle.
const SPANS: [u64; 4] = [u64::MAX, 32, 64, 128];
/// Bytes of an element, by the number of its type.
const SIZES: [u64; 13] = [1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4];

/// What a map is made of, but for its memory.
struct Tiled {
    extents: Vec<u64>,
    strides: Vec<u64>,
    block: Vec<u32>,
    steps: Vec<u32>,
    size: u64,
    swizzle: i32,
}

impl Tiled {
    fn keeps_limits(&self) -> bool {
        let Some(span) = usize::try_from(self.swizzle)
            .ok()
            .and_then(|n| SPANS.get(n))
        else {
            return false;
        };
        let row = u64::from(self.block[0]) * self.size;
        let fit = |stride: &u64| stride.is_multiple_of(16) && *stride < 1 << 40;
        self.extents
            .iter()
            .all(|extent| (1..=1 << 32).contains(extent))
            && self.strides.iter().all(fit)
            && self.block.iter().all(|extent| (1..=256).contains(extent))
            && self.steps.iter().all(|step| (1..=8).contains(step))
            && row.is_multiple_of(16)
            && row <= *span
    }
}

driver! {
    /// Encodes a map of a tensor of which boxes are copied.
    fn cuTensorMapEncodeTiled(
        state; map: *mut [u64; 16], element: i32, rank: u32, base: *mut c_void, extents: *const u64, strides: *const u64, block: *const u32,
        steps: *const u32, interleave: i32, swizzle: i32, promotion: i32, fill: i32
    ) needs Context {
        not_null(map)?;
        let base = base.expose_provenance() as u64;
        let size = usize::try_from(element).ok().and_then(|n| SIZES.get(n)).copied();
        let (Some(size), 1..=5) = (size, rank) else {
            return Err(Code::INVALID_VALUE);
        };
        let rank = rank as usize;
        let number = |at: *const u64, i: usize| Ok::<u64, Code>(*not_null(at)?.wrapping_add(i));
        let count = |at: *const u32, i: usize| Ok::<u32, Code>(*not_null(at)?.wrapping_add(i));
        let tiled = Tiled {
            extents: (0..rank).map(|i| number(extents, i)).collect::<Result<_, _>>()?,
            strides: (1..rank).map(|i| number(strides, i - 1)).collect::<Result<_, _>>()?,
            block: (0..rank).map(|i| count(block, i)).collect::<Result<_, _>>()?,
            steps: (0..rank).map(|i| count(steps, i)).collect::<Result<_, _>>()?,
            size,
            swizzle,
        };
        let is_float = element >= 6;
        let aligned = base.is_multiple_of(16) && map.addr().is_multiple_of(64);
        let chosen = interleave == 0 && (0..=3).contains(&promotion) && (fill == 0 || fill == 1 && is_float);
        if !tiled.keeps_limits() || !aligned || !chosen {
            return Err(Code::INVALID_VALUE);
        }
        state.addressed(base, size as usize)?;
        put(map, std::array::from_fn(|i| base.rotate_left(i as u32)))
    }
}
