//! Counts that several threads change or look at without atomics, and numbers of elements that 32 bits do not hold.

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// numba/numba#4907: all threads add one to the same element of shared memory.
#[kernel]
fn all_add_to_one_element<const BUG: bool>(block: Block, mut y: DisjointSlice<u32, PerBlock>) {
    let count = shared_array!(u32, 1);
    // SAFETY: set and read by one thread behind barriers, changed in between. The bug is the point.
    unsafe {
        if block.thread() == 0 {
            count.set(0, 0);
        }
        block.sync();
        if BUG {
            count.set(0, count.get(0) + 1); //~ WL0103 //~? WL0102
        } else {
            count
                .atomic(0)
                .fetch_add(1, core::sync::atomic::Ordering::Relaxed);
        }
        block.sync();
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = count.get(0);
        }
    }
}

/// IntelPython/numba-dpex#832: labels that were seen are looked up by an ordinary read, beside the atomics that count them.
#[kernel]
fn seen_by_an_ordinary_read<const BUG: bool>(
    i: Index1D,
    labels: &[u32],
    seen: &[Atomic<u32>],
    distinct: &[Atomic<u32>],
) {
    let label = labels[i.get()] as usize;
    let is_seen = if BUG {
        // SAFETY: within the counts. The bug is the point.
        unsafe { *seen[label].as_ptr() > 0 } //~ WL0120 first
    } else {
        seen[label].load(Relaxed) > 0
    };
    if !is_seen && seen[label].fetch_add(1, Relaxed) == 0 {
        //~^ WL0120 second
        distinct[0].fetch_add(1, Relaxed);
    }
}

/// luke-jr/bfgminer#252: what is found goes to the place that an ordinary counter says, which is then increased.
#[kernel]
fn place_of_an_ordinary_counter<const BUG: bool>(
    block: Block,
    found: &[Atomic<u32>],
    mut y: DisjointSlice<u32>,
) {
    if block.leader().is_none() {
        return;
    }
    // SAFETY: as many places as blocks. The bug is the point.
    unsafe {
        let at = if BUG {
            let at = *found[0].as_ptr(); //~ WL0113 first
            *found[0].as_ptr() = at + 1; //~ WL0113 second //~? WL0112
            at
        } else {
            found[0].fetch_add(1, Relaxed)
        };
        *y.raw().add(at as usize) = 7;
    }
}

/// amd/Quark#43: the number of elements of a large tensor in 32 bits.
#[kernel]
fn elements_in_32_bits<const BUG: bool>(
    i: Index1D,
    extents: &[i32],
    blocks: i64,
    mut y: DisjointSlice<i64>,
) {
    if let Some(y) = y.get_mut(i) {
        let [rows, columns] = [extents[0], extents[1]];
        let elements = if BUG {
            i64::from(rows * columns) //~ WL0310|WL0400
        } else {
            i64::from(rows) * i64::from(columns)
        };
        *y = elements / blocks;
    }
}

/// vllm-project/vllm#43156: the number of the block times the size of a row, in 32 bits.
#[kernel]
fn row_of_the_block<const BUG: bool>(
    block: Block,
    first: i32,
    hidden: i32,
    mut y: DisjointSlice<i64, PerBlock>,
) {
    let row = first + block.index() as i32;
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = if BUG {
            i64::from(row * hidden) //~ WL0310|WL0400
        } else {
            i64::from(row) * i64::from(hidden)
        };
    }
}

/// fla-org/flash-linear-attention#1080: the offset of a head, `(batch * tokens * heads + head) * width`, in 32 bits.
#[kernel]
fn offset_of_a_head<const BUG: bool>(i: Index1D, extents: &[i32], mut y: DisjointSlice<i64>) {
    if let Some(y) = y.get_mut(i) {
        let [tokens, heads, width] = [extents[0], extents[1], extents[2]];
        let (batch, head) = (i.get() as i32 / 2, i.get() as i32 % 2);
        *y = if BUG {
            i64::from((batch * tokens * heads + head) * width) //~ WL0310|WL0400
        } else {
            let row = i64::from(batch) * i64::from(tokens) * i64::from(heads) + i64::from(head);
            row * i64::from(width)
        };
    }
}

