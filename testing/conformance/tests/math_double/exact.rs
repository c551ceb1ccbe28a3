//! Functions without error, bit by bit: what a kernel gives, and what integers or std give on the host.

use warploom::prelude::*;
use warploom_device_std::math::double;
use warploom_harness::device_test::check_map;

use crate::inputs::{argument, hash};

/// A function of two floats and an integer, its results as bits.
trait Exact: 'static {
    fn ours(x: f64, y: f64, n: i32) -> [u64; 2];
}

#[kernel]
fn apply<F: Exact>(i: Index1D, x: &[[f64; 2]], mut y: DisjointSlice<[u64; 2]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b] = x[i.get()];
        *y = F::ours(a, b, count(i.get() as u64));
    }
}

/// The integer of case `i`: shifts of all sizes.
fn count(i: u64) -> i32 {
    let bits = hash(i ^ 0xabcd);
    (bits as i32) >> (16 + bits % 16) >> (bits >> 40 & 7)
}

const CASES: u64 = (1 << 14) + 31;
const ENDS: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.5,
    -0.5,
    2.5,
    f64::MAX,
    5e-324,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Pairs: special values with each other, numbers of all sizes, numbers of one size, small multiples.
fn pairs() -> Vec<[f64; 2]> {
    let special = ENDS.iter().flat_map(|&x| ENDS.map(|y| [x, y]));
    let others = (0..CASES).map(|i| {
        let x = argument(i, -f64::MAX, f64::MAX);
        match hash(i) % 4 {
            0 => [x, argument(hash(i), -f64::MAX, f64::MAX)],
            1 => [argument(i, -1e6, 1e6), argument(hash(i), -1e3, 1e3)],
            2 => [x, x * argument(hash(i), -3.0, 3.0)],
            _ => {
                let y = argument(hash(i), -1e3, 1e3).round() * 0.5;
                [y * argument(i, -1e4, 1e4).round(), y]
            }
        }
    });
    special.chain(others).collect()
}

/// NaN of any kind counts as one.
fn bits(x: f64) -> u64 {
    if x.is_nan() {
        f64::NAN.to_bits()
    } else {
        x.to_bits()
    }
}

macro_rules! exact {
    ($($test:ident: $name:ident = |$x:pat_param, $y:pat_param, $n:pat_param| $ours:expr, $expected:expr;)*) => {$(
        struct $name;
        impl Exact for $name {
            fn ours($x: f64, $y: f64, $n: i32) -> [u64; 2] {
                $ours
            }
        }
    )*
        /// What the host expects, by name.
        fn compare(name: &str) {
            let x = pairs();
            let blocks = (x.len() as u32).div_ceil(70);
            match name {
                $(stringify!($test) => check_map(
                    &x,
                    |stream, x, y| apply::<$name>::launch(stream, Launch::new(blocks, 70), x, y),
                    |i| {
                        let expected: fn(f64, f64, i32) -> [u64; 2] = |$x, $y, $n| $expected;
                        expected(x[i][0], x[i][1], count(i as u64))
                    },
                ),)*
                _ => unreachable!("no function {name}"),
            }
        }
    };
}

