//! Places that are computed: arrays of a thread, vectors behind others, nodes and lists that are too short.

use core::sync::atomic::Ordering;

use warploom::prelude::*;

use crate::case::{case, cases, launch};

/// ipc-sim/ipc-toolkit#260: a walk through a tree that is deeper than its stack.
#[kernel]
fn walk_deeper_than_its_stack<const BUG: bool>(
    i: Index1D,
    right: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let mut stack = [0_u32; 8];
    let stack = stack.as_mut_ptr();
    let (mut depth, mut node, mut sum) = (0, 0, 0);
    // SAFETY: at most eight nodes wait. The bug is the point.
    unsafe {
        loop {
            sum += node;
            let other = right[node as usize];
            if other > 0 && (BUG || depth < 8) {
                *stack.add(depth) = other; //~ WL0003
                depth += 1;
            }
            node += 1;
            if node as usize == right.len() {
                break;
            }
        }
        for k in 0..depth {
            sum += *stack.add(k);
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// rmrsk/EBGeometry#145: all children but one of each level wait on a stack that has one place for each level.
#[kernel]
fn places_for_one_child_each<const BUG: bool>(
    i: Index1D,
    levels: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let mut waiting = [0_u64; 12];
    let waiting = waiting.as_mut_ptr();
    let children = if BUG { 3 } else { 2 };
    let mut top = 0;
    // SAFETY: two children of each of six levels. The bug is the point.
    let sum = unsafe {
        for level in 0..levels {
            for child in 0..children {
                *waiting.add(top) = u64::from(level + child); //~ WL0003
                top += 1;
            }
        }
        (0..12).map(|k| *waiting.add(k)).sum::<u64>()
    };
    if let Some(y) = y.get_mut(i) {
        *y = sum as u32 + x[0];
    }
}

/// flashinfer-ai/flashinfer#636: vectors of four behind one word for each warp, whose number is no multiple of four.
#[kernel]
fn vectors_behind_the_warps<const BUG: bool>(
    block: Block,
    warps: u32,
    mut y: DisjointSlice<[u32; 4]>,
    i: Index1D,
) {
    #[repr(C, align(16))]
    #[derive(Clone, Copy)]
    struct Four([u32; 4]);
    let memory = shared_array!([u64; 2], 80);
    let t = block.thread();
    let behind = if BUG { warps } else { warps.div_ceil(4) * 4 } as usize;
    // SAFETY: each thread has a vector of its own behind the words of the warps. The bug is the point.
    unsafe {
        let own = memory
            .as_ptr()
            .cast::<u32>()
            .add(behind)
            .cast::<Four>()
            .add(t);
        own.write(Four([t as u32; 4])); //~ WL0004
        if let Some(y) = y.get_mut(i) {
            *y = own.read().0; //~? WL0004
        }
    }
}

/// jbikker/tinybvh#140: nodes are written behind the memory for them.
#[kernel]
fn nodes_behind_their_memory<const BUG: bool>(
    i: Index1D,
    n: u32,
    mut nodes: DisjointSlice<[f32; 4]>,
) {
    let at = 3 * i.get();
    let own = if BUG {
        at < 3 * n as usize
    } else {
        at + 3 <= nodes.len()
    };
    if own {
        for k in 0..3 {
            // SAFETY: three nodes for each thread. The bug is the point.
            unsafe { *nodes.raw().add(at + k) = [k as f32; 4] }; //~ WL0001
        }
    }
}

/// NVIDIA/warp#1747: the count of results grows past the list, whose rest was never filled.
#[kernel]
fn counted_and_not_stored<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (list, count) = (shared_array!(u32, 48), shared_array!(u32, 1));
    let t = block.thread();
    // SAFETY: zeroed before a barrier, counted by atomics, read behind another. The bug is the point.
    unsafe {
        if t == 0 {
            count.set(0, 0);
        }
        block.sync();
        if x[i.get()] < 60 {
            let place = count.atomic(0).fetch_add(1, Ordering::Relaxed) as usize;
            if place < 32 {
                list.set(place, 1);
            }
        }
        block.sync();
        let n = (count.get(0) as usize).min(48);
        let shown = if BUG { n } else { n.min(32) };
        if t < shown
            && let Some(y) = y.get_mut(i)
        {
            *y = list.get(t); //~ WL0020
        }
    }
}

cases!("places.rs":
    case!(walk_deeper_than_its_stack, "ipc-sim/ipc-toolkit#260", |run| {
        let (right, mut y) = (run.upload(&[1_u32; 11])?, run.zeroed::<u32>(32)?);
        launch!(run, walk_deeper_than_its_stack, (1, 32), &right, &mut y);
        run.expect(&y, |_| 55 + 8)
    }),
    case!(places_for_one_child_each, "rmrsk/EBGeometry#145", |run| {
        let (x, mut y) = (run.upload(&[0_u32])?, run.zeroed::<u32>(32)?);
        launch!(run, places_for_one_child_each, (1, 32), 6, &x, &mut y);
        run.expect(&y, |_| 36)
    }),
    case!(vectors_behind_the_warps, "flashinfer-ai/flashinfer#636", |run| {
        let mut y = run.zeroed::<[u32; 4]>(32)?;
        launch!(run, vectors_behind_the_warps, (1, 32), 6, &mut y);
        run.expect(&y, |i| [i as u32; 4])
    }),
    case!(nodes_behind_their_memory, "jbikker/tinybvh#140", |run| {
        let mut nodes = run.zeroed::<[f32; 4]>(12)?;
        launch!(run, nodes_behind_their_memory, (1, 8), 5, &mut nodes);
        run.expect(&nodes, |i| [(i % 3) as f32; 4])
    }),
    case!(counted_and_not_stored, "NVIDIA/warp#1747", |run| {
        let x = [1_u32; 64];
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, counted_and_not_stored, (1, 64), &input, &mut y);
        run.expect(&y, |i| u32::from(i < 32))
    }),
);
