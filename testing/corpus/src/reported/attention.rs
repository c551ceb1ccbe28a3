//! Softmax, normalisation and attention.

use warploom::prelude::*;

use crate::case::{case, cases, count, launch, noise};

/// karpathy/llm.c#847: warp 0 zeroes the slots of all warps, and another warp may have written its sum by then.
#[kernel]
fn slots_zeroed_late<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let slots = shared_array!(u32, 32);
    let sum = warp.reduce_sum(x[i.get()]);
    // SAFETY: barriers between zeroing, writing and reading. The bug is the point.
    unsafe {
        if warp.index() == 0 {
            slots.set(warp.lane() as usize, 0); //~ WL0100 second //~? WL0102
        }
        if !BUG {
            block.sync();
        }
        if warp.lane() == 0 {
            slots.set(warp.index() as usize, sum); //~ WL0100 first //~? WL0102
        }
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = warp.reduce_sum(slots.get(warp.lane() as usize));
        }
    }
}

/// ggml-org/llama.cpp#26385: the maximum and the sum of a row go through the same slots, with one barrier each.
#[kernel]
fn maximum_then_sum<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (first, second) = (shared_array!(u32, 4), shared_array!(u32, 4));
    let (own, w) = (x[i.get()], warp.index() as usize);
    // SAFETY: a barrier between writing and reading, and other memory for the second reduction. The bug is the point.
    unsafe {
        let most = warp.reduce_max(own);
        if warp.lane() == 0 {
            first.set(w, most);
        }
        block.sync();
        let most = (0..4).map(|k| first.get(k)).max().unwrap_or(0); //~ WL0101 second //~? WL0103
        let sum = warp.reduce_sum(most - own);
        if warp.lane() == 0 {
            let slots = if BUG { first } else { second };
            slots.set(w, sum); //~ WL0101 first //~? WL0103
        }
        block.sync();
        let slots = if BUG { first } else { second };
        if let Some(y) = y.get_mut(i) {
            *y = (0..4).map(|k| slots.get(k)).sum();
        }
    }
}

/// warpfront/hipfire#575: the sum of squares is broadcast through element 0, which a thread overwrites while slower warps still read it.
#[kernel]
fn broadcast_then_reuse<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let data = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: barriers between writing, reading and the next use. The bug is the point.
    unsafe {
        if t == 0 {
            data.set(0, x[64 * block.index()]);
        }
        block.sync();
        let scale = data.get(0); //~ WL0101 second //~? WL0103
        if !BUG {
            block.sync();
        }
        data.set(t, scale + x[i.get()]); //~ WL0101 first //~? WL0103
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = data.get(t ^ 32);
        }
    }
}

/// 1bit-MONSTER/1bit-MONSTER#465: one lane writes the running maximum, and all warps read it without a barrier.
#[kernel]
fn running_maximum<const BUG: bool>(
    block: Block,
    i: Index1D,
    rounds: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let most = shared_array!(u32, 1);
    let t = block.thread();
    let mut sum = 0;
    // SAFETY: barriers between writing and reading, in each round. The bug is the point.
    unsafe {
        if t == 0 {
            most.set(0, 0);
        }
        block.sync();
        for &value in &x[..rounds as usize] {
            if t == 0 {
                most.set(0, most.get(0).max(value)); //~ WL0101 second //~? WL0103
            }
            if !BUG {
                block.sync();
            }
            sum += most.get(0); //~ WL0101 first //~? WL0103
            block.sync();
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// xlite-dev/LeetCUDA#419: the second stage reads a slot for each lane, of which there are as many as warps.
#[kernel]
fn slots_of_absent_warps<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let slots = shared_array!(u32, 2);
    let most = warp.reduce_max(x[i.get()]);
    // SAFETY: a barrier between writing and reading; below 2. The bug is the point.
    unsafe {
        if warp.lane() == 0 {
            slots.set(warp.index() as usize, most);
        }
        block.sync();
        let lane = warp.lane() as usize;
        let mut own = 0;
        if BUG || lane < 2 {
            own = *slots.as_ptr().add(lane); //~ WL0002
        }
        if let Some(y) = y.get_mut(i) {
            *y = warp.reduce_max(own);
        }
    }
}

/// NVIDIA/TensorRT-LLM#18339: all threads read the flag of the leader, which writes it again for the next round at once.
#[kernel]
fn leader_rewrites_the_flag<const BUG: bool>(
    block: Block,
    i: Index1D,
    rounds: u32,
    mut y: DisjointSlice<u32>,
) {
    let done = shared_array!(u32, 1);
    let mut seen = 0;
    // SAFETY: barriers between writing, reading and writing again. The bug is the point.
    unsafe {
        for round in 0..rounds {
            if block.thread() == 0 {
                done.set(0, u32::from(round + 1 == rounds)); //~ WL0101 first //~? WL0103
            }
            block.sync();
            let last = done.get(0) == 1; //~ WL0101 second //~? WL0103
            if !BUG {
                block.sync();
            }
            seen += 1;
            if last {
                break;
            }
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

/// vllm-project/vllm#47305: the last block of the cache is read in full, with a tail behind the sequence that no thread has written.
#[kernel]
fn cache_behind_the_sequence<const BUG: bool>(
    warp: Warp,
    block: Block,
    len: u32,
    keys: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let slot = 32 * block.index() + warp.lane() as usize;
    let inside = slot < len as usize;
    let key = if BUG || inside { keys[slot] } else { 0 }; //~ WL0021
    let sum = warp.reduce_sum(if inside { key } else { 0 });
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = sum;
    }
}

cases!("attention.rs":
    case!(slots_zeroed_late, "karpathy/llm.c#847", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, slots_zeroed_late, (1, 128), &input, &mut y);
        run.expect(&y, |_| x.iter().sum())
    }),
    case!(maximum_then_sum, "ggml-org/llama.cpp#26385", |run| {
        let x = noise(128);
        let most = x.iter().max().copied().unwrap_or(0);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, maximum_then_sum, (1, 128), &input, &mut y);
        run.expect(&y, |_| x.iter().map(|v| most - v).sum())
    }),
    case!(broadcast_then_reuse, "warpfront/hipfire#575", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, broadcast_then_reuse, (2, 64), &input, &mut y);
        run.expect(&y, |i| x[i / 64 * 64] + x[i ^ 32])
    }),
    case!(running_maximum, "1bit-MONSTER/1bit-MONSTER#465", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(4))?, run.zeroed::<u32>(96)?);
        launch!(run, running_maximum, (1, 96), 4, &x, &mut y);
        run.expect(&y, |_| 6)
    }),
    case!(slots_of_absent_warps, "xlite-dev/LeetCUDA#419", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, slots_of_absent_warps, (1, 64), &input, &mut y);
        run.expect(&y, |_| x.iter().max().copied().unwrap_or(0))
    }),
    case!(leader_rewrites_the_flag, "NVIDIA/TensorRT-LLM#18339", |run| {
        let mut y = run.zeroed::<u32>(64)?;
        launch!(run, leader_rewrites_the_flag, (1, 64), 4, &mut y);
        run.expect(&y, |_| 4)
    }),
    case!(cache_behind_the_sequence, "vllm-project/vllm#47305", |run| {
        let mut keys = run.uninit::<u32>(64)?;
        keys.copy_from(0, &count::<u32>(40), run.stream)?;
        let mut y = run.zeroed::<u32>(2)?;
        launch!(run, cache_behind_the_sequence, (2, 32), 40, &keys, &mut y);
        run.expect(&y, |b| if b == 0 { 496 } else { (32..40).sum() })
    }),
);
