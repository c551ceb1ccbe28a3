//! How the operands of warp groups lie, in memory and in the stages that bulk copies fill.

use warploom::device_std::hint::unroll_all;
use warploom::device_std::mma::{E4m3, E5m2, Tf32};
use warploom::device_std::shared::{Swizzle128, SwizzledTiles};
use warploom::device_std::tma::{TensorElement, TensorSource};
use warploom::device_std::wgmma::{
    Input, KMajor, Major, MnMajor, Multiply, Operand, SixteenBits, Sum,
};
use warploom::device_std::{Bf16, F16, Mbarrier, shared::Carve};

use super::DEPTH_BYTES;
use crate::arithmetic::Numbers;

/// Arithmetic that warp groups have, whose operands bulk copies read.
#[doc(hidden)]
pub trait Grouped:
    Numbers<Element: TensorElement, Sum: Sum> + Input + Multiply<Self, Self::Sum>
{
    /// How an operand lies whose neighbours are across K. For elements that are not of 16 bits there is no such way, no map of such an operand, and no launch.
    type Across: Lies<Self>;
}

/// How an operand lies: its lines are rows of A, or columns of B.
#[doc(hidden)]
pub trait Lies<T: Grouped>: Send + Sync + 'static {
    /// The order of products' operands.
    type Major: Major;
    /// The stages of `LINES` lines and `DEPTH` elements along K.
    type Tiles<'k, const LINES: usize, const DEPTH: usize, const STAGES: usize>: Copy;

    /// The next stages of the memory.
    fn take<'k, const LINES: usize, const DEPTH: usize, const STAGES: usize>(
        carve: &mut Carve<'k>,
    ) -> Self::Tiles<'k, LINES, DEPTH, STAGES>;

    /// Begins to copy what a stage holds, from line, place along K and matrix `at` on.
    ///
    /// # Safety
    /// Of [`TensorSource::load`], for the bytes of a stage. The map's box is that of [`map`](crate::bulk::Bulk::map).
    unsafe fn load<const LINES: usize, const DEPTH: usize, const STAGES: usize>(
        from: TensorSource<'_, T::Element, 3>,
        tiles: Self::Tiles<'_, LINES, DEPTH, STAGES>,
        stage: usize,
        at: [i32; 3],
        full: Mbarrier<'_>,
    );

    /// Lines from `line` on of a stage, from place `k` on.
    ///
    /// # Safety
    /// Of [`SwizzledTile::view`](warploom::device_std::shared::SwizzledTile::view).
    unsafe fn operand<
        'v,
        const LINES: usize,
        const DEPTH: usize,
        const STAGES: usize,
        const OF: usize,
    >(
        tiles: Self::Tiles<'v, LINES, DEPTH, STAGES>,
        stage: usize,
        line: usize,
        k: usize,
    ) -> Operand<'v, T, OF, Self::Major>;
}

/// Neighbours in memory are along K: a box is a stage.
#[doc(hidden)]
pub enum AlongK {}

/// Neighbours in memory are across K: a box has 64 lines of a stage.
#[doc(hidden)]
pub enum AcrossK {}

impl<T: Grouped> Lies<T> for AlongK {
    type Major = KMajor;
    type Tiles<'k, const LINES: usize, const DEPTH: usize, const STAGES: usize> =
        SwizzledTiles<'k, T, LINES, DEPTH, Swizzle128, STAGES>;

    #[inline(always)]
    fn take<'k, const LINES: usize, const DEPTH: usize, const STAGES: usize>(
        carve: &mut Carve<'k>,
    ) -> Self::Tiles<'k, LINES, DEPTH, STAGES> {
        carve.take_tiles()
    }

    #[inline(always)]
    unsafe fn load<const LINES: usize, const DEPTH: usize, const STAGES: usize>(
        from: TensorSource<'_, T::Element, 3>,
        tiles: Self::Tiles<'_, LINES, DEPTH, STAGES>,
        stage: usize,
        [line, k, matrix]: [i32; 3],
        full: Mbarrier<'_>,
    ) {
        let to = tiles.stage(stage).panel(0);
        // SAFETY: the caller's promise; a stage has one panel.
        unsafe { from.load(to, [k, line, matrix], full) };
    }

    #[inline(always)]
    unsafe fn operand<
        'v,
        const LINES: usize,
        const DEPTH: usize,
        const STAGES: usize,
        const OF: usize,
    >(
        tiles: Self::Tiles<'v, LINES, DEPTH, STAGES>,
        stage: usize,
        line: usize,
        k: usize,
    ) -> Operand<'v, T, OF, KMajor> {
        // SAFETY: the caller's promise.
        unsafe { tiles.stage(stage).view() }.rows(line, k)
    }
}

impl<T: Grouped + SixteenBits> Lies<T> for AcrossK {
    type Major = MnMajor;
    type Tiles<'k, const LINES: usize, const DEPTH: usize, const STAGES: usize> =
        SwizzledTiles<'k, T, DEPTH, LINES, Swizzle128, STAGES>;

    #[inline(always)]
    fn take<'k, const LINES: usize, const DEPTH: usize, const STAGES: usize>(
        carve: &mut Carve<'k>,
    ) -> Self::Tiles<'k, LINES, DEPTH, STAGES> {
        carve.take_tiles()
    }

    #[inline(always)]
    unsafe fn load<const LINES: usize, const DEPTH: usize, const STAGES: usize>(
        from: TensorSource<'_, T::Element, 3>,
        tiles: Self::Tiles<'_, LINES, DEPTH, STAGES>,
        stage: usize,
        [line, k, matrix]: [i32; 3],
        full: Mbarrier<'_>,
    ) {
        let in_panel = const { DEPTH_BYTES / size_of::<T>() };
        unroll_all::<4>(|panel| {
            if panel < LINES / in_panel {
                let to = tiles.stage(stage).panel(panel);
                let line = line + (panel * in_panel) as i32;
                // SAFETY: the caller's promise, for a panel of the stage.
                unsafe { from.load(to, [line, k, matrix], full) };
            }
        });
    }

    #[inline(always)]
    unsafe fn operand<
        'v,
        const LINES: usize,
        const DEPTH: usize,
        const STAGES: usize,
        const OF: usize,
    >(
        tiles: Self::Tiles<'v, LINES, DEPTH, STAGES>,
        stage: usize,
        line: usize,
        k: usize,
    ) -> Operand<'v, T, OF, MnMajor> {
        // SAFETY: the caller's promise.
        unsafe { tiles.stage(stage).view() }.columns(line, k)
    }
}

macro_rules! grouped {
    ($($ty:ident $across:ident;)*) => {$(
        impl Grouped for $ty {
            type Across = $across;
        }
    )*};
}

grouped! {
    F16 AcrossK;
    Bf16 AcrossK;
    Tf32 AlongK;
    E4m3 AlongK;
    E5m2 AlongK;
    i8 AlongK;
}
