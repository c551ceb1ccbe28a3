//! A matrix product of several groups with roles, against plain Rust.

use warploom::prelude::*;
use warploom_conformance::group_matmul::matmul_on;
use warploom_harness::device_test::devices;

/// Small integers: sums are exact in whatever order.
fn matrix(rows: usize, columns: usize, seed: usize) -> Vec<Bf16> {
    let element = |i: usize| ((i / columns * 7 + i % columns * 3 + seed) % 5) as f32 - 2.0;
    (0..rows * columns)
        .map(|i| Bf16::from_f32(element(i)))
        .collect()
}

fn products_are_right(sizes: [usize; 3], blocks: u32) {
    let [m, n, k] = sizes;
    let (a, b) = (matrix(m, k, 1), matrix(n, k, 3));
    let dot = |row: usize, column: usize| -> f32 {
        let pairs = a[row * k..][..k].iter().zip(&b[column * k..][..k]);
        pairs.map(|(a, b)| a.to_f32() * b.to_f32()).sum()
    };
    let has_groups =
        |device: &&Device| device.schedule().is_some() || device.compute_capability() == (9, 0);
    for device in devices().iter().filter(has_groups) {
        let stream = device.stream().unwrap();
        let (a, b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
        let mut c = device.zeroed::<f32>(m * n).unwrap();
        matmul_on(&stream, (&a, &b), &mut c, sizes, blocks).unwrap();
        let c = c.to_vec(&stream).unwrap();
        let wrong = (0..m * n).find(|i| c[*i] != dot(i / n, i % n));
        assert_eq!(wrong, None, "on {}", device.name());
    }
}

//@ rows: WG-product, WG-roles
#[test]
fn one_tile_has_more_steps_than_stages() {
    products_are_right([128, 256, 384], 1);
}

//@ rows: WG-product, WG-roles
#[test]
fn blocks_take_several_tiles() {
    products_are_right([256, 512, 128], 3);
}

//@ rows: WG-product, WG-roles
#[test]
fn one_step_is_enough() {
    products_are_right([128, 256, 64], 1);
}
