//! Neighbouring lanes of a warp.

use super::warp_group::Parts;
use super::{Group, WarpGroup};
use crate::scope::Brand;
use crate::warp::shuffle::to_last;
use crate::{Block, Warp, intrinsics as raw};

/// `N` neighbouring lanes of a warp, of which the first is a multiple of `N`; `N` is 1, 2, 4, 8, 16 or 32.
///
/// What a tile does ([`WarpGroup`]) waits for its own lanes alone, so the tiles of a warp may go different ways. In a block whose size
/// is not a multiple of `N` the last tile lacks lanes; they count as returned, and [`size`](Group::size) is `N` all the same.
/// CUDA: `thread_block_tile<N>`.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Block, groups::{Group, WarpGroup}};
/// fn kernel(block: Block) {
///     let tile = block.tile::<16>();
///     if tile.index_in_block() % 2 == 0 { // the other tiles do something else meanwhile
///         let sum = tile.reduce_sum(tile.rank());
///         assert_eq!(sum, 120);
///     }
/// }
/// # run(Shape::new([2, 1, 1], [64, 1, 1]), &|| kernel(unsafe { Block::from_launch() }))?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// Other sizes:
/// ```compile_fail,E0080
/// # fn kernel(block: warploom_device_std::Block) {
/// let tile = block.tile::<12>();
/// # }
/// # let _ = warploom_emulator::run(warploom_emulator::Shape::new([1; 3], [1; 3]), &|| kernel(unsafe { warploom_device_std::Block::from_launch() }));
/// ```
/// A tile belongs to its thread:
/// ```compile_fail,E0277
/// fn needs_send<T: Send>() {}
/// needs_send::<warploom_device_std::groups::Tile<'static, 16>>();
/// ```
#[derive(Clone, Copy)]
pub struct Tile<'k, const N: u32> {
    _brand: Brand<'k>,
}

impl<'k, const N: u32> Tile<'k, N> {
    #[inline(always)]
    fn new() -> Self {
        const {
            assert!(
                N <= 32 && N.is_power_of_two(),
                "a tile has 1, 2, 4, 8, 16 or 32 lanes"
            );
        };
        Tile {
            _brand: Brand::new(),
        }
    }

    /// The number of the tile in its warp. CUDA: `meta_group_rank` of a tile made from a warp.
    #[inline(always)]
    #[must_use]
    pub fn index_in_warp(self) -> u32 {
        raw::lane_id() / N
    }

    /// The number of the tile in its block. CUDA: `meta_group_rank` of a tile made from a block.
    #[inline(always)]
    #[must_use]
    pub fn index_in_block(self) -> u32 {
        crate::index::linear_thread() / N
    }

    /// The part of `M` lanes of this tile that the thread belongs to. CUDA: `tiled_partition`.
    #[inline(always)]
    #[must_use]
    pub fn tile<const M: u32>(self) -> Tile<'k, M> {
        const {
            assert!(
                M <= N,
                "a part of a tile has at most as many lanes as the tile"
            )
        };
        Tile::new()
    }
}

impl<'k> Block<'k> {
    /// The `N` neighbouring threads of this thread's warp that it belongs to. CUDA: `tiled_partition<N>(this_thread_block())`.
    #[inline(always)]
    #[must_use]
    pub fn tile<const N: u32>(self) -> Tile<'k, N> {
        Tile::new()
    }
}

impl<'k> Warp<'k> {
    /// The `N` neighbouring lanes that this thread belongs to. CUDA: `tiled_partition<N>`.
    #[inline(always)]
    #[must_use]
    pub fn tile<const N: u32>(self) -> Tile<'k, N> {
        Tile::new()
    }
}

impl<const N: u32> Group for Tile<'_, N> {
    #[inline(always)]
    fn rank(&self) -> u32 {
        raw::lane_id() % N
    }

    #[inline(always)]
    fn size(&self) -> u32 {
        N
    }

    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    fn sync(&self) {
        // SAFETY: see `Parts::mask`.
        unsafe { raw::warp_sync(self.mask()) };
    }
}

impl<const N: u32> Parts for Tile<'_, N> {
    const WIDTH: u32 = N;

    #[inline(always)]
    fn mask(&self) -> u32 {
        (u32::MAX >> (32 - N)) << (raw::lane_id() / N * N)
    }

    #[inline(always)]
    fn lane_of(&self, rank: u32) -> (u32, u32) {
        (rank, to_last(N))
    }

    #[inline(always)]
    fn ranks(&self, lanes: u32) -> u32 {
        lanes >> (raw::lane_id() / N * N)
    }
}

impl<const N: u32> WarpGroup for Tile<'_, N> {}
