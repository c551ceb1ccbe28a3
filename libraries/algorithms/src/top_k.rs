//! The largest or smallest elements, by selecting digits from the highest.
//!
//! A launch for each 8 bits counts how often each digit occurs among the keys whose higher digits are those found so far; its last block finds the digit of the
//! `k`-th key. One more launch takes all keys that come before that key, and as many equal ones as are missing. These are few, and are sorted.

mod pairs; // keys with values

pub use pairs::{TopKPairs, TopKPairsPlan};

use std::array::from_fn;
use std::cmp::Ordering;
use std::sync::atomic;

use warploom::device_std::atomic::{AcqRel, Relaxed, Scoped, scope};
use warploom::device_std::hint::unroll_all;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut, MemoryError};

use crate::Error;
use crate::output::IntoOutput;
use crate::radix_sort::{
    DIGIT_BITS, DIGITS, IntoSlice, Order, RadixBits, RadixKey, SortInPlace, SortPlan,
};

/// Threads of a block: one for each digit.
const THREADS: usize = DIGITS;
/// Blocks at most: eight for each of 132 multiprocessors.
const BLOCKS: usize = 8 * 132;
/// Keys that a thread reads at once.
const ITEMS: usize = 8;
/// Passes of the largest keys.
const MOST_PASSES: usize = (u128::BITS / DIGIT_BITS) as usize;

/// Words of the state. For each pass: blocks that are done, the digit found, how many keys with it are needed.
const DONE: usize = 0;
const DIGIT: usize = DONE + MOST_PASSES;
const NEEDED: usize = DIGIT + MOST_PASSES;
/// How many keys were taken: before the `k`-th, and equal to it.
const TAKEN: usize = NEEDED + MOST_PASSES;
/// For each pass and digit, how often it occurs.
const COUNTS: usize = TAKEN + 2;
const STATE: usize = COUNTS + MOST_PASSES * DIGITS;

/// A selection that was described and has not run; see [`crate::Selections::top_k`](crate::Selections::top_k).
#[must_use = "nothing runs before `into`"]
pub struct TopK<'s, 'a, K: RadixKey> {
    stream: &'s Stream,
    keys: DeviceSlice<'a, K>,
    k: usize,
    largest: bool,
    plan: Option<&'s mut TopKPlan<K>>,
}

/// The memory of a selection, for use again and again and in graphs: of no more elements than it was made for, out of any number.
pub struct TopKPlan<K: RadixKey> {
    state: DeviceBuffer<u32>,
    sort: SortPlan<K>,
}

impl<K: RadixKey> TopKPlan<K> {
    /// Memory for selections of up to `k` elements.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, k: usize) -> Result<Self, MemoryError> {
        Ok(TopKPlan {
            state: device.alloc_uninit(STATE)?,
            sort: SortPlan::new(device, k)?,
        })
    }

    /// Bytes of device memory: 16 KiB, and those of a sort of `k` keys.
    #[must_use]
    pub fn bytes(&self) -> usize {
        STATE * size_of::<u32>() + self.sort.bytes()
    }
}

impl<'s, 'a, K: RadixKey> TopK<'s, 'a, K> {
    pub(crate) fn new(stream: &'s Stream, keys: impl IntoSlice<'a, K>, k: usize) -> Self {
        TopK {
            stream,
            keys: keys.input().slices.0,
            k,
            largest: true,
            plan: None,
        }
    }

    /// The smallest elements, from the smallest, instead of the largest.
    pub fn smallest(mut self) -> Self {
        self.largest = false;
        self
    }

    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(mut self, plan: &'s mut TopKPlan<K>) -> Self {
        self.plan = Some(plan);
        self
    }

    /// Queues the selection into the first `k` elements of `out`. Does not wait.
    ///
    /// # Errors
    /// [`Error::Argument`] if there are fewer than `k` keys; [`Error::TooShort`] if `out` or the plan has room for fewer; [`Error::TooMany`] from 2^32 keys on;
    /// what launches and allocations report.
    pub fn into(mut self, out: impl IntoOutput<K>) -> Result<(), Error> {
        let (out, k) = (out.output(), self.k);
        Error::check_room("the output of a selection", out.len(), k)?;
        self.check_lengths()?;
        if k == 0 {
            return Ok(());
        }
        let mut out = out.into_slice(..k)?;
        if let Some(plan) = self.plan.take() {
            self.select(&mut plan.state, out.reborrow())?;
            return self.sorted(out).plan(&mut plan.sort).run();
        }
        let pool = self.stream.device().pool()?;
        let mut state = pool.alloc_uninit(STATE, self.stream)?;
        self.select(&mut state, out.reborrow())?;
        self.sorted(out).run()
    }

