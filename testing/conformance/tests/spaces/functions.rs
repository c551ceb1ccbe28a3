//! Which functions run where: ordinary functions on both sides, kernels by launches, and launches without waiting.

use std::time::{Duration, Instant};

use warploom::prelude::*;
use warploom_harness::device_test::{check, devices, gpu_or_skip};

/// One function for both sides.
fn mix(mut state: u64, rounds: u32) -> u64 {
    for round in 0..rounds {
        state ^= state << 13;
        state ^= state >> 7;
        state = state.rotate_left(round % 64).wrapping_add(0x9E37_79B9);
    }
    state
}

/// Divisions and roots are correctly rounded on both sides.
fn shape(x: f32) -> f32 {
    let y = (x.abs() + 0.1).sqrt() / 3.0;
    if x < 0.0 { y - x } else { x / (y + 1.0) }
}

#[kernel]
fn apply(i: Index1D, x: &[f32], mut y: DisjointSlice<[u64; 2]>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = [mix(i.get() as u64, 40), shape(*x).to_bits().into()];
    }
}

//@ rows: EX-2, EX-5, GFN-1, GFN-4
#[test]
fn one_function_gives_one_result_on_both_sides() {
    let x = Vec::from_iter((0..213).map(|i| (i as f32 - 100.0) * 0.37));
    let one = |(i, x): (usize, &f32)| [mix(i as u64, 40), shape(*x).to_bits().into()];
    let expected = Vec::from_iter(x.iter().enumerate().map(one));
    check(&expected, |device, stream| {
        let mut y = device.zeroed(213)?;
        apply::launch(stream, (3, 71), &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// As long as the host says.
#[kernel]
fn spin(i: Index1D, rounds: u32, mut y: DisjointSlice<u64>) {
    if let Some(y) = y.get_mut(i) {
        *y = mix(i.get() as u64, rounds);
    }
}

/// On the emulator work is done when the call returns; there the test below shows that the call says nothing of how it ended.
//@ rows: EX-4, GFN-2
#[test]
fn a_launch_does_not_wait_for_the_kernel() {
    let Some(device) = gpu_or_skip() else {
        return;
    };
    let stream = device.stream().unwrap();
    let mut y = device.zeroed(32).unwrap();
    let rounds = 2_000_000;
    // Loads the device code.
    spin::launch(&stream, (1, 32), 1, &mut y).unwrap();
    stream.synchronize().unwrap();
    // Other programs may hold the host up; once in a while it must be seen that a launch does not wait.
    let mut times = (0..50).map(|_| {
        let start = Instant::now();
        spin::launch(&stream, (1, 32), rounds, &mut y).unwrap();
        let launched = start.elapsed();
        stream.synchronize().unwrap();
        (launched, start.elapsed())
    });
    let early = |(launched, done): (Duration, Duration)| launched < done / 4;
    assert!(times.any(early), "no launch returned early");
    let expected = Vec::from_iter((0..32).map(|i| mix(i, rounds)));
    assert_eq!(y.to_vec(&stream).unwrap(), expected);
}

#[kernel]
fn fail(i: Index1D) {
    assert!(i.get() != 17, "seventeen");
}

//@ rows: EX-4
#[test]
fn errors_of_a_kernel_appear_where_the_host_waits() {
    for device in devices() {
        let stream = device.stream().unwrap();
        fail::launch(&stream, (2, 32)).unwrap();
        let error = stream.synchronize().unwrap_err().to_string();
        assert!(error.contains("seventeen"), "{error}");
        stream.synchronize().unwrap();
    }
}

/// Says how it was launched.
#[kernel]
fn configuration(i: Index1D, mut y: DisjointSlice<[u32; 2]>) {
    if let Some(y) = y.get_mut(i) {
        *y = [grid_dim().x, block_dim().x];
    }
}

//@ rows: EX-3, GFN-2
#[test]
fn each_launch_has_a_configuration_of_its_own() {
    for (grid, block) in [(1, 1), (3, 70), (7, 96)] {
        let expected = vec![[grid, block]; (grid * block) as usize];
        check(&expected, |device, stream| {
            let mut y = device.zeroed(expected.len())?;
            configuration::launch(stream, (grid, block), &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}