exact! {
    trunc: Trunc = |x, _, _| [bits(double::trunc(x)), 0], [bits(x.trunc()), 0];
    floor: Floor = |x, _, _| [bits(double::floor(x)), 0], [bits(x.floor()), 0];
    ceil: Ceil = |x, _, _| [bits(double::ceil(x)), 0], [bits(x.ceil()), 0];
    round: Round = |x, _, _| [bits(double::round(x)), 0], [bits(x.round()), 0];
    rint: Rint = |x, _, _| [bits(double::rint(x)), bits(double::nearbyint(x))], [bits(x.round_ties_even()); 2];
    lrint: Lrint = |x, _, _| [double::lrint(x) as u64, double::llrint(x) as u64], [x.round_ties_even() as i64 as u64; 2];
    lround: Lround = |x, _, _| [double::lround(x) as u64, double::llround(x) as u64], [x.round() as i64 as u64; 2];
    modf: Modf = |x, _, _| { let (f, w) = double::modf(x); [bits(f), bits(w)] }, modf(x);
    frexp: Frexp = |x, _, _| { let (m, e) = double::frexp(x); [bits(m), e as u64] }, frexp(x);
    ldexp: Ldexp = |x, _, n| [bits(double::ldexp(x, n)), bits(double::scalbln(x, n.into()))], [bits(ldexp(x, n)); 2];
    scalbn: Scalbn = |x, _, n| [bits(double::scalbn(x, n)), 0], [bits(ldexp(x, n)), 0];
    logb: Logb = |x, _, _| [bits(double::logb(x)), double::ilogb(x) as u64], logb(x);
    fdim: Fdim = |x, y, _| [bits(double::fdim(x, y)), 0], [bits(if x <= y { 0.0 } else { x - y }), 0];
    copysign: Copysign = |x, y, _| [bits(double::copysign(x, y)), 0], [bits(x.copysign(y)), 0];
    nextafter: Nextafter = |x, y, _| [bits(double::nextafter(x, y)), 0], [bits(next(x, y)), 0];
    fmod: Fmod = |x, y, _| [bits(double::fmod(x, y)), bits(x % y)], [bits(x % y); 2];
    remainder: Remainder = |x, y, _| [bits(double::remainder(x, y)), 0], [remquo(x, y)[0], 0];
    remquo: Remquo = |x, y, _| { let (r, n) = double::remquo(x, y); [bits(r), n as u64] }, remquo(x, y);
    classes: Classes = |x, _, _| [u64::from(x.is_nan()) | u64::from(x.is_infinite()) << 1, u64::from(x.is_finite()) | u64::from(x.is_sign_negative()) << 1],
        classes(x);
    nan: Nan = |_, _, n| [double::nan(n as u64).to_bits(), 0], [f64::NAN.to_bits() | n as u64 & 0x7_ffff_ffff_ffff, 0];
}

fn modf(x: f64) -> [u64; 2] {
    let fraction = if x.is_infinite() {
        0f64.copysign(x)
    } else {
        x.fract().copysign(x)
    };
    [bits(fraction), bits(x.trunc())]
}

/// Mantissa as an integer and exponent: `x = m 2^e`.
fn integer(x: f64) -> (u64, i32) {
    let (stored, fraction) = (
        (x.to_bits() >> 52 & 0x7ff) as i32,
        x.to_bits() & 0xf_ffff_ffff_ffff,
    );
    if stored == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, stored - 1075)
    }
}

fn frexp(x: f64) -> [u64; 2] {
    if x == 0.0 || !x.is_finite() {
        return [bits(x), 0];
    }
    let (m, e) = integer(x);
    let length = 64 - m.leading_zeros() as i32;
    // An integer below 2^53 times 2^-length is exact.
    let size = m as f64 / (1u64 << length) as f64;
    [bits(size.copysign(x)), (e + length) as u64]
}

/// By shifting the integer, and rounding it to even where digits leave at the bottom.
fn ldexp(x: f64, n: i32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let (m, e) = integer(x);
    let zeros = m.leading_zeros() as i32 - 11;
    let (m, e) = (m << zeros, e - zeros + n);
    let size = if e > 971 {
        f64::INFINITY
    } else if e >= -1074 {
        f64::from_bits(m & 0xf_ffff_ffff_ffff | ((e + 1075) as u64) << 52)
    } else if e < -1130 {
        0.0
    } else {
        let by = -1074 - e;
        let (kept, lost) = (
            (u128::from(m) >> by) as u64,
            u128::from(m) & ((1 << by) - 1),
        );
        let half = 1u128 << (by - 1);
        let up = lost > half || (lost == half && kept & 1 == 1);
        f64::from_bits(kept + u64::from(up))
    };
    size.copysign(x)
}

fn logb(x: f64) -> [u64; 2] {
    if x == 0.0 {
        [f64::NEG_INFINITY.to_bits(), i32::MIN as u64]
    } else if x.is_nan() {
        [f64::NAN.to_bits(), i32::MIN as u64]
    } else if x.is_infinite() {
        [f64::INFINITY.to_bits(), i32::MAX as u64]
    } else {
        let (m, e) = integer(x);
        let exponent = e + 63 - m.leading_zeros() as i32;
        [f64::from(exponent).to_bits(), exponent as u64]
    }
}

fn next(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        f64::NAN
    } else if x == y {
        y
    } else if x < y {
        // From the negative side the next after the lowest is -0; C says the same.
        x.next_up()
    } else {
        x.next_down()
    }
}

