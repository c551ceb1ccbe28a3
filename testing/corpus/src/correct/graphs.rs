//! Graphs, sets, queues and packed data: places that the data give, bits and bytes that threads share.

use core::sync::atomic::Ordering;

use warploom::device_std::atomic::{AcqRel, Acquire, Atomic, Relaxed, Release};
use warploom::prelude::*;

use crate::case::{cases, correct, noise, start};

/// One level of a breadth-first search: who claims a vertex puts it on the next frontier.
#[kernel]
fn level_of_a_search(
    i: Index1D,
    frontier: &[u32],
    rows: &[u32],
    columns: &[u32],
    levels: &[Atomic<u32>],
    tail: &[Atomic<u32>],
    mut next: DisjointSlice<u32>,
) {
    let Some(&vertex) = frontier.get(i.get()) else {
        return;
    };
    for k in rows[vertex as usize]..rows[vertex as usize + 1] {
        let to = columns[k as usize];
        if levels[to as usize]
            .compare_exchange(0, 2, Relaxed, Relaxed)
            .is_ok()
        {
            let place = tail[0].fetch_add(1, Relaxed) as usize;
            // SAFETY: the place was given to this thread alone.
            unsafe { *next.raw().add(place) = to };
        }
    }
}

/// Components by the smallest number, over and over, with atomics in place.
#[kernel]
fn smallest_number_wins(i: Index1D, edges: &[u32], labels: &[Atomic<u32>]) {
    if 2 * i.get() + 1 < edges.len() {
        let (a, b) = (edges[2 * i.get()] as usize, edges[2 * i.get() + 1] as usize);
        let label = labels[a].load(Relaxed).min(labels[b].load(Relaxed));
        labels[a].fetch_min(label, Relaxed);
        labels[b].fetch_min(label, Relaxed);
    }
}

/// Union and find with compare and exchange.
#[kernel]
fn union_and_find(i: Index1D, edges: &[u32], parents: &[Atomic<u32>]) {
    if 2 * i.get() + 1 >= edges.len() {
        return;
    }
    let root = |mut at: u32| {
        loop {
            let parent = parents[at as usize].load(Relaxed);
            if parent == at {
                return at;
            }
            at = parent;
        }
    };
    loop {
        let (a, b) = (root(edges[2 * i.get()]), root(edges[2 * i.get() + 1]));
        if a == b {
            break;
        }
        let (high, low) = (a.max(b), a.min(b));
        if parents[high as usize]
            .compare_exchange(high, low, AcqRel, Relaxed)
            .is_ok()
        {
            break;
        }
    }
}

/// Bits of one word that threads set by atomics.
#[kernel]
fn bits_by_atomics(i: Index1D, x: &[u32], words: &[Atomic<u32>]) {
    if x[i.get()] >= 50 {
        words[i.get() / 32].fetch_or(1 << (i.get() % 32), Relaxed);
    }
}

/// Bits of one word that a vote collects, and one lane stores.
#[kernel]
fn bits_by_a_vote(warp: Warp, i: Index1D, x: &[u32], mut words: DisjointSlice<u32>) {
    let votes = warp.ballot(x[i.get()] >= 50);
    if warp.lane() == 0 {
        // SAFETY: one lane of each warp has the warp's word.
        unsafe { *words.raw().add(i.get() / 32) = votes.bits() };
    }
}

/// Two halves of a byte, put together by shuffles, so that each byte has one thread.
#[kernel]
fn halves_of_a_byte(warp: Warp, i: Index1D, x: &[u32], mut bytes: DisjointSlice<u8>) {
    let own = x[i.get()] & 15;
    let other = warp.shuffle_down(own, 1);
    if i.get().is_multiple_of(2) {
        // SAFETY: each even thread has its own byte.
        unsafe { *bytes.raw().add(i.get() / 2) = (own | other << 4) as u8 };
    }
}

/// A set of numbers in shared memory as bits, set by atomics and read behind a barrier.
#[kernel]
fn set_in_shared_memory(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let words = shared_array!(u32, 4);
    let t = block.thread();
    // SAFETY: zeroed before a barrier, read after another.
    unsafe {
        if t < 4 {
            words.set(t, 0);
        }
        block.sync();
        let own = x[i.get()];
        words
            .atomic(own as usize / 32)
            .fetch_or(1 << (own % 32), Ordering::Relaxed);
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = words.get(t / 32) >> (t % 32) & 1;
        }
    }
}

