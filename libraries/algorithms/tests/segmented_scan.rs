//! Scans of segments against the same on the host.

use warploom::Device;
use warploom_algorithms::prelude::*;
use warploom_algorithms::{SegmentedScanPlan, counting};

use crate::{check, noise};

/// Elements of 8 bytes in a tile.
const TILE: usize = 9 * 256;

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

/// The closure panics if more is added up than a result has: of an exclusive scan the last element of a segment is in none.
#[test]
fn only_elements_of_results_are_combined() {
    let n = 5 * TILE + 77;
    let mut offsets = vec![3u32];
    for len in [1, 2, 0, 31, 33, TILE, 1, 3 * TILE - 9, 6] {
        offsets.push(offsets[offsets.len() - 1] + len as u32);
    }
    // All but the last two elements of a segment add up to 0, the others to what is just not too large.
    let (mut x, mut exclusive) = (vec![u32::MAX; n], vec![7; n]);
    for bounds in offsets.windows(2).filter(|bounds| bounds[0] < bounds[1]) {
        let (start, last) = (bounds[0] as usize, bounds[1] as usize - 1);
        x[start..last].fill(0);
        exclusive[start..=last].fill(0);
        if start < last {
            x[last - 1] = u32::MAX;
            exclusive[last] = u32::MAX;
        }
    }
    check(&exclusive, |device, stream| {
        let (x, offsets) = (device.upload(&x)?, device.upload(&offsets)?);
        let mut y = device.filled(n, 7)?;
        let sums = stream.segmented_exclusive_scan(&x, &offsets, 0, |a, b| a + b);
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
