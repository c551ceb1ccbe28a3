//! Making it fast: what the performance lints count, before and after a repair.

use warploom::model::{Emulator, Mode};
use warploom::occupancy::{BlockNeeds, Multiprocessor};
use warploom::prelude::*;

use crate::transcript::shows;

// ANCHOR: strided
/// Each thread adds one row of a matrix of 64 columns: neighbouring threads read addresses 256 bytes apart.
#[kernel]
fn sums_of_rows(i: Index1D, matrix: &[f32], mut sums: DisjointSlice<f32>) {
    let row = i.get();
    if let Some(sum) = sums.get_mut(i) {
        *sum = matrix[row * 64..][..64].iter().sum();
    }
}
// ANCHOR_END: strided

// ANCHOR: coalesced
/// Each warp adds one row: neighbouring lanes read neighbouring addresses.
#[kernel(block(256))]
fn sums_of_rows_by_warps(
    i: Index1D,
    warp: Warp,
    matrix: &[f32],
    mut sums: DisjointSlice<f32, PerWarp>,
) {
    let (row, lane) = (i.get() / 32, warp.lane() as usize);
    let own = match matrix.get(row * 64..) {
        Some(rest) if rest.len() >= 64 => rest[lane] + rest[lane + 32],
        _ => 0.0,
    };
    let sum = warp.reduce_sum(own);
    if let Some(leader) = warp.leader()
        && let Some(place) = sums.get_mut(leader)
    {
        *place = sum;
    }
}
// ANCHOR_END: coalesced

// ANCHOR: lints
#[test]
fn the_lint_sees_the_first_and_not_the_second() -> warploom::Result<()> {
    let device = Emulator::new().mode(Mode::Checked).lints(true).device();
    let stream = device.stream()?;
    let matrix = device.upload(&vec![1.0f32; 1024 * 64])?;
    let mut sums = device.zeroed::<f32>(1024)?;

    let rows = Launch::new(8, 128);
    sums_of_rows::launch(&stream, rows, &matrix, &mut sums)?;
    assert_eq!(sums.to_vec(&stream)?, [64.0; 1024]);
    let warnings = device.take_warnings();
    assert_eq!(warnings[0].code.to_string(), "WL0500");
    let mut text = format!("warning[{}]: {}", warnings[0].code, warnings[0].title);
    // The notes have addresses and counts.
    for note in warnings[0].notes.iter().filter(|n| n.label != "note") {
        text += &format!("\n  = {}: {}", note.label, note.text);
    }
    shows!("lint", &text);

    let warps = Launch::new(128, 256);
    sums_of_rows_by_warps::launch(&stream, warps, &matrix, &mut sums)?;
    assert_eq!(sums.to_vec(&stream)?, [64.0; 1024]);
    assert!(device.take_warnings().is_empty());
    Ok(())
}
// ANCHOR_END: lints

// ANCHOR: occupancy
#[test]
fn registers_limit_the_warps() {
    let hopper = Multiprocessor::of(warploom::model::Model::CC_9_0);
    let block = |registers| BlockNeeds {
        threads: 256,
        registers,
        shared_bytes: 0,
    };
    let warps = |registers| hopper.occupancy_of(&block(registers)).warps;
    assert_eq!((warps(32), warps(40), warps(64)), (64, 48, 32));
}
// ANCHOR_END: occupancy

// ANCHOR: bounds
/// A slice of known length in front of the loop: one check instead of one for each element.
#[kernel]
fn dot_of_rows(i: Index1D, a: &[f32], b: &[f32], mut y: DisjointSlice<f32>) {
    let row = i.get();
    if let Some(y) = y.get_mut(i) {
        let (a, b) = (&a[row * 16..][..16], &b[row * 16..][..16]);
        *y = a.iter().zip(b).map(|(a, b)| a * b).sum();
    }
}
// ANCHOR_END: bounds

#[test]
fn rows_are_multiplied() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let (a, b) = (device.filled(640, 2.0f32)?, device.filled(640, 0.5f32)?);
    let mut y = device.zeroed::<f32>(40)?;
    dot_of_rows::launch(&stream, Launch::covering(40), &a, &b, &mut y)?;
    assert_eq!(y.to_vec(&stream)?, [16.0; 40]);
    Ok(())
}

// ANCHOR: fast
/// Directions of length 1: one approximate inverse root instead of a root and three divisions, each rounded.
#[kernel(fast_math)]
fn normalise(i: Index1D, x: &[[f32; 3]], mut y: DisjointSlice<[f32; 3]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        let length = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt();
        *y = x.map(|coordinate| coordinate * (1.0 / length));
    }
}

#[test]
fn directions_have_length_1() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let x: Vec<[f32; 3]> = (1..1000).map(|n| [n as f32, 2.0, -0.5]).collect();
    let mut y = device.zeroed::<[f32; 3]>(x.len())?;
    normalise::launch(
        &stream,
        Launch::covering(x.len()),
        &device.upload(&x)?,
        &mut y,
    )?;
    for [a, b, c] in y.to_vec(&stream)? {
        assert!((a * a + b * b + c * c - 1.0).abs() < 2e-6);
    }
    Ok(())
}
// ANCHOR_END: fast
