//! Scans and sorts of a block, with the fewest barriers that they need.

use warploom::prelude::*;

use crate::case::{cases, correct, noise, start};

/// The work-efficient scan, up and down a tree.
#[kernel]
fn scan_up_and_down(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let sums = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: barriers between the steps; in a step each pair of elements is one thread's.
    unsafe {
        sums.set(t, x[i.get()]);
        let mut stride = 1;
        while stride < 64 {
            block.sync();
            let at = (t + 1) * 2 * stride;
            if at <= 64 {
                sums.set(at - 1, sums.get(at - 1) + sums.get(at - 1 - stride));
            }
            stride *= 2;
        }
        block.sync();
        if t == 0 {
            sums.set(63, 0);
        }
        while stride > 1 {
            stride /= 2;
            block.sync();
            let at = (t + 1) * 2 * stride;
            if at <= 64 {
                let left = sums.get(at - 1 - stride);
                sums.set(at - 1 - stride, sums.get(at - 1));
                sums.set(at - 1, sums.get(at - 1) + left);
            }
        }
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = sums.get(t);
        }
    }
}

/// A scan in two arrays that take turns: one barrier for each step.
#[kernel]
fn scan_in_two_arrays(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let sums = shared_array!(u32, 128);
    let t = block.thread();
    let (mut from, mut to) = (0, 64);
    // SAFETY: a step reads one array and writes the other; barriers between the steps.
    unsafe {
        sums.set(from + t, x[i.get()]);
        block.sync();
        let mut distance = 1;
        while distance < 64 {
            let left = if t >= distance {
                sums.get(from + t - distance)
            } else {
                0
            };
            sums.set(to + t, sums.get(from + t) + left);
            block.sync();
            (from, to) = (to, from);
            distance *= 2;
        }
        if let Some(y) = y.get_mut(i) {
            *y = sums.get(from + t);
        }
    }
}

/// Elements that are kept move together, by a scan over the block.
#[kernel]
fn kept_elements_together(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
    mut kept: DisjointSlice<u32, PerBlock>,
) {
    let sums = shared_array!(u32, 64);
    let t = block.thread();
    let own = x[i.get()];
    // SAFETY: barriers between the steps; each kept element has a place of its own.
    unsafe {
        sums.set(t, u32::from(own >= 50));
        block.sync();
        let mut distance = 1;
        while distance < 64 {
            let left = if t >= distance {
                sums.get(t - distance)
            } else {
                0
            };
            block.sync();
            sums.set(t, sums.get(t) + left);
            block.sync();
            distance *= 2;
        }
        if own >= 50 {
            *y.raw().add(64 * block.index() + sums.get(t) as usize - 1) = own;
        }
        if let Some(kept) = block.leader().and_then(|leader| kept.get_mut(leader)) {
            *kept = sums.get(63);
        }
    }
}

/// A radix sort by one bit at a time, in place, with the barriers between fetching and storing.
#[kernel]
fn sorted_bit_by_bit(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let (keys, ones) = (shared_array!(u32, 64), shared_array!(u32, 64));
    let t = block.thread();
    let mut own = x[i.get()];
    // SAFETY: barriers between the steps; places differ from thread to thread.
    unsafe {
        for bit in 0..7 {
            let is_one = own >> bit & 1;
            ones.set(t, is_one);
            block.sync();
            let before: u32 = (0..t).map(|k| ones.get(k)).sum();
            let zeros = 64 - (0..64).map(|k| ones.get(k)).sum::<u32>();
            let place = if is_one == 1 {
                zeros + before
            } else {
                t as u32 - before
            };
            keys.set(place as usize, own);
            block.sync();
            own = keys.get(t);
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = own;
    }
}

/// A bitonic sort in shared memory: a pair is changed by its lower thread.
#[kernel]
fn bitonic_sort_in_shared_memory(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let keys = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: barriers between the steps; each pair has one thread.
    unsafe {
        keys.set(t, x[i.get()]);
        let mut size = 2;
        while size <= 64 {
            let mut distance = size / 2;
            while distance > 0 {
                block.sync();
                let other = t ^ distance;
                if other > t {
                    let (a, b) = (keys.get(t), keys.get(other));
                    let up = t & size == 0;
                    if (a > b) == up {
                        keys.set(t, b);
                        keys.set(other, a);
                    }
                }
                distance /= 2;
            }
            size *= 2;
        }
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = keys.get(t);
        }
    }
}

/// Odd and even steps of a sort: neighbours exchange, and pairs do not overlap within a step.
#[kernel]
fn odd_even_sort(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let keys = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: barriers between the steps; each pair has one thread.
    unsafe {
        keys.set(t, x[i.get()]);
        block.sync();
        for step in 0..32 {
            if t % 2 == step % 2 && t + 1 < 32 {
                let (a, b) = (keys.get(t), keys.get(t + 1));
                keys.set(t, a.min(b));
                keys.set(t + 1, a.max(b));
            }
            block.sync();
        }
        if let Some(y) = y.get_mut(i) {
            *y = keys.get(t);
        }
    }
}

cases!("sorts.rs":
    correct!(scan_up_and_down, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, scan_up_and_down, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[..i].iter().sum())
    }),
    correct!(scan_in_two_arrays, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, scan_in_two_arrays, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[..=i].iter().sum())
    }),
    correct!(kept_elements_together, |run| {
        let x = noise(64);
        let kept: Vec<u32> = x.iter().copied().filter(|&v| v >= 50).collect();
        let (input, mut y, mut many) = (run.upload(&x)?, run.zeroed::<u32>(64)?, run.zeroed::<u32>(1)?);
        start!(run, kept_elements_together, (1, 64), &input, &mut y, &mut many);
        run.expect(&many, |_| kept.len() as u32)?;
        run.expect(&y, |i| kept.get(i).copied().unwrap_or(0))
    }),
    correct!(sorted_bit_by_bit, |run| {
        let mut x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, sorted_bit_by_bit, (1, 64), &input, &mut y);
        x.sort_unstable();
        run.expect(&y, |i| x[i])
    }),
    correct!(bitonic_sort_in_shared_memory, |run| {
        let mut x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, bitonic_sort_in_shared_memory, (1, 64), &input, &mut y);
        x.sort_unstable();
        run.expect(&y, |i| x[i])
    }),
    correct!(odd_even_sort, |run| {
        let mut x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, odd_even_sort, (1, 32), &input, &mut y);
        x.sort_unstable();
        run.expect(&y, |i| x[i])
    }),
);
