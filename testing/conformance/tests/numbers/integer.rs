//! Integer instructions, and casts that keep the bits.

use warploom::device_std::integer::*;
use warploom::prelude::*;
use warploom_harness::device_test::check_map;

use crate::values::{MANY, Noise};

/// Triples of words at which something changes, then noise of all lengths.
fn words() -> Vec<[u64; 3]> {
    let notable = [
        0,
        1,
        2,
        0xff,
        0x7f_ffff,
        0x80_0000,
        0xff_ffff,
        0x0100_0000,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        1 << 63,
        u64::MAX,
        i16::MIN as u64,
        i32::MIN as u64,
        0x8000_8000_8000_8000,
    ];
    let mut all = Vec::new();
    for a in notable {
        for b in notable {
            all.extend([[a, b, a ^ 0x1234], [a, b, u64::MAX]]);
        }
    }
    let mut noise = Noise(41);
    while all.len() < MANY {
        let lengths = noise.next();
        all.push([
            noise.next() >> (lengths % 64),
            noise.next() >> (lengths / 64 % 64),
            noise.next(),
        ]);
    }
    all
}

#[kernel]
fn products(i: Index1D, x: &[[u64; 3]], mut y: DisjointSlice<[u64; 8]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, _] = x[i.get()];
        *y = [
            mul24(a as i32, b as i32) as u64,
            umul24(a as u32, b as u32).into(),
            mul_hi(a as i16, b as i16) as u64,
            mul_hi(a as u16, b as u16).into(),
            mul_hi(a as i32, b as i32) as u64,
            mul_hi(a as u32, b as u32).into(),
            mul_hi(a as i64, b as i64) as u64,
            mul_hi(a, b),
        ];
    }
}

//@ rows: C2-__mul24, C2-__umul24, C2-__mulhi, C2-__umulhi, C2-__mul64hi, C2-__umul64hi
#[test]
fn products_of_24_bits_and_upper_halves() {
    let x = words();
    check_map(
        &x,
        |stream, x, y| products::launch(stream, Launch::covering(x.len()), x, y),
        |i| {
            let [a, b, _] = x[i];
            let low = |x: u64| i128::from((x as i32) << 8 >> 8);
            let high = |product: i128, bits: u32| (product >> bits) as u64;
            [
                (low(a) * low(b)) as i32 as u64,
                ((a & 0xff_ffff) * (b & 0xff_ffff)) & 0xffff_ffff,
                high(i128::from(a as i16) * i128::from(b as i16), 16),
                high(i128::from(a as u16) * i128::from(b as u16), 16),
                high(i128::from(a as i32) * i128::from(b as i32), 32),
                high(i128::from(a as u32) * i128::from(b as u32), 32),
                high(i128::from(a as i64) * i128::from(b as i64), 64),
                ((u128::from(a) * u128::from(b)) >> 64) as u64,
            ]
        },
    );
}

#[kernel]
fn differences(i: Index1D, x: &[[u64; 3]], mut y: DisjointSlice<[u64; 6]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [
            sad(a as i16, b as i16, c as i16) as u64,
            sad(a as u16, b as u16, c as u16).into(),
            sad(a as i32, b as i32, c as i32) as u64,
            sad(a as u32, b as u32, c as u32).into(),
            sad(a as i64, b as i64, c as i64) as u64,
            sad(a, b, c),
        ];
    }
}

//@ rows: C2-__sad, C2-__usad
#[test]
fn sums_of_absolute_differences() {
    let x = words();
    check_map(
        &x,
        |stream, x, y| differences::launch(stream, Launch::covering(x.len()), x, y),
        |i| {
            let [a, b, c] = x[i];
            let sum = |a: i128, b: i128, c: i128| c + (a - b).abs();
            [
                sum((a as i16).into(), (b as i16).into(), (c as i16).into()) as i16 as u64,
                sum((a as u16).into(), (b as u16).into(), (c as u16).into()) as u16 as u64,
                sum((a as i32).into(), (b as i32).into(), (c as i32).into()) as i32 as u64,
                sum((a as u32).into(), (b as u32).into(), (c as u32).into()) as u32 as u64,
                sum((a as i64).into(), (b as i64).into(), (c as i64).into()) as u64,
                sum(a.into(), b.into(), c.into()) as u64,
            ]
        },
    );
}

#[kernel]
fn counts(i: Index1D, x: &[[u64; 3]], mut y: DisjointSlice<[u64; 8]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()][0];
        let word = x as u32;
        *y = [
            word.leading_zeros().into(),
            x.leading_zeros().into(),
            find_first_set(word).into(),
            find_first_set(x).into(),
            word.count_ones().into(),
            x.count_ones().into(),
            word.reverse_bits().into(),
            x.reverse_bits(),
        ];
    }
}

//@ rows: C2-__clz, C2-__clzll, C2-__ffs, C2-__ffsll, C2-__popc, C2-__popcll, C2-__brev, C2-__brevll
#[test]
fn bits_are_counted_and_reversed() {
    let x = words();
    check_map(
        &x,
        |stream, x, y| counts::launch(stream, Launch::covering(x.len()), x, y),
        |i| {
            // Bit by bit, from the lowest.
            let bits = x[i][0];
            let of = |width: u32| {
                let set: Vec<u32> = (0..width).filter(|&k| bits >> k & 1 == 1).collect();
                let leading = width - set.last().map_or(0, |k| k + 1);
                let first = set.first().map_or(0, |k| k + 1);
                let reversed = set.iter().map(|k| 1u64 << (width - 1 - k)).sum::<u64>();
                [u64::from(leading), first.into(), set.len() as u64, reversed]
            };
            let ([a, c, e, g], [b, d, f, h]) = (of(32), of(64));
            [a, b, c, d, e, f, g, h]
        },
    );
}

