//! Sums that become factors without a way through memory.

use super::fragment::{A, B, D};
use super::rows::Transposes;
use super::shape::{Holds, HoldsSums, M16N8, M16N8K16};
use crate::{Warp, intrinsics as raw};

impl Warp<'_> {
    /// Transposes a matrix of 8 rows of 8 elements of 16 bits: lane `l` hands in elements `2 · (l % 4)` and the next of row `l / 4`, the first in the
    /// lower half, and gets those of the transposed matrix. PTX: `movmatrix.sync.aligned.m8n8.trans.b16`. Compute capability: 7.5.
    ///
    /// All lanes of the warp make this call together, and the block has a multiple of 32 threads. Where lanes are missing, a GPU gives
    /// unspecified numbers; the emulator reports it.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn movmatrix(self, pair: u32) -> u32 {
        let mut transposed = 0;
        // SAFETY: a register each; lanes that do not come leave numbers without meaning.
        unsafe { raw::movmatrix(&raw mut transposed, &raw const pair) };
        transposed
    }
}

impl<T: Transposes> D<M16N8, T>
where
    M16N8: HoldsSums<T, Registers = [u32; 2]>,
    M16N8K16: Holds<T, A = [u32; 4], B = [u32; 2]>,
{
    /// The matrix as the factor B, with as many rows and columns. Two `movmatrix`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom_emulator::{Shape, run};
    /// use warploom_device_std::mma::{D, M16N8};
    /// use warploom_device_std::{F16, Warp};
    /// fn same(warp: Warp) {
    ///     let d = D::<M16N8, F16>::from_fn(warp, |row, column| F16::from_f32((8 * row + column) as f32));
    ///     d.to_b(warp).for_each(warp, |k, column, x| assert_eq!(x.to_f32(), (8 * k + column) as f32));
    /// }
    /// # run(Shape::new([1, 1, 1], [32, 1, 1]), &|| same(unsafe { Warp::from_launch() }))?;
    /// # Ok::<(), warploom_emulator::Fault>(())
    /// ```
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn to_b(self, warp: Warp<'_>) -> B<M16N8K16, T> {
        let [above, below] = self.registers;
        B::from_registers([warp.movmatrix(above), warp.movmatrix(below)])
    }

    /// The factor A whose rows 0 to 7 are this matrix transposed and whose rows 8 to 15 are `below` transposed. Four `movmatrix`. Compute capability: 7.5.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn to_a_transposed(self, below: Self, warp: Warp<'_>) -> A<M16N8K16, T> {
        let [upper, lower] = [self, below].map(|d| d.registers.map(|pair| warp.movmatrix(pair)));
        A::from_registers([upper[0], lower[0], upper[1], lower[1]])
    }

    /// The factor A whose columns 0 to 7 are this matrix and whose columns 8 to 15 are `right`. No instruction: the lanes have these elements.
    #[inline(always)]
    #[must_use]
    pub fn to_a(self, right: Self) -> A<M16N8K16, T> {
        let ([a, b], [c, d]) = (self.registers, right.registers);
        A::from_registers([a, b, c, d])
    }
}
