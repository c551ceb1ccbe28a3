//! Each function with CUDA's bound, its arguments and its reference.

use warploom_conformance::reference::{self, Dd, Scaled};
use warploom_device_std::math::double;

use crate::inputs::{argument, hash};

/// How far the correctly rounded result may be from the exact one: bounds count from the former, errors here from the latter.
pub(crate) const HALF: f64 = 0.5;

/// A function to measure; those of one argument ignore the second.
pub(crate) trait Function: 'static {
    /// CUDA's name.
    const NAME: &'static str;
    /// The largest error, in units in the last place.
    const BOUND: f64;
    /// Arguments number `i`.
    fn arguments(i: u64) -> [f64; 2];
    /// What a kernel computes.
    fn ours(x: [f64; 2]) -> f64;
    /// The value; `ours` is a seed for the inverse of a function.
    fn reference(x: [f64; 2], ours: f64) -> Scaled;
}

macro_rules! functions {
    ($($name:ident = $text:literal, $bound:literal, $low:expr, $high:expr, |$x:ident, $seed:pat_param| $ours:expr, $reference:expr;)*) => {
        $(
            pub(crate) struct $name;
            impl Function for $name {
                const NAME: &'static str = $text;
                const BOUND: f64 = $bound;
                fn arguments(i: u64) -> [f64; 2] {
                    [argument(i, $low, $high), 0.0]
                }
                fn ours([$x, _]: [f64; 2]) -> f64 {
                    $ours
                }
                fn reference([$x, _]: [f64; 2], $seed: f64) -> Scaled {
                    $reference.into()
                }
            }
        )*
        /// Calls a macro with each function of one argument.
        #[allow(unused_macros, reason = "not every file measures")]
        macro_rules! each_of_one {
            ($do:ident) => { $($do!($name);)* };
        }
    };
}

const ALL: f64 = f64::MAX;

