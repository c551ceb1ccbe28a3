//! What the functions give at zeros, infinities, NaN and the ends of their ranges: exact values on every back end.

use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

use crate::functions::*;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
const LEAST: f64 = 5e-324;
const MOST: f64 = f64::MAX;

/// A function whose values are looked up; those of one argument ignore the second.
trait UnaryOrBinary: 'static {
    fn value(x: [f64; 2]) -> f64;
}

impl<F: Function> UnaryOrBinary for F {
    fn value(x: [f64; 2]) -> f64 {
        F::ours(x)
    }
}

#[kernel]
fn look<F: UnaryOrBinary>(i: Index1D, x: &[[f64; 2]], mut y: DisjointSlice<f64>) {
    if let Some(y) = y.get_mut(i) {
        *y = F::value(x[i.get()]);
    }
}

/// Arguments and values: the bits agree, or both are NaN.
#[track_caller]
fn gives<F: UnaryOrBinary>(name: &str, cases: &[([f64; 2], f64)]) {
    let x: Vec<[f64; 2]> = cases.iter().map(|case| case.0).collect();
    on_each_device(|device, stream| {
        let arguments = device.upload(&x)?;
        let mut y = device.zeroed::<f64>(x.len())?;
        look::<F>::launch(stream, Launch::new(1, x.len() as u32), &arguments, &mut y)?;
        for (&(x, expected), found) in cases.iter().zip(y.to_vec(stream)?) {
            let same = found.to_bits() == expected.to_bits();
            assert!(
                same || (found.is_nan() && expected.is_nan()),
                "on {}: {name}({x:?}) = {found:?}, expected {expected:?}",
                device.name()
            );
        }
        Ok(())
    });
}

/// Cases of one argument.
#[track_caller]
fn gives_one<F: UnaryOrBinary>(name: &str, cases: &[(f64, f64)]) {
    let cases: Vec<_> = cases.iter().map(|&(x, y)| ([x, 0.0], y)).collect();
    gives::<F>(name, &cases);
}

//@ rows: C1-exp, C1-exp2, C1-exp10, C1-expm1
#[test]
fn exponentials() {
    let ends = |x| {
        [
            (-INF, 0.0),
            (INF, INF),
            (NAN, NAN),
            (0.0, 1.0),
            (-0.0, 1.0),
            (MOST, INF),
            (-MOST, 0.0),
            (LEAST, x),
        ]
    };
    gives_one::<Exp>("exp", &ends(1.0));
    gives_one::<Exp>(
        "exp",
        &[
            (709.782_712_893_384_1, INF),
            (-745.133_219_101_941_2, 0.0),
            (-745.133_219_101_941_1, LEAST),
        ],
    );
    gives_one::<Exp2>("exp2", &ends(1.0));
    let powers: Vec<_> = [-1022, -30, -1, 1, 10, 1023]
        .map(|n| (f64::from(n), 2f64.powi(n)))
        .to_vec();
    gives_one::<Exp2>("exp2", &powers);
    gives_one::<Exp2>(
        "exp2",
        &[
            (1024.0, INF),
            (-1074.0, LEAST),
            (-1075.0, 0.0),
            (-1030.0, f64::from_bits(1 << 44)),
        ],
    );
    gives_one::<Exp10>("exp10", &ends(1.0));
    gives_one::<Exp10>(
        "exp10",
        &[(309.0, INF), (-324.0, 0.0), (1.0, 10.0), (2.0, 100.0)],
    );
    gives_one::<Expm1>(
        "expm1",
        &[
            (-INF, -1.0),
            (INF, INF),
            (NAN, NAN),
            (0.0, 0.0),
            (-0.0, -0.0),
            (LEAST, LEAST),
            (-LEAST, -LEAST),
            (-800.0, -1.0),
            (710.0, INF),
        ],
    );
}

