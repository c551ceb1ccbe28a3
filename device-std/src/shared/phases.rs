//! The barriers at which tiles change their phase: one for each tile, and one for each set of tiles that do so together.
//!
//! Why tiles are sound (the whole argument is in docs/safety.md):
//!
//! 1. Each barrier that safe code can reach waits for all threads of the block that have not returned. So all pass the same barriers, by
//!    their ids, in the same order.
//! 2. An id of a tile's barrier says which tiles change their phase there, and nothing else uses it. So between two barriers each tile is in
//!    one phase in all threads.
//! 3. In one phase, no slot is read by one thread and written by another.
//!    A thread that unwinds after a panic on the emulator does not wait; its tile is memory of its own from then on.
//! 4. Addresses and id travel in one value, so exchanging two tiles changes nothing.

use crate::{Block, intrinsics as raw};

/// As many tiles in a kernel at most.
const MOST: u32 = 7;

/// So many tiles have sets with barriers of their own: 15 sets, as many as there are barriers beside the block's.
const MOST_WITH_SETS: u32 = 4;

/// The type that stands for one tile of one kernel.
#[doc(hidden)]
pub trait TileName: 'static {
    /// The parameter's name.
    const NAME: &'static str;
    /// How many tiles the kernel has. With up to four, tile `k` has the barrier `1 << k`, and several tiles together that of the sum of
    /// their numbers; with more, tile `k` has the barrier `1 + k`, and there are none for several.
    const TILES: u32;
}

/// The tiles that change their phase at a barrier, a bit for each.
#[derive(Clone, Copy)]
pub struct TileBarrier {
    tiles: u32,
    has_sets: bool,
}

impl TileBarrier {
    /// That of the tile `ordinal`.
    pub(super) const fn of<Site: TileName>(ordinal: u32) -> Self {
        assert!(
            Site::TILES <= MOST,
            "a kernel has at most seven shared tiles"
        );
        assert!(ordinal < Site::TILES, "tiles have the numbers 0, 1, 2 …");
        TileBarrier {
            tiles: 1 << ordinal,
            has_sets: Site::TILES <= MOST_WITH_SETS,
        }
    }

    /// That of the tiles of both. All tiles of a kernel have sets, or none has.
    #[inline(always)]
    fn with(self, other: Self) -> Self {
        TileBarrier {
            tiles: self.tiles | other.tiles,
            has_sets: self.has_sets && other.has_sets,
        }
    }

    /// Waits for all threads of the block that have not returned.
    ///
    /// # Safety
    /// These tiles change their phase in this thread, all at once.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    unsafe fn wait(self) {
        if self.has_sets {
            // SAFETY: the barrier of these tiles (see `TileName::TILES`), which change their phase.
            unsafe { raw::barrier(self.tiles) };
            return;
        }
        let mut rest = self.tiles;
        loop {
            // SAFETY: as above, tile by tile, the lowest first.
            unsafe { raw::barrier(1 + rest.trailing_zeros()) };
            rest &= rest - 1;
            if rest == 0 {
                return;
            }
        }
    }
}

pub(super) mod sealed {
    use super::TileBarrier;

    /// A tile in one of its phases, or several.
    pub trait Phase {
        /// Where the phase ends.
        fn barrier(&self) -> TileBarrier;
    }
}

/// Tiles that become readable for all threads at one barrier: a tuple of two to four.
///
/// The elements are [`SharedTile`](super::SharedTile)s, [`DoubleTile`](super::DoubleTile)s, or `&mut` of
/// [`DoubleView`](super::DoubleView)s. In kernels of at most four tiles this is one barrier for all; in those with more, one for each.
/// All threads of the block that have not returned must publish the same tiles together, or all of them apart: else a GPU waits for ever
/// and the emulator reports a deadlock.
/// CUDA: one `__syncthreads` behind the writes to several arrays. Compute capability: 7.5.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Block, DisjointSlice, Index1D, Publish, Reclaim, SharedTile};
/// fn dot(i: Index1D, block: Block, mut a: SharedTile<u32, 64>, mut b: SharedTile<u32, 64>, mut y: DisjointSlice<u32>) {
///     a.set_own(0, block.thread() as u32);
///     b.set_own(0, 2);
///     let (a, b) = (a, b).publish(&block); // one barrier
///     if let Some(y) = y.get_mut(i) {
///         *y = a.iter().zip(&*b).map(|(a, b)| a * b).sum();
///     }
///     let (_a, _b) = (a, b).reclaim(&block); // one barrier
/// }
/// # struct A;
/// # impl warploom_device_std::shared::TileName for A { const NAME: &'static str = "a"; const TILES: u32 = 2; }
/// # struct B;
/// # impl warploom_device_std::shared::TileName for B { const NAME: &'static str = "b"; const TILES: u32 = 2; }
/// # let mut y = vec![0u32; 128];
/// # let (at, n) = (y.as_mut_ptr().expose_provenance(), y.len());
/// # run(Shape::new([2, 1, 1], [64, 1, 1]), &|| unsafe {
/// #     dot(Index1D::from_launch(), Block::from_launch(), SharedTile::from_launch::<0, A>(), SharedTile::from_launch::<1, B>(),
/// #         DisjointSlice::from_launch(core::ptr::with_exposed_provenance_mut(at), n));
/// # })?;
/// # assert_eq!(y, [63 * 64; 128]);
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// Writing one of them after publishing:
/// ```compile_fail,E0382
/// use warploom_device_std::{Block, Publish, SharedTile};
/// fn kernel(block: Block, mut a: SharedTile<u32, 64>, b: SharedTile<u32, 64>) {
///     let (view, _) = (a, b).publish(&block);
///     a.set_own(0, view[0]);
/// }
/// ```
/// One tile twice:
/// ```compile_fail,E0382
/// use warploom_device_std::{Block, Publish, SharedTile};
/// fn kernel(block: Block, a: SharedTile<u32, 64>) {
///     let (a, b) = (a, a).publish(&block);
/// }
/// ```
/// A view, which is published already:
/// ```compile_fail,E0599
/// use warploom_device_std::{Block, Publish, SharedTile};
/// fn kernel(block: Block, a: SharedTile<u32, 64>, b: SharedTile<u32, 64>) {
///     let view = a.publish(&block);
///     let (a, b) = (view, b).publish(&block);
/// }
/// ```
/// A type of one's own:
/// ```compile_fail,E0277
/// use warploom_device_std::Publish;
/// struct Mine;
/// impl Publish for Mine {
///     type Published = ();
///     unsafe fn after_barrier(self) {}
/// }
/// ```
pub trait Publish: sealed::Phase + Sized {
    /// What all threads read.
    type Published;

