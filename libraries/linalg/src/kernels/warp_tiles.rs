//! What the lanes of a warp hold of a tile for a step along K, and the product of it.

use warploom::device_std::mma::{
    A, B, D, E4m3, E5m2, M8N8, M8N8K4, M16N8, M16N8K4, M16N8K8, M16N8K16, M16N8K32, Tf32,
};
use warploom::device_std::{Bf16, F16, Warp, arch, intrinsics as raw};

use super::loads::Swizzle;
use crate::arithmetic::Arithmetic;

/// A tile of an operand in shared memory.
#[derive(Clone, Copy)]
pub(crate) struct SharedTile {
    pub(crate) start: *const u8,
    /// Whether its chunks are along K.
    pub(crate) along_k: bool,
    /// Bytes of a line of memory.
    pub(crate) line_bytes: usize,
}

impl SharedTile {
    /// The byte `byte` of line `line`.
    #[inline(always)]
    fn place(self, swizzle: Swizzle, line: usize, byte: usize) -> *const u8 {
        self.start.wrapping_add(
            line * self.line_bytes
                + swizzle.place(line, byte / 16, self.line_bytes / 16)
                + byte % 16,
        )
    }
}

/// Arithmetic that tensor cores have, by instructions of 16 rows and 8 columns.
pub(crate) trait Tensor: Arithmetic {
    /// Registers of 16 rows of A, for a step.
    type A: Copy;
    /// Registers of 8 columns of B, for a step.
    type B: Copy;
    /// Steps along K in a tile.
    const STEPS: usize;
    /// Whether tiles may have chunks across K.
    const ACROSS_K: bool;

    /// How chunks of a tile are moved.
    fn swizzle(along_k: bool) -> Swizzle;

    /// 16 rows of A from `row` on.
    ///
    /// # Safety
    /// The tile is filled and not written, and has these rows. All lanes of the warp make the call.
    unsafe fn a(lane: usize, tile: SharedTile, row: usize, step: usize) -> Self::A;

    /// Twice 8 columns of B from `column` on.
    ///
    /// # Safety
    /// As for [`a`](Self::a).
    unsafe fn b(lane: usize, tile: SharedTile, column: usize, step: usize) -> [Self::B; 2];