//@ rows: C1-log, C1-log2, C1-log10, C1-log1p
#[test]
fn logarithms() {
    let ends = [
        (0.0, -INF),
        (-0.0, -INF),
        (-1.0, NAN),
        (-INF, NAN),
        (INF, INF),
        (NAN, NAN),
        (1.0, 0.0),
        (-LEAST, NAN),
    ];
    gives_one::<Log>("log", &ends);
    gives_one::<Log2>("log2", &ends);
    gives_one::<Log10>("log10", &ends);
    gives_one::<Log2>(
        "log2",
        &[
            (LEAST, -1074.0),
            (8.0, 3.0),
            (0.25, -2.0),
            (2f64.powi(1023), 1023.0),
        ],
    );
    gives_one::<Log10>("log10", &[(10.0, 1.0), (1000.0, 3.0)]);
    gives_one::<Log1p>(
        "log1p",
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (-1.0, -INF),
            (-1.5, NAN),
            (-INF, NAN),
            (INF, INF),
            (NAN, NAN),
            (LEAST, LEAST),
            (-LEAST, -LEAST),
        ],
    );
}

//@ rows: C1-sin, C1-cos, C1-tan, C1-sincos, C1-sinpi, C1-cospi, C1-sincospi
#[test]
fn trigonometric_functions() {
    let odd = [
        (0.0, 0.0),
        (-0.0, -0.0),
        (INF, NAN),
        (-INF, NAN),
        (NAN, NAN),
        (LEAST, LEAST),
        (-LEAST, -LEAST),
    ];
    let even = [
        (0.0, 1.0),
        (-0.0, 1.0),
        (INF, NAN),
        (-INF, NAN),
        (NAN, NAN),
        (LEAST, 1.0),
    ];
    gives_one::<Sin>("sin", &odd);
    gives_one::<Tan>("tan", &odd);
    gives_one::<SincosSin>("sincos", &odd);
    gives_one::<Cos>("cos", &even);
    gives_one::<SincosCos>("sincos", &even);
    gives_one::<Cospi>("cospi", &even);
    gives_one::<SincospiCos>("sincospi", &even);
    let whole = [
        (0.0, 0.0),
        (-0.0, -0.0),
        (INF, NAN),
        (-INF, NAN),
        (NAN, NAN),
        (0.5, 1.0),
        (1.0, 0.0),
        (-1.0, -0.0),
        (1.5, -1.0),
        (2.0, 0.0),
        (1e300, 0.0),
        (-1e300, -0.0),
    ];
    gives_one::<Sinpi>("sinpi", &whole);
    gives_one::<SincospiSin>("sincospi", &whole);
    let middle = [
        (0.5, 0.0),
        (-0.5, 0.0),
        (1.5, 0.0),
        (1.0, -1.0),
        (4_503_599_627_370_495.5, 0.0),
        (9_007_199_254_740_991.0, -1.0),
        (1e300, 1.0),
    ];
    gives_one::<Cospi>("cospi", &middle);
}

//@ rows: C1-asin, C1-acos, C1-atan
#[test]
fn inverse_trigonometric_functions() {
    use std::f64::consts::{FRAC_PI_2, PI};
    gives_one::<Asin>(
        "asin",
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (1.0, FRAC_PI_2),
            (-1.0, -FRAC_PI_2),
            (1.0f64.next_up(), NAN),
            (-INF, NAN),
            (NAN, NAN),
            (LEAST, LEAST),
        ],
    );
    gives_one::<Acos>(
        "acos",
        &[
            (1.0, 0.0),
            (-1.0, PI),
            (0.0, FRAC_PI_2),
            (-1.0f64.next_up(), NAN),
            (INF, NAN),
            (NAN, NAN),
        ],
    );
    gives_one::<Atan>(
        "atan",
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (INF, FRAC_PI_2),
            (-INF, -FRAC_PI_2),
            (NAN, NAN),
            (-LEAST, -LEAST),
            (MOST, FRAC_PI_2),
        ],
    );
}