#[kernel]
fn shifts(i: Index1D, x: &[[u64; 3]], mut y: DisjointSlice<[u32; 5]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()].map(|x| x as u32);
        let n = c % 70;
        *y = [
            byte_permute(a, b, c),
            funnel_shift_left(a, b, n),
            funnel_shift_left_clamped(a, b, n),
            funnel_shift_right(a, b, n),
            funnel_shift_right_clamped(a, b, n),
        ];
    }
}

//@ rows: C2-__byte_perm, C2-__funnelshift
#[test]
fn bytes_are_permuted_and_pairs_of_words_shifted() {
    let x = words();
    check_map(
        &x,
        |stream, x, y| shifts::launch(stream, Launch::covering(x.len()), x, y),
        |i| {
            let [low, high, c] = x[i].map(|x| x as u32);
            let both = u64::from(high) << 32 | u64::from(low);
            let n = c % 70;
            let byte = |k: u32| {
                let nibble = c >> (4 * k) & 15;
                let byte = (both >> (8 * (nibble & 7))) as u8;
                let byte = if nibble < 8 {
                    byte
                } else {
                    [0, 0xff][usize::from(byte >> 7)]
                };
                u32::from(byte) << (8 * k)
            };
            let left = |n: u32| (u128::from(both) << n >> 32) as u32;
            let right = |n: u32| (both >> n) as u32;
            [
                byte(0) | byte(1) | byte(2) | byte(3),
                left(n % 32),
                left(n.min(32)),
                right(n % 32),
                right(n.min(32)),
            ]
        },
    );
}

#[kernel]
fn dot_products(i: Index1D, x: &[[u64; 3]], mut y: DisjointSlice<[u32; 6]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()].map(|x| x as u32);
        *y = [
            dp4a_i32(a, b, c as i32) as u32,
            dp4a_u32(a, b, c),
            dp2a_lo_i32(a, b, c as i32) as u32,
            dp2a_hi_i32(a, b, c as i32) as u32,
            dp2a_lo_u32(a, b, c),
            dp2a_hi_u32(a, b, c),
        ];
    }
}

#[test]
fn dot_products_of_bytes() {
    let x = words();
    check_map(
        &x,
        |stream, x, y| dot_products::launch(stream, Launch::covering(x.len()), x, y),
        |i| {
            let [a, b, c] = x[i].map(|x| x as u32);
            let signed = |x: u32, k: u32| i64::from((x >> (8 * k)) as i8);
            let byte = |x: u32, k: u32| i64::from((x >> (8 * k)) as u8);
            let half = |k: u32| i64::from((a >> (16 * k)) as u16);
            let signed_half = |k: u32| i64::from((a >> (16 * k)) as i16);
            let sum = |terms: &[i64]| (i64::from(c) + terms.iter().sum::<i64>()) as u32;
            [
                sum(&[0, 1, 2, 3].map(|k| signed(a, k) * signed(b, k))),
                sum(&[0, 1, 2, 3].map(|k| byte(a, k) * byte(b, k))),
                sum(&[0, 1].map(|k| signed_half(k) * signed(b, k))),
                sum(&[0, 1].map(|k| signed_half(k) * signed(b, k + 2))),
                sum(&[0, 1].map(|k| half(k) * byte(b, k))),
                sum(&[0, 1].map(|k| half(k) * byte(b, k + 2))),
            ]
        },
    );
}

#[kernel]
fn casts(i: Index1D, x: &[[u64; 3]], mut y: DisjointSlice<[u64; 6]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()][0];
        let single = f32::from_bits(x as u32);
        let double = f64::from_bits(x);
        let (high, low) = (f64_high_word(double), f64_low_word(double));
        *y = [
            // Something that only numbers can do, and back; what is no number stays what it is.
            if single.is_nan() {
                0
            } else {
                (-single).to_bits().into()
            },
            (-double).to_bits(),
            high as u32 as u64,
            low as u32 as u64,
            f64_from_words(high, low).to_bits(),
            f64_from_words(low, high).to_bits(),
        ];
    }
}

//@ rows: C2-__int_as_float, C2-__float_as_int, C2-__double_as_longlong, C2-__longlong_as_double, C2-__double2hiint, C2-__double2loint, C2-__hiloint2double
#[test]
fn casts_keep_the_bits() {
    assert_eq!(
        (f32::from_bits(0xc000_0000), 1f32.to_bits()),
        (-2.0, 0x3f80_0000)
    );
    let x = words();
    check_map(
        &x,
        |stream, x, y| casts::launch(stream, Launch::covering(x.len()), x, y),
        |i| {
            let x = x[i][0];
            let word = x as u32;
            let nan = word & 0x7fff_ffff > 0x7f80_0000;
            let negative = if nan {
                0
            } else {
                u64::from(word ^ 0x8000_0000)
            };
            [
                negative,
                x ^ 1 << 63,
                x >> 32,
                x & 0xffff_ffff,
                x,
                x.rotate_left(32),
            ]
        },
    );
}
