//! Additions of half floats, on their bits.

use warploom::device_std::atomic::{Atomic, half};
use warploom::prelude::*;
use warploom_harness::device_test::check;

/// 4 × order + scope: relaxed, device.
const RELAXED_DEVICE: u32 = 2;

/// The bits of a small integer as `f16` and as `bfloat16`.
fn f16(v: i32) -> u16 {
    let sign = u16::from(v < 0) << 15;
    let magnitude = v.unsigned_abs();
    if magnitude == 0 {
        return sign;
    }
    let exponent = magnitude.ilog2();
    let fraction = (magnitude << 10 >> exponent) as u16 & 1023;
    sign | (exponent as u16 + 15) << 10 | fraction
}

fn bf16(v: i32) -> u16 {
    ((v as f32).to_bits() >> 16) as u16
}

#[kernel]
fn add(i: Index1D, short: &[Atomic<u16>], pairs: &[Atomic<u32>], x: &[[u16; 2]]) {
    let Some([a, b]) = x.get(i.get()).copied() else {
        return;
    };
    let (aa, bb) = (
        u32::from(a) << 16 | u32::from(a),
        u32::from(b) << 16 | u32::from(b),
    );
    // SAFETY: aligned, accessed atomically alone; constants for relaxed and device.
    unsafe { half::add_f16(short[0].as_ptr(), a, RELAXED_DEVICE) };
    // SAFETY: as above.
    unsafe { half::add_bf16(short[1].as_ptr(), b, RELAXED_DEVICE) };
    // SAFETY: as above.
    unsafe { half::add_f16x2(pairs[0].as_ptr(), aa, RELAXED_DEVICE) };
    // SAFETY: as above.
    unsafe { half::add_bf16x2(pairs[1].as_ptr(), bb, RELAXED_DEVICE) };
}

//@ rows: AT-1
#[test]
fn sums_of_half_floats_are_exact_where_they_fit() {
    // Small integers of both signs: each partial sum, in whatever order, is an integer that both formats hold.
    let x: Vec<[u16; 2]> = (0..210)
        .map(|i| [1, -1, 0][i % 3])
        .map(|v| [f16(v), bf16(v)])
        .collect();
    let x = [x, vec![[f16(5), bf16(5)]; 3]].concat();
    let (half, bfloat) = (u32::from(f16(15)), u32::from(bf16(15)));
    let expected = [half, bfloat, half << 16 | half, bfloat << 16 | bfloat];
    check(&expected, |device, stream| {
        let x = device.upload(&x)?;
        let (mut short, mut pairs) = (device.zeroed::<u16>(2)?, device.zeroed::<u32>(2)?);
        add::launch(stream, (3, 96), short.as_atomics(), pairs.as_atomics(), &x)?;
        let short = short.to_vec(stream)?.into_iter().map(u32::from);
        Ok(short.chain(pairs.to_vec(stream)?).collect())
    });
}

#[kernel]
fn add_once(i: Index1D, cells: &[Atomic<u16>], x: &[[u16; 2]], bfloat: bool) {
    let (Some([_, b]), Some(cell)) = (x.get(i.get()).copied(), cells.get(i.get())) else {
        return;
    };
    if bfloat {
        // SAFETY: aligned, accessed atomically alone; constants for relaxed and device.
        unsafe { half::add_bf16(cell.as_ptr(), b, RELAXED_DEVICE) };
    } else {
        // SAFETY: as above.
        unsafe { half::add_f16(cell.as_ptr(), b, RELAXED_DEVICE) };
    }
}

/// (format is bfloat, a, b, a + b)
const SUMS: [(bool, u16, u16, u16); 14] = [
    (false, 0x6800, 0x3c00, 0x6800), // 2048 + 1: ties to even
    (false, 0x6801, 0x3c00, 0x6802), // 2050 + 1
    (false, 0x7bff, 0x7bff, 0x7c00), // 65504 twice: infinity
    (false, 0x0001, 0x0001, 0x0002), // subnormals stay
    (false, 0x03ff, 0x0001, 0x0400), // the largest subnormal and one more
    (false, 0x8000, 0x8000, 0x8000), // -0
    (false, 0x3c00, 0xbc00, 0x0000),
    (false, 0x7c00, 0xfc00, 0x7fff), // infinity - infinity
    (true, 0x4380, 0x3f80, 0x4380),  // 256 + 1: ties to even
    (true, 0x4381, 0x3f80, 0x4382),  // 258 + 1
    (true, 0x7f7f, 0x7f7f, 0x7f80),
    (true, 0x0001, 0x0001, 0x0002),
    (true, 0x8000, 0x8000, 0x8000),
    (true, 0x7f80, 0xff80, 0x7fff),
];

//@ rows: AT-1
#[test]
fn half_floats_round_to_nearest_even() {
    for bfloat in [false, true] {
        let cases: Vec<_> = SUMS.into_iter().filter(|s| s.0 == bfloat).collect();
        let expected: Vec<u16> = cases.iter().map(|s| s.3).collect();
        check(&expected, |device, stream| {
            let x: Vec<[u16; 2]> = cases.iter().map(|s| [s.1, s.2]).collect();
            let start: Vec<u16> = cases.iter().map(|s| s.1).collect();
            let (x, mut cells) = (device.upload(&x)?, device.upload(&start)?);
            add_once::launch(stream, (1, 70), cells.as_atomics(), &x, bfloat)?;
            Ok(cells.to_vec(stream)?)
        });
    }
}
