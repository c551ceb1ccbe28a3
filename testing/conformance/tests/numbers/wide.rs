//! 128-bit integers in kernels.

use warploom::prelude::*;
use warploom_harness::device_test::check_map;

use crate::values::{MANY, Noise};

fn unsigned(a: u128, b: u128, n: u32) -> [u128; 9] {
    [
        a.wrapping_add(b),
        a.wrapping_sub(b),
        a.wrapping_mul(b),
        a / b,
        a % b,
        a.wrapping_shl(n),
        a.wrapping_shr(n),
        a.rotate_left(n),
        (a.leading_zeros() + a.count_ones()).into(),
    ]
}

fn signed(a: i128, b: i128, n: u32) -> [i128; 7] {
    [
        a.wrapping_add(b),
        a.wrapping_mul(b),
        a.wrapping_div(b),
        a.wrapping_rem(b),
        a.div_euclid(b),
        a.wrapping_shr(n),
        a.wrapping_shl(n),
    ]
}

#[kernel]
fn unsigned_on_device(i: Index1D, x: &[[u128; 2]], mut y: DisjointSlice<[u128; 9]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b] = x[i.get()];
        *y = unsigned(a, b, b as u32);
    }
}

#[kernel]
fn signed_on_device(i: Index1D, x: &[[i128; 2]], mut y: DisjointSlice<[i128; 7]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b] = x[i.get()];
        *y = signed(a, b, b as u32);
    }
}

/// Noise of all lengths; the second number is never 0.
fn inputs() -> Vec<[u128; 2]> {
    let mut noise = Noise(29);
    let mut all = vec![
        [u128::MAX, 1],
        [u128::MAX, u128::MAX],
        [0, 7],
        [1 << 127, 3],
        [1 << 64, (1 << 64) - 1],
    ];
    while all.len() < MANY / 2 {
        let mut long = || u128::from(noise.next()) << 64 | u128::from(noise.next());
        let (a, b, lengths) = (long(), long(), noise.next());
        all.push([a >> (lengths % 128), (b >> (lengths / 128 % 128)).max(1)]);
    }
    all
}

//@ rows: TY-1
#[test]
fn unsigned_128_bit_integers() {
    let x = inputs();
    check_map(
        &x,
        |stream, x, y| unsigned_on_device::launch(stream, Launch::covering(x.len()), x, y),
        |i| unsigned(x[i][0], x[i][1], x[i][1] as u32),
    );
}

//@ rows: TY-1
#[test]
fn signed_128_bit_integers() {
    let mut x: Vec<[i128; 2]> = inputs().iter().map(|x| x.map(|x| x as i128)).collect();
    // Not i128::MIN / -1, which `div_euclid` refuses.
    x.extend([
        [i128::MIN, 1],
        [i128::MIN, 3],
        [-7, 2],
        [7, -2],
        [-7, -2],
        [-1, i128::MIN],
    ]);
    x.retain(|x| *x != [i128::MIN, -1]);
    check_map(
        &x,
        |stream, x, y| signed_on_device::launch(stream, Launch::covering(x.len()), x, y),
        |i| signed(x[i][0], x[i][1], x[i][1] as u32),
    );
}
