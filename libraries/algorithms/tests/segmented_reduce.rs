//! Reductions of segments against the same on the host.

use warploom::Device;
use warploom_algorithms::prelude::*;
use warploom_algorithms::{Error, counting};

use crate::{check, noise};

/// Sums of the segments with these lengths.
#[track_caller]
fn check_lengths(lengths: &[usize]) {
    let offsets = Vec::from_iter([0].into_iter().chain(lengths.iter().scan(0u32, |end, len| {
        *end += *len as u32;
        Some(*end)
    })));
    let x = noise(offsets[lengths.len()] as usize);
    let expected = Vec::from_iter(offsets.windows(2).map(|bounds| {
        let segment = &x[bounds[0] as usize..bounds[1] as usize];
        segment.iter().fold(7u64, |sum, &x| sum + u64::from(x))
    }));
    check(&expected, |device, stream| {
        let (x, offsets) = (device.upload(&x)?, device.upload(&offsets)?);
        let mut y = device.alloc_uninit(expected.len())?;
        stream
            .segmented_reduce(x.input().map(u64::from), &offsets, 7, |a, b| a + b)
            .into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn short_segments() {
    check_lengths(&[]);
    check_lengths(&[0]);
    check_lengths(&[1]);
    check_lengths(&[0, 3, 0]);
    check_lengths(&Vec::from_iter(noise(700).iter().map(|x| *x as usize % 20)));
}

#[test]
fn segments_for_warps() {
    check_lengths(&[17, 31, 32, 33, 100, 127, 128, 129, 500, 0, 2]);
    check_lengths(&Vec::from_iter(noise(60).iter().map(|x| *x as usize % 400)));
    // More than have a block each.
    let mut lengths = Vec::from_iter(noise(1100).iter().map(|x| *x as usize % 80));
    (lengths[7], lengths[500], lengths[1023]) = (2048, 0, 2049);
    check_lengths(&lengths);
}

#[test]
fn segments_for_blocks() {
    check_lengths(&[5000]);
    check_lengths(&[4000, 0, 1, 31, 255, 256, 257, 20_000, 2048, 2049]);
}

#[test]
fn long_segments_among_short_ones() {
    let mut lengths = vec![2; 600];
    (lengths[3], lengths[250], lengths[255], lengths[400]) = (40, 2048, 2049, 1000);
    check_lengths(&lengths);
    let mut lengths = vec![60; 50];
    (lengths[9], lengths[40]) = (5000, 2049);
    check_lengths(&lengths);
}

#[test]
fn the_largest_with_its_place_of_rows_of_one_length() {
    let x = noise(30 * 70);
    let expected = Vec::from_iter(x.chunks(70).map(|row| *row.iter().max().unwrap()));
    check(&expected, |device, stream| {
        let x = device.upload(&x)?;
        let rows = counting(31).map(|row| row as u64 * 70);
        let mut y = device.alloc_uninit::<[u64; 2]>(30)?;
        let numbered = x.input().zip(counting(x.len()));
        stream
            .segmented_reduce(
                numbered.map(|(x, i)| [u64::from(x), i as u64]),
                rows,
                [0, 0],
                |a, b| {
                    if b > a { b } else { a }
                },
            )
            .into(&mut y)?;
        let y = y.to_vec(stream)?;
        let x = x.to_vec(stream)?;
        assert!(
            y.iter()
                .all(|&[value, place]| u64::from(x[place as usize]) == value)
        );
        Ok(y.into_iter().map(|[value, _]| value as u32).collect())
    });
}

#[test]
fn an_output_that_is_too_short_is_an_error() {
    check(&[true], |device, stream| {
        let mut y = device.alloc_uninit::<usize>(1)?;
        let sums = stream.segmented_reduce(counting(9), counting(3), 0, |a, b| a + b);
        Ok(vec![matches!(
            sums.into(&mut y),
            Err(Error::TooShort { needed: 2, .. })
        )])
    });
}

#[test]
fn a_segment_outside_of_the_input_is_a_panic_in_the_kernel() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let (offsets, mut y) = (
        device.upload(&[0u32, 4, 10]).unwrap(),
        device.zeroed(2).unwrap(),
    );
    let sums = stream.segmented_reduce(counting(9), &offsets, 0, |a, b| a + b);
    let error = match sums.into(&mut y) {
        Ok(()) => stream.synchronize().unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    assert!(
        error.contains("segment 1 is 4..10 of an input with 9 elements"),
        "{error}"
    );
}
