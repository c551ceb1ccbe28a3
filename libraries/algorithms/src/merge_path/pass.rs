//! One pass of merges: a kernel that finds where the tiles begin, and one that merges them.

use warploom::device_std::launch_dependents;
use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut};

use super::joined::Joined;
use super::values::Values;
use super::{ELEMENTS, POSITIONS, Run, TileMemory, merge_in_tile, searchers, split_all, store};
use crate::Error;

/// The two sequences whose merge a tile is of.
#[derive(Clone, Copy)]
struct Pair {
    /// Where the merge begins in the output.
    start: usize,
    /// Where the sequences begin in their slices.
    a: usize,
    b: usize,
    a_len: usize,
    b_len: usize,
}

impl Pair {
    /// `TWO`: all of both slices. Else both are the same slice, with sorted runs of `2^runs` tiles, and neighbours are merged.
    #[inline(always)]
    fn of_tile<const TWO: bool>(index: usize, tile: usize, runs: u32, n: (usize, usize)) -> Pair {
        if TWO {
            return Pair {
                start: 0,
                a: 0,
                b: 0,
                a_len: n.0,
                b_len: n.1,
            };
        }
        let (n, run) = (n.0, tile << runs);
        let start = ((index >> (runs + 1)) << (runs + 1)) * tile;
        let a_len = run.min(n - start);
        Pair {
            start,
            a: start,
            b: start + a_len,
            a_len,
            b_len: run.min(n - start - a_len),
        }
    }
}

/// Of each tile's beginning: how many elements of the first sequence of its pair come before it. `lanes` threads for each tile ([`split_all`]).
#[kernel(block(256), dependent_launch)]
pub fn merge_splits<K, L, const TWO: bool>(
    thread: Index1D,
    warp: Warp,
    a: &[K],
    b: &[K],
    tile: usize,
    runs: u32,
    lanes: u32,
    less: L,
    mut splits: DisjointSlice<u64>,
) where
    K: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
{
    launch_dependents();
    let index = thread.get() >> lanes.trailing_zeros();
    // Threads behind the last tile search with the others of their warp, for what is there.
    let searched = index.min(splits.len() - 1);
    let pair = Pair::of_tile::<TWO>(searched, tile, runs, (a.len(), b.len()));
    let d = searched * tile - pair.start;
    let elements = (|i| a[pair.a + i], |i| b[pair.b + i]);
    let split = split_all(warp, lanes, d, (pair.a_len, pair.b_len), elements, less);
    if warp.lane().is_multiple_of(lanes) && index < splits.len() {
        // SAFETY: within the slice; the first of a tile's threads alone has its number.
        unsafe { splits.raw().wrapping_add(index).write(split as u64) };
    }
}

/// Queues [`merge_splits`].
#[track_caller]
pub(crate) fn find_splits<K, L, const TWO: bool>(
    stream: &Stream,
    (a, b): (DeviceSlice<'_, K>, DeviceSlice<'_, K>),
    tile: usize,
    runs: u32,
    less: L,
    splits: &mut DeviceSliceMut<'_, u64>,
) -> Result<(), Error>
where
    K: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
{
    let lanes = searchers(splits.len());
    let shape = Launch::covering(splits.len() * lanes as usize);
    Ok(merge_splits::<K, L, TWO>::launch(
        stream, shape, a, b, tile, runs, lanes, less, splits,
    )?)
}

/// What a tile of a merge is made of.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// Where the tile begins in the output, and how many elements it has.
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// Where its elements begin in the slices, and how many they are.
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) a_count: usize,
    pub(crate) b_count: usize,
}

impl Part {
    /// `None` for a tile without elements. Whatever the splits are, `a_count` elements from `a` and `b_count` elements from `b` exist, one at least, and
    /// `a_count + b_count <= count <= tile`.
    #[inline(always)]
    pub(crate) fn of_tile<const TWO: bool>(
        index: usize,
        tile: usize,
        runs: u32,
        n: (usize, usize),
        splits: &[u64],
    ) -> Option<Part> {
        let first = index * tile;
        if first >= if TWO { n.0 + n.1 } else { n.0 } {
            return None;
        }
        let pair = Pair::of_tile::<TWO>(index, tile, runs, n);
        let d = first - pair.start;
        let d_end = (d + tile).min(pair.a_len + pair.b_len);
        let count = d_end - d;
        // A comparison that is no order may give splits that contradict each other.
        let a_start = (splits[index] as usize).min(pair.a_len).min(d);
        let b_start = (d - a_start).min(pair.b_len);
        let a_end = if d_end == pair.a_len + pair.b_len {
            pair.a_len
        } else {
            (splits[index + 1] as usize).min(pair.a_len)
        };
        let a_count = a_end.saturating_sub(a_start).min(count);
        let b_count = (count - a_count).min(pair.b_len - b_start);
        (a_count + b_count > 0).then_some(Part {
            first,
            count,
            a: pair.a + a_start,
            b: pair.b + b_start,
            a_count,
            b_count,
        })
    }

