//! Shared memory in phases: each thread writes its own slots, a barrier, all read, a barrier, and so on.
//!
//! Why a tile is sound (the whole argument is in docs/safety.md):
//!
//! 1. Each tile of a kernel has two barriers of its own, publish and reclaim, whose ids nothing else uses.
//! 2. A thread alternates between them, for its type changes with each.
//! 3. So a thread's passing the n-th publish implies that every other thread arrived there as often, or returned: no thread writes.
//! 4. A thread's passing the n-th reclaim implies that every other thread gave its view away, or returned: no thread reads.
//!    A thread that unwinds after a panic on the emulator does not wait; its tile is memory of its own from then on.
//! 5. Address and barrier ids travel in one value, so exchanging two tiles changes nothing.

use super::refuse_oversized;
use crate::const_text::Text;
use crate::index::linear_thread;
use crate::scope::{Brand, Tied};
use crate::{Block, Plain, block_dim, intrinsics as raw};
use core::marker::PhantomData;
use core::ops::Deref;

/// `N` elements shared by a block, while each thread writes its own slots. No thread reads before [`publish`](Self::publish).
///
/// Slots belong to threads in turn: of a block of `B` threads, thread `t` owns the slots `t`, `t + B`, `t + 2 * B` …
/// A slot that was not written holds an unspecified value. At most seven tiles per kernel.
/// CUDA: `__shared__ T tile[N]`, two of the block's 16 named barriers.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Block, DisjointSlice, Index1D, SharedTile};
/// fn reverse(i: Index1D, block: Block, mut tile: SharedTile<u32, 64>, x: &[u32], mut y: DisjointSlice<u32>) {
///     let start = block.index() * 64;
///     tile.fill(|slot| x[start + slot]);
///     let tile = tile.publish(&block); // from here all may read
///     if let Some(y) = y.get_mut(i) {
///         *y = tile[63 - block.thread()];
///     }
/// }
/// # enum Site {}
/// # impl warploom_device_std::shared::TileName for Site { const NAME: &'static str = "tile"; }
/// # let (x, mut y) = (Vec::from_iter(0..192u32), vec![0u32; 192]);
/// # let (at, n) = (y.as_mut_ptr().expose_provenance(), y.len());
/// # let shape = Shape { grid: [3, 1, 1], block: [64, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// # run(shape, &|| unsafe {
/// #     reverse(Index1D::from_launch(), Block::from_launch(), SharedTile::from_launch::<0, Site>(), &x,
/// #         DisjointSlice::from_launch(core::ptr::with_exposed_provenance_mut(at), n));
/// # })?;
/// # assert_eq!((y[0], y[63], y[64]), (63, 0, 127));
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// Writing after publishing:
/// ```compile_fail,E0382
/// use warploom_device_std::{Block, SharedTile};
/// fn kernel(block: Block, mut tile: SharedTile<u32, 64>) {
///     let view = tile.publish(&block);
///     tile.set_own(0, view[0]);
/// }
/// ```
/// Reading before:
/// ```compile_fail,E0608
/// fn kernel(tile: warploom_device_std::SharedTile<u32, 64>) -> u32 { tile[0] }
/// ```
/// Keeping what was read over the next phase:
/// ```compile_fail,E0505
/// use warploom_device_std::{Block, SharedTile};
/// fn kernel(block: Block, tile: SharedTile<u32, 64>) -> u32 {
///     let view = tile.publish(&block);
///     let kept: &[u32] = &view;
///     let mut tile = view.reclaim(&block);
///     tile.set_own(0, 1);
///     kept[1]
/// }
/// ```
/// Keeping it longer than the view:
/// ```compile_fail,E0515
/// use warploom_device_std::{Block, SharedTile};
/// fn kernel<'k>(block: Block<'k>, tile: SharedTile<'k, u32, 64>) -> &'k [u32] {
///     let view = tile.publish(&block);
///     &*view
/// }
/// ```
/// Types that an unwritten slot could break:
/// ```compile_fail,E0277
/// fn kernel(tile: warploom_device_std::SharedTile<&'static u32, 64>) {}
/// ```
/// Two copies of one tile:
/// ```compile_fail,E0599
/// fn kernel(tile: warploom_device_std::SharedTile<u32, 64>) { let copy = tile.clone(); }
/// ```
/// A tile of one's own:
/// ```compile_fail,E0133
/// let tile: warploom_device_std::SharedTile<u32, 64> = warploom_device_std::SharedTile::from_launch::<0, ()>();
/// ```
#[must_use = "no thread can read a tile before it is published"]
pub struct SharedTile<'k, T: Plain, const N: usize> {
    slots: *mut T,
    barriers: Barriers,
    _brand: Brand<'k>,
}

#[derive(Clone, Copy)]
struct Barriers {
    publish: u32,
    reclaim: u32,
}

impl<'k, T: Plain, const N: usize> Tied<'k> for SharedTile<'k, T, N> {}

impl<'k, T: Plain, const N: usize> SharedTile<'k, T, N> {
    /// The number of slots.
    #[inline(always)]
    #[must_use]
    pub const fn len(&self) -> usize {
        N
    }