//@ rows: C1-atan2
#[test]
fn angles() {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    let mut cases = Vec::new();
    for (y, x, angle) in [
        (0.0, 1.0, 0.0),
        (0.0, 0.0, 0.0),
        (0.0, -0.0, PI),
        (0.0, -1.0, PI),
        (1.0, 0.0, FRAC_PI_2),
        (1.0, -0.0, FRAC_PI_2),
        (INF, 1.0, FRAC_PI_2),
        (1.0, INF, 0.0),
        (1.0, -INF, PI),
        (INF, INF, FRAC_PI_4),
        (INF, -INF, 3.0 * FRAC_PI_4),
        (0.0, INF, 0.0),
        (LEAST, MOST, 0.0),
        (MOST, LEAST, FRAC_PI_2),
    ] {
        cases.push(([y, x], angle));
        cases.push(([-y, x], -angle));
    }
    cases.extend([
        ([NAN, 1.0], NAN),
        ([1.0, NAN], NAN),
        ([NAN, INF], NAN),
        ([0.0, NAN], NAN),
    ]);
    gives::<Atan2>("atan2", &cases);
}

//@ rows: C1-sinh, C1-cosh, C1-tanh, C1-asinh, C1-acosh, C1-atanh
#[test]
fn hyperbolic_functions() {
    gives_one::<Sinh>(
        "sinh",
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (INF, INF),
            (-INF, -INF),
            (NAN, NAN),
            (LEAST, LEAST),
            (711.0, INF),
            (-MOST, -INF),
        ],
    );
    gives_one::<Cosh>(
        "cosh",
        &[
            (0.0, 1.0),
            (-0.0, 1.0),
            (INF, INF),
            (-INF, INF),
            (NAN, NAN),
            (LEAST, 1.0),
            (711.0, INF),
        ],
    );
    gives_one::<Tanh>(
        "tanh",
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (INF, 1.0),
            (-INF, -1.0),
            (NAN, NAN),
            (LEAST, LEAST),
            (30.0, 1.0),
            (-MOST, -1.0),
        ],
    );
    gives_one::<Asinh>(
        "asinh",
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (INF, INF),
            (-INF, -INF),
            (NAN, NAN),
            (LEAST, LEAST),
            (-LEAST, -LEAST),
        ],
    );
    gives_one::<Acosh>(
        "acosh",
        &[
            (1.0, 0.0),
            (1.0f64.next_down(), NAN),
            (-5.0, NAN),
            (-INF, NAN),
            (INF, INF),
            (NAN, NAN),
        ],
    );
    gives_one::<Atanh>(
        "atanh",
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (1.0, INF),
            (-1.0, -INF),
            (1.5, NAN),
            (-INF, NAN),
            (NAN, NAN),
            (LEAST, LEAST),
        ],
    );
}

//@ rows: C1-pow
#[test]
fn powers() {
    let mut cases = vec![
        ([NAN, 0.0], 1.0),
        ([1.0, NAN], 1.0),
        ([1.0, INF], 1.0),
        ([-1.0, INF], 1.0),
        ([-1.0, -INF], 1.0),
        ([NAN, 1.0], NAN),
        ([2.0, NAN], NAN),
        ([-8.0, 1.0 / 3.0], NAN),
        ([-2.0, 3.0], -8.0),
        ([-2.0, 4.0], 16.0),
        ([-2.0, -3.0], -0.125),
        ([-1.0, 9_007_199_254_740_991.0], -1.0),
        ([-1.0, 9_007_199_254_740_992.0], 1.0),
        ([-1.0, 1e300], 1.0),
        ([10.0, 3.0], 1000.0),
        ([2.0, 1024.0], INF),
        ([2.0, -1074.0], LEAST),
        ([2.0, -1076.0], 0.0),
        ([-2.0, -1077.0], -0.0),
        ([-2.0, 1025.0], -INF),
        ([LEAST, 1.0], LEAST),
        ([-LEAST, 1.0], -LEAST),
        ([MOST, 1.0], MOST),
        ([1.5, 1e300], INF),
        ([0.5, 1e300], 0.0),
        ([0.5, -MOST], INF),
        ([2.0, LEAST], 1.0),
    ];
    for (x, y, result) in [
        (0.0, 3.0, 0.0),
        (0.0, 2.5, 0.0),
        (0.0, INF, 0.0),
        (0.0, -3.0, INF),
        (0.0, -INF, INF),
        (INF, 3.0, INF),
        (INF, -3.0, 0.0),
        (0.5, INF, 0.0),
        (0.5, -INF, INF),
        (2.0, INF, INF),
        (2.0, -INF, 0.0),
    ] {
        cases.push(([x, y], result));
        // An odd power keeps the sign, others do not.
        let negative = if y == 3.0 || y == -3.0 {
            -result
        } else {
            result
        };
        cases.push(([-x, y], negative));
    }
    gives::<Pow>("pow", &cases);
}