/// The shortest distances so far, by atomic minima, with ordinary reads of the weights alone.
#[kernel]
fn relaxed_edges(i: Index1D, edges: &[u32], weights: &[u32], distances: &[Atomic<u32>]) {
    if i.get() < weights.len() {
        let (from, to) = (edges[2 * i.get()] as usize, edges[2 * i.get() + 1] as usize);
        let through = distances[from]
            .load(Relaxed)
            .saturating_add(weights[i.get()]);
        distances[to].fetch_min(through, Relaxed);
    }
}

/// The last one to come to a node of a tree goes on upwards, with what both children left.
#[kernel]
fn up_the_tree(i: Index1D, x: &[u32], visits: &[Atomic<u32>], mut nodes: DisjointSlice<u32>) {
    let nodes = nodes.raw();
    let mut at = 31 + i.get();
    // SAFETY: a node is written by the thread that came to it last, which has acquired what the other child's released.
    unsafe {
        *nodes.add(at) = x[i.get()];
        while at > 0 {
            at = (at - 1) / 2;
            if visits[at].fetch_add(1, AcqRel) == 0 {
                break;
            }
            *nodes.add(at) = (*nodes.add(2 * at + 1)).max(*nodes.add(2 * at + 2));
        }
    }
}

/// A stack of free places: a block takes one, uses it, and gives it back.
#[kernel]
fn place_taken_and_given_back(
    block: Block,
    taken: &[Atomic<u32>],
    mut scratch: DisjointSlice<u32>,
    sum: &[Atomic<u32>],
) {
    if block.leader().is_none() {
        return;
    }
    let mut at = 0;
    while taken[at].compare_exchange(0, 1, Acquire, Relaxed).is_err() {
        at = (at + 1) % taken.len();
    }
    // SAFETY: the place is this block's until it is given back.
    unsafe {
        let own = scratch.raw().add(at);
        *own = block.index() as u32;
        sum[0].fetch_add(*own, Relaxed);
    }
    taken[at].store(0, Release);
}

/// Rows of a sparse matrix, each by eight lanes.
#[kernel]
fn eight_lanes_for_a_row(block: Block, rows: &[u32], values: &[u32], mut y: DisjointSlice<u32>) {
    let tile = block.tile::<8>();
    let row = (8 * block.index() + tile.index_in_block() as usize).min(rows.len() - 2);
    let mut sum = 0;
    for k in (rows[row] + tile.rank()..rows[row + 1]).step_by(8) {
        sum += values[k as usize];
    }
    sum = tile.reduce_sum(sum);
    if tile.rank() == 0 && 8 * block.index() + tile.index_in_block() as usize == row {
        // SAFETY: one lane of one tile for each row.
        unsafe { *y.raw().add(row) = sum };
    }
}

/// Two threads of one warp look for the same key, and the later one gets the earlier one's place.
#[kernel]
fn first_one_keeps_the_place(
    i: Index1D,
    x: &[u32],
    owners: &[Atomic<u32>],
    mut y: DisjointSlice<u32>,
) {
    let own = i.get() as u32 + 1;
    let key = x[i.get()] as usize % 8;
    let owner = match owners[key].compare_exchange(0, own, Relaxed, Relaxed) {
        Ok(_) => own,
        Err(there) => there,
    };
    if let Some(y) = y.get_mut(i) {
        *y = u32::from(owner > 0);
    }
}

