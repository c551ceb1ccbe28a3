//! `F16` and `Bf16` one by one: all bit patterns, and many pairs, against arithmetic in `f64`.

use std::cmp::Ordering;

use warploom::device_std::intrinsics as raw;
use warploom::device_std::round::Mode;
use warploom::device_std::{Bf16, F16};
use warploom::prelude::*;
use warploom_harness::device_test::check_map;

use crate::model::{compare_sum, minus, product, term};
use crate::values::{MANY, Noise, native, triples_f32};

/// Pairs of numbers that a test takes.
pub(crate) const PAIRS: usize = if cfg!(debug_assertions) {
    1 << 17
} else {
    1 << 22
};

/// A format as its parameters: bits of the fraction, least and greatest exponent.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    fraction: i32,
    least: i32,
    most: i32,
}

pub(crate) const HALF: Format = Format {
    fraction: 10,
    least: -14,
    most: 15,
};
pub(crate) const BRAIN: Format = Format {
    fraction: 7,
    least: -126,
    most: 127,
};

impl Format {
    pub(crate) fn value(self, bits: u16) -> f64 {
        let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
        let fraction = f64::from(bits & ((1 << self.fraction) - 1)) * 2f64.powi(-self.fraction);
        let exponent = i32::from(bits & 0x7fff) >> self.fraction;
        sign * match exponent {
            0 => fraction * 2f64.powi(self.least),
            e if e - 1 + self.least <= self.most => {
                (1.0 + fraction) * 2f64.powi(e - 1 + self.least)
            }
            _ if fraction == 0.0 => f64::INFINITY,
            _ => f64::NAN,
        }
    }