    /// That there are as many keys as are wanted, and no more than can be counted.
    fn check_lengths(&self) -> Result<(), Error> {
        let (n, k) = (self.keys.len(), self.k);
        if k > n {
            return Err(Error::Argument {
                what: "the number of elements to select",
                value: k as u64,
                must: "at most the number of keys",
            });
        }
        if u32::try_from(n).is_err() {
            return Err(Error::TooMany {
                what: "a selection",
                most: u32::MAX.into(),
                len: n,
            });
        }
        Ok(())
    }

    /// What is left to do with the selected keys.
    fn sorted<'o>(&self, out: DeviceSliceMut<'o, K>) -> SortInPlace<'s, 'o, K> {
        let sort = SortInPlace::new(self.stream, out);
        if self.largest {
            sort.descending()
        } else {
            sort
        }
    }

    /// Queues all launches but those of the sort.
    fn select(
        &self,
        state: &mut DeviceBuffer<u32>,
        mut out: DeviceSliceMut<'_, K>,
    ) -> Result<(), Error> {
        let (shape, order) = self.find_digits(state)?;
        Ok(take_selected::<K>::launch(
            self.stream,
            shape,
            self.keys,
            order,
            state.as_atomics(),
            &mut out,
        )?)
    }

    /// Queues the launches that find the digits of the `k`-th key; gives what the launch that takes keys has in common with them.
    fn find_digits(&self, state: &mut DeviceBuffer<u32>) -> Result<(Launch, Order), Error> {
        let order = Order {
            start: 0,
            end: K::Bits::BITS,
            descending: self.largest,
        };
        let blocks = self.keys.len().div_ceil(THREADS * ITEMS).min(BLOCKS);
        let shape = Launch::new(blocks as u32, THREADS as u32);
        Error::check_room("the plan of a selection", state.len(), STATE)?;
        state.fill(0, self.stream)?;
        for pass in 0..order.passes() {
            select_digit::<K>::launch(
                self.stream,
                shape,
                self.keys,
                order,
                pass,
                self.k as u32,
                state.as_atomics(),
            )?;
        }
        Ok((shape, order))
    }
}

/// The digit of a key in the order wanted; pass 0 is that of the highest digit.
#[inline(always)]
fn digit<K: RadixKey>(order: Order, pass: u32, key: K) -> u32 {
    order.digit(order.passes() - 1 - pass).of(key)
}

/// The digits found so far, in shared memory.
type Found<'a> = SharedArray<'a, u32, MOST_PASSES>;

/// Reads the digits found by the first `passes` passes.
#[inline(always)]
fn load_found(block: Block, passes: u32, found: Found, state: &[Atomic<u32>]) {
    let thread = block.thread();
    if thread < passes as usize {
        let digit = state[DIGIT + thread].load(Relaxed);
        found.atomic(thread).store(digit, atomic::Ordering::Relaxed);
    }
    block.sync();
}

/// How the first `passes` digits of `key` compare with those found.
#[inline(always)]
fn compare<K: RadixKey>(order: Order, passes: u32, found: Found, key: K) -> Ordering {
    for pass in 0..passes {
        let there = found.atomic(pass as usize).load(atomic::Ordering::Relaxed);
        let ordering = digit(order, pass, key).cmp(&there);
        if ordering.is_ne() {
            return ordering;
        }
    }
    Ordering::Equal
}

/// Calls `run` with each key of this thread, and its number. Keys of whole tiles are read before the first call.
#[inline(always)]
fn each<K: RadixKey>(block: Block, keys: &[K], mut run: impl FnMut(K, usize)) {
    let (thread, tile) = (block.thread(), THREADS * ITEMS);
    let mut first = block.index() * tile;
    while first < keys.len() {
        if keys.len() - first >= tile {
            let part = &keys[first..][..tile];
            let own: [K; ITEMS] = from_fn(|k| part[thread + k * THREADS]);
            unroll_all::<ITEMS>(|k| run(own[k], first + thread + k * THREADS));
        } else {
            let mut i = first + thread;
            while i < keys.len() {
                run(keys[i], i);
                i += THREADS;
            }
        }
        first += grid_dim().x as usize * tile;
    }
}