cases!("graphs.rs":
    correct!(level_of_a_search, |run| {
        let rows: Vec<u32> = (0..=40).map(|vertex| 3 * vertex).collect();
        let columns: Vec<u32> = (0..120).map(|k| (k * 11 + k / 3) % 40).collect();
        let frontier = [0_u32, 5, 9];
        let mut levels: Vec<u32> = vec![0; 40];
        for vertex in frontier {
            levels[vertex as usize] = 1;
        }
        let (f, r, c) = (run.upload(&frontier)?, run.upload(&rows)?, run.upload(&columns)?);
        let (mut l, mut tail, mut next) = (run.upload(&levels)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(40)?);
        start!(run, level_of_a_search, (1, 32), &f, &r, &c, l.as_atomics(), tail.as_atomics(), &mut next);
        for vertex in frontier {
            for k in 3 * vertex..3 * vertex + 3 {
                let to = &mut levels[columns[k as usize] as usize];
                *to = if *to == 1 { 1 } else { 2 };
            }
        }
        run.expect(&tail, |_| levels.iter().filter(|&&level| level == 2).count() as u32)?;
        run.expect(&l, |vertex| levels[vertex])
    }),
    correct!(smallest_number_wins, |run| {
        let edges: Vec<u32> = (0..63).flat_map(|k| [k, k + 1]).collect();
        let labels: Vec<u32> = (0..64).collect();
        let (input, mut labels) = (run.upload(&edges)?, run.upload(&labels)?);
        for _ in 0..64 {
            start!(run, smallest_number_wins, (2, 32), &input, labels.as_atomics());
        }
        run.expect(&labels, |_| 0)
    }),
    correct!(union_and_find, |run| {
        let edges: Vec<u32> = (0..32).flat_map(|k| [2 * k, 2 * (k * 7 % 32)]).collect();
        let parents: Vec<u32> = (0..64).collect();
        let (input, mut parents) = (run.upload(&edges)?, run.upload(&parents)?);
        start!(run, union_and_find, (1, 32), &input, parents.as_atomics());
        let found = parents.to_vec(run.stream)?;
        run.stream.synchronize()?;
        let root = |mut at: u32| {
            while found[at as usize] != at {
                at = found[at as usize];
            }
            at
        };
        let apart = edges.chunks_exact(2).any(|edge| root(edge[0]) != root(edge[1]));
        run.expect(&parents, |k| if apart { u32::MAX } else { found[k] })
    }),
    correct!(bits_by_atomics, |run| {
        let x = noise(96);
        let (input, mut words) = (run.upload(&x)?, run.zeroed::<u32>(3)?);
        start!(run, bits_by_atomics, (3, 32), &input, words.as_atomics());
        run.expect(&words, |w| (0..32).map(|k| u32::from(x[32 * w + k] >= 50) << k).sum())
    }),
    correct!(bits_by_a_vote, |run| {
        let x = noise(96);
        let (input, mut words) = (run.upload(&x)?, run.zeroed::<u32>(3)?);
        start!(run, bits_by_a_vote, (3, 32), &input, &mut words);
        run.expect(&words, |w| (0..32).map(|k| u32::from(x[32 * w + k] >= 50) << k).sum())
    }),
    correct!(halves_of_a_byte, |run| {
        let x = noise(64);
        let (input, mut bytes) = (run.upload(&x)?, run.zeroed::<u8>(32)?);
        start!(run, halves_of_a_byte, (2, 32), &input, &mut bytes);
        run.expect(&bytes, |k| (x[2 * k] & 15 | (x[2 * k + 1] & 15) << 4) as u8)
    }),
    correct!(set_in_shared_memory, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        start!(run, set_in_shared_memory, (1, 128), &input, &mut y);
        run.expect(&y, |i| u32::from(x.contains(&(i as u32))))
    }),
    correct!(relaxed_edges, |run| {
        let edges: Vec<u32> = (0..20).flat_map(|k| [k, k + 1]).collect();
        let weights = noise(20);
        let start = [vec![0], vec![u32::MAX; 20]].concat();
        let (e, w, mut d) = (run.upload(&edges)?, run.upload(&weights)?, run.upload(&start)?);
        for _ in 0..20 {
            start!(run, relaxed_edges, (1, 32), &e, &w, d.as_atomics());
        }
        run.expect(&d, |k| weights[..k].iter().sum())
    }),
    correct!(up_the_tree, |run| {
        let x = noise(32);
        let (input, mut visits, mut nodes) = (run.upload(&x)?, run.zeroed::<u32>(31)?, run.zeroed::<u32>(63)?);
        start!(run, up_the_tree, (2, 16), &input, visits.as_atomics(), &mut nodes);
        let mut tree = [vec![0; 31], x].concat();
        for at in (0..31).rev() {
            tree[at] = tree[2 * at + 1].max(tree[2 * at + 2]);
        }
        run.expect(&nodes, |at| tree[at])
    }),
    correct!(place_taken_and_given_back, |run| {
        let (mut taken, mut scratch, mut sum) = (run.zeroed::<u32>(2)?, run.zeroed::<u32>(2)?, run.zeroed::<u32>(1)?);
        start!(run, place_taken_and_given_back, (6, 32), taken.as_atomics(), &mut scratch, sum.as_atomics());
        run.expect(&sum, |_| 15)
    }),
    correct!(eight_lanes_for_a_row, |run| {
        let rows = [0_u32, 3, 3, 20, 41, 60];
        let values = noise(60);
        let (starts, input, mut y) = (run.upload(&rows)?, run.upload(&values)?, run.zeroed::<u32>(5)?);
        start!(run, eight_lanes_for_a_row, (1, 64), &starts, &input, &mut y);
        run.expect(&y, |row| values[rows[row] as usize..rows[row + 1] as usize].iter().sum())
    }),
    correct!(first_one_keeps_the_place, |run| {
        let (x, mut owners, mut y) = (run.upload(&noise(64))?, run.zeroed::<u32>(8)?, run.zeroed::<u32>(64)?);
        start!(run, first_one_keeps_the_place, (2, 32), &x, owners.as_atomics(), &mut y);
        run.expect(&y, |_| 1)
    }),
);