    /// `a · b + c`.
    fn multiply(warp: Warp<'_>, a: Self::A, b: Self::B, c: [Self::Sum; 4]) -> [Self::Sum; 4];
}

/// A by `ldmatrix`, from chunks along K: each step is two chunks.
///
/// # Safety
/// As [`Tensor::a`].
#[inline(always)]
unsafe fn rows_of_a(lane: usize, tile: SharedTile, row: usize, step: usize) -> [u32; 4] {
    let (matrix, line) = (lane / 8, lane % 8);
    let at = tile.place(
        Swizzle::ROWS,
        row + line + 8 * (matrix % 2),
        32 * step + 16 * (matrix / 2),
    );
    let mut registers = [0; 4];
    // SAFETY: a row of 16 bytes in the tile (the caller's promise).
    unsafe { raw::ldmatrix_x4(registers.as_mut_ptr(), at) };
    registers
}

/// B by `ldmatrix`, from chunks along K.
///
/// # Safety
/// As [`Tensor::b`].
#[inline(always)]
unsafe fn columns_of_b(lane: usize, tile: SharedTile, column: usize, step: usize) -> [[u32; 2]; 2] {
    let (matrix, line) = (lane / 8, lane % 8);
    let at = tile.place(
        Swizzle::ROWS,
        column + line + 8 * (matrix / 2),
        32 * step + 16 * (matrix % 2),
    );
    let mut registers = [0; 4];
    // SAFETY: a row of 16 bytes in the tile (the caller's promise).
    unsafe { raw::ldmatrix_x4(registers.as_mut_ptr(), at) };
    let [a, b, c, d] = registers;
    [[a, b], [c, d]]
}

/// A word or two of a tile whose chunks are along or across K.
///
/// # Safety
/// The tile has this line and k.
#[inline(always)]
unsafe fn element<T: Copy>(tile: SharedTile, line: usize, k: usize) -> T {
    let (line, neighbour) = if tile.along_k { (line, k) } else { (k, line) };
    // SAFETY: an element of the tile (the caller's promise), aligned as all of them are.
    unsafe {
        tile.place(Swizzle::PAIRS, line, neighbour * size_of::<T>())
            .cast::<T>()
            .read()
    }
}

macro_rules! multiplies {
    ($shape:ident $sum:ident) => {
        #[inline(always)]
        fn multiply(warp: Warp<'_>, a: [u32; 4], b: [u32; 2], c: [$sum; 4]) -> [$sum; 4] {
            let (a, b) = (
                A::<$shape, Self>::from_registers(a),
                B::<$shape, Self>::from_registers(b),
            );
            warp.mma(a, b, D::<M16N8, $sum>::from_registers(c))
                .registers()
        }
    };
}

macro_rules! halves {
    ($($ty:ident)*) => {$(
        impl Tensor for $ty {
            type A = [u32; 4];
            type B = [u32; 2];
            const STEPS: usize = 4;
            const ACROSS_K: bool = true;
            #[inline(always)]
            fn swizzle(_along_k: bool) -> Swizzle {
                Swizzle::ROWS
            }

            #[inline(always)]
            unsafe fn a(lane: usize, tile: SharedTile, row: usize, step: usize) -> [u32; 4] {
                if tile.along_k {
                    // SAFETY: the caller's promise.
                    return unsafe { rows_of_a(lane, tile, row, step) };
                }
                let (matrix, line) = (lane / 8, lane % 8);
                let at = tile.place(Swizzle::ROWS, 16 * step + line + 8 * (matrix / 2), 2 * (row + 8 * (matrix % 2)));
                let mut registers = [0; 4];
                // SAFETY: a row of 16 bytes in the tile (the caller's promise).
                unsafe { raw::ldmatrix_x4_trans(registers.as_mut_ptr(), at) };
                registers
            }

            #[inline(always)]
            unsafe fn b(lane: usize, tile: SharedTile, column: usize, step: usize) -> [[u32; 2]; 2] {
                if tile.along_k {
                    // SAFETY: the caller's promise.
                    return unsafe { columns_of_b(lane, tile, column, step) };
                }
                let (matrix, line) = (lane / 8, lane % 8);
                let at = tile.place(Swizzle::ROWS, 16 * step + line + 8 * (matrix % 2), 2 * (column + 8 * (matrix / 2)));
                let mut registers = [0; 4];
                // SAFETY: a row of 16 bytes in the tile (the caller's promise).
                unsafe { raw::ldmatrix_x4_trans(registers.as_mut_ptr(), at) };
                let [a, b, c, d] = registers;
                [[a, b], [c, d]]
            }

            multiplies!(M16N8K16 f32);
        }
    )*};
}

halves!(F16 Bf16);

macro_rules! bytes {
    ($($ty:ident $sum:ident)*) => {$(
        impl Tensor for $ty {
            type A = [u32; 4];
            type B = [u32; 2];
            const STEPS: usize = 4;
            // `ldmatrix` does not transpose bytes.
            const ACROSS_K: bool = false;
            #[inline(always)]
            fn swizzle(_along_k: bool) -> Swizzle {
                Swizzle::ROWS
            }

            #[inline(always)]
            unsafe fn a(lane: usize, tile: SharedTile, row: usize, step: usize) -> [u32; 4] {
                // SAFETY: the caller's promise.
                unsafe { rows_of_a(lane, tile, row, step) }
            }

            #[inline(always)]
            unsafe fn b(lane: usize, tile: SharedTile, column: usize, step: usize) -> [[u32; 2]; 2] {
                // SAFETY: the caller's promise.
                unsafe { columns_of_b(lane, tile, column, step) }
            }

            multiplies!(M16N8K32 $sum);
        }
    )*};
}

bytes!(i8 i32 E4m3 f32 E5m2 f32);

impl Tensor for Tf32 {
    type A = [u32; 4];
    type B = [u32; 2];
    const STEPS: usize = 4;
    const ACROSS_K: bool = true;