    /// Whether there are no slots.
    #[inline(always)]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        N == 0
    }

    /// Writes all slots of this thread. When every thread of the block does so, all `N` slots are written.
    #[inline(always)]
    pub fn fill(&mut self, mut value: impl FnMut(usize) -> T) {
        // In 32 bits, where `value` divides slots into rows and columns: division by a constant is several times dearer in 64.
        let threads = block_dim().count() as u32;
        let mut at = linear_thread();
        while (at as usize) < N {
            let slot = at as usize;
            let value = value(slot);
            // SAFETY: within the tile.
            let to = unsafe { self.slots.add(slot) };
            // SAFETY: the slot is this thread's (see `set_own`), and no thread reads before the next publish.
            unsafe { to.write(value) };
            // SAFETY: cannot overflow, as in `set_own`; unchecked, so that LLVM sees how often the loop runs.
            at = unsafe { at.unchecked_add(threads) };
        }
    }

    /// Writes the `k`-th slot of this thread: slot `t + k * B` of thread `t` in a block of `B`.
    ///
    /// # Panics
    /// When that slot is not below `N`, as an index out of bounds; the message names both.
    #[inline(always)]
    #[track_caller]
    pub fn set_own(&mut self, k: usize, value: T) {
        let (thread, threads) = (linear_thread() as usize, block_dim().count() as usize);
        // Cannot overflow: `from_launch` limits `N`, and a block has at most 1024 threads.
        let slot = thread + k.min(N) * threads;
        // The plain bounds check: a message made of its parts would bring `core::fmt` and its registers into every kernel with a tile.
        if slot >= N {
            slot_outside(slot, N);
        }
        // SAFETY: within the tile.
        let to = unsafe { self.slots.add(slot) };
        // SAFETY: slots of two threads differ modulo `B`, and no thread reads before the next publish (module text).
        unsafe { to.write(value) };
    }

    /// Waits until every thread of the block published or returned; then all may read.
    ///
    /// All threads of the block that have not returned must publish and reclaim equally often: if one never does, a GPU waits for
    /// ever and the emulator reports a deadlock.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn publish(self, _block: &Block<'_>) -> TileView<'k, T, N> {
        // SAFETY: this tile's own barrier; the tile is given away, so this thread writes no more.
        unsafe { raw::barrier(self.barriers.publish) };
        TileView {
            tile: self.after_barrier(),
        }
    }

    /// The tile as it is behind its barrier. A thread that unwinds after a panic, which only a native thread of the emulator does, did not wait
    /// there: from here on it has memory of its own, which nothing else reads or writes.
    #[inline(always)]
    fn after_barrier(self) -> Self {
        #[cfg(not(warploom_device))]
        {
            let bytes = size_of::<[T; N]>();
            let own = warploom_emulator::intrinsics::memory_while_unwinding(bytes, align_of::<T>());
            if !own.is_null() {
                return SharedTile {
                    slots: own.cast(),
                    ..self
                };
            }
        }
        self
    }

    /// # Safety
    /// Called by the code around a kernel, once in each thread for each `ORDINAL` of the kernel; `Site` belongs to this kernel with
    /// these types. No other code of the kernel uses the barriers `1 + 2 * ORDINAL` and `2 + 2 * ORDINAL`.
    #[doc(hidden)]
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn from_launch<const ORDINAL: u32, Site: TileName>() -> Self {
        const {
            assert!(
                ORDINAL < 7,
                "a kernel has at most seven shared tiles: each takes two of the block's 16 barriers"
            );
            refuse_oversized::<T, N>(
                Text::new()
                    .with("the shared tile `")
                    .with(Site::NAME)
                    .with("` has "),
                " slots",
                "take a smaller tile and fill it several times",
            );
        };
        SharedTile {
            slots: raw::shared_site::<T, N, TileSite<ORDINAL, Site>>().cast(),
            barriers: Barriers {
                publish: 1 + 2 * ORDINAL,
                reclaim: 2 + 2 * ORDINAL,
            },
            _brand: Brand::new(),
        }
    }
}

/// The type that stands for one tile of one kernel.
#[doc(hidden)]
pub trait TileName: 'static {
    /// The parameter's name.
    const NAME: &'static str;
}

/// Gives each tile of a kernel its own memory.
struct TileSite<const ORDINAL: u32, Site>(PhantomData<fn() -> Site>);

/// A published [`SharedTile`]: all threads of the block read it, none writes. Derefs to `[T]`, of length `N`.
///
/// ```
/// use warploom_device_std::{Block, SharedTile, TileView};
/// fn sum<'k>(block: Block<'k>, tile: SharedTile<'k, f32, 64>) -> f32 {
///     let view: TileView<'k, f32, 64> = tile.publish(&block);
///     view.iter().sum()
/// }
/// ```
#[must_use = "publishing without reading costs a barrier"]
pub struct TileView<'k, T: Plain, const N: usize> {
    tile: SharedTile<'k, T, N>,
}

impl<'k, T: Plain, const N: usize> TileView<'k, T, N> {
    /// Waits until every thread of the block reclaimed or returned; then each may write its own slots again.
    ///
    /// The old values stay in the slots that are not written anew.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn reclaim(self, _block: &Block<'_>) -> SharedTile<'k, T, N> {
        // SAFETY: this tile's own barrier; the view is given away and no slice of it outlives it, so this thread reads no more.
        unsafe { raw::barrier(self.tile.barriers.reclaim) };
        self.tile.after_barrier()
    }
}

impl<T: Plain, const N: usize> Deref for TileView<'_, T, N> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `N` slots, aligned, each holding some value (`T` is plain); no thread writes while this view exists (module text), and
        // the slice ends with the borrow of the view.
        unsafe { core::slice::from_raw_parts(self.tile.slots, N) }
    }
}

/// Panics as an index out of bounds does.
#[cold]
#[inline(never)]
#[track_caller]
fn slot_outside(slot: usize, n: usize) -> ! {
    let slots = [(); usize::MAX];
    let () = slots[..n][slot];
    unreachable!("`slot` is outside of `n`")
}