/// Counts digit `pass` of the keys that have the digits found, and finds that of the `k`-th key.
#[kernel(block(256), dependent_launch)]
pub fn select_digit<K: RadixKey>(
    block: Block,
    keys: &[K],
    order: Order,
    pass: u32,
    k: u32,
    state: &[Atomic<u32>],
) {
    launch_dependents();
    let bins = shared_array!(u32, DIGITS);
    let found = shared_array!(u32, MOST_PASSES);
    let last = shared_array!(u32, 1);
    let (thread, pass_index) = (block.thread(), pass as usize);
    bins.atomic(thread).store(0, atomic::Ordering::Relaxed);
    load_found(block, pass, found, state);
    each(block, keys, |key, _| {
        if compare(order, pass, found, key).is_eq() {
            let bin = bins.atomic(digit(order, pass, key) as usize);
            bin.scoped::<scope::Block>().fetch_add(1, Relaxed);
        }
    });
    block.sync();
    let counts = &state[COUNTS + pass_index * DIGITS..][..DIGITS];
    let count = bins.atomic(thread).load(atomic::Ordering::Relaxed);
    if count > 0 {
        counts[thread].fetch_add(count, Relaxed);
    }
    // The barriers make the counts of a block those of its leader; its addition releases them, and the last one acquires all.
    block.sync();
    if thread == 0 {
        let before = state[DONE + pass_index].fetch_add(1, AcqRel);
        let is_last = before + 1 == grid_dim().x;
        last.atomic(0)
            .store(u32::from(is_last), atomic::Ordering::Relaxed);
    }
    block.sync();
    if last.atomic(0).load(atomic::Ordering::Relaxed) == 0 {
        return;
    }
    let needed = if pass == 0 {
        k
    } else {
        state[NEEDED + pass_index - 1].load(Relaxed)
    };
    let count = counts[thread].load(Relaxed);
    let before = block.exclusive_scan(count, 0, |a, b| a + b);
    // So in one thread: `needed` is at least 1, and at most the sum of all counts.
    if before < needed && needed - before <= count {
        state[DIGIT + pass_index].store(thread as u32, Relaxed);
        state[NEEDED + pass_index].store(needed - before, Relaxed);
    }
}

/// Takes the keys that come before the `k`-th, and of those equal to it as many as are needed, in any order.
#[kernel(block(256), dependent_launch)]
pub fn take_selected<K: RadixKey>(
    block: Block,
    keys: &[K],
    order: Order,
    state: &[Atomic<u32>],
    mut out: DisjointSlice<K>,
) {
    launch_dependents();
    let found = shared_array!(u32, MOST_PASSES);
    let passes = order.passes();
    load_found(block, passes, found, state);
    let place = place_of(order, found, state, out.len());
    let out = out.raw();
    each(block, keys, |key, _| {
        if let Some(place) = place(key) {
            // SAFETY: within `out`, and each place is given out once; see `place_of`.
            let to = unsafe { out.add(place) };
            // SAFETY: as above.
            unsafe { to.write(key) };
        }
    });
}

/// Gives each key that is selected a place below `k`, and no place twice: those before the `k`-th key from the start, of which there are `k` less what is needed of keys
/// equal to it, and these from the end.
#[inline(always)]
fn place_of<K: RadixKey>(
    order: Order,
    found: Found,
    state: &[Atomic<u32>],
    k: usize,
) -> impl Fn(K) -> Option<usize> {
    let passes = order.passes();
    let needed = state[NEEDED + passes as usize - 1].load(Relaxed) as usize;
    move |key| {
        let place = match compare(order, passes, found, key) {
            Ordering::Less => state[TAKEN].fetch_add(1, Relaxed) as usize,
            Ordering::Equal => {
                let taken = state[TAKEN + 1].fetch_add(1, Relaxed) as usize;
                if taken < needed { k - 1 - taken } else { k }
            }
            Ordering::Greater => k,
        };
        (place < k).then_some(place)
    }
}
