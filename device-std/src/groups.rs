//! Groups: threads that work together, each with its rank. CUDA: cooperative groups.
//!
//! A function that holds a barrier or an exchange takes the group as an argument: the value is the proof that its threads are there,
//! and the reader of the call sees that they all have to make it.
//!
//! | group | threads | from |
//! |---|---|---|
//! | [`Block`] | all of a block | a kernel parameter |
//! | [`Warp`] | the 32 lanes of a warp | a kernel parameter |
//! | [`Tile<N>`](Tile) | `N` neighbouring lanes | [`Block::tile`], [`Warp::tile`], [`Tile::tile`] |
//! | [`Coalesced`] | the lanes that took a branch together | [`Warp::coalesced`] |
//!
//! A thread that returned belongs to no group any more: no operation waits for it, and reductions and scans leave it out. The lanes that the
//! last warp of a block lacks (of 70 threads: 26 of the third warp) count as returned from the start.

use crate::{Block, Warp};

mod block; // reductions and scans over a block
mod coalesced; // the lanes of a branch
mod tile; // neighbouring lanes
mod warp_group; // what lanes do together, for all parts of a warp

pub use coalesced::Coalesced;
pub use tile::Tile;
pub use warp_group::WarpGroup;

/// Threads that work together. CUDA: `cooperative_groups::thread_group`.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Block, SharedArray, Warp, groups::Group, shared_array};
/// use core::sync::atomic::Ordering::Relaxed;
/// /// The sum over a group, in its rank 0; each group needs elements of its own.
/// fn sum(group: &impl Group, scratch: SharedArray<u32, 64>, first: u32, mut value: u32) -> u32 {
///     let (rank, mut half) = (group.rank(), group.size() / 2);
///     while half > 0 {
///         scratch.atomic((first + rank) as usize).store(value, Relaxed);
///         group.sync();
///         if rank < half {
///             value += scratch.atomic((first + rank + half) as usize).load(Relaxed);
///         }
///         group.sync();
///         half /= 2;
///     }
///     value
/// }
/// fn kernel(block: Block) {
///     let scratch = shared_array!(u32, 64);
///     let tile = block.tile::<16>();
///     let of_tile = sum(&tile, scratch, block.rank() / 16 * 16, block.rank());
///     if tile.rank() == 0 {
///         assert_eq!(of_tile, 16 * block.rank() + 120);
///     }
/// }
/// # run(Shape::new([2, 1, 1], [64, 1, 1]), &|| kernel(unsafe { Block::from_launch() }))?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
pub trait Group {
    /// The thread's number in the group: `0..size()`. CUDA: `thread_rank`.
    #[must_use]
    fn rank(&self) -> u32;

    /// The number of threads that the group was made of; some may have returned since. CUDA: `size`, `num_threads`.
    #[must_use]
    fn size(&self) -> u32;

    /// Waits until all threads of the group that have not returned are here; orders memory accesses among them. CUDA: `sync`.
    #[cfg_attr(not(warploom_device), track_caller)]
    fn sync(&self);

    /// Whether this thread is number 0 of the group.
    #[inline(always)]
    #[must_use]
    fn is_first(&self) -> bool {
        self.rank() == 0
    }
}

/// [`Group::sync`] as a function. CUDA: `cooperative_groups::synchronize`.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Block, groups::synchronize};
/// fn kernel(block: Block) {
///     synchronize(&block);
///     synchronize(&block.tile::<8>());
/// }
/// # run(Shape::new([1, 1, 1], [70, 1, 1]), &|| kernel(unsafe { Block::from_launch() }))?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub fn synchronize(group: &impl Group) {
    group.sync();
}

impl Group for Block<'_> {
    #[inline(always)]
    fn rank(&self) -> u32 {
        self.thread() as u32
    }

    #[inline(always)]
    fn size(&self) -> u32 {
        self.threads() as u32
    }

    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    fn sync(&self) {
        crate::sync_threads();
    }
}

impl Group for Warp<'_> {
    #[inline(always)]
    fn rank(&self) -> u32 {
        self.lane()
    }

    #[inline(always)]
    fn size(&self) -> u32 {
        Warp::LANES
    }

    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    fn sync(&self) {
        Warp::sync(*self);
    }
}