/// tinygrad/tinygrad#6987: the index of an element from block and thread, in 32 bits with a sign.
#[kernel]
fn index_with_a_sign<const BUG: bool>(
    block: Block,
    first: i32,
    mut y: DisjointSlice<i64, PerBlock>,
) {
    let number = first + block.index() as i32;
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = if BUG {
            i64::from(number * 96 + 3) //~ WL0310|WL0400
        } else {
            i64::from(number) * 96 + 3
        };
    }
}

/// ROCm/composable_kernel#3722: the extent of a tensor is added up in 64 bits, of products in 32.
#[kernel]
fn extent_of_a_tensor<const BUG: bool>(
    i: Index1D,
    lengths: &[i32],
    strides: &[i32],
    mut y: DisjointSlice<i64>,
) {
    if let Some(y) = y.get_mut(i) {
        let mut extent = 1_i64;
        for (length, stride) in lengths.iter().zip(strides) {
            extent += if BUG {
                i64::from((length - 1) * stride) //~ WL0310|WL0400
            } else {
                i64::from(length - 1) * i64::from(*stride)
            };
        }
        *y = extent;
    }
}

cases!("counts.rs":
    case!(all_add_to_one_element, "numba/numba#4907", |run| {
        let mut y = run.zeroed::<u32>(2)?;
        launch!(run, all_add_to_one_element, (2, 32), &mut y);
        run.expect(&y, |_| 32)
    }),
    case!(seen_by_an_ordinary_read, "IntelPython/numba-dpex#832", |run| {
        let labels: Vec<u32> = noise(128).iter().map(|v| v % 6).collect();
        let (input, mut seen, mut distinct) = (run.upload(&labels)?, run.zeroed::<u32>(6)?, run.zeroed::<u32>(1)?);
        launch!(run, seen_by_an_ordinary_read, (2, 64), &input, seen.as_atomics(), distinct.as_atomics());
        run.expect(&distinct, |_| 6)
    }),
    case!(place_of_an_ordinary_counter, "luke-jr/bfgminer#252", |run| {
        let (mut found, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(4)?);
        launch!(run, place_of_an_ordinary_counter, (4, 32), found.as_atomics(), &mut y);
        run.expect(&y, |_| 7)
    }),
    case!(elements_in_32_bits, "amd/Quark#43", |run| {
        let (extents, mut y) = (run.upload(&[70_000, 40_000])?, run.zeroed::<i64>(8)?);
        launch!(run, elements_in_32_bits, (1, 8), &extents, 128, &mut y);
        run.expect(&y, |_| 2_800_000_000 / 128)
    }),
    case!(row_of_the_block, "vllm-project/vllm#43156", |run| {
        let mut y = run.zeroed::<i64>(3)?;
        launch!(run, row_of_the_block, (3, 32), 149_907, 14_336, &mut y);
        run.expect(&y, |b| (149_907 + b as i64) * 14_336)
    }),
    case!(offset_of_a_head, "fla-org/flash-linear-attention#1080", |run| {
        let (extents, mut y) = (run.upload(&[1_000_000, 32, 128])?, run.zeroed::<i64>(4)?);
        launch!(run, offset_of_a_head, (1, 4), &extents, &mut y);
        run.expect(&y, |i| (i as i64 / 2 * 32_000_000 + i as i64 % 2) * 128)
    }),
    case!(index_with_a_sign, "tinygrad/tinygrad#6987", |run| {
        let mut y = run.zeroed::<i64>(4)?;
        launch!(run, index_with_a_sign, (4, 32), 22_369_620, &mut y);
        run.expect(&y, |b| (22_369_620 + b as i64) * 96 + 3)
    }),
    case!(extent_of_a_tensor, "ROCm/composable_kernel#3722", |run| {
        let (lengths, strides) = (run.upload(&[9_000_001, 16])?, run.upload(&[512, 32])?);
        let mut y = run.zeroed::<i64>(4)?;
        launch!(run, extent_of_a_tensor, (1, 4), &lengths, &strides, &mut y);
        run.expect(&y, |_| 1 + 9_000_000 * 512 + 15 * 32)
    }),
);
