//! Vectors and atomics at addresses that are not aligned to them.

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::prelude::*;

use crate::case::{case, cases, floats, launch, noise};

/// lightseekorg/tokenspeed#683: rows are read four floats at a time, and their length is no multiple of four.
#[kernel]
fn rows_of_an_odd_vocabulary<const BUG: bool>(
    block: Block,
    vocabulary: u32,
    x: &[f32],
    mut y: DisjointSlice<f32, PerBlock>,
) {
    let n = vocabulary as usize;
    let row = x.as_ptr().wrapping_add(n * block.index());
    let mut most = 0.0_f32;
    for k in (0..n / 4 * 4).step_by(4) {
        if BUG {
            // SAFETY: within the row, and aligned to 16. The bug is the point.
            let four = unsafe { *row.add(k).cast::<u128>() }; //~ WL0004
            most = most.max(f32::from_bits(four as u32));
        } else {
            // SAFETY: within the row.
            most = most.max(unsafe { *row.add(k) });
        }
    }
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = most;
    }
}

/// NVIDIA/TensorRT-LLM#17987: a view that starts at the second element is contiguous, and not aligned to 16 bytes.
#[kernel]
unsafe fn view_from_the_second_element<const BUG: bool>(
    i: Index1D,
    weights: *const f32,
    mut y: DisjointSlice<f32>,
) {
    if let Some(y) = y.get_mut(i) {
        let four = weights.wrapping_add(4 * i.get()).cast::<u128>();
        // SAFETY: four elements from here on, aligned to 16. The bug is the point.
        let four = unsafe { *four }; //~ WL0004
        *y = f32::from_bits((four >> 32) as u32);
    }
}

/// apache/mahout#1108: samples of an odd length, read as pairs of doubles.
#[kernel]
fn samples_of_odd_length<const BUG: bool>(
    i: Index1D,
    len: u32,
    x: &[f64],
    mut y: DisjointSlice<f64>,
) {
    let len = len as usize;
    if let Some(y) = y.get_mut(i) {
        let sample = x.as_ptr().wrapping_add(len * i.get());
        let aligned = sample.addr().is_multiple_of(16);
        // SAFETY: within the sample, and aligned to 16. The bug is the point.
        *y = unsafe {
            if BUG || aligned {
                let two = *sample.cast::<u128>(); //~ WL0004
                f64::from_bits(two as u64) + f64::from_bits((two >> 64) as u64)
            } else {
                *sample + *sample.add(1)
            }
        };
    }
}

/// apache/tvm#8540: elements of 16 bits are loaded in pairs, from a start that is odd.
#[kernel]
fn pairs_of_halves<const BUG: bool>(i: Index1D, shift: u32, x: &[u16], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        let pair = x
            .as_ptr()
            .wrapping_add(2 * i.get() + shift as usize)
            .cast::<u32>();
        // SAFETY: two elements from here on. The bug is the point.
        *y = unsafe {
            if BUG {
                *pair //~ WL0004
            } else {
                pair.read_unaligned()
            }
        };
    }
}

/// QMCPACK/qmcpack#3029: one buffer for several arrays, in which pointers of 64 bits come behind an odd number of 32.
#[kernel]
fn fused_buffer<const BUG: bool>(
    block: Block,
    i: Index1D,
    shared: DynamicShared<u8>,
    n: u32,
    mut y: DisjointSlice<u64>,
) {
    let t = block.thread();
    let first = 4 * n as usize;
    let start = if BUG {
        first
    } else {
        first.next_multiple_of(8)
    };
    // SAFETY: each thread has its own element, aligned to 8, within what the launch gives. The bug is the point.
    unsafe {
        let addresses = shared.as_ptr().add(start).cast::<u64>();
        *addresses.add(t) = 1000 + t as u64; //~ WL0004
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = addresses.add(t).read_unaligned(); //~? WL0020
        }
    }
}

/// pytorch/pytorch#44642: an addition to one half is made by an atomic of the pair, at an address that is not aligned to one.
#[kernel]
unsafe fn atomic_of_the_pair<const BUG: bool>(block: Block, halves: *mut u16) {
    if block.leader().is_some() {
        let pair = halves.wrapping_add(if BUG { 1 } else { 0 }).cast::<u32>();
        // SAFETY: four bytes of a buffer with no other accesses, aligned to 4. The bug is the point.
        let pair = unsafe { &*pair.cast::<Atomic<u32>>() };
        pair.fetch_add(0x0001_0000, Relaxed); //~ WL0004
    }
}

cases!("alignment.rs":
    case!(rows_of_an_odd_vocabulary, "lightseekorg/tokenspeed#683", |run| {
        let x = floats(66);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f32>(3)?);
        launch!(run, rows_of_an_odd_vocabulary, (3, 32), 22, &input, &mut y);
        run.expect(&y, |b| x[22 * b..][..20].iter().step_by(4).fold(0.0, |a: f32, v| a.max(*v)))
    }),
    case!(view_from_the_second_element, "NVIDIA/TensorRT-LLM#17987", |run| {
        let x = floats(136);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f32>(32)?);
        let first = run.pick(1, 4);
        let view = std::ptr::with_exposed_provenance(input.raw_ptr() as usize + 4 * first);
        // SAFETY: 128 elements from here on, which stay allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, view_from_the_second_element, (1, 32), view, &mut y) };
        run.expect(&y, |i| x[first + 4 * i + 1])
    }),
    case!(samples_of_odd_length, "apache/mahout#1108", |run| {
        let x = Vec::from_iter(noise(96).into_iter().map(f64::from));
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f64>(32)?);
        launch!(run, samples_of_odd_length, (1, 32), 3, &input, &mut y);
        run.expect(&y, |i| x[3 * i] + x[3 * i + 1])
    }),
    case!(pairs_of_halves, "apache/tvm#8540", |run| {
        let x: Vec<u16> = (0..66).map(|k| 7 * k + 1).collect();
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        launch!(run, pairs_of_halves, (1, 32), 1, &input, &mut y);
        run.expect(&y, |i| u32::from(x[2 * i + 1]) | u32::from(x[2 * i + 2]) << 16)
    }),
    case!(fused_buffer, "QMCPACK/qmcpack#3029", |run| {
        let mut y = run.zeroed::<u64>(32)?;
        launch!(run, fused_buffer, Launch::new(1, 32).dynamic_shared(312), 13, &mut y);
        run.expect(&y, |i| 1000 + i as u64)
    }),
    case!(atomic_of_the_pair, "pytorch/pytorch#44642", |run| {
        let halves = run.zeroed::<u32>(2)?;
        let start = std::ptr::with_exposed_provenance_mut(halves.raw_ptr() as usize);
        // SAFETY: eight bytes that stay allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, atomic_of_the_pair, (2, 32), start) };
        run.expect(&halves, |i| if i == 0 { 0x0002_0000 } else { 0 })
    }),
);