//@ rows: C1-cbrt, C1-rcbrt, C1-rsqrt, C1-hypot
#[test]
fn roots() {
    gives_one::<Cbrt>(
        "cbrt",
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (INF, INF),
            (-INF, -INF),
            (NAN, NAN),
            (27.0, 3.0),
            (-1000.0, -10.0),
            (LEAST, 2f64.powi(-358)),
        ],
    );
    gives_one::<Rcbrt>(
        "rcbrt",
        &[
            (0.0, INF),
            (-0.0, -INF),
            (INF, 0.0),
            (-INF, -0.0),
            (NAN, NAN),
            (8.0, 0.5),
            (-0.125, -2.0),
            (LEAST, 2f64.powi(358)),
        ],
    );
    gives_one::<Rsqrt>(
        "rsqrt",
        &[
            (0.0, INF),
            (-0.0, -INF),
            (INF, 0.0),
            (-INF, NAN),
            (-1.0, NAN),
            (NAN, NAN),
            (4.0, 0.5),
            (0.0625, 4.0),
            (LEAST, 2f64.powi(537)),
        ],
    );
    let mut cases = vec![
        ([LEAST, 0.0], LEAST),
        ([0.0, 0.0], 0.0),
        ([NAN, 1.0], NAN),
        ([1.0, NAN], NAN),
        ([MOST, MOST], INF),
        ([3e-310, 4e-310], 5e-310),
        ([3e300, 4e300], 5e300),
    ];
    for x in [1.0, 0.0, NAN, INF] {
        cases.extend([
            ([x, INF], INF),
            ([x, -INF], INF),
            ([INF, x], INF),
            ([-INF, x], INF),
        ]);
    }
    gives::<Hypot>("hypot", &cases);
}

//@ rows: C1-erf, C1-erfc, C1-erfinv, C1-erfcinv, C1-lgamma, C1-tgamma
#[test]
fn error_and_gamma_functions() {
    gives_one::<Erf>(
        "erf",
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (INF, 1.0),
            (-INF, -1.0),
            (NAN, NAN),
            (7.0, 1.0),
        ],
    );
    gives_one::<Erfc>(
        "erfc",
        &[
            (0.0, 1.0),
            (INF, 0.0),
            (-INF, 2.0),
            (NAN, NAN),
            (28.5, 0.0),
            (-7.0, 2.0),
        ],
    );
    gives_one::<Erfinv>(
        "erfinv",
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (1.0, INF),
            (-1.0, -INF),
            (1.5, NAN),
            (-INF, NAN),
            (NAN, NAN),
        ],
    );
    gives_one::<Erfcinv>(
        "erfcinv",
        &[
            (1.0, 0.0),
            (0.0, INF),
            (-0.0, INF),
            (2.0, -INF),
            (2.5, NAN),
            (-1.0, NAN),
            (INF, NAN),
            (NAN, NAN),
        ],
    );
    gives_one::<Lgamma>(
        "lgamma",
        &[
            (1.0, 0.0),
            (2.0, 0.0),
            (0.0, INF),
            (-0.0, INF),
            (-1.0, INF),
            (-300.0, INF),
            (INF, INF),
            (-INF, INF),
            (NAN, NAN),
            (MOST, INF),
        ],
    );
    let gamma = [
        (1.0, 1.0),
        (2.0, 1.0),
        (3.0, 2.0),
        (5.0, 24.0),
        (7.0, 720.0),
        (0.0, INF),
        (-0.0, -INF),
        (-1.0, NAN),
        (-30.0, NAN),
        (INF, INF),
        (-INF, NAN),
        (NAN, NAN),
        (172.0, INF),
        (-190.5, -0.0),
        (-191.5, 0.0),
        (LEAST, INF),
        (-LEAST, -INF),
    ];
    gives_one::<Tgamma>("tgamma", &gamma);
}