    /// The elements of the tile.
    #[inline(always)]
    pub(crate) fn of<'a, T>(self, a: &'a [T], b: &'a [T]) -> Joined<'a, T> {
        Joined {
            a: &a[self.a..][..self.a_count],
            b: &b[self.b..][..self.b_count],
        }
    }

    /// Where they are in shared memory, one sequence behind the other.
    #[inline(always)]
    pub(crate) fn runs(self) -> (Run, Run) {
        let (middle, end) = (self.a_count as u32, (self.a_count + self.b_count) as u32);
        (
            Run {
                start: 0,
                end: middle,
            },
            Run { start: middle, end },
        )
    }
}

/// Merges a tile of each block. With `PAIRS` the values go with their keys. The output has as many elements as the inputs together.
#[kernel(block(256), dependent_launch)]
pub fn merge_tiles<K, V, L, const ITEMS: usize, const PAIRS: bool, const TWO: bool>(
    block: Block,
    memory: DynamicShared<u8>,
    a: &[K],
    b: &[K],
    a_values: &[V],
    b_values: &[V],
    splits: &[u64],
    runs: u32,
    less: L,
    mut y: DisjointSlice<K>,
    mut y_values: DisjointSlice<V>,
) where
    K: Plain,
    V: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
{
    launch_dependents();
    let (thread, index) = (block.thread() as u32, block.index());
    if PAIRS && y_values.len() < y.len() {
        return;
    }
    let tile = TileMemory::<K, ITEMS>::LEN as usize;
    let Some(part) = Part::of_tile::<TWO>(index, tile, runs, (a.len(), b.len()), splits) else {
        return;
    };
    if part.first + part.count > y.len() {
        return;
    }
    let values = PAIRS.then(|| Values::<V, ITEMS>::ask(block, part.of(a_values, b_values), memory));
    let (elements, numbers) = (
        shared_array!(u128, ELEMENTS),
        shared_array!(u128, POSITIONS),
    );
    let tile_memory = TileMemory::<K, ITEMS>::of(elements);
    let positions = TileMemory::<u16, ITEMS>::of(numbers);
    // SAFETY: `count <= tile`; the first access to the memory, and a barrier behind it.
    unsafe { part.of(a, b).load(tile_memory, thread) };
    block.sync();
    let (a_run, b_run) = part.runs();
    // SAFETY: all was written before the barrier, and the runs lie within the tile, as `count <= tile`.
    let (items, sources) =
        unsafe { merge_in_tile(tile_memory, a_run, b_run, thread * ITEMS as u32, less) };
    block.sync();
    // SAFETY: the reads lie before the barrier.
    unsafe { tile_memory.write_blocked(thread, items) };
    if PAIRS {
        // SAFETY: the first access to the memory.
        unsafe { positions.write_blocked(thread, sources) };
    }
    if let Some(values) = &values {
        values.wait();
    }
    block.sync();
    let (first, count) = (part.first, part.count as u32);
    // SAFETY: all was written before the barrier.
    let items = unsafe { tile_memory.read_striped(thread) };
    // SAFETY: `first + count <= y.len()`, which was checked above; each block has its tile.
    unsafe { store::<K, ITEMS>(&mut y, first, count, thread, |k| items[k]) };
    if let Some(values) = values {
        // SAFETY: all was written before the barrier.
        let sources = unsafe { positions.read_striped(thread) };
        // SAFETY: a barrier lies behind the wait.
        let value = |k: usize| unsafe { values.get(u32::from(sources[k])) };
        // SAFETY: as for the keys; there are no fewer values than keys, which was checked above.
        unsafe { store::<V, ITEMS>(&mut y_values, first, count, thread, value) };
    }
}
