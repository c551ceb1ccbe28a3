//! What an instruction is told of its matrices, as numbers: types and sizes, and how a matrix lies in shared memory.

use crate::shared::Swizzle;
use crate::wgmma::{Input, Major, Sum};

/// The instruction descriptor of a product: types, layouts and sizes, for dense matrices that are not negated. PTX: `idesc` of `tcgen05.mma`.
///
/// | bits | what |
/// |---|---|
/// | 4, 5 | type of D: `f16` 0, `f32` 1, `s32` 2 |
/// | 7 to 9, 10 to 12 | type of A, of B, within the kind of the instruction |
/// | 15, 16 | A, B lies with the rows of its tile along M or N |
/// | 17 to 22, 24 to 28 | `N / 8`, `M / 16` |
///
/// ```
/// use warploom_device_std::{Bf16, tcgen05::instruction_descriptor, wgmma::KMajor};
/// const DESCRIPTOR: u32 = instruction_descriptor::<128, 256, f32, Bf16, Bf16, KMajor, KMajor>();
/// assert_eq!(DESCRIPTOR, 8 << 24 | 32 << 17 | 1 << 10 | 1 << 7 | 1 << 4);
/// ```
#[must_use]
pub const fn instruction_descriptor<
    const M: usize,
    const N: usize,
    D: Sum,
    TA: Input,
    TB: Input,
    MA: Major,
    MB: Major,
>() -> u32 {
    D::SUM_NUMBER << 4
        | format::<TA>() << 7
        | format::<TB>() << 10
        | MA::TRANSPOSED << 15
        | MB::TRANSPOSED << 16
        | (N as u32 / 8) << 17
        | (M as u32 / 16) << 24
}

/// The number of a type within its kind.
const fn format<T: Input>() -> u32 {
    match T::NUMBER {
        1 | 4 | 5 => 1, // bf16, e5m2, s8
        2 => 2,         // tf32
        _ => 0,         // f16, e4m3, u8
    }
}

/// The kind of the instruction that multiplies elements of `T`: `f16`, `tf32`, `f8f6f4`, `i8`.
pub(super) const fn kind<T: Input>() -> u32 {
    match T::NUMBER {
        0 | 1 => 0,
        2 => 1,
        3 | 4 => 2,
        _ => 3,
    }
}

/// The descriptor of a matrix in shared memory that begins at byte `start` of it, with the distances `leading` and `stride` in bytes. PTX: the matrix descriptor of `tcgen05`.
///
/// | bits | what |
/// |---|---|
/// | 0 to 13 | `start / 16` |
/// | 16 to 29, 32 to 45 | `leading / 16`, `stride / 16` |
/// | 46 to 48 | 1 |
/// | 49 to 51 | 0: the tile begins at a multiple of 1024 bytes |
/// | 61 to 63 | swizzle: 0 none, 2 of 128 bytes, 4 of 64, 6 of 32 |
///
/// ```
/// use warploom_device_std::{shared::Swizzle128, tcgen05::matrix_descriptor};
/// assert_eq!(matrix_descriptor::<Swizzle128>(0x400, 16, 1024), 2 << 61 | 1 << 46 | 64 << 32 | 1 << 16 | 0x40);
/// ```
#[must_use]
pub const fn matrix_descriptor<S: Swizzle>(start: u32, leading: u32, stride: u32) -> u64 {
    let swizzle = match S::SPAN {
        128 => 2,
        64 => 4,
        32 => 6,
        _ => 0,
    };
    encode(start, 0) | encode(leading, 16) | encode(stride, 32) | VERSION | swizzle << 61
}

/// What the bits 46 to 48 are.
const VERSION: u64 = 1 << 46;

/// A number of bytes in a descriptor.
const fn encode(bytes: u32, at: u32) -> u64 {
    (bytes as u64 >> 4 & 0x3fff) << at
}

