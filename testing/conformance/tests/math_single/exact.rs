//! Functions whose results are exact, and those that return no float, at every kind of number.

use warploom::device_std::math::{Float, single};
use warploom::prelude::*;
use warploom_harness::device_test::check_map;

/// Every kind of number: zeros, subnormal ones, ends of ranges, ties, large integers, infinities, NaN.
const NUMBERS: [f32; 34] = [
    0.0,
    -0.0,
    1e-45,
    -1e-45,
    1e-39,
    -1e-39,
    f32::MIN_POSITIVE,
    1.175_494_2e-38,
    0.1,
    0.499_999_97,
    0.5,
    -0.5,
    0.75,
    1.0,
    -1.0,
    1.5,
    -1.5,
    2.5,
    -2.5,
    3.5,
    12.0,
    -7.25,
    4_194_303.5,
    8_388_607.5,
    -8_388_609.0,
    16_777_216.0,
    2_147_483_648.0,
    -2_147_483_904.0,
    9.223_372e18,
    1e30,
    f32::MAX,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

macro_rules! at_all_numbers {
    ($($test:ident, $kernel:ident: $out:ty = |$x:ident| $ours:expr, $expected:expr;)*) => {$(
        #[kernel]
        fn $kernel(i: Index1D, x: &[f32], mut y: DisjointSlice<$out>) {
            if let Some(y) = y.get_mut(i) {
                let $x = x[i.get()];
                *y = $ours;
            }
        }

        fn $test() {
            check_map(&NUMBERS, |stream, x, y| $kernel::launch(stream, (2, 17), x, y), |i| {
                let $x = NUMBERS[i];
                $expected
            });
        }
    )*};
}

/// Bits, with one NaN for all.
fn bits(x: f32) -> u32 {
    if x.is_nan() { 0x7fff_ffff } else { x.to_bits() }
}

at_all_numbers! {
    check_frexp_gives_mantissa_and_exponent, frexp: [u32; 2] = |x| { let (m, e) = x.frexp(); [bits(m), e.cast_unsigned()] },
        { let (m, e) = libm::frexpf(x); [bits(m), if x.is_finite() { e.cast_unsigned() } else { 0 }] };
    check_modf_splits_at_the_point, modf: [u32; 2] = |x| { let (f, w) = single::modf(x); [bits(f), bits(w)] },
        { let (f, w) = libm::modff(x); [bits(f), bits(w)] };
    check_logb_is_the_exponent, logb: [u32; 2] = |x| [bits(x.logb()), x.ilogb().cast_unsigned()],
        {
            let exponent = libm::ilogbf(x);
            let special = if x == 0.0 { f32::NEG_INFINITY } else { x * x };
            if x != 0.0 && x.is_finite() { [bits(exponent as f32), exponent.cast_unsigned()] }
            else { [bits(special), if x.is_infinite() { i32::MAX } else { i32::MIN }.cast_unsigned()] }
        };
    check_integers_are_the_nearest, to_integers: [i64; 4] =
        |x| [single::lrint(x), single::llrint(x), single::lround(x), single::llround(x)],
        { let (even, away) = (x.round_ties_even() as i64, x.round() as i64); [even, even, away, away] };
    check_classes_are_told_apart, classes: [u32; 4] =
        |x| [single::signbit(x), single::isinf(x), single::isnan(x), single::isfinite(x)].map(u32::from),
        [x.is_sign_negative(), x.is_infinite(), x.is_nan(), x.is_finite()].map(u32::from);
    check_signs_are_copied, signs: [u32; 3] =
        |x| [bits(single::copysign(x, -1.0)), bits(single::copysign(2.0, x)), bits(single::fabs(x))],
        [bits(x.copysign(-1.0)), bits(2f32.copysign(x)), bits(x.abs())];
    check_nan_loses_to_a_number, extremes: [u32; 4] =
        |x| [single::fmin(x, 1.0), single::fmax(1.0, x), single::fmin(f32::NAN, x), single::fmax(x, f32::NAN)].map(bits),
        [x.min(1.0), x.max(1.0), x, x].map(bits);
    check_nan_carries_its_payload, nan: [u32; 2] = |x| [single::nan(x.to_bits()).to_bits(), u32::from(single::nan(7).is_nan())],
        [0x7fc0_0000 | (x.to_bits() & 0x003f_ffff), 1];
    check_fma_rounds_once, fma: u32 = |x| bits(single::fma(x, x, -1.0)), bits(x.mul_add(x, -1.0));
    check_remainders_come_with_the_quotient, remquo: [u32; 2] = |x| { let (r, n) = x.remquo(0.75); [bits(r), n.cast_unsigned()] },
        {
            let (r, n) = libm::remquof(x, 0.75);
            let n = if x.is_finite() { (n.unsigned_abs() & 7).cast_signed() } else { 0 };
            [bits(r), if x < 0.0 { -n } else { n }.cast_unsigned()]
        };
}

#[kernel]
fn saturate(i: Index1D, x: &[f32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = warploom::device_std::math::fast::saturate(x[i.get()]).to_bits();
    }
}

//@ rows: C2-__saturate
#[test]
fn saturation_clamps_and_drops_nan() {
    let expected = |x: f32| if x > 0.0 { x.min(1.0) } else { 0.0 };
    check_map(
        &NUMBERS,
        |stream, x, y| saturate::launch(stream, (2, 17), x, y),
        |i| expected(NUMBERS[i]).to_bits(),
    );
}

//@ rows: C1-frexpf
#[test]
fn frexp_gives_mantissa_and_exponent() {
    check_frexp_gives_mantissa_and_exponent();
}

//@ rows: C1-modff
#[test]
fn modf_splits_at_the_point() {
    check_modf_splits_at_the_point();
}

//@ rows: C1-logbf, C1-ilogbf
#[test]
fn logb_is_the_exponent() {
    check_logb_is_the_exponent();
}

//@ rows: C1-lrintf, C1-llrintf, C1-lroundf, C1-llroundf
#[test]
fn integers_are_the_nearest() {
    check_integers_are_the_nearest();
}

//@ rows: C1-signbit, C1-isinf, C1-isnan, C1-isfinite
#[test]
fn classes_are_told_apart() {
    check_classes_are_told_apart();
}

//@ rows: C1-copysignf, C1-fabsf
#[test]
fn signs_are_copied() {
    check_signs_are_copied();
}

//@ rows: C1-fminf, C1-fmaxf, GFP-9
#[test]
fn nan_loses_to_a_number() {
    check_nan_loses_to_a_number();
}

//@ rows: C1-nanf
#[test]
fn nan_carries_its_payload() {
    check_nan_carries_its_payload();
}

//@ rows: C1-fmaf
#[test]
fn fma_rounds_once() {
    check_fma_rounds_once();
}

//@ rows: C1-remquof
#[test]
fn remainders_come_with_the_quotient() {
    check_remainders_come_with_the_quotient();
}

#[kernel]
fn of_integers(i: Index1D, x: &[[i32; 2]], mut y: DisjointSlice<[i32; 4]>) {
    if let (Some(y), Some(&[a, b])) = (y.get_mut(i), x.get(i.get())) {
        let unsigned = [(a as u32).min(b as u32), (a as u32).max(b as u32)];
        *y = [a.min(b), a.max(b), unsigned[0] as i32, unsigned[1] as i32];
    }
}

//@ rows: C1-min, C1-max
#[test]
fn integers_have_their_extremes() {
    let edges = [i32::MIN, -7, -1, 0, 1, 3, i32::MAX];
    let x: Vec<[i32; 2]> = edges.iter().flat_map(|a| edges.map(|b| [*a, b])).collect();
    check_map(
        &x,
        |stream, x, y| of_integers::launch(stream, Launch::covering(x.len()), x, y),
        |i| {
            let [a, b] = x[i];
            let (p, q) = (a as u32, b as u32);
            let pick = |first: bool| if first { a } else { b };
            [pick(a < b), pick(a > b), pick(p < q), pick(p > q)]
        },
    );
}
