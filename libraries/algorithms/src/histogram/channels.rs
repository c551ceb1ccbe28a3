//! Histograms of samples, of up to four channels at once.
//!
//! As [`count`](super::count): each block counts in its own shared memory, one channel after the other, as far as all bins have room there. Pixels are read once for all channels.

use std::array::from_fn;
use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use warploom::DeviceSlice;
use warploom::device_std::atomic::{self, Atomic, scope};
use warploom::device_std::hint::unroll_all;
use warploom::device_std::{KernelArg, Plain};
use warploom::device_std::{atomic_add, launch_dependents};
use warploom::prelude::*;

use super::bins::{Between, Bins, Even, Sample};
use crate::Error;
use crate::input::{Arguments, Empty, Fetch, Input, Memory};

/// Threads of a block.
const THREADS: usize = 512;
/// Pixels of a thread in each round.
const ITEMS: usize = 4 * GROUPS;
/// Groups of four among them.
const GROUPS: usize = 2;
/// Blocks at most: four for each of 132 multiprocessors.
const BLOCKS: usize = 4 * 132;
/// Bins of all channels that a block has in shared memory, beside those for samples outside of the ranges: 32 KiB.
const SHARED_BINS: usize = 8192;
/// Channels at most.
const CHANNELS: usize = 4;

/// Histograms with bins of equal width that were described and have not run; see [`crate::Histograms::histogram_even`](crate::Histograms::histogram_even).
#[must_use = "nothing runs before `into`"]
pub struct EvenHistograms<'s, 'a, M: Memory, F, T: Sample, const ACTIVE: usize> {
    pub(crate) stream: &'s Stream,
    pub(crate) input: Input<'a, M, F>,
    pub(crate) bounds: [Range<T::Bound>; ACTIVE],
}

/// Histograms with bins between borders that were described and have not run; see [`crate::Histograms::histogram_range`](crate::Histograms::histogram_range).
#[must_use = "nothing runs before `into`"]
pub struct RangeHistograms<'s, 'a, M: Memory, F, T: Plain, const ACTIVE: usize> {
    pub(crate) stream: &'s Stream,
    pub(crate) input: Input<'a, M, F>,
    pub(crate) borders: [DeviceSlice<'a, T>; ACTIVE],
}

impl<M, F, T, const CHANNELS: usize, const ACTIVE: usize> EvenHistograms<'_, '_, M, F, T, ACTIVE>
where
    M: Memory,
    F: Fetch<M, Item = [T; CHANNELS]>,
    T: Sample,
{
    /// Queues the histograms: each channel's range is divided in as many bins as its buffer has elements, and element `i` will be how many samples are in bin `i`. Counts wrap
    /// at 2^32. Does not wait.
    ///
    /// # Errors
    /// [`Error::EmptyRange`]; [`Error::Argument`] for a range of more than 2^32 whole numbers; what launches report.
    pub fn into(self, counts: impl IntoCounts<ACTIVE>) -> Result<(), Error> {
        let counts = counts.counts();
        let mut scales = Vec::with_capacity(ACTIVE);
        for (channel, bounds) in self.bounds.into_iter().enumerate() {
            let bins = counts[channel].len();
            scales.push(T::scale(bounds.start, bounds.end, bins, channel)?);
        }
        let scales = Even::<_, ACTIVE>(from_fn(|channel| scales[channel]));
        let none = self.stream.device().alloc_uninit(0)?;
        run(
            self.stream,
            self.input,
            scales,
            [none.as_slice(); 4],
            counts,
        )
    }
}

impl<M, F, T, const CHANNELS: usize, const ACTIVE: usize> RangeHistograms<'_, '_, M, F, T, ACTIVE>
where
    M: Memory,
    F: Fetch<M, Item = [T; CHANNELS]>,
    T: Plain + PartialOrd,
{
    /// Queues the histograms: element `i` of a channel's buffer will be how many samples are at least border `i` and below border `i + 1`. Counts wrap at 2^32. Does not wait.
    ///
    /// # Errors
    /// [`Error::DifferentLengths`] unless each buffer has one element less than there are borders; what launches report.
    pub fn into(self, counts: impl IntoCounts<ACTIVE>) -> Result<(), Error> {
        let counts = counts.counts();
        for (borders, counts) in self.borders.iter().zip(&counts) {
            if borders.len() != counts.len() + 1 {
                return Err(Error::DifferentLengths {
                    first: "the list of borders without the last",
                    first_len: borders.len().saturating_sub(1),
                    second: "the output of a histogram",
                    second_len: counts.len(),
                });
            }
        }
        let none = self.stream.device().alloc_uninit(0)?;
        let borders = from_fn(|channel| match self.borders.get(channel) {
            Some(borders) => *borders,
            None => none.as_slice(),
        });
        run(self.stream, self.input, Between, borders, counts)
    }
}

/// Where counts go: a buffer for each channel, or one buffer.
pub trait IntoCounts<const ACTIVE: usize> {
    /// The buffers.
    fn counts<'c>(self) -> [&'c mut DeviceBuffer<u32>; ACTIVE]
    where
        Self: 'c;
}