/// The descriptor of what a descriptor for `wgmma` describes: distances are at the same bits, the number of the swizzle is doubled and a bit higher.
pub(super) const fn of_warp_group(descriptor: u64) -> u64 {
    let mode = descriptor >> 62; // none, 128, 64, 32
    descriptor & !(3 << 62) | VERSION | (mode * 2) << 61
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mma::{E4m3, E5m2, Tf32};
    use crate::shared::{Swizzle32, Swizzle64, Swizzle128, Unswizzled};
    use crate::wgmma::{KMajor, MnMajor};
    use crate::{Bf16, F16};

    // The numbers are put together by hand from the fields in the tables above. No GPU has confirmed them.

    #[test]
    fn types_are_those_of_their_kinds() {
        type K = KMajor;
        let sizes = 4 << 24 | 1 << 17; // 64 rows, 8 columns
        let all = [
            (instruction_descriptor::<64, 8, F16, F16, F16, K, K>(), 0),
            (
                instruction_descriptor::<64, 8, f32, F16, F16, K, K>(),
                0x010,
            ),
            (
                instruction_descriptor::<64, 8, f32, Bf16, Bf16, K, K>(),
                0x490,
            ),
            (
                instruction_descriptor::<64, 8, f32, Tf32, Tf32, K, K>(),
                0x910,
            ),
            (
                instruction_descriptor::<64, 8, f32, E4m3, E4m3, K, K>(),
                0x010,
            ),
            (
                instruction_descriptor::<64, 8, f32, E4m3, E5m2, K, K>(),
                0x410,
            ),
            (
                instruction_descriptor::<64, 8, F16, E5m2, E4m3, K, K>(),
                0x080,
            ),
            (instruction_descriptor::<64, 8, i32, i8, u8, K, K>(), 0x0a0),
            (instruction_descriptor::<64, 8, i32, u8, i8, K, K>(), 0x420),
            (instruction_descriptor::<64, 8, i32, u8, u8, K, K>(), 0x020),
        ];
        for (i, (descriptor, types)) in all.into_iter().enumerate() {
            assert_eq!(descriptor, sizes | types, "{i}: {descriptor:#x}");
        }
    }

    #[test]
    fn kinds_are_those_of_types() {
        let kinds = [
            kind::<F16>(),
            kind::<Bf16>(),
            kind::<Tf32>(),
            kind::<E4m3>(),
            kind::<E5m2>(),
            kind::<i8>(),
            kind::<u8>(),
        ];
        assert_eq!(kinds, [0, 0, 1, 2, 2, 3, 3]);
    }

    #[test]
    fn sizes_and_layouts_have_their_bits() {
        let largest = instruction_descriptor::<128, 256, f32, Bf16, Bf16, KMajor, KMajor>();
        assert_eq!(largest, 0x0840_0490);
        let a = instruction_descriptor::<128, 256, f32, Bf16, Bf16, MnMajor, KMajor>();
        let b = instruction_descriptor::<128, 256, f32, Bf16, Bf16, KMajor, MnMajor>();
        assert_eq!((a ^ largest, b ^ largest), (1 << 15, 1 << 16));
        let odd = instruction_descriptor::<64, 24, f32, F16, F16, KMajor, KMajor>();
        assert_eq!(odd, 0x0406_0010);
    }

    #[test]
    fn matrices_have_start_distances_and_swizzle() {
        assert_eq!(
            matrix_descriptor::<Unswizzled>(0, 0, 0),
            0x0000_4000_0000_0000
        );
        assert_eq!(
            matrix_descriptor::<Swizzle128>(0x2_0420, 16, 1024),
            0x4000_4040_0001_2042
        );
        assert_eq!(
            matrix_descriptor::<Swizzle64>(0, 16, 512),
            0x8000_4020_0001_0000
        );
        assert_eq!(
            matrix_descriptor::<Swizzle32>(0, 16, 256),
            0xc000_4010_0001_0000
        );
        // Addresses of shared memory have 18 bits.
        assert_eq!(
            matrix_descriptor::<Unswizzled>(0x3_fff0, 0, 0),
            0x0000_4000_0000_3fff
        );
    }

    /// Descriptors of `wgmma` have the swizzle in bits 62 and 63: 1 for 128 bytes, 2 for 64, 3 for 32.
    #[test]
    fn operands_of_warp_groups_describe_the_same() {
        let fields = 0x0040_0001_2042;
        let pairs = [
            (fields, matrix_descriptor::<Unswizzled>(0x2_0420, 16, 1024)),
            (
                1 << 62 | fields,
                matrix_descriptor::<Swizzle128>(0x2_0420, 16, 1024),
            ),
            (
                2 << 62 | fields,
                matrix_descriptor::<Swizzle64>(0x2_0420, 16, 1024),
            ),
            (
                3 << 62 | fields,
                matrix_descriptor::<Swizzle32>(0x2_0420, 16, 1024),
            ),
        ];
        for (of_group, expected) in pairs {
            assert_eq!(of_warp_group(of_group), expected, "{of_group:#x}");
        }
    }
}
