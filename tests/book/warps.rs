//! Thinking in warps: 32 lanes exchange values without memory.

use warploom::device_std::wmma::{Accumulator, Fragment, M16N16K16, MatrixA, MatrixB, RowMajor};
use warploom::prelude::*;

// ANCHOR: sum
/// Each warp adds 32 elements; its lane 0 writes the sum.
#[kernel]
fn sums_of_warps(i: Index1D, warp: Warp, x: &[f32], mut sums: DisjointSlice<f32, PerWarp>) {
    let mut sum = x.get(i.get()).copied().unwrap_or(0.0);
    for distance in [16, 8, 4, 2, 1] {
        sum += warp.shuffle_down(sum, distance);
    }
    if let Some(leader) = warp.leader()
        && let Some(place) = sums.get_mut(leader)
    {
        *place = sum;
    }
}
// ANCHOR_END: sum

// ANCHOR: sum_test
#[test]
fn each_warp_has_its_sum() -> warploom::Result<()> {
    let x: Vec<f32> = (0..1000).map(|i| (i % 10) as f32).collect();
    let device = Device::open()?;
    let stream = device.stream()?;
    let input = device.upload(&x)?;
    // Four blocks of 256 threads: 32 warps. The last has 8 elements only.
    let mut sums = device.zeroed::<f32>(32)?;
    sums_of_warps::launch(&stream, Launch::new(4, 256), &input, &mut sums)?;
    let expected: Vec<f32> = x.chunks(32).map(|part| part.iter().sum()).collect();
    assert_eq!(sums.to_vec(&stream)?, expected);
    Ok(())
}
// ANCHOR_END: sum_test

// ANCHOR: compact
/// Keeps the positive elements of each warp's 32, in order, at the start of the warp's part of `kept`.
#[kernel(block(32))]
fn keep_positive(
    i: Index1D,
    warp: Warp,
    x: &[i32],
    mut kept: DisjointSlice<i32>,
    mut counts: DisjointSlice<u32, PerWarp>,
) {
    let own = x.get(i.get()).copied().unwrap_or(0);
    let wanted = warp.ballot(own > 0);
    let lane = warp.lane();
    // Lane k takes the k-th wanted element: which lane has it?
    let source = (0..32)
        .filter(|l| wanted.contains(*l))
        .nth(lane as usize)
        .unwrap_or(lane);
    let value = warp.shuffle_idx(own, source);
    if let Some(place) = kept.get_mut(i) {
        *place = if lane < wanted.count() { value } else { 0 };
    }
    if let Some(leader) = warp.leader()
        && let Some(count) = counts.get_mut(leader)
    {
        *count = wanted.count();
    }
}
// ANCHOR_END: compact

#[test]
fn positive_elements_come_first() -> warploom::Result<()> {
    let x: Vec<i32> = (0..64)
        .map(|i| if i % 3 == 0 { i + 1 } else { -i })
        .collect();
    let device = Device::open()?;
    let stream = device.stream()?;
    let input = device.upload(&x)?;
    let (mut kept, mut counts) = (device.zeroed::<i32>(64)?, device.zeroed::<u32>(2)?);
    keep_positive::launch(&stream, Launch::new(2, 32), &input, &mut kept, &mut counts)?;
    let (kept, counts) = (kept.to_vec(&stream)?, counts.to_vec(&stream)?);
    for (warp, part) in x.chunks(32).enumerate() {
        let positive: Vec<i32> = part.iter().copied().filter(|v| *v > 0).collect();
        assert_eq!(counts[warp] as usize, positive.len());
        assert_eq!(kept[warp * 32..][..positive.len()], positive);
    }
    Ok(())
}

// ANCHOR: divergence
/// Lanes that take the shorter branch wait for the others: both branches cost time in a warp that takes both.
#[kernel]
fn collatz(i: Index1D, start: &[u32], mut steps: DisjointSlice<u32>) {
    let Some(place) = steps.get_mut(i) else {
        return;
    };
    let (mut n, mut count) = (start[i.get()], 0);
    while n > 1 {
        n = if n.is_multiple_of(2) {
            n / 2
        } else {
            3 * n + 1
        };
        count += 1;
    }
    *place = count;
}
// ANCHOR_END: divergence

#[test]
fn collatz_counts_steps() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let start: Vec<u32> = (1..100).collect();
    let input = device.upload(&start)?;
    let mut steps = device.zeroed::<u32>(start.len())?;
    collatz::launch(&stream, Launch::covering(start.len()), &input, &mut steps)?;
    let steps = steps.to_vec(&stream)?;
    assert_eq!((steps[0], steps[5], steps[26]), (0, 8, 111)); // of 1, 6 and 27
    Ok(())
}

// ANCHOR: matrices
/// `C = A · B`: each warp has rectangles of 16 by 16 elements of C.
#[kernel]
fn product(
    warp: Warp,
    a: &[F16],
    b: &[F16],
    inner: u32,
    mut c: DisjointSlice2D<f32, WarpPatches<16, 16>>,
) {
    let (inner, columns) = (inner as usize, c.width());
    for mut patch in c.iter_mut(warp) {
        let rows = &a[patch.row() * inner..];
        let mut sums = Fragment::<Accumulator, M16N16K16, f32>::filled(0.0);
        for k in (0..inner).step_by(16) {
            let below = &b[k * columns + patch.column()..];
            let a = Fragment::<MatrixA, M16N16K16, F16, RowMajor>::load(warp, &rows[k..], inner);
            let b = Fragment::<MatrixB, M16N16K16, F16, RowMajor>::load(warp, below, columns);
            sums = sums.mma(warp, &a, &b);
        }
        sums.store(warp, &mut patch, (0, 0), RowMajor);
    }
}
// ANCHOR_END: matrices

#[test]
fn warps_multiply_matrices() -> warploom::Result<()> {
    let (rows, inner, columns) = (48, 64, 32);
    let some = |n: usize| Vec::from_iter((0..n).map(|i| F16::from_f32((i % 7) as f32 - 3.0)));
    let (a, b) = (some(rows * inner), some(inner * columns));
    let device = Device::open()?;
    let stream = device.stream()?;
    let (x, y) = (device.upload(&a)?, device.upload(&b)?);
    let mut c = device.zeroed::<f32>(rows * columns)?;
    let shape = Launch::new(2, 64);
    product::launch(
        &stream,
        shape,
        &x,
        &y,
        inner as u32,
        c.view_2d_mut(columns)?,
    )?;
    for (at, found) in c.to_vec(&stream)?.into_iter().enumerate() {
        let terms = (0..inner)
            .map(|k| a[at / columns * inner + k].to_f32() * b[k * columns + at % columns].to_f32());
        assert_eq!(found, terms.sum::<f32>());
    }
    Ok(())
}
