//! DPX, against 64-bit integers.

use warploom::device_std::dpx::*;
use warploom::prelude::*;
use warploom_harness::device_test::check_map;

use crate::values::{MANY, Noise, native};

/// Three-way greatest and least, sum and greater, sum and lesser, greater, lesser, and which was first.
type All = [u32; 8];
/// With 0: greater, lesser, three-way greatest and least, sum and greater, sum and lesser.
type Relu = [u32; 6];

macro_rules! kernels {
    ($($all:ident: $from:expr, $bits:expr, $flag:expr;)*) => {$(
        #[kernel]
        fn $all<const NATIVE: bool>(i: Index1D, x: &[[u32; 3]], mut y: DisjointSlice<All>) {
            if native::<NATIVE>() && let Some(y) = y.get_mut(i) {
                let [a, b, c] = x[i.get()].map($from);
                let (greater, is_greater) = max_with_pred(a, b);
                let (lesser, is_lesser) = min_with_pred(a, b);
                let values = [max3(a, b, c), min3(a, b, c), add_max(a, b, c), add_min(a, b, c), greater, lesser];
                let [p, q, r, s, t, u] = values.map($bits);
                *y = [p, q, r, s, t, u, $flag(is_greater), $flag(is_lesser)];
            }
        }
    )*};
}
kernels! {
    all_i32: |x| x as i32, |x: i32| x as u32, u32::from;
    all_u32: |x| x, |x: u32| x, u32::from;
    all_i16x2: I16x2, |x: I16x2| x.0, flags;
    all_u16x2: U16x2, |x: U16x2| x.0, flags;
}

macro_rules! relu_kernels {
    ($($relu:ident: $from:expr, $bits:expr;)*) => {$(
        #[kernel]
        fn $relu<const NATIVE: bool>(i: Index1D, x: &[[u32; 3]], mut y: DisjointSlice<Relu>) {
            if native::<NATIVE>() && let Some(y) = y.get_mut(i) {
                let [a, b, c] = x[i.get()].map($from);
                let values = [
                    max_relu(a, b),
                    min_relu(a, b),
                    max3_relu(a, b, c),
                    min3_relu(a, b, c),
                    add_max_relu(a, b, c),
                    add_min_relu(a, b, c),
                ];
                *y = values.map($bits);
            }
        }
    )*};
}
relu_kernels! {
    relu_i32: |x| x as i32, |x: i32| x as u32;
    relu_i16x2: I16x2, |x: I16x2| x.0;
}

/// One bit per half, the low one first.
fn flags([low, high]: [bool; 2]) -> u32 {
    u32::from(low) | u32::from(high) << 1
}

/// Values of 16 bits at which something changes in both halves, then noise, half of it near 0 or near each other.
fn inputs() -> Vec<[u32; 3]> {
    let halves = [0u32, 1, 2, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff];
    let notable: Vec<u32> = halves
        .iter()
        .flat_map(|&low| halves.map(|high| high << 16 | low))
        .collect();
    let mut all = Vec::new();
    for (k, &a) in notable.iter().enumerate() {
        for (l, &b) in notable.iter().enumerate() {
            all.push([a, b, notable[(5 * k + 11 * l) % notable.len()]]);
        }
    }
    let mut noise = Noise(23);
    while all.len() < MANY {
        let [a, b] = [noise.next(), noise.next()];
        let small = |x: u64| (x & 0x0003_0003) as u32 ^ 0u32.wrapping_sub((x >> 20 & 1) as u32);
        all.push(match a >> 62 {
            0 => [small(a), small(b), small(a >> 24)],
            1 => [a as u32, a as u32, b as u32],
            _ => [a as u32, b as u32, (b >> 32) as u32],
        });
    }
    all
}

/// `wrap` brings a sum back into the range of the type.
fn all_of([a, b, c]: [i64; 3], wrap: impl Fn(i64) -> i64) -> [i64; 8] {
    let sum = wrap(a + b);
    [
        a.max(b).max(c),
        a.min(b).min(c),
        sum.max(c),
        sum.min(c),
        a.max(b),
        a.min(b),
        (a >= b).into(),
        (a <= b).into(),
    ]
}

fn relu_of([a, b, c]: [i64; 3], wrap: impl Fn(i64) -> i64) -> [i64; 6] {
    let sum = wrap(a + b);
    [
        a.max(b),
        a.min(b),
        a.max(b).max(c),
        a.min(b).min(c),
        sum.max(c),
        sum.min(c),
    ]
    .map(|x| x.max(0))
}

/// Both halves side by side; what comes from `flag` on is one bit per half.
fn joined<const N: usize>(low: [i64; N], high: [i64; N], flag: usize) -> [u32; N] {
    std::array::from_fn(|k| match k >= flag {
        true => (low[k] | high[k] << 1) as u32,
        false => (high[k] as u32) << 16 | (low[k] as u32 & 0xffff),
    })
}