impl IntoCounts<1> for &mut DeviceBuffer<u32> {
    fn counts<'c>(self) -> [&'c mut DeviceBuffer<u32>; 1]
    where
        Self: 'c,
    {
        [self]
    }
}

impl<const ACTIVE: usize> IntoCounts<ACTIVE> for [&mut DeviceBuffer<u32>; ACTIVE] {
    fn counts<'c>(self) -> [&'c mut DeviceBuffer<u32>; ACTIVE]
    where
        Self: 'c,
    {
        self
    }
}

/// Samples as pixels of one channel.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Single<F>(pub(crate) F);

// SAFETY: a rule.
unsafe impl<F: KernelArg> KernelArg for Single<F> {}

impl<M: Memory, F: Fetch<M>> Fetch<M> for Single<F> {
    type Item = [F::Item; 1];

    #[inline(always)]
    fn get(self, view: M::View<'_>, i: usize) -> [F::Item; 1] {
        [self.0.get(view, i)]
    }

    #[inline(always)]
    fn part<'v>(
        self,
        view: M::View<'v>,
        base: usize,
        len: usize,
    ) -> impl Fn(usize) -> [F::Item; 1] + Copy + 'v {
        let part = self.0.part(view, base, len);
        move |k| [part(k)]
    }

    #[inline(always)]
    fn share<const N: usize>(
        self,
        view: M::View<'_>,
        base: usize,
        threads: (usize, usize),
    ) -> [[[F::Item; 1]; 4]; N] {
        let groups: [[F::Item; 4]; N] = self.0.share(view, base, threads);
        from_fn(|group| from_fn(|k| [groups[group][k]]))
    }
}

