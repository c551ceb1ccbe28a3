//! The methods that blocks and warps have.

use warploom::device_std::groups::Group;
use warploom::prelude::*;

use super::exchange::{blocked, rank, striped, through};
use super::storage::Scratch;
use super::{exchange, load, merge, neighbours};

/// What the threads of a [`Block`], or the lanes of a [`Warp`], do together with several items each. Sealed.
///
/// A block has a [`Storage`](super::Storage), a warp its part of that of the block ([`per_warp`](super::BlockPieces::per_warp)). Each method that takes a storage
/// begins with a barrier of the group; methods without one hold none. Arrangements are those of [the module](super).
///
/// ```
/// use warploom::prelude::*;
/// use warploom_algorithms::block::{BlockPieces, Exchange, OfWarps, Pieces};
/// use warploom_algorithms::block_storage;
/// #[kernel(block(64))]
/// fn reverse(block: Block, warp: Warp) {
///     let mut storage = block_storage!(block, 64, [Exchange<u16, 4>, OfWarps<Exchange<u16, 4>>]);
///     let t = block.thread() as u32;
///     let to = [0, 1, 2, 3].map(|k| 255 - 4 * t - k);
///     let items = block.scatter_to_blocked(&mut storage, to.map(|to| to as u16), to);
///     assert_eq!(items, [0, 1, 2, 3].map(|k| (4 * t + k) as u16));
///
///     let mut storage = block.per_warp(&mut storage);
///     let striped = warp.blocked_to_striped(&mut storage, items);
///     assert_eq!(striped, [0, 1, 2, 3].map(|k| (t / 32 * 128 + t % 32 + 32 * k) as u16));
///     assert_eq!(warp.striped_to_blocked(&mut storage, striped), items);
///     assert_eq!(warp.scatter_to_striped(&mut storage, striped, [0, 1, 2, 3].map(|k| t % 32 + 32 * k)), striped);
/// }
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// reverse::launch(&stream, (2, 64))?;
/// # stream.synchronize()?;
/// # Ok::<(), warploom::Error>(())
/// ```
/// A storage of the block is none of a warp:
/// ```compile_fail,E0277
/// # use warploom::prelude::*;
/// # use warploom_algorithms::block::{Exchange, Pieces};
/// # use warploom_algorithms::block_storage;
/// #[kernel(block(64))]
/// fn kernel(block: Block, warp: Warp) {
///     let mut storage = block_storage!(block, 64, [Exchange<u32, 4>]);
///     warp.blocked_to_striped(&mut storage, [1u32; 4]);
/// }
/// ```
/// The block has its storage back when its warps have left theirs:
/// ```compile_fail,E0499
/// # use warploom::prelude::*;
/// # use warploom_algorithms::block::{BlockPieces, Exchange, Pieces};
/// # use warploom_algorithms::block_storage;
/// #[kernel(block(64))]
/// fn kernel(block: Block, warp: Warp) {
///     let mut storage = block_storage!(block, 64, [Exchange<u32, 4>]);
///     let mut of_warp = block.per_warp(&mut storage);
///     block.blocked_to_striped(&mut storage, [1u32; 4]);
///     warp.blocked_to_striped(&mut of_warp, [1u32; 2]);
/// }
/// ```
pub trait Pieces: Group + Copy + sealed::Sealed {
    /// Items `first + t + k * THREADS` of `x`, striped; `or` where `x` has none.
    ///
    /// Neighbouring threads read neighbouring items. CUB: `BlockLoad` with `BLOCK_LOAD_STRIPED`, `WarpLoad`.
    #[inline(always)]
    #[must_use]
    fn load_striped<T: Plain, const ITEMS: usize>(
        self,
        x: &[T],
        first: usize,
        or: T,
    ) -> [T; ITEMS] {
        load::striped(&self, x, first, or)
    }

    /// Items `first + t * ITEMS + k` of `x`, blocked; `or` where `x` has none.
    ///
    /// In vectors of 16 bytes if each thread has whole ones, the first item of the tile is aligned to 16 bytes, and the tile is whole; else item by item, of which
    /// neighbouring threads read distant ones. CUB: `BLOCK_LOAD_VECTORIZE`, `BLOCK_LOAD_DIRECT`.
    #[inline(always)]
    #[must_use]
    fn load_blocked<T: Plain, const ITEMS: usize>(
        self,
        x: &[T],
        first: usize,
        or: T,
    ) -> [T; ITEMS] {
        load::blocked(&self, x, first, or)
    }