/// The smaller, the larger: of a number and NaN the number.
struct Smaller;
impl UnaryOrBinary for Smaller {
    fn value([x, y]: [f64; 2]) -> f64 {
        x.min(y)
    }
}
struct Larger;
impl UnaryOrBinary for Larger {
    fn value([x, y]: [f64; 2]) -> f64 {
        x.max(y)
    }
}

//@ rows: GFP-9, C1-fmin, C1-fmax
#[test]
fn of_a_number_and_nan_the_number_is_chosen() {
    let cases = |pick: fn(f64, f64) -> f64| {
        let values = [1.0, -2.5, INF, -INF, LEAST, MOST, NAN];
        let pairs = values.iter().flat_map(|&x| values.map(|y| [x, y]));
        let number = |[x, y]: [f64; 2]| {
            if x.is_nan() {
                y
            } else if y.is_nan() {
                x
            } else {
                pick(x, y)
            }
        };
        pairs.map(|pair| (pair, number(pair))).collect::<Vec<_>>()
    };
    gives::<Smaller>("min", &cases(|x, y| if x < y { x } else { y }));
    gives::<Larger>("max", &cases(|x, y| if x > y { x } else { y }));
}

/// Sign and size of a NaN.
struct Size;
impl UnaryOrBinary for Size {
    fn value([x, _]: [f64; 2]) -> f64 {
        x.abs()
    }
}
struct Opposite;
impl UnaryOrBinary for Opposite {
    fn value([x, _]: [f64; 2]) -> f64 {
        -x
    }
}

//@ rows: GFP-4, C1-fabs
#[test]
fn sizes_and_opposites() {
    gives_one::<Size>("abs", &[(-1.5, 1.5), (-0.0, 0.0), (-INF, INF), (NAN, NAN)]);
    gives_one::<Opposite>("neg", &[(-1.5, 1.5), (0.0, -0.0), (-INF, INF), (NAN, NAN)]);
}

/// Arithmetic whose results IEEE 754 prescribes.
struct Prescribed<const WHAT: u8>;
impl<const WHAT: u8> UnaryOrBinary for Prescribed<WHAT> {
    fn value([x, y]: [f64; 2]) -> f64 {
        match WHAT {
            0 => x + y,
            1 => x * y,
            2 => x / y,
            3 => x.sqrt(),
            _ => x.mul_add(y, -1.0),
        }
    }
}

//@ rows: GFP-1, C1-add, C1-mul, C1-div, C1-sqrt, C1-fma
#[test]
fn arithmetic_is_rounded_to_nearest() {
    let pairs: Vec<[f64; 2]> = (0..999)
        .map(|i| [Exp::arguments(i)[0], Sinh::arguments(i * 7 + 1)[0] * 1e-300])
        .collect();
    let cases = |of: fn(f64, f64) -> f64| {
        pairs
            .iter()
            .map(|&[x, y]| ([x, y], of(x, y)))
            .collect::<Vec<_>>()
    };
    gives::<Prescribed<0>>("add", &cases(|x, y| x + y));
    gives::<Prescribed<1>>("mul", &cases(|x, y| x * y));
    gives::<Prescribed<2>>("div", &cases(|x, y| x / y));
    gives::<Prescribed<3>>("sqrt", &cases(|x, _| x.sqrt()));
    gives::<Prescribed<4>>("fma", &cases(|x, y| x.mul_add(y, -1.0)));
}
