//! The elements of each segment to one value.
//!
//! A block has [`THREADS`] segments, or a segment for each of its warps, or one, by the average length and the number of segments. Within a block a segment is then reduced by a thread, a warp or the
//! block by its own length, so that a few long segments among short ones cost little.

use std::array::from_fn;

use warploom::device_std::launch_dependents;
use warploom::prelude::*;

use crate::Error;
use crate::input::{Empty, Fetch, Input, IntoInput, Item, Memory, Place};
use crate::output::IntoOutput;

/// Threads of a block.
const THREADS: usize = 256;
/// Threads of a warp.
const LANES: usize = 32;
/// A thread reduces segments of up to so many elements.
const OF_THREAD: usize = 16;
/// A warp reduces segments of up to so many elements.
const OF_WARP: usize = 2048;
/// Up to so many segments that are not for threads have a block each: with a warp for each there would be 128 blocks, fewer than the 132 multiprocessors of an H200.
const OF_BLOCKS: usize = 1024;
/// Elements that a thread reads before it combines the first.
const AT_ONCE: usize = 4;

/// A segmented reduction that was described and has not run; see
/// [`crate::Reductions::segmented_reduce`](crate::Reductions::segmented_reduce).
#[must_use = "nothing runs before `into`"]
pub struct SegmentedReduce<'s, 'a, 'b, I, J, O>
where
    I: IntoInput<'a>,
    J: IntoInput<'b>,
{
    pub(crate) stream: &'s Stream,
    pub(crate) input: Input<'a, I::Memory, I::Fetch>,
    pub(crate) offsets: Input<'b, J::Memory, J::Fetch>,
    pub(crate) init: Item<'a, I>,
    pub(crate) op: O,
}

impl<'a, 'b, I, J, O> SegmentedReduce<'_, 'a, 'b, I, J, O>
where
    I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
    J: IntoInput<'b, Fetch: Fetch<J::Memory, Item: Place>>,
    O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static,
{
    /// Queues the reduction; the values of the segments will be the first elements of `out`. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `out` has fewer elements than there are segments; [`Error::TooMany`] for more than 2^31 blocks; what the launch reports.
    #[track_caller]
    pub fn into(self, out: impl IntoOutput<Item<'a, I>>) -> Result<(), Error> {
        let (stream, mut out) = (self.stream, out.output());
        let segments = self.offsets.len().saturating_sub(1);
        Error::check_room("the output of a segmented reduction", out.len(), segments)?;
        if segments == 0 {
            return Ok(());
        }
        let y = out.slice_mut(..segments)?;
        let average = self.input.len() / segments;
        let of_block = if average <= OF_THREAD {
            THREADS
        } else if average <= OF_WARP && segments > OF_BLOCKS {
            THREADS / LANES
        } else {
            1
        };
        let Ok(blocks) = i32::try_from(segments.div_ceil(of_block)) else {
            return Err(Error::TooMany {
                what: "a segmented reduction with segments of this length",
                most: i32::MAX as u64 * of_block as u64,
                len: segments,
            });
        };
        let shape = Launch::new(blocks as u32, THREADS as u32);
        let (empty, empty_offsets) = (Empty::new(stream.device())?, Empty::new(stream.device())?);
        let (a, b, c) = I::Memory::arguments(self.input.slices, &empty);
        let (d, e, f) = J::Memory::arguments(self.offsets.slices, &empty_offsets);
        Ok(reduce_segments::<
            I::Memory,
            I::Fetch,
            J::Memory,
            J::Fetch,
            Item<'a, I>,
            O,
        >::launch(
            stream,
            shape,
            a,
            b,
            c,
            self.input.fetch,
            self.input.len(),
            d,
            e,
            f,
            self.offsets.fetch,
            of_block as u32,
            self.init,
            self.op,
            y,
        )?)
    }
}

