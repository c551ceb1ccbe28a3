//! Rodinia `b+tree`: each block looks for a key, level by level: the thread whose keys enclose it says where the block goes on.

use warploom::device_std::atomic::Relaxed;
use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{below, mix};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "btree",
    run,
};

/// Children of a node; a node has a key before each, and one behind the last.
const ORDER: usize = 256;

/// A node of the tree.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Knot {
    location: i32,
    /// Indices of children; in leaves those of records.
    indices: [i32; ORDER + 1],
    keys: [i32; ORDER + 1],
    is_leaf: i32,
    number_keys: i32,
}

// One thread of the block stores what all read behind the barrier: atomics.
#[kernel(block(256))]
fn find_key(
    block: Block,
    height: u32,
    knots: &[Knot],
    records: &[i32],
    keys: &[i32],
    current: &[Atomic<u32>],
    offset: &[Atomic<u32>],
    answers: &[Atomic<i32>],
) {
    let (tx, bid) = (block.thread(), block.index());
    let key = keys[bid];
    for _ in 0..height {
        let knot = &knots[current[bid].load(Relaxed) as usize];
        if knot.keys[tx] <= key && key < knot.keys[tx + 1] {
            let child = knots[offset[bid].load(Relaxed) as usize].indices[tx];
            if (child as usize) < knots.len() {
                offset[bid].store(child as u32, Relaxed);
            }
        }
        block.sync();
        if tx == 0 {
            current[bid].store(offset[bid].load(Relaxed), Relaxed);
        }
        block.sync();
    }
    let leaf = &knots[current[bid].load(Relaxed) as usize];
    if leaf.keys[tx] == key {
        answers[bid].store(records[leaf.indices[tx] as usize], Relaxed);
    }
}

/// A tree of two levels above its leaves' records: `leaves` leaves of `ORDER` keys each, which are the multiples of 3.
fn tree(leaves: usize) -> Vec<Knot> {
    let empty = Knot {
        location: 0,
        indices: [0; ORDER + 1],
        keys: [i32::MAX; ORDER + 1],
        is_leaf: 0,
        number_keys: 0,
    };
    let mut root = empty;
    let mut knots = vec![empty];
    for leaf in 0..leaves {
        let first = leaf * ORDER;
        let mut knot = empty;
        knot.location = knots.len() as i32;
        (knot.is_leaf, knot.number_keys) = (1, ORDER as i32);
        for k in 0..ORDER {
            knot.indices[k] = (first + k) as i32;
            knot.keys[k] = 3 * (first + k) as i32;
        }
        knot.keys[ORDER] = 3 * (first + ORDER) as i32;
        root.indices[leaf] = knot.location;
        root.keys[leaf] = knot.keys[0];
        knots.push(knot);
    }
    root.number_keys = leaves as i32;
    root.keys[leaves] = 3 * (leaves * ORDER) as i32;
    knots[0] = root;
    knots
}

/// The record of a key, -1 if there is none.
fn reference(records: &[i32], key: i32) -> i32 {
    match key % 3 {
        0 => records.get(key as usize / 3).copied().unwrap_or(-1),
        _ => -1,
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (leaves, queries) = [(5, 40), (200, 1 << 16)][scale as usize];
    let knots = tree(leaves);
    let records: Vec<i32> = (0..leaves * ORDER)
        .map(|k| mix(k, 1) as i32 & 0xffff)
        .collect();
    let keys: Vec<i32> = below(queries, (3 * leaves * ORDER) as u32, 2)
        .iter()
        .map(|&k| k as i32)
        .collect();
    let answers: Vec<i32> = keys.iter().map(|&key| reference(&records, key)).collect();
    let leaf: Vec<u32> = keys
        .iter()
        .map(|&key| 1 + key as u32 / (3 * ORDER as u32))
        .collect();
    let (knots, records) = (side.upload(&knots)?, side.upload(&records)?);
    let keys = side.upload(&keys)?;
    let start = vec![0; queries];
    let mut outputs = (
        side.output(&start, leaf.clone(), 0.0)?,
        side.output(&start, leaf, 0.0)?,
        side.output(&vec![-1; queries], answers, 0.0)?,
    );
    let (height, len, blocks) = (1u32, knots.len() as u32, queries as u32);
    let (current, offset, answers) = (&outputs.0.buffer, &outputs.1.buffer, &outputs.2.buffer);
    let arguments = arguments![
        height, &knots, len, &records, &keys, current, offset, answers
    ];
    // SAFETY: levels, knots and how many they are, a record for each key of a leaf; a key, two places and an answer for each block.
    let twin = unsafe { Call::new("find_key", blocks, ORDER as u32, arguments) };
    side.kernel(
        "find_key",
        vec![twin],
        &mut outputs,
        |stream, (current, offset, answers)| {
            let shape = Launch::new(blocks, ORDER as u32);
            let (current, offset) = (current.buffer.as_atomics(), offset.buffer.as_atomics());
            let answers = answers.buffer.as_atomics();
            Ok(find_key::launch(
                stream, shape, height, &knots, &records, &keys, current, offset, answers,
            )?)
        },
    )
}