    /// As [`load_blocked`](Self::load_blocked), read as [`load_striped`](Self::load_striped) reads them, and then exchanged. Two barriers; storage `Exchange<T, ITEMS>`.
    ///
    /// CUB: `BLOCK_LOAD_TRANSPOSE`.
    ///
    /// ```
    /// use warploom::prelude::*;
    /// use warploom_algorithms::block::{BlockPieces, Exchange, Pieces};
    /// use warploom_algorithms::block_storage;
    /// #[kernel(block(32))]
    /// fn double(i: Index1D, block: Block, x: &[f64], mut y: DisjointSlice<f64, Windows<96, 0>>) {
    ///     let mut storage = block_storage!(block, 32, [Exchange<f64, 3>]);
    ///     let items: [f64; 3] = block.load_transposed(&mut storage, x, block.index() * 96, 0.0);
    ///     block.store_transposed(&mut storage, i, &mut y, items.map(|x| 2.0 * x));
    /// }
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = Vec::from_iter((0..100).map(f64::from));
    /// let (x, mut y) = (device.upload(&x)?, device.zeroed(100)?);
    /// double::launch(&stream, (2, 32), &x, &mut y)?;
    /// assert_eq!(y.to_vec(&stream)?[99], 198.0);
    /// # Ok::<(), warploom::Error>(())
    /// ```
    #[inline(always)]
    #[must_use]
    fn load_transposed<T: Plain, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Self>,
        x: &[T],
        first: usize,
        or: T,
    ) -> [T; ITEMS] {
        self.striped_to_blocked(storage, self.load_striped(x, first, or))
    }

    /// Blocked items, striped. Two barriers; storage `Exchange<T, ITEMS>`. CUB: `BlockExchange::BlockedToStriped`.
    #[inline(always)]
    #[must_use]
    fn blocked_to_striped<T: Plain, S: Scratch<Self>, const ITEMS: usize>(
        self,
        storage: &mut S,
        items: [T; ITEMS],
    ) -> [T; ITEMS] {
        let rank = rank::<Self, S>(&self);
        let to = blocked::<ITEMS>(rank);
        through(&self, storage, items, to, striped(rank, S::THREADS))
    }

    /// Striped items, blocked. Two barriers; storage `Exchange<T, ITEMS>`. CUB: `BlockExchange::StripedToBlocked`.
    #[inline(always)]
    #[must_use]
    fn striped_to_blocked<T: Plain, S: Scratch<Self>, const ITEMS: usize>(
        self,
        storage: &mut S,
        items: [T; ITEMS],
    ) -> [T; ITEMS] {
        let rank = rank::<Self, S>(&self);
        let from = blocked::<ITEMS>(rank);
        through(&self, storage, items, striped(rank, S::THREADS), from)
    }

    /// Each item at its place of the tile, blocked. Two barriers; storage `Exchange<T, ITEMS>`.
    ///
    /// Places are a permutation of the tile. An item whose place is not below `THREADS * ITEMS` goes nowhere, and of several for one place one gets it. What is at a
    /// place without an item is unspecified, and the emulator reports that it is read; see [`compact_to_striped`](Self::compact_to_striped). CUB:
    /// `BlockExchange::ScatterToBlocked`.
    #[inline(always)]
    #[must_use]
    fn scatter_to_blocked<T: Plain, S: Scratch<Self>, const ITEMS: usize>(
        self,
        storage: &mut S,
        items: [T; ITEMS],
        places: [u32; ITEMS],
    ) -> [T; ITEMS] {
        let from = blocked::<ITEMS>(rank::<Self, S>(&self));
        through(&self, storage, items, |k| places[k] as usize, from)
    }

    /// As [`scatter_to_blocked`](Self::scatter_to_blocked), striped. CUB: `BlockExchange::ScatterToStriped`.
    #[inline(always)]
    #[must_use]
    fn scatter_to_striped<T: Plain, S: Scratch<Self>, const ITEMS: usize>(
        self,
        storage: &mut S,
        items: [T; ITEMS],
        places: [u32; ITEMS],
    ) -> [T; ITEMS] {
        let from = striped(rank::<Self, S>(&self), S::THREADS);
        through(&self, storage, items, |k| places[k] as usize, from)
    }

    /// Items at the first `count` places of the tile, striped, and `or` at the others. Two barriers; storage `Exchange<T, ITEMS>`.
    ///
    /// Some items have the places below `count`, each one; those that have none say `u32::MAX`, or any place that is not below `count`. `count` is the same in all
    /// threads. CUB: `BlockExchange::ScatterToStripedGuarded`, `ScatterToStripedFlagged`.
    ///
    /// ```
    /// use warploom::prelude::*;
    /// use warploom_algorithms::block::{BlockPieces, Exchange, Pieces, Scan};
    /// use warploom_algorithms::block_storage;
    /// #[kernel(block(64))]
    /// fn odd(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32, Windows<128, 0>>) {
    ///     let mut storage = block_storage!(block, 64, [Scan<u32>, Exchange<u32, 2>]);
    ///     let items: [u32; 2] = block.load_blocked(x, block.index() * 128, 0);
    ///     let (before, count) = block.exclusive_scan_items(&mut storage, items.map(|x| x % 2), 0, |a, b| a + b);
    ///     let places = [0, 1].map(|k| if items[k] % 2 == 1 { before[k] } else { u32::MAX });
    ///     let odd = block.compact_to_striped(&mut storage, items, places, count, 0);
    ///     block.store_striped(i, &mut y, odd);
    /// }
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, mut y) = (device.upload(&[4, 7, 8, 1])?, device.zeroed(4)?);
    /// odd::launch(&stream, (1, 64), &x, &mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [7, 1, 0, 0]);
    /// # Ok::<(), warploom::Error>(())
    /// ```
    #[inline(always)]
    #[must_use]
    fn compact_to_striped<T: Plain, S: Scratch<Self>, const ITEMS: usize>(
        self,
        storage: &mut S,
        items: [T; ITEMS],
        places: [u32; ITEMS],
        count: u32,
        or: T,
    ) -> [T; ITEMS] {
        let from = striped(rank::<Self, S>(&self), S::THREADS);
        exchange::compact(&self, storage, items, places, from, (count, or))
    }

    /// Blocked items, sorted by `less`, blocked. Stable. Two barriers for each doubling of threads; storage `MergeSort<T, ITEMS>`.
    ///
    /// `less` says whether its first argument comes before the second. If it is no order, the result has any of the items, some perhaps twice.
    /// CUB: `BlockMergeSort::StableSort`, `WarpMergeSort`.
    ///
    /// ```
    /// use warploom::prelude::*;
    /// use warploom_algorithms::block::{MergeSort, MergeSortPairs, Pieces};
    /// use warploom_algorithms::block_storage;
    /// #[kernel(block(64))]
    /// fn kernel(block: Block) {
    ///     let mut storage = block_storage!(block, 64, [MergeSort<u32, 2>, MergeSortPairs<u32, u64, 2>]);
    ///     let t = block.thread() as u32;
    ///     let keys = [126 - 2 * t, 127 - 2 * t];
    ///     assert_eq!(block.merge_sort(&mut storage, keys, |a, b| a < b), [2 * t, 2 * t + 1]);
    ///     let (keys, values) = block.merge_sort_pairs(&mut storage, keys, keys.map(u64::from), 128, |a, b| a > b);
    ///     assert_eq!(keys.map(u64::from), values);
    /// }
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// kernel::launch(&stream, (1, 64))?;
    /// # stream.synchronize()?;
    /// # Ok::<(), warploom::Error>(())
    /// ```
    #[inline(always)]
    #[must_use]
    fn merge_sort<T: Plain, S: Scratch<Self>, const ITEMS: usize>(
        self,
        storage: &mut S,
        items: [T; ITEMS],
        less: impl Fn(T, T) -> bool + Copy,
    ) -> [T; ITEMS] {
        self.merge_sort_first(storage, items, S::THREADS * ITEMS, less)
    }

    /// As [`merge_sort`](Self::merge_sort), of the first `valid` items of the tile: the sorted ones are its first `valid`, the others unspecified. `valid` is the
    /// same in all threads.
    #[inline(always)]
    #[must_use]
    fn merge_sort_first<T: Plain, S: Scratch<Self>, const ITEMS: usize>(
        self,
        storage: &mut S,
        items: [T; ITEMS],
        valid: usize,
        less: impl Fn(T, T) -> bool + Copy,
    ) -> [T; ITEMS] {
        merge::sort::<Self, S, T, ITEMS, false>(&self, storage, items, valid, less).0
    }

    /// As [`merge_sort_first`](Self::merge_sort_first), of keys, each with a value. Two barriers more; storage `MergeSortPairs<K, V, ITEMS>`.
    #[inline(always)]
    #[must_use]
    fn merge_sort_pairs<K: Plain, V: Plain, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Self>,
        keys: [K; ITEMS],
        values: [V; ITEMS],
        valid: usize,
        less: impl Fn(K, K) -> bool + Copy,
    ) -> ([K; ITEMS], [V; ITEMS]) {
        merge::sort_pairs(&self, storage, keys, values, valid, less)
    }

    /// The item before each, of blocked items; `before` before the first of the tile. Two barriers; storage `Neighbours<T>`. CUB: `BlockShuffle::Up`.
    ///
    /// ```
    /// use warploom::prelude::*;
    /// use warploom_algorithms::block::{Neighbours, Pieces};
    /// use warploom_algorithms::block_storage;
    /// #[kernel(block(64))]
    /// fn kernel(block: Block) {
    ///     let mut storage = block_storage!(block, 64, [Neighbours<u32>]);
    ///     let t = block.thread() as u32;
    ///     let squares = [4 * t * t, 4 * t * t + 4 * t + 1];
    ///     let left = block.left_neighbours(&mut storage, squares, 0);
    ///     assert_eq!(left[1], squares[0]);
    ///     let odd = block.subtract_left(&mut storage, squares, Some(1), |b, a| b.wrapping_sub(a));
    ///     assert_eq!(odd[1], 4 * t + 1);
    ///     let tens = block.heads(&mut storage, [2 * t, 2 * t + 1], None, |a, b| a / 10 != b / 10);
    ///     assert_eq!(tens[0], t % 5 == 0);
    /// }
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// kernel::launch(&stream, (1, 64))?;
    /// # stream.synchronize()?;
    /// # Ok::<(), warploom::Error>(())
    /// ```
    #[inline(always)]
    #[must_use]
    fn left_neighbours<T: Plain, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Self>,
        items: [T; ITEMS],
        before: T,
    ) -> [T; ITEMS] {
        let left = neighbours::left(&self, storage, items).unwrap_or(before);
        neighbours::with_left(items, Some(left), |item| item, |left, _| left)
    }

    /// The item behind each, of blocked items; `behind` behind the last of the tile. Two barriers; storage `Neighbours<T>`. CUB: `BlockShuffle::Down`.
    #[inline(always)]
    #[must_use]
    fn right_neighbours<T: Plain, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Self>,
        items: [T; ITEMS],
        behind: T,
    ) -> [T; ITEMS] {
        let right = neighbours::right(&self, storage, items).unwrap_or(behind);
        neighbours::with_right(items, Some(right), |item| item, |_, right| right)
    }

    /// Whether each of the blocked items differs from the one before it: `differ(previous, item)`. The first of the tile is compared with `before`, or is true
    /// without one. Two barriers; storage `Neighbours<T>`. CUB: `BlockDiscontinuity::FlagHeads`.
    #[inline(always)]
    #[must_use]
    fn heads<T: Plain, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Self>,
        items: [T; ITEMS],
        before: Option<T>,
        differ: impl Fn(T, T) -> bool,
    ) -> [bool; ITEMS] {
        let left = neighbours::left(&self, storage, items).or(before);
        neighbours::with_left(items, left, |_| true, differ)
    }

    /// Whether each of the blocked items differs from the one behind it: `differ(item, next)`. The last of the tile is compared with `behind`, or is true without one.
    /// Two barriers; storage `Neighbours<T>`. CUB: `BlockDiscontinuity::FlagTails`.
    #[inline(always)]
    #[must_use]
    fn tails<T: Plain, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Self>,
        items: [T; ITEMS],
        behind: Option<T>,
        differ: impl Fn(T, T) -> bool,
    ) -> [bool; ITEMS] {
        let right = neighbours::right(&self, storage, items).or(behind);
        neighbours::with_right(items, right, |_| true, differ)
    }

    /// `of(item, previous)` of each of the blocked items and the one before it: `before` for the first of the tile, which stays as it is without one.
    /// Two barriers; storage `Neighbours<T>`. CUB: `BlockAdjacentDifference::SubtractLeft`.
    #[inline(always)]
    #[must_use]
    fn subtract_left<T: Plain, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Self>,
        items: [T; ITEMS],
        before: Option<T>,
        of: impl Fn(T, T) -> T,
    ) -> [T; ITEMS] {
        let left = neighbours::left(&self, storage, items).or(before);
        neighbours::with_left(items, left, |item| item, |left, item| of(item, left))
    }

    /// `of(item, next)` of each of the blocked items and the one behind it: `behind` for the last of the tile, which stays as it is without one.
    /// Two barriers; storage `Neighbours<T>`. CUB: `BlockAdjacentDifference::SubtractRight`.
    #[inline(always)]
    #[must_use]
    fn subtract_right<T: Plain, const ITEMS: usize>(
        self,
        storage: &mut impl Scratch<Self>,
        items: [T; ITEMS],
        behind: Option<T>,
        of: impl Fn(T, T) -> T,
    ) -> [T; ITEMS] {
        let right = neighbours::right(&self, storage, items).or(behind);
        neighbours::with_right(items, right, |item| item, of)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for warploom::device_std::Block<'_> {}
    impl Sealed for warploom::device_std::Warp<'_> {}
}

impl Pieces for Block<'_> {}
impl Pieces for Warp<'_> {}