functions! {
    Exp = "exp", 1.0, -745.2, 709.79, |x, _| double::exp(x), reference::exp(x.into());
    Exp2 = "exp2", 1.0, -1075.5, 1024.5, |x, _| double::exp2(x), reference::exp2(x);
    Exp10 = "exp10", 1.0, -323.8, 308.3, |x, _| double::exp10(x), reference::exp10(x);
    Expm1 = "expm1", 1.0, -60.0, 709.79, |x, _| double::expm1(x), reference::expm1(x.into());
    Log = "log", 1.0, 5e-324, ALL, |x, _| double::log(x), reference::log(x.into());
    Log2 = "log2", 1.0, 5e-324, ALL, |x, _| double::log2(x), reference::log2(x);
    Log10 = "log10", 1.0, 5e-324, ALL, |x, _| double::log10(x), reference::log10(x);
    Log1p = "log1p", 1.0, -0.999_999_999_999_999_9, ALL, |x, _| double::log1p(x), reference::log1p(x.into());
    Sin = "sin", 2.0, -ALL, ALL, |x, _| double::sin(x), reference::sin_cos(x).0;
    Cos = "cos", 2.0, -ALL, ALL, |x, _| double::cos(x), reference::sin_cos(x).1;
    SinModerate = "sin", 2.0, -2e5, 2e5, |x, _| double::sin(x), reference::sin_cos(x).0;
    CosModerate = "cos", 2.0, -2e5, 2e5, |x, _| double::cos(x), reference::sin_cos(x).1;
    SincosSin = "sincos", 2.0, -1e6, 1e6, |x, _| double::sincos(x).0, reference::sin_cos(x).0;
    SincosCos = "sincos", 2.0, -1e6, 1e6, |x, _| double::sincos(x).1, reference::sin_cos(x).1;
    Tan = "tan", 2.0, -ALL, ALL, |x, _| double::tan(x), reference::tan(x);
    TanModerate = "tan", 2.0, -2e5, 2e5, |x, _| double::tan(x), reference::tan(x);
    Sinpi = "sinpi", 2.0, -1e18, 1e18, |x, _| double::sinpi(x), reference::sin_cos_pi(x).0;
    SinpiModerate = "sinpi", 2.0, -100.0, 100.0, |x, _| double::sinpi(x), reference::sin_cos_pi(x).0;
    Cospi = "cospi", 2.0, -100.0, 100.0, |x, _| double::cospi(x), reference::sin_cos_pi(x).1;
    SincospiSin = "sincospi", 2.0, -100.0, 100.0, |x, _| double::sincospi(x).0, reference::sin_cos_pi(x).0;
    SincospiCos = "sincospi", 2.0, -100.0, 100.0, |x, _| double::sincospi(x).1, reference::sin_cos_pi(x).1;
    Asin = "asin", 2.0, -1.0, 1.0, |x, _| double::asin(x), reference::asin(x);
    Acos = "acos", 2.0, -1.0, 1.0, |x, _| double::acos(x), reference::acos(x);
    Atan = "atan", 2.0, -ALL, ALL, |x, _| double::atan(x), reference::atan(x.into());
    AtanModerate = "atan", 2.0, -10.0, 10.0, |x, _| double::atan(x), reference::atan(x.into());
    Sinh = "sinh", 1.0, -710.5, 710.5, |x, _| double::sinh(x), reference::sinh(x);
    SinhModerate = "sinh", 1.0, -5.0, 5.0, |x, _| double::sinh(x), reference::sinh(x);
    Cosh = "cosh", 1.0, -710.5, 710.5, |x, _| double::cosh(x), reference::cosh(x);
    CoshModerate = "cosh", 1.0, -5.0, 5.0, |x, _| double::cosh(x), reference::cosh(x);
    Tanh = "tanh", 1.0, -25.0, 25.0, |x, _| double::tanh(x), reference::tanh(x);
    TanhModerate = "tanh", 1.0, -2.0, 2.0, |x, _| double::tanh(x), reference::tanh(x);
    Asinh = "asinh", 2.0, -ALL, ALL, |x, _| double::asinh(x), reference::asinh(x);
    AsinhModerate = "asinh", 2.0, -10.0, 10.0, |x, _| double::asinh(x), reference::asinh(x);
    Acosh = "acosh", 2.0, 1.0, ALL, |x, _| double::acosh(x), reference::acosh(x);
    AcoshModerate = "acosh", 2.0, 1.0, 10.0, |x, _| double::acosh(x), reference::acosh(x);
    Atanh = "atanh", 2.0, -0.999_999_999_999_999_9, 0.999_999_999_999_999_9, |x, _| double::atanh(x), reference::atanh(x);
    Cbrt = "cbrt", 1.0, -ALL, ALL, |x, _| double::cbrt(x), reference::cbrt(x);
    Rcbrt = "rcbrt", 1.0, -ALL, ALL, |x, _| double::rcbrt(x), reference::rcbrt(x);
    Rsqrt = "rsqrt", 1.0, 5e-324, ALL, |x, _| double::rsqrt(x), reference::rsqrt(x);
    Erf = "erf", 2.0, -6.5, 6.5, |x, _| double::erf(x), reference::erf(x);
    Erfc = "erfc", 5.0, -6.5, 27.3, |x, _| double::erfc(x), reference::erfc(x);
    Erfinv = "erfinv", 8.0, -0.999_999_999_999_999_9, 0.999_999_999_999_999_9, |x, y| double::erfinv(x), reference::erfinv(x, y);
    Erfcinv = "erfcinv", 8.0, 5e-324, 1.999_999_999_999_999_8, |x, y| double::erfcinv(x), reference::erfcinv(x, y);
    Lgamma = "lgamma", 4.0, 5e-324, 2.5e305, |x, _| double::lgamma(x), reference::lgamma(x);
    LgammaModerate = "lgamma", 4.0, 1e-3, 30.0, |x, _| double::lgamma(x), reference::lgamma(x);
    LgammaNegative = "lgamma", 4.0, -2.2636, -1e-300, |x, _| double::lgamma(x), gamma_pole(x, reference::lgamma);
    Tgamma = "tgamma", 8.0, 5.6e-309, 171.7, |x, _| double::tgamma(x), reference::tgamma(x);
    TgammaNegative = "tgamma", 8.0, -184.5, -5.6e-309, |x, _| double::tgamma(x), gamma_pole_signed(x);
}