    /// Waits until every thread of the block published or returned; then all may read.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    fn publish(self, _block: &Block<'_>) -> Self::Published {
        // SAFETY: `self` is given away: this thread does nothing with it before it is behind the barrier.
        unsafe { self.barrier().wait() };
        // SAFETY: it is.
        unsafe { self.after_barrier() }
    }

    /// # Safety
    /// Called once behind the barrier that [`Phase::barrier`](sealed::Phase::barrier) names.
    #[doc(hidden)]
    unsafe fn after_barrier(self) -> Self::Published;
}

/// Views that become tiles again at one barrier: a tuple of two to four [`TileView`](super::TileView)s. See [`Publish`], of whose phases it
/// is the other half.
///
/// ```compile_fail,E0505
/// use warploom_device_std::{Block, Publish, Reclaim, SharedTile};
/// fn kernel(block: Block, a: SharedTile<u32, 64>, b: SharedTile<u32, 64>) -> u32 {
///     let (a, b) = (a, b).publish(&block);
///     let kept: &[u32] = &b;
///     let (a, b) = (a, b).reclaim(&block);
///     kept[1]
/// }
/// ```
pub trait Reclaim: sealed::Phase + Sized {
    /// What each thread writes its own slots of.
    type Reclaimed;

    /// Waits until every thread of the block reclaimed or returned; then each may write its own slots again.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    fn reclaim(self, _block: &Block<'_>) -> Self::Reclaimed {
        // SAFETY: `self` is given away and no slice of it outlives it: this thread does nothing with it before it is behind the barrier.
        unsafe { self.barrier().wait() };
        // SAFETY: it is.
        unsafe { self.after_barrier() }
    }

    /// # Safety
    /// Called once behind the barrier that [`Phase::barrier`](sealed::Phase::barrier) names.
    #[doc(hidden)]
    unsafe fn after_barrier(self) -> Self::Reclaimed;
}

macro_rules! tuples {
    ($($first:ident $($rest:ident)+;)*) => { $(
        #[allow(non_snake_case, reason = "a type and its value have one name")]
        impl<$first: sealed::Phase, $($rest: sealed::Phase),+> sealed::Phase for ($first, $($rest),+) {
            #[inline(always)]
            fn barrier(&self) -> TileBarrier {
                let ($first, $($rest),+) = self;
                $first.barrier()$(.with($rest.barrier()))+
            }
        }

        #[allow(non_snake_case, reason = "a type and its value have one name")]
        impl<$first: Publish, $($rest: Publish),+> Publish for ($first, $($rest),+) {
            type Published = ($first::Published, $($rest::Published),+);

            #[inline(always)]
            unsafe fn after_barrier(self) -> Self::Published {
                let ($first, $($rest),+) = self;
                // SAFETY: the barrier of all of them was that of each.
                unsafe { ($first.after_barrier(), $($rest.after_barrier()),+) }
            }
        }

        #[allow(non_snake_case, reason = "a type and its value have one name")]
        impl<$first: Reclaim, $($rest: Reclaim),+> Reclaim for ($first, $($rest),+) {
            type Reclaimed = ($first::Reclaimed, $($rest::Reclaimed),+);

            #[inline(always)]
            unsafe fn after_barrier(self) -> Self::Reclaimed {
                let ($first, $($rest),+) = self;
                // SAFETY: the barrier of all of them was that of each.
                unsafe { ($first.after_barrier(), $($rest.after_barrier()),+) }
            }
        }
    )* };
}
tuples! {
    A B;
    A B C;
    A B C D;
}