    /// The bits of the number that `x` becomes.
    pub(crate) fn bits(self, x: f64, mode: Mode) -> u16 {
        let sign = u16::from(x.is_sign_negative()) << 15;
        let infinite = ((self.most - self.least + 2) as u16) << self.fraction;
        if x.is_nan() {
            return 0x7fff;
        }
        if x.is_infinite() {
            return sign | infinite;
        }
        let exponent = ((x.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(self.least);
        let multiple = x / 2f64.powi(exponent - self.fraction);
        let (whole, to_infinity) = match mode {
            Mode::Nearest => (multiple.round_ties_even(), true),
            Mode::TowardZero => (multiple.trunc(), false),
            Mode::Up => (multiple.ceil(), x > 0.0),
            Mode::Down => (multiple.floor(), x < 0.0),
        };
        // A leading one adds to the exponent, and so does a carry.
        let magnitude = ((exponent - self.least) << self.fraction) + whole.abs() as i32;
        match magnitude < infinite.into() {
            true => sign | magnitude as u16,
            false => sign | (infinite - u16::from(!to_infinity)),
        }
    }

    pub(crate) fn nearest(self, x: f64) -> u16 {
        self.bits(x, Mode::Nearest)
    }

    /// The bits of `a · b + c`: where the `f64` is not exact, of the two beside the exact value the odd one, which lies on no tie.
    pub(crate) fn fused(self, bits: [u16; 3]) -> u16 {
        let [a, b, c] = bits.map(|x| self.value(x));
        let near = a * b + c;
        if !near.is_finite() || near == 0.0 {
            return self.nearest(near);
        }
        let beside = match compare_sum(&[product(term(a), term(b)), term(c), minus(term(near))]) {
            Ordering::Less => near.next_down(),
            Ordering::Equal => near,
            Ordering::Greater => near.next_up(),
        };
        let odd = near.to_bits() & 1 == 1;
        self.nearest(if odd { near } else { beside })
    }

    /// `[a + b, a - b, a · b, a / b, least, greatest]`. `f64` has more than twice the bits: two roundings are as one.
    pub(crate) fn operations(self, a: u16, b: u16) -> [u16; 6] {
        let (x, y) = (self.value(a), self.value(b));
        let less = x < y || x == y && x.is_sign_negative();
        let [least, greatest] = match (x.is_nan(), y.is_nan()) {
            (true, true) => [0x7fff; 2],
            (true, false) => [b; 2],
            (false, true) => [a; 2],
            _ if less => [a, b],
            _ => [b, a],
        };
        let [sum, difference, product, quotient] =
            [x + y, x - y, x * y, x / y].map(|x| self.nearest(x));
        [sum, difference, product, quotient, least, greatest]
    }
}

/// Triples of bit patterns: of all pairs of notable ones, then noise, half of it with exponents near each other.
pub(crate) fn patterns(format: Format, count: usize) -> Vec<[u16; 3]> {
    let one = (-format.least as u16 + 1) << format.fraction;
    let infinite = ((format.most - format.least + 2) as u16) << format.fraction;
    let normal = 1 << format.fraction;
    let positive = [
        0,
        1,
        2,
        normal - 1,
        normal,
        normal + 1,
        one - 1,
        one,
        one + 1,
        infinite - 1,
        infinite,
        infinite + 1,
        0x7fff,
    ];
    let notable: Vec<u16> = positive.iter().flat_map(|&x| [x, x | 0x8000]).collect();
    let mut all = Vec::new();
    for &a in &notable {
        for &b in &notable {
            all.extend(notable.iter().map(|&c| [a, b, c]));
        }
    }
    let mut noise = Noise(17);
    while all.len() < count {
        let bits = noise.next();
        let [a, b, c] = [bits as u16, (bits >> 16) as u16, (bits >> 32) as u16];
        let near = |x: u16| (x & (0x8000 | ((normal << 3) - 1))) + (one - 4 * normal);
        all.push(if bits >> 63 == 1 {
            [a, b, c]
        } else {
            [near(a), near(b), near(c)]
        });
    }
    all
}

macro_rules! numbers {
    ($ty:ident: $unary:ident $binary:ident $fused:ident $from:ident) => {
        /// What one number becomes: to `f32` and back, root, negative, magnitude, order to its negative.
        #[kernel]
        fn $unary(i: Index1D, x: &[$ty], mut y: DisjointSlice<[u32; 6]>) {
            if let Some(y) = y.get_mut(i) {
                let x = x[i.get()];
                let single = x.to_f32();
                let order = match x.partial_cmp(&-x) {
                    None => 3,
                    Some(order) => (order as i8 + 1) as u32,
                };
                *y = [
                    if single.is_nan() {
                        0x7fff_ffff
                    } else {
                        single.to_bits()
                    },
                    $ty::from_f32(single).to_bits().into(),
                    x.sqrt().to_bits().into(),
                    (-x).to_bits().into(),
                    x.abs().to_bits().into(),
                    order,
                ];
            }
        }

        #[kernel]
        fn $binary<const NATIVE: bool>(i: Index1D, x: &[[$ty; 3]], mut y: DisjointSlice<[u16; 6]>) {
            if native::<NATIVE>()
                && let Some(y) = y.get_mut(i)
            {
                let [a, b, _] = x[i.get()];
                *y = [a + b, a - b, a * b, a / b, a.min(b), a.max(b)].map($ty::to_bits);
            }
        }

        #[kernel]
        fn $fused<const NATIVE: bool>(i: Index1D, x: &[[$ty; 3]], mut y: DisjointSlice<u16>) {
            if native::<NATIVE>()
                && let Some(y) = y.get_mut(i)
            {
                let [a, b, c] = x[i.get()];
                *y = a.mul_add(b, c).to_bits();
            }
        }

        #[kernel]
        fn $from<const NATIVE: bool>(i: Index1D, x: &[f64], mut y: DisjointSlice<[u16; 2]>) {
            if native::<NATIVE>()
                && let Some(y) = y.get_mut(i)
            {
                let x = x[i.get()];
                *y = [
                    $ty::from_f32(x as f32).to_bits(),
                    $ty::from_f64(x).to_bits(),
                ];
            }
        }
    };
}
numbers!(F16: unary_f16 binary_f16 fused_f16 from_f16);
numbers!(Bf16: unary_bf16 binary_bf16 fused_bf16 from_bf16);

/// Directed rounding, which `Bf16` does not have.
#[kernel]
fn directed(i: Index1D, x: &[f32], mut y: DisjointSlice<[u16; 3]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = [
            F16::from_f32_rz(x),
            F16::from_f32_ru(x),
            F16::from_f32_rd(x),
        ]
        .map(F16::to_bits);
    }
}

fn unary_model(format: Format, bits: u16) -> [u32; 6] {
    let x = format.value(bits);
    let order = match x.partial_cmp(&-x) {
        None => 3,
        Some(order) => (order as i8 + 1) as u32,
    };
    let single = x as f32;
    [
        if x.is_nan() {
            0x7fff_ffff
        } else {
            single.to_bits()
        },
        if x.is_nan() { 0x7fff } else { bits.into() },
        format.nearest(x.sqrt()).into(),
        u32::from(bits ^ 0x8000),
        u32::from(bits & 0x7fff),
        order,
    ]
}

/// All numbers of the format, what lies halfway between two, and the `f64` beside that.
fn around(format: Format) -> Vec<f64> {
    let step = if cfg!(debug_assertions) { 7 } else { 1 };
    let all = (0..=u16::MAX).step_by(step);
    all.flat_map(|bits| {
        let (x, next) = (format.value(bits), format.value(bits.wrapping_add(1)));
        let half = (x + next) / 2.0;
        let single = half as f32;
        [
            x,
            half,
            half.next_up(),
            half.next_down(),
            single.next_up().into(),
            single.next_down().into(),
        ]
    })
    .collect()
}

//@ rows: F16-scalar
#[test]
fn all_patterns_of_f16() {
    let x: Vec<F16> = (0..=u16::MAX).map(F16::from_bits).collect();
    check_map(
        &x,
        |stream, x, y| unary_f16::launch(stream, Launch::covering(x.len()), x, y),
        |i| unary_model(HALF, x[i].to_bits()),
    );
}

/// Sums, differences, products, quotients, extremes; with `NATIVE` by the instructions of 8.0.
fn pairs_of_f16<const NATIVE: bool>() {
    let x = patterns(HALF, PAIRS).into_iter();
    let x: Vec<[F16; 3]> = x.map(|x| x.map(F16::from_bits)).collect();
    check_map(
        &x,
        |stream, x, y| binary_f16::<NATIVE>::launch(stream, Launch::covering(x.len()), x, y),
        |i| HALF.operations(x[i][0].to_bits(), x[i][1].to_bits()),
    );
}

fn fused_f16_is_rounded_once<const NATIVE: bool>() {
    let x = patterns(HALF, 4 * MANY).into_iter();
    let x: Vec<[F16; 3]> = x.map(|x| x.map(F16::from_bits)).collect();
    check_map(
        &x,
        |stream, x, y| fused_f16::<NATIVE>::launch(stream, Launch::covering(x.len()), x, y),
        |i| HALF.fused(x[i].map(F16::to_bits)),
    );
}

fn numbers_become_f16<const NATIVE: bool>() {
    let mut x = around(HALF);
    x.extend(triples_f32(MANY).iter().map(|x| f64::from(x[0])));
    check_map(
        &x,
        |stream, x, y| from_f16::<NATIVE>::launch(stream, Launch::covering(x.len()), x, y),
        |i| [(x[i] as f32).into(), x[i]].map(|x| HALF.nearest(x)),
    );
}

//@ rows: F16-scalar
#[test]
fn f16_is_calculated() {
    pairs_of_f16::<false>();
}

//@ rows: F16-scalar
#[test]
fn f16_is_fused() {
    fused_f16_is_rounded_once::<false>();
}

//@ rows: F16-scalar
#[test]
fn f16_is_converted() {
    numbers_become_f16::<false>();
}

//@ rows: F16-scalar
#[test]
fn f16_is_calculated_natively() {
    pairs_of_f16::<true>();
}

//@ rows: F16-scalar
#[test]
fn f16_is_fused_natively() {
    fused_f16_is_rounded_once::<true>();
}

//@ rows: F16-scalar
#[test]
fn f16_is_converted_natively() {
    numbers_become_f16::<true>();
}

//@ rows: BF16-scalar
#[test]
fn all_patterns_of_bf16() {
    let x: Vec<Bf16> = (0..=u16::MAX).map(Bf16::from_bits).collect();
    check_map(
        &x,
        |stream, x, y| unary_bf16::launch(stream, Launch::covering(x.len()), x, y),
        |i| unary_model(BRAIN, x[i].to_bits()),
    );
}

/// Sums, differences, products, quotients, extremes; with `NATIVE` by the instructions of 8.0.
fn pairs_of_bf16<const NATIVE: bool>() {
    let x = patterns(BRAIN, PAIRS).into_iter();
    let x: Vec<[Bf16; 3]> = x.map(|x| x.map(Bf16::from_bits)).collect();
    check_map(
        &x,
        |stream, x, y| binary_bf16::<NATIVE>::launch(stream, Launch::covering(x.len()), x, y),
        |i| BRAIN.operations(x[i][0].to_bits(), x[i][1].to_bits()),
    );
}

fn fused_bf16_is_rounded_once<const NATIVE: bool>() {
    let x = patterns(BRAIN, 4 * MANY).into_iter();
    let x: Vec<[Bf16; 3]> = x.map(|x| x.map(Bf16::from_bits)).collect();
    check_map(
        &x,
        |stream, x, y| fused_bf16::<NATIVE>::launch(stream, Launch::covering(x.len()), x, y),
        |i| BRAIN.fused(x[i].map(Bf16::to_bits)),
    );
}

fn numbers_become_bf16<const NATIVE: bool>() {
    let mut x = around(BRAIN);
    x.extend(triples_f32(MANY).iter().map(|x| f64::from(x[0])));
    check_map(
        &x,
        |stream, x, y| from_bf16::<NATIVE>::launch(stream, Launch::covering(x.len()), x, y),
        |i| [(x[i] as f32).into(), x[i]].map(|x| BRAIN.nearest(x)),
    );
}

//@ rows: BF16-scalar
#[test]
fn bf16_is_calculated() {
    pairs_of_bf16::<false>();
}

//@ rows: BF16-scalar
#[test]
fn bf16_is_fused() {
    fused_bf16_is_rounded_once::<false>();
}

//@ rows: BF16-scalar
#[test]
fn bf16_is_converted() {
    numbers_become_bf16::<false>();
}

//@ rows: BF16-scalar
#[test]
fn bf16_is_calculated_natively() {
    pairs_of_bf16::<true>();
}

//@ rows: BF16-scalar
#[test]
fn bf16_is_fused_natively() {
    fused_bf16_is_rounded_once::<true>();
}

//@ rows: BF16-scalar
#[test]
fn bf16_is_converted_natively() {
    numbers_become_bf16::<true>();
}

//@ rows: F16-scalar
#[test]
fn directed_conversions_to_f16() {
    let mut x: Vec<f32> = around(HALF).iter().map(|&x| x as f32).collect();
    x.extend(triples_f32(MANY).iter().map(|x| x[0]));
    check_map(
        &x,
        |stream, x, y| directed::launch(stream, Launch::covering(x.len()), x, y),
        |i| [Mode::TowardZero, Mode::Up, Mode::Down].map(|mode| HALF.bits(x[i].into(), mode)),
    );
}

/// Where only newer machines have the instruction, types do without on the emulator; it has them as functions of their own name.
#[test]
fn the_emulator_has_the_instructions_of_newer_machines() {
    for [a, b, c] in patterns(BRAIN, 0) {
        assert_eq!(
            raw::bf16_fma(a, b, c),
            BRAIN.fused([a, b, c]),
            "{a:#x} {b:#x} {c:#x}"
        );
        let [.., least, greatest] = BRAIN.operations(a, b);
        assert_eq!(
            [raw::bf16_min(a, b), raw::bf16_max(a, b)],
            [least, greatest]
        );
        let [.., least, greatest] = HALF.operations(a, b);
        assert_eq!([raw::f16_min(a, b), raw::f16_max(a, b)], [least, greatest]);
        let single = f32::from_bits(u32::from(a) << 16 | u32::from(b));
        assert_eq!(raw::f32_to_bf16_rn(single), BRAIN.nearest(single.into()));
        let other = f32::from_bits(u32::from(b) << 16 | u32::from(c));
        let pair = |format: &Format| {
            let [low, high] = [single, other].map(|x| u32::from(format.nearest(x.into())));
            high << 16 | low
        };
        assert_eq!(raw::f32s_to_bf16x2_rn(single, other), pair(&BRAIN));
        assert_eq!(raw::f32s_to_f16x2_rn(single, other), pair(&HALF));
    }
}

#[test]
fn constants_and_text() {
    assert_eq!(F16::MAX.to_f64(), 65504.0);
    assert_eq!(F16::MIN_POSITIVE_SUBNORMAL.to_f64(), 2f64.powi(-24));
    assert_eq!(F16::EPSILON.to_f64(), 2f64.powi(-10));
    assert_eq!(Bf16::EPSILON.to_f64(), 2f64.powi(-7));
    assert_eq!(Bf16::MAX.to_f32().to_bits(), 0x7f7f_0000);
    assert!(F16::NAN.is_nan() && F16::NAN != F16::NAN && !F16::MAX.is_infinite());
    assert!((F16::INFINITY - F16::INFINITY).is_nan() && F16::MIN.is_finite());
    assert_eq!(F16::from(-3i8).copysign(F16::ONE), F16::from(3u8));
    assert_eq!(
        format!("{} {:?} {:.3}", F16::ONE, F16::MIN, Bf16::from_f32(0.1)),
        "1 -65504.0 0.100"
    );
    let mut order = [
        F16::NAN,
        F16::ZERO,
        -F16::ZERO,
        F16::NEG_INFINITY,
        -F16::NAN,
    ];
    order.sort_by(F16::total_cmp);
    assert_eq!(order.map(F16::to_bits), [0xffff, 0xfc00, 0x8000, 0, 0x7fff]);
}