/// One launch for all channels.
fn run<M, F, T, R, const CHANNELS: usize, const ACTIVE: usize>(
    stream: &Stream,
    x: Input<'_, M, F>,
    rule: R,
    [b0, b1, b2, b3]: [DeviceSlice<'_, T>; 4],
    counts: [&mut DeviceBuffer<u32>; ACTIVE],
) -> Result<(), Error>
where
    M: Memory,
    F: Fetch<M, Item = [T; CHANNELS]>,
    T: Plain,
    R: Bins<T>,
{
    const {
        assert!(
            0 < ACTIVE && ACTIVE <= CHANNELS && ACTIVE <= self::CHANNELS,
            "a histogram has from one to four channels, and pixels have at least as many"
        );
    }
    let bins: usize = counts.iter().map(|counts| counts.len()).sum();
    if ACTIVE == 1 {
        // Without a kernel; one for all channels follows below.
        counts[0].fill(0, stream)?;
    }
    if bins == 0 {
        return Ok(());
    }
    // For the parameters of channels that there are not.
    let device = stream.device();
    let mut unused: [DeviceBuffer<u32>; 3] = [
        device.alloc_uninit(0)?,
        device.alloc_uninit(0)?,
        device.alloc_uninit(0)?,
    ];
    let all = counts.into_iter().chain(&mut unused);
    let counts: Vec<_> = all.map(DeviceBuffer::as_atomic).collect();
    if ACTIVE > 1 {
        let longest = counts.iter().map(|counts| counts.len()).max();
        let shape = Launch::covering(longest.unwrap_or(0));
        clear_counts::<T>::launch(stream, shape, counts[0], counts[1], counts[2], counts[3])?;
    }
    if x.is_empty() {
        return Ok(());
    }
    // With one in each channel for samples outside of its range.
    let all_bins = bins + ACTIVE;
    let is_shared = bins <= SHARED_BINS;
    let blocks = x.len().div_ceil(THREADS * ITEMS).min(BLOCKS) as u32;
    let shared_bytes = if is_shared {
        all_bins * size_of::<u32>()
    } else {
        0
    };
    let shape = Launch::new(blocks, THREADS as u32).dynamic_shared(shared_bytes as u32);
    let empty = Empty::new(stream.device())?;
    let (a, b, c): Arguments<'_, M> = M::arguments(x.slices, &empty);
    if const { size_of::<T>() == 1 } {
        return Ok(count_byte_channels::<M, F, T, R, CHANNELS, ACTIVE>::launch(
            stream, shape, a, b, c, x.fetch, x.len, rule, b0, b1, b2, b3, counts[0], counts[1],
            counts[2], counts[3],
        )?);
    }
    Ok(count_channels::<M, F, T, R, CHANNELS, ACTIVE>::launch(
        stream, shape, a, b, c, x.fetch, x.len, rule, b0, b1, b2, b3, counts[0], counts[1],
        counts[2], counts[3],
    )?)
}

/// Clears the counts of all channels in one launch.
// For samples of some type, so that the crate that counts compiles it: this crate has no device code of its own.
#[kernel(dependent_launch)]
pub fn clear_counts<T: Plain>(
    i: Index1D,
    c0: &[AtomicU32],
    c1: &[AtomicU32],
    c2: &[AtomicU32],
    c3: &[AtomicU32],
) {
    launch_dependents();
    for counts in [c0, c1, c2, c3] {
        if let Some(count) = counts.get(i.get()) {
            count.store(0, Relaxed);
        }
    }
}

/// Adds how many samples of each of the first `ACTIVE` channels are in each bin to its counts.
#[kernel(block(512), dependent_launch)]
pub fn count_channels<M, F, T, R, const CHANNELS: usize, const ACTIVE: usize>(
    block: Block,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    n: usize,
    rule: R,
    b0: &[T],
    b1: &[T],
    b2: &[T],
    b3: &[T],
    c0: &[AtomicU32],
    c1: &[AtomicU32],
    c2: &[AtomicU32],
    c3: &[AtomicU32],
    shared: DynamicShared<u32>,
) where
    M: Memory,
    F: Fetch<M, Item = [T; CHANNELS]>,
    T: Plain,
    R: Bins<T>,
{
    launch_dependents();
    let (borders, counts) = ([b0, b1, b2, b3], [c0, c1, c2, c3]);
    let input = (M::view(a, b, c), fetch, n);
    count_all::<M, F, T, R, CHANNELS, ACTIVE>(block, input, rule, (borders, counts), shared);
}

/// As [`count_channels`], of samples of one byte: with no more registers than let all threads of a multiprocessor be there. Other samples would be spilled.
#[kernel(block(512), max_registers(32), dependent_launch)]
pub fn count_byte_channels<M, F, T, R, const CHANNELS: usize, const ACTIVE: usize>(
    block: Block,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    n: usize,
    rule: R,
    b0: &[T],
    b1: &[T],
    b2: &[T],
    b3: &[T],
    c0: &[AtomicU32],
    c1: &[AtomicU32],
    c2: &[AtomicU32],
    c3: &[AtomicU32],
    shared: DynamicShared<u32>,
) where
    M: Memory,
    F: Fetch<M, Item = [T; CHANNELS]>,
    T: Plain,
    R: Bins<T>,
{
    launch_dependents();
    let (borders, counts) = ([b0, b1, b2, b3], [c0, c1, c2, c3]);
    let input = (M::view(a, b, c), fetch, n);
    count_all::<M, F, T, R, CHANNELS, ACTIVE>(block, input, rule, (borders, counts), shared);
}

/// What the kernels do.
#[inline(always)]
fn count_all<M, F, T, R, const CHANNELS: usize, const ACTIVE: usize>(
    block: Block,
    (view, fetch, n): (M::View<'_>, F, usize),
    rule: R,
    (borders, counts): ([&[T]; self::CHANNELS], [&[AtomicU32]; self::CHANNELS]),
    shared: DynamicShared<u32>,
) where
    M: Memory,
    F: Fetch<M, Item = [T; CHANNELS]>,
    T: Plain,
    R: Bins<T>,
{
    let [c0, c1, c2, _] = counts;
    let thread = block.thread();
    // The first bin of each channel in shared memory, if there is any. Behind its last one are samples outside of its range, so that threads do not branch on their samples.
    let starts = [
        0,
        c0.len() + 1,
        c0.len() + c1.len() + 2,
        c0.len() + c1.len() + c2.len() + 3,
    ];
    let is_shared = !shared.is_empty();
    let all_bins = counts.iter().map(|counts| counts.len()).sum::<usize>() + ACTIVE;
    assert!(
        !is_shared || all_bins <= shared.len(),
        "bins outside of shared memory"
    );
    let own = |bin: usize| {
        let bin = shared
            .as_ptr()
            .wrapping_add(bin)
            .cast::<Atomic<u32, scope::Block>>();
        // SAFETY: callers have a number below that of all bins, or of the memory, which has at least as many (checked above). It is there as long as the block; an `Atomic` has the layout of its value, and all accesses here are atomic.
        unsafe { &*bin }
    };
    let mut bin = thread;
    while bin < shared.len() {
        own(bin).store(0, atomic::Relaxed);
        bin += THREADS;
    }
    block.sync();
    let add = |pixel: [T; CHANNELS]| {
        unroll_all::<ACTIVE>(|channel| {
            let bins = counts[channel].len();
            let bin = rule.bin(channel, borders[channel], bins, pixel[channel]);
            if is_shared {
                own(starts[channel] + bin.min(bins)).fetch_add(1, atomic::Relaxed);
            } else if bin < bins {
                atomic_add(&counts[channel][bin], 1);
            }
        });
    };
    // Arithmetic of 32 bits alone, and no branch on a condition that is the same for all samples.
    let by_shift = rule.shifts();
    let add_by_shift = |pixel: [T; CHANNELS]| {
        unroll_all::<ACTIVE>(|channel| {
            let bin = rule.bin_by_shift(channel, pixel[channel]);
            // In shared memory there is room for all bins: as many as the low 32 bits say.
            let bin = bin.min(counts[channel].len() as u32);
            own(starts[channel] + bin as usize).fetch_add(1, atomic::Relaxed);
        });
    };
    let (tile, stride) = (THREADS * ITEMS, grid_dim().x as usize * THREADS * ITEMS);
    let mut first = block.index() * tile;
    while first < n {
        if n - first >= tile {
            let pixels = fetch.share::<GROUPS>(view, first, (thread, THREADS));
            if is_shared && by_shift {
                unroll_all::<ITEMS>(|k| add_by_shift(pixels[k / 4][k % 4]));
            } else {
                unroll_all::<ITEMS>(|k| add(pixels[k / 4][k % 4]));
            }
        } else {
            let part = fetch.part(view, first, n - first);
            let mut k = thread;
            while k < n - first {
                add(part(k));
                k += THREADS;
            }
        }
        first += stride;
    }
    block.sync();
    if !is_shared {
        return;
    }
    add_counts::<ACTIVE>(thread, counts, |channel, bin| own(starts[channel] + bin));
}

/// Adds what the block counted to the counts of all.
#[inline(always)]
fn add_counts<'s, const ACTIVE: usize>(
    thread: usize,
    counts: [&[AtomicU32]; CHANNELS],
    own: impl Fn(usize, usize) -> &'s Atomic<u32, scope::Block>,
) {
    unroll_all::<ACTIVE>(|channel| {
        let counts = counts[channel];
        let mut bin = thread;
        while bin < counts.len() {
            let count = own(channel, bin).load(atomic::Relaxed);
            if count > 0 {
                atomic_add(&counts[bin], count);
            }
            bin += THREADS;
        }
    });
}