fn split(x: [u32; 3], half: impl Fn(u16) -> i64) -> ([i64; 3], [i64; 3]) {
    (x.map(|x| half(x as u16)), x.map(|x| half((x >> 16) as u16)))
}

//@ rows: DPX-1, DPX-4, DPX-5
#[test]
fn signed_words() {
    let x = inputs();
    check_map(
        &x,
        |stream, x, y| all_i32::<false>::launch(stream, Launch::covering(x.len()), x, y),
        |i| all_of(x[i].map(|x| (x as i32).into()), |x| (x as i32).into()).map(|x| x as u32),
    );
}

//@ rows: DPX-1, DPX-4, DPX-5
#[test]
fn unsigned_words() {
    let x = inputs();
    check_map(
        &x,
        |stream, x, y| all_u32::<false>::launch(stream, Launch::covering(x.len()), x, y),
        |i| all_of(x[i].map(i64::from), |x| (x as u32).into()).map(|x| x as u32),
    );
}

//@ rows: DPX-1, DPX-4, DPX-5
#[test]
fn signed_halves() {
    signed_halves_agree::<false>();
}

//@ rows: DPX-1, DPX-4, DPX-5
#[test]
fn signed_halves_natively() {
    signed_halves_agree::<true>();
}

fn signed_halves_agree<const NATIVE: bool>() {
    let x = inputs();
    check_map(
        &x,
        |stream, x, y| all_i16x2::<NATIVE>::launch(stream, Launch::covering(x.len()), x, y),
        |i| {
            let (low, high) = split(x[i], |x| (x as i16).into());
            joined(
                all_of(low, |x| (x as i16).into()),
                all_of(high, |x| (x as i16).into()),
                6,
            )
        },
    );
}

//@ rows: DPX-1, DPX-4, DPX-5, E-10
#[test]
fn unsigned_halves() {
    unsigned_halves_agree::<false>();
}

//@ rows: DPX-1, DPX-4, DPX-5
#[test]
fn unsigned_halves_natively() {
    unsigned_halves_agree::<true>();
}

fn unsigned_halves_agree<const NATIVE: bool>() {
    let x = inputs();
    check_map(
        &x,
        |stream, x, y| all_u16x2::<NATIVE>::launch(stream, Launch::covering(x.len()), x, y),
        |i| {
            let (low, high) = split(x[i], i64::from);
            joined(
                all_of(low, |x| (x as u16).into()),
                all_of(high, |x| (x as u16).into()),
                6,
            )
        },
    );
}

//@ rows: DPX-2, DPX-3, DPX-6
#[test]
fn words_at_least_zero() {
    let x = inputs();
    check_map(
        &x,
        |stream, x, y| relu_i32::<false>::launch(stream, Launch::covering(x.len()), x, y),
        |i| relu_of(x[i].map(|x| (x as i32).into()), |x| (x as i32).into()).map(|x| x as u32),
    );
}

//@ rows: DPX-2, DPX-3, DPX-6
#[test]
fn halves_at_least_zero() {
    halves_at_least_zero_agree::<false>();
}

//@ rows: DPX-2, DPX-3, DPX-6
#[test]
fn halves_at_least_zero_natively() {
    halves_at_least_zero_agree::<true>();
}

fn halves_at_least_zero_agree<const NATIVE: bool>() {
    let x = inputs();
    check_map(
        &x,
        |stream, x, y| relu_i16x2::<NATIVE>::launch(stream, Launch::covering(x.len()), x, y),
        |i| {
            let (low, high) = split(x[i], |x| (x as i16).into());
            joined(
                relu_of(low, |x| (x as i16).into()),
                relu_of(high, |x| (x as i16).into()),
                6,
            )
        },
    );
}

/// The values that the documentation works out.
#[kernel]
fn worked(i: Index1D, one: i32, mut y: DisjointSlice<[u32; 7]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = [0x0005_0002, 0x0007_0004, 0x0002_0006].map(|x| U16x2(x * one as u32));
        let (least, first) = min_with_pred(9 * one as u32, 6);
        *y = [
            max3_relu(-15 * one, 8, 5) as u32,
            max3_relu(-15 * one, -2, -4) as u32,
            add_max_relu(-5 * one, 6, -2) as u32,
            add_max_relu(-5 * one, 4, -2) as u32,
            least,
            first.into(),
            max3(a, b, c).0,
        ];
    }
}

//@ rows: DPX-1, DPX-3, DPX-4, DPX-6, E-10
#[test]
fn values_of_the_documentation() {
    check_map(
        &[0u32; 33],
        |stream, _, y| worked::launch(stream, Launch::new(1, 33), 1, y),
        |_| [8, 0, 1, 0, 6, 0, 0x0007_0006],
    );
}
