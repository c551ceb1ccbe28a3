//! Scans of segments against the same on the host.

use warploom::Device;
use warploom_algorithms::prelude::*;
use warploom_algorithms::{SegmentedScanPlan, counting};

use crate::{check, noise};

/// Elements of 8 bytes in a tile.
const TILE: usize = 5 * 256;

/// `x -> a x + b` modulo 2^32: composition is associative and not commutative.
fn compose([a, b]: [u32; 2], [c, d]: [u32; 2]) -> [u32; 2] {
    [a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d)]
}

/// Both scans of the segments with these lengths, which begin at element `first` and end `behind` elements before the last.
#[track_caller]
fn check_lengths(first: usize, lengths: &[usize], behind: usize) {
    let mut offsets = vec![first as u32];
    for (i, &len) in lengths.iter().enumerate() {
        offsets.push(offsets[i] + len as u32);
    }
    let n = offsets[lengths.len()] as usize + behind;
    let x: Vec<_> = noise(2 * n).chunks(2).map(|x| [x[0] | 1, x[1]]).collect();
    let (mut inclusive, mut exclusive) = (vec![[0, 0]; n], vec![[0, 0]; n]);
    for bounds in offsets.windows(2) {
        let mut sum = [3, 4];
        for i in bounds[0] as usize..bounds[1] as usize {
            exclusive[i] = sum;
            sum = compose(sum, x[i]);
            inclusive[i] = sum;
        }
    }
    inclusive.extend(exclusive);
    check(&inclusive, |device, stream| {
        let (x, offsets) = (device.upload(&x)?, device.upload(&offsets)?);
        let (mut inclusive, mut exclusive) = (device.zeroed(n)?, device.zeroed(n)?);
        let mut plan = SegmentedScanPlan::new(device, n)?;
        let scan = stream.segmented_inclusive_scan(&x, &offsets, compose);
        scan.init([3, 4]).plan(&mut plan).into(&mut inclusive)?;
        let scan = stream.segmented_exclusive_scan(&x, &offsets, [3, 4], compose);
        scan.plan(&mut plan).into(&mut exclusive)?;
        let mut both = inclusive.to_vec(stream)?;
        both.extend(exclusive.to_vec(stream)?);
        Ok(both)
    });
}

#[test]
fn short_segments() {
    check_lengths(0, &[], 5);
    check_lengths(0, &[0, 1, 0], 0);
    check_lengths(2, &[0, 3, 0, 40], 7);
    check_lengths(
        0,
        &Vec::from_iter(noise(1500).iter().map(|x| *x as usize % 9)),
        0,
    );
}

#[test]
fn segments_that_end_where_rows_and_tiles_do() {
    check_lengths(
        0,
        &[32, 64, 31, 1, 160 - 128, 160, TILE - 320, 1, TILE - 1],
        0,
    );
    check_lengths(TILE, &[TILE + 1, TILE - 2], 1);
}

#[test]
fn long_segments_among_short_ones() {
    check_lengths(0, &[5, 257 * TILE + 7, 0, 0, 3, TILE, 1], 40);
}

#[test]
fn many_empty_segments_at_one_place() {
    let mut lengths = vec![0; 1000];
    (lengths[0], lengths[999]) = (TILE + 4, 9);
    check_lengths(1, &lengths, 0);
}

#[test]
fn what_is_in_no_segment_is_not_combined() {
    // The sum of any two elements that are not of one segment is too large.
    check(&[0u8, 200, 100, 201, 0], |device, stream| {
        let x = device.upload(&[200u8, 200, 100, 101, 200])?;
        let (offsets, mut y) = (device.upload(&[1u32, 2, 4])?, device.zeroed(5)?);
        let sums = stream.segmented_inclusive_scan(&x, &offsets, |a, b| a + b);
        sums.into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn offsets_that_decrease_are_a_panic_in_the_kernel() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let offsets = device.upload(&[0u32, 4, 3, 9]).unwrap();
    let mut y = device.zeroed(9).unwrap();
    let sums = stream.segmented_inclusive_scan(counting(9), &offsets, |a, b| a + b);
    let error = match sums.into(&mut y) {
        Ok(()) => stream.synchronize().unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    assert!(
        error.contains("segment 1 is 4..3 of an input with 9 elements"),
        "{error}"
    );
}