/// From the exact remainders of std by `8 y`, where that is finite.
fn remquo(x: f64, y: f64) -> [u64; 2] {
    if !x.is_finite() || y.is_nan() || y == 0.0 {
        return [f64::NAN.to_bits(), 0];
    }
    let (a, b) = (x.abs(), y.abs());
    let eight = 8.0 * b;
    let (ma, ea) = integer(if eight.is_finite() { a % eight } else { a });
    let (quotient, rest) = if b.is_infinite() {
        (0, a)
    } else {
        // Below 8: an integer division, of numbers shifted to the same exponent. The smaller exponent is at most 60 below.
        let (mb, eb) = integer(b);
        let low = ea.min(eb).max(eb - 60);
        let shift = |m: u64, e: i32| {
            if e >= low {
                u128::from(m) << (e - low)
            } else {
                0
            }
        };
        let (na, nb) = (shift(ma, ea), shift(mb, eb));
        if ea < eb - 60 {
            (0, a % b)
        } else {
            ((na / nb) as u64, a % b)
        }
    };
    // Up if the rest is more than half of the divisor, or half and the quotient odd.
    let more = rest > b - rest && b.is_finite();
    let tie = rest == b - rest && quotient & 1 == 1;
    let (quotient, rest) = if more || tie {
        (quotient + 1, rest - b)
    } else {
        (quotient, rest)
    };
    let rest = if x.is_sign_negative() { -rest } else { rest };
    let low = (quotient & 7) as i32;
    [
        bits(rest),
        if x.is_sign_negative() != y.is_sign_negative() {
            -low
        } else {
            low
        } as u64,
    ]
}

fn classes(x: f64) -> [u64; 2] {
    let bits = x.to_bits();
    let (size, sign) = (bits & (u64::MAX >> 1), bits >> 63);
    let infinity = 0x7ff0_0000_0000_0000;
    [
        u64::from(size > infinity) | u64::from(size == infinity) << 1,
        u64::from(size < infinity) | sign << 1,
    ]
}

//@ rows: C1-trunc
#[test]
fn trunc_is_exact() {
    compare("trunc");
}

//@ rows: C1-floor
#[test]
fn floor_is_exact() {
    compare("floor");
}

//@ rows: C1-ceil
#[test]
fn ceil_is_exact() {
    compare("ceil");
}

//@ rows: C1-round
#[test]
fn round_is_exact() {
    compare("round");
}

//@ rows: C1-rint, C1-nearbyint
#[test]
fn rint_is_exact() {
    compare("rint");
}

//@ rows: C1-lrint, C1-llrint
#[test]
fn lrint_is_exact() {
    compare("lrint");
}

//@ rows: C1-lround, C1-llround
#[test]
fn lround_is_exact() {
    compare("lround");
}

//@ rows: C1-modf
#[test]
fn modf_is_exact() {
    compare("modf");
}

//@ rows: C1-frexp
#[test]
fn frexp_is_exact() {
    compare("frexp");
}

//@ rows: C1-ldexp, C1-scalbln
#[test]
fn ldexp_is_exact() {
    compare("ldexp");
}

//@ rows: C1-scalbn
#[test]
fn scalbn_is_exact() {
    compare("scalbn");
}

//@ rows: C1-logb, C1-ilogb
#[test]
fn logb_is_exact() {
    compare("logb");
}

//@ rows: C1-fdim
#[test]
fn fdim_is_exact() {
    compare("fdim");
}

//@ rows: C1-copysign
#[test]
fn copysign_is_exact() {
    compare("copysign");
}

//@ rows: C1-nextafter
#[test]
fn nextafter_is_exact() {
    compare("nextafter");
}

//@ rows: C1-fmod
#[test]
fn fmod_is_exact() {
    compare("fmod");
}

//@ rows: C1-remainder
#[test]
fn remainder_is_exact() {
    compare("remainder");
}

//@ rows: C1-remquo
#[test]
fn remquo_is_exact() {
    compare("remquo");
}

//@ rows: C1-signbit, C1-isinf, C1-isnan, C1-isfinite
#[test]
fn classes_is_exact() {
    compare("classes");
}

//@ rows: C1-nan
#[test]
fn nan_is_exact() {
    compare("nan");
}