/// lgamma is infinite at integers that are not positive.
fn gamma_pole(x: f64, of: fn(f64) -> Dd) -> Dd {
    if x == x.floor() {
        Dd(f64::INFINITY, 0.0)
    } else {
        of(x)
    }
}

/// tgamma is NaN there.
fn gamma_pole_signed(x: f64) -> Scaled {
    if x == x.floor() {
        Dd(f64::NAN, 0.0).into()
    } else {
        reference::tgamma(x)
    }
}

/// `pow`: bases of all kinds, exponents that keep the result about in range.
pub(crate) struct Pow;

impl Function for Pow {
    const NAME: &'static str = "pow";
    const BOUND: f64 = 2.0;
    fn arguments(i: u64) -> [f64; 2] {
        let base = match hash(i ^ 0x5555) % 4 {
            0 => argument(i, 5e-324, f64::MAX),
            1 => argument(i, 1e-3, 1e3),
            2 => argument(i | 7, 0.5, 2.0),
            _ => argument(i / 8 * 8 + 5, 0.5, 1.5),
        };
        let most = (746.0 / base.ln().abs()).min(1e300);
        let exponent = match hash(i ^ 0x3333) % 4 {
            0 => argument(hash(i), -64.0, 64.0).round(),
            _ => argument(hash(i), -most, most),
        };
        [base, exponent]
    }
    fn ours([x, y]: [f64; 2]) -> f64 {
        double::pow(x, y)
    }
    fn reference([x, y]: [f64; 2], _: f64) -> Scaled {
        if x == 1.0 || y == 0.0 {
            return Dd(1.0, 0.0).into();
        }
        let result = reference::pow(x, y);
        if result.exponent.abs() > 1200 {
            let end = if result.exponent > 0 {
                f64::INFINITY
            } else {
                0.0
            };
            return Dd(end, 0.0).into();
        }
        result
    }
}

/// `atan2` in all quadrants.
pub(crate) struct Atan2;

impl Function for Atan2 {
    const NAME: &'static str = "atan2";
    const BOUND: f64 = 2.0;
    fn arguments(i: u64) -> [f64; 2] {
        let x = nonzero(argument(i, -f64::MAX, f64::MAX));
        let y = match hash(i ^ 0x7777) % 2 {
            0 => argument(hash(i), -f64::MAX, f64::MAX),
            _ => x * argument(hash(i), -4.0, 4.0),
        };
        [nonzero(y), x]
    }
    fn ours([y, x]: [f64; 2]) -> f64 {
        double::atan2(y, x)
    }
    fn reference([y, x]: [f64; 2], _: f64) -> Scaled {
        reference::atan2(y, x)
    }
}

/// `hypot` of numbers of all sizes.
pub(crate) struct Hypot;

impl Function for Hypot {
    const NAME: &'static str = "hypot";
    const BOUND: f64 = 2.0;
    fn arguments(i: u64) -> [f64; 2] {
        let x = nonzero(argument(i, -f64::MAX, f64::MAX));
        let y = match hash(i ^ 0x7777) % 2 {
            0 => argument(hash(i), -f64::MAX, f64::MAX),
            _ => x * argument(hash(i), -4.0, 4.0),
        };
        [x, nonzero(y)]
    }
    fn ours([x, y]: [f64; 2]) -> f64 {
        double::hypot(x, y)
    }
    fn reference([x, y]: [f64; 2], _: f64) -> Scaled {
        reference::hypot(x, y)
    }
}

/// Finite and not zero.
fn nonzero(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() { 1.0 } else { x }
}
