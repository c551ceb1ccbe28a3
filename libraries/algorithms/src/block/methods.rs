//! The methods that blocks alone have.

use warploom::device_std::Chunks;
use warploom::device_std::warp::Shuffle;
use warploom::prelude::*;

use super::exchange::{blocked, through_warps, warp_striped};
use super::radix::{Arranged, RadixOrder};
use super::run_length::Runs;
use super::scan::scan_own;
use super::storage::{PerWarp, Scratch};
use super::{Histogram, Pieces, load, radix, scan};
use crate::radix_sort::RadixKey;

/// What the threads of a [`Block`] do together with several items each. Sealed, by [`Pieces`].
///
/// Each method that takes a storage begins with a barrier of the block. Arrangements are those of [the module](super).
pub trait BlockPieces<'k>: Pieces {
    /// The block itself.
    #[doc(hidden)]
    fn as_block(self) -> Block<'k>;

    /// The storage of each warp, an equal part of the block's. One barrier. Needs `OfWarps<P>` for a piece `P` of a warp.
    ///
    /// CUB: an array of `TempStorage`, one for each warp. For an example see [`Pieces`].
    #[must_use]
    #[inline(always)]
    fn per_warp<S: Scratch<Block<'k>>>(self, storage: &mut S) -> PerWarp<'_, S> {
        let block = self.as_block();
        block.sync();
        PerWarp::of(storage, block)
    }

    /// All items combined, the same in each thread; `op` is associative and commutative. Two barriers; no storage: as [`Block::reduce`]. CUB: `BlockReduce`.
    ///
    /// ```
    /// use warploom::prelude::*;
    /// use warploom_algorithms::block::{BlockPieces, Scan};
    /// use warploom_algorithms::block_storage;
    /// #[kernel(block(64))]
    /// fn kernel(block: Block) {
    ///     let mut storage = block_storage!(block, 64, [Scan<u64>]);
    ///     let items = [1u64, 2, 4];
    ///     assert_eq!(block.reduce_items(items, |a, b| a + b), 64 * 7);
    ///     assert_eq!(block.reduce_first(&mut storage, items, 4, |a, b| a + b), Some(8));
    /// }
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// kernel::launch(&stream, (1, 64))?;
    /// # stream.synchronize()?;
    /// # Ok::<(), warploom::Error>(())
    /// ```
    #[must_use]
    #[inline(always)]
    fn reduce_items<T: Shuffle, const ITEMS: usize>(
        self,
        items: [T; ITEMS],
        op: impl Fn(T, T) -> T,
    ) -> T {
        self.as_block().reduce(scan_own(items, &op)[ITEMS - 1], op)
    }

    /// The first `valid` of the blocked items combined, in their order, the same in each thread; `None` of none. `op` is associative; `valid` is the same in all threads.
    /// Two barriers; storage `Scan<T>`. CUB: `BlockReduce::Reduce` with `num_valid`.
    #[must_use]
    #[inline(always)]
    fn reduce_first<T: Shuffle, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Block<'k>>,
        items: [T; ITEMS],
        valid: usize,
        op: impl Fn(T, T) -> T,
    ) -> Option<T> {
        scan::reduce_first(self.as_block(), storage, items, valid, op)
    }

    /// What the blocked items up to each come to, in their order, and what all come to, in each thread; `op` is associative.
    /// Two barriers; storage `Scan<T>`, of values of at most 16 bytes. CUB: `BlockScan::InclusiveScan` with `block_aggregate`. For an example see
    /// [`Storage`](super::Storage).
    #[must_use]
    #[inline(always)]
    fn inclusive_scan_items<T: Shuffle, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Block<'k>>,
        items: [T; ITEMS],
        op: impl Fn(T, T) -> T,
    ) -> ([T; ITEMS], T) {
        scan::inclusive(self.as_block(), storage, items, op)
    }

    /// What `first` and the blocked items before each come to, in their order, and what `first` and all come to, in each thread: the `first` of the next tile. `op`
    /// is associative. Two barriers; storage `Scan<T>`, of values of at most 16 bytes. CUB: `BlockScan::ExclusiveScan`, with its prefix callback.
    ///
    /// ```
    /// use warploom::prelude::*;
    /// use warploom_algorithms::block::{BlockPieces, Scan};
    /// use warploom_algorithms::block_storage;
    /// #[kernel(block(64))]
    /// fn kernel(block: Block) {
    ///     let mut storage = block_storage!(block, 64, [Scan<u32>]);
    ///     let mut next = 0;
    ///     for tile in 0..3 {
    ///         let (before, all) = block.exclusive_scan_items(&mut storage, [1, 1], next, |a, b| a + b);
    ///         assert_eq!(before[1], tile * 128 + 2 * block.thread() as u32 + 1);
    ///         next = all;
    ///     }
    /// }
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// kernel::launch(&stream, (1, 64))?;
    /// # stream.synchronize()?;
    /// # Ok::<(), warploom::Error>(())
    /// ```
    #[must_use]
    #[inline(always)]
    fn exclusive_scan_items<T: Shuffle, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Block<'k>>,
        items: [T; ITEMS],
        first: T,
        op: impl Fn(T, T) -> T,
    ) -> ([T; ITEMS], T) {
        scan::exclusive(self.as_block(), storage, items, first, op)
    }

    /// As [`load_blocked`](Pieces::load_blocked), read by each warp as it lies in memory, and exchanged within the warp. One barrier of the block, one of each warp; storage
    /// `Exchange<T, ITEMS>`. CUB: `BLOCK_LOAD_WARP_TRANSPOSE`.
    #[must_use]
    #[inline(always)]
    fn load_warp_transposed<T: Plain, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Block<'k>>,
        x: &[T],
        first: usize,
        or: T,
    ) -> [T; ITEMS] {
        self.as_block()
            .warp_striped_to_blocked(storage, load::warp_striped(self.as_block(), x, first, or))
    }

    /// Blocked items, warp-striped. One barrier of the block, one of each warp; storage `Exchange<T, ITEMS>`. CUB: `BlockExchange::BlockedToWarpStriped`.
    #[must_use]
    #[inline(always)]
    fn blocked_to_warp_striped<T: Plain, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Block<'k>>,
        items: [T; ITEMS],
    ) -> [T; ITEMS] {
        let rank = self.as_block().thread();
        through_warps(
            self.as_block(),
            storage,
            items,
            blocked::<ITEMS>(rank),
            warp_striped::<ITEMS>(rank),
        )
    }

    /// Warp-striped items, blocked. One barrier of the block, one of each warp; storage `Exchange<T, ITEMS>`. CUB: `BlockExchange::WarpStripedToBlocked`.
    #[must_use]
    #[inline(always)]
    fn warp_striped_to_blocked<T: Plain, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Block<'k>>,
        items: [T; ITEMS],
    ) -> [T; ITEMS] {
        let rank = self.as_block().thread();
        through_warps(
            self.as_block(),
            storage,
            items,
            warp_striped::<ITEMS>(rank),
            blocked::<ITEMS>(rank),
        )
    }

    /// The places of the warp-striped items by their digits: those with smaller digits come first, and those with equal digits in the order of the tile. So places
    /// are a permutation.
    ///
    /// A digit is the lowest `BITS` bits (1 to 8). Five barriers; storage `RadixRank<BITS>`. CUB: `BlockRadixRankMatch`.
    ///
    /// ```
    /// use warploom::prelude::*;
    /// use warploom_algorithms::block::{BlockPieces, RadixRank};
    /// use warploom_algorithms::block_storage;
    /// #[kernel(block(64))]
    /// fn odd_behind_even(block: Block) {
    ///     let mut storage = block_storage!(block, 64, [RadixRank<1>]);
    ///     let t = block.thread() as u32;
    ///     let places = block.radix_rank::<1, 1>(&mut storage, [t]);
    ///     assert_eq!(places, [t / 2 + t % 2 * 32]);
    /// }
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// odd_behind_even::launch(&stream, (1, 64))?;
    /// # stream.synchronize()?;
    /// # Ok::<(), warploom::Error>(())
    /// ```
    #[must_use]
    #[inline(always)]
    fn radix_rank<const BITS: u32, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Block<'k>>,
        digits: [u32; ITEMS],
    ) -> [u32; ITEMS] {
        radix::ranks::<_, ITEMS, BITS>(self.as_block(), storage, digits)
    }

    /// Blocked keys, sorted by their bits, blocked. Stable. With at most eight items of a thread, in blocks of up to 512, two barriers for each 4 bits, and one more; else seven
    /// barriers for each 8 bits, and two more. Storage `RadixSort<K, ITEMS>`.
    ///
    /// Floats have the order of `total_cmp`. CUB: `BlockRadixSort::Sort`, `SortDescending`.
    ///
    /// ```
    /// use warploom::prelude::*;
    /// use warploom_algorithms::block::{BlockPieces, RadixOrder, RadixSort, RadixSortPairs};
    /// use warploom_algorithms::block_storage;
    /// #[kernel(block(64))]
    /// fn kernel(block: Block) {
    ///     let mut storage = block_storage!(block, 64, [RadixSort<i16, 2>, RadixSortPairs<i16, u32, 2>]);
    ///     let t = block.thread() as i16;
    ///     let keys = [-2 * t, -2 * t - 1];
    ///     assert_eq!(block.radix_sort(&mut storage, keys, RadixOrder::ASCENDING), [2 * t - 127, 2 * t - 126]);
    ///     assert_eq!(block.radix_sort_to_striped(&mut storage, keys, RadixOrder::DESCENDING), [-t, -t - 64]);
    ///     let places = [2 * t as u32, 2 * t as u32 + 1];
    ///     let (_, from) = block.radix_sort_pairs(&mut storage, keys, places, RadixOrder::ASCENDING);
    ///     assert_eq!(from, places.map(|place| 127 - place));
    /// }
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// kernel::launch(&stream, (1, 64))?;
    /// # stream.synchronize()?;
    /// # Ok::<(), warploom::Error>(())
    /// ```
    #[must_use]
    #[inline(always)]
    fn radix_sort<K: RadixKey, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Block<'k>>,
        keys: [K; ITEMS],
        order: RadixOrder,
    ) -> [K; ITEMS] {
        radix::sort_keys(self.as_block(), storage, keys, order, Arranged::Blocked)
    }

    /// As [`radix_sort`](Self::radix_sort), striped at the end: to be stored. CUB: `BlockRadixSort::SortBlockedToStriped`.
    #[must_use]
    #[inline(always)]
    fn radix_sort_to_striped<K: RadixKey, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Block<'k>>,
        keys: [K; ITEMS],
        order: RadixOrder,
    ) -> [K; ITEMS] {
        radix::sort_keys(self.as_block(), storage, keys, order, Arranged::Striped)
    }

    /// As [`radix_sort`](Self::radix_sort), of keys, each with a value. Two barriers more for each digit, and in the second case two more; storage `RadixSortPairs<K, V, ITEMS>`.
    #[must_use]
    #[inline(always)]
    fn radix_sort_pairs<K: RadixKey, V: Plain, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Block<'k>>,
        keys: [K; ITEMS],
        values: [V; ITEMS],
        order: RadixOrder,
    ) -> ([K; ITEMS], [V; ITEMS]) {
        radix::sort_pairs(self.as_block(), storage, keys, values, order)
    }

    /// `BINS` counts of the block, all 0. Two barriers; storage `Counters<BINS>`, in use as long as the counts are. CUB: `BlockHistogram`.
    #[inline(always)]
    fn histogram<'s, S: Scratch<Block<'k>>, const BINS: usize>(
        self,
        storage: &'s mut S,
    ) -> Histogram<'k, 's, BINS> {
        Histogram::of(self.as_block(), storage)
    }

    /// The runs of the block: each thread has `RUNS` neighbouring ones, with the value and the length of each; a length may be 0, and all come to less than 2^32.
    ///
    /// Three barriers; storage `RunLengthDecode<T, RUNS>`, in use as long as the runs are. CUB: `BlockRunLengthDecode`.
    ///
    /// ```
    /// use warploom::prelude::*;
    /// use warploom_algorithms::block::{BlockPieces, RunLengthDecode};
    /// use warploom_algorithms::block_storage;
    /// #[kernel(block(64))]
    /// fn kernel(block: Block) {
    ///     let mut storage = block_storage!(block, 64, [RunLengthDecode<u8, 1>]);
    ///     let t = block.thread() as u32;
    ///     let runs = block.decode_runs(&mut storage, [t as u8], [3]);
    ///     let (items, offsets) = runs.items::<2>(t);
    ///     assert_eq!((runs.len(), items), (192, [(t / 3) as u8, ((t + 1) / 3) as u8]));
    ///     assert_eq!(offsets, [t % 3, (t + 1) % 3]);
    /// }
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// kernel::launch(&stream, (1, 64))?;
    /// # stream.synchronize()?;
    /// # Ok::<(), warploom::Error>(())
    /// ```
    #[inline(always)]
    fn decode_runs<'s, T: Plain, const RUNS: usize>(
        self,
        storage: &'s mut impl Scratch<Block<'k>>,
        values: [T; RUNS],
        lengths: [u32; RUNS],
    ) -> Runs<'s, T> {
        Runs::of(self.as_block(), storage, values, lengths)
    }

    /// Writes striped items: those of block `b` are `b * TILE ..` of `y`, as far as `y` has them. `TILE` is the number of threads times `ITEMS`. No barrier.
    ///
    /// Neighbouring threads write neighbouring items. CUB: `BlockStore` with `BLOCK_STORE_STRIPED`. For an example see [`load_transposed`](Pieces::load_transposed).
    ///
    /// # Panics
    /// When `TILE` is another number. In a kernel with `#[kernel(block(..))]` the comparison is made when the kernel is compiled.
    #[inline(always)]
    fn store_striped<T: Plain, const ITEMS: usize, const TILE: usize>(
        self,
        i: Index1D<'_>,
        y: &mut DisjointSlice<'_, T, Windows<TILE, 0>>,
        items: [T; ITEMS],
    ) {
        assert!(
            TILE == self.as_block().threads() * ITEMS,
            "the windows of the output are not the tiles of the block"
        );
        load::store_striped(i, y, items);
    }

    /// As [`store_striped`](Self::store_striped), of blocked items, which are exchanged first. Two barriers; storage `Exchange<T, ITEMS>`. CUB: `BLOCK_STORE_TRANSPOSE`.
    ///
    /// # Panics
    /// As [`store_striped`](Self::store_striped).
    #[inline(always)]
    fn store_transposed<T: Plain, const ITEMS: usize, const TILE: usize>(
        self,
        storage: &mut impl Scratch<Block<'k>>,
        i: Index1D<'_>,
        y: &mut DisjointSlice<'_, T, Windows<TILE, 0>>,
        items: [T; ITEMS],
    ) {
        let items = self.as_block().blocked_to_striped(storage, items);
        self.as_block().store_striped(i, y, items);
    }

    /// Writes blocked items, those of thread `i` of the launch to `i * ITEMS ..` of `y`; nothing if `y` ends before the last of them. No barrier.
    ///
    /// In vectors of 16 bytes where the items are whole ones and the place is aligned to 16 bytes. CUB: `BLOCK_STORE_VECTORIZE`, `BLOCK_STORE_DIRECT`.
    #[inline(always)]
    fn store_blocked<T: Plain, const ITEMS: usize>(
        self,
        i: Index1D<'_>,
        y: &mut DisjointSlice<'_, T, Chunks<ITEMS>>,
        items: [T; ITEMS],
    ) {
        load::store_blocked(i, y, items);
    }
}

impl<'k> BlockPieces<'k> for Block<'k> {
    #[inline(always)]
    fn as_block(self) -> Block<'k> {
        self
    }
}