/// The values of `of_block` segments of each block.
#[kernel(block(256), dependent_launch)]
pub fn reduce_segments<M, F, N, G, T, O>(
    block: Block,
    warp: Warp,
    mut bounds: SharedTile<[u64; 2], 256>,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    elements: F,
    n: usize,
    d: &[N::A],
    e: &[N::B],
    f: &[N::C],
    offsets: G,
    of_block: u32,
    init: T,
    op: O,
    mut y: DisjointSlice<T>,
) where
    M: Memory,
    F: Fetch<M, Item = T>,
    N: Memory,
    G: Fetch<N, Item: Place>,
    T: Plain,
    O: Fn(T, T) -> T + Copy + Send + Sync + 'static,
{
    launch_dependents();
    let (view, offsets_view) = (M::view(a, b, c), N::view(d, e, f));
    let of_block = (of_block as usize).min(THREADS);
    let first = block.index() * of_block;
    if first >= y.len() {
        return;
    }
    let segments = of_block.min(y.len() - first);
    // Read once, so that all threads agree on who has a segment.
    bounds.fill(|slot| {
        if slot >= segments {
            return [0, 0];
        }
        let of = |i| offsets.get(offsets_view, i).place();
        let (start, end) = (of(first + slot), of(first + slot + 1));
        assert!(
            start <= end && end <= n,
            "segment {} is {start}..{end} of an input with {n} elements",
            first + slot
        );
        [start as u64, end as u64]
    });
    let bounds = bounds.publish(&block);
    let segment = |slot: usize| {
        let [start, end] = bounds[slot].map(|place| place as usize);
        (start, end - start)
    };
    let start = y.raw().wrapping_add(first);
    // SAFETY: `slot < segments`, so within the slice; the blocks' segments are disjoint, and within a block one thread writes a segment: that of its slot, the first of
    // the slot's warp or the first of all, by the segment's length, of which all threads have the same.
    let write = |slot: usize, value: T| unsafe { start.wrapping_add(slot).write(op(init, value)) };
    let write_init = |slot: usize| {
        // SAFETY: as above.
        unsafe { start.wrapping_add(slot).write(init) };
    };
    let thread = block.thread();
    let reduced_by_warp = |slot: usize| {
        let (start, len) = segment(slot);
        let part = elements.part(view, start, len);
        let lane = warp.lane() as usize;
        let count = len.min(LANES);
        let mut value = if lane < len {
            sum(part, lane, LANES, len, op)
        } else {
            init
        };
        let mut delta = LANES / 2;
        while delta > 0 {
            let other = warp.shuffle_down(value, delta as u32);
            if lane + delta < count {
                value = op(value, other);
            }
            delta /= 2;
        }
        if lane == 0 {
            write(slot, value);
        }
    };

    if of_block == THREADS {
        let len = if thread < segments {
            segment(thread).1
        } else {
            0
        };
        if thread < segments && len == 0 {
            write_init(thread);
        } else if thread < segments && len <= OF_THREAD {
            let part = elements.part(view, segment(thread).0, len);
            write(thread, sum(part, 0, 1, len, op));
        }
        let mut of_warp = warp.ballot(OF_THREAD < len && len <= OF_WARP).bits();
        while of_warp != 0 {
            reduced_by_warp(thread / LANES * LANES + of_warp.trailing_zeros() as usize);
            of_warp &= of_warp - 1;
        }
    } else if of_block == THREADS / LANES {
        let slot = thread / LANES;
        let len = if slot < segments { segment(slot).1 } else { 0 };
        if slot < segments && len == 0 {
            if warp.lane() == 0 {
                write_init(slot);
            }
        } else if slot < segments && len <= OF_WARP {
            reduced_by_warp(slot);
        }
    }
    let of_block_from = if of_block == 1 { 0 } else { OF_WARP + 1 };
    let own = thread < segments && segment(thread).1 >= of_block_from;
    if of_block > 1 && block.reduce_max(u32::from(own)) == 0 {
        return;
    }
    for slot in 0..segments {
        let (start, len) = segment(slot);
        if len < of_block_from {
            continue;
        }
        if len < THREADS {
            // Not all threads would have an element; only with one segment for a block.
            if thread < LANES && len > 0 {
                reduced_by_warp(slot);
            } else if thread == 0 && len == 0 {
                write_init(slot);
            }
            continue;
        }
        let part = elements.part(view, start, len);
        let value = block.reduce(sum(part, thread, THREADS, len, op), op);
        if thread == 0 {
            write(slot, value);
        }
    }
}

/// Elements `first`, `first + stride` … below `len`; `first` is.
#[inline(always)]
fn sum<T: Copy>(
    part: impl Fn(usize) -> T,
    first: usize,
    stride: usize,
    len: usize,
    op: impl Fn(T, T) -> T,
) -> T {
    let (mut total, mut i) = (part(first), first + stride);
    while i + (AT_ONCE - 1) * stride < len {
        let items: [T; AT_ONCE] = from_fn(|k| part(i + k * stride));
        total = items.into_iter().fold(total, &op);
        i += AT_ONCE * stride;
    }
    while i < len {
        total = op(total, part(i));
        i += stride;
    }
    total
}