    #[inline(always)]
    fn swizzle(along_k: bool) -> Swizzle {
        if along_k {
            Swizzle::ROWS
        } else {
            Swizzle::PAIRS
        }
    }

    #[inline(always)]
    unsafe fn a(lane: usize, tile: SharedTile, row: usize, step: usize) -> [u32; 4] {
        if tile.along_k {
            // SAFETY: the caller's promise.
            return unsafe { rows_of_a(lane, tile, row, step) };
        }
        // SAFETY: elements of the tile (the caller's promise).
        core::array::from_fn(|i| unsafe {
            element(
                tile,
                row + lane / 4 + 8 * (i % 2),
                8 * step + lane % 4 + 4 * (i / 2),
            )
        })
    }

    #[inline(always)]
    unsafe fn b(lane: usize, tile: SharedTile, column: usize, step: usize) -> [[u32; 2]; 2] {
        if tile.along_k {
            // SAFETY: the caller's promise.
            return unsafe { columns_of_b(lane, tile, column, step) };
        }
        core::array::from_fn(|j| {
            // SAFETY: elements of the tile (the caller's promise).
            core::array::from_fn(|i| unsafe {
                element(tile, column + 8 * j + lane / 4, 8 * step + lane % 4 + 4 * i)
            })
        })
    }

    multiplies!(M16N8K8 f32);
}

// The shortest steps: with 128 registers of sums and what two steps of 8 need, ptxas would spill. Shared memory is read between the products of four steps then, not all at
// once behind the barrier.
impl Tensor for f64 {
    type A = [f64; 2];
    type B = [f64; 1];
    const STEPS: usize = 4;
    const ACROSS_K: bool = true;

    #[inline(always)]
    fn swizzle(_along_k: bool) -> Swizzle {
        Swizzle::PAIRS
    }

    #[inline(always)]
    unsafe fn a(lane: usize, tile: SharedTile, row: usize, step: usize) -> [f64; 2] {
        // SAFETY: elements of the tile (the caller's promise).
        core::array::from_fn(|i| unsafe {
            element(tile, row + lane / 4 + 8 * i, 4 * step + lane % 4)
        })
    }

    #[inline(always)]
    unsafe fn b(lane: usize, tile: SharedTile, column: usize, step: usize) -> [[f64; 1]; 2] {
        // SAFETY: elements of the tile (the caller's promise).
        core::array::from_fn(|j| unsafe {
            [element(
                tile,
                column + 8 * j + lane / 4,
                4 * step + lane % 4,
            )]
        })
    }

    #[inline(always)]
    fn multiply(warp: Warp<'_>, a: [f64; 2], b: [f64; 1], c: [f64; 4]) -> [f64; 4] {
        if arch() >= 90 {
            let (a, b) = (
                A::<M16N8K4, f64>::from_registers(a),
                B::<M16N8K4, f64>::from_registers(b),
            );
            return warp
                .mma(a, b, D::<M16N8, f64>::from_registers(c))
                .registers();
        }
        let half = |of: usize| {
            let (a, b) = (
                A::<M8N8K4, f64>::from_registers([a[of]]),
                B::<M8N8K4, f64>::from_registers(b),
            );
            let c = D::<M8N8, f64>::from_registers([c[2 * of], c[2 * of + 1]]);
            warp.mma(a, b, c).registers()
        };
        let [[a, b], [c, d]] = [half(0), half(1)];
        [a, b, c, d]
    }
}
