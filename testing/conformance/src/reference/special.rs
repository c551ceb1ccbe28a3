//! The error function, the gamma function and what belongs to them.

use super::double_double::{Dd, Scaled, polynomial, two_product, two_sum};
use super::elementary::{exp, log, log1p};
use super::trigonometric::{PI, sin_cos_pi};

/// 2/√π.
pub(super) const FRAC_2_SQRT_PI: Dd = Dd(1.1283791670955126, 1.533545961316588e-17);
/// log(2π)/2
pub(super) const HALF_LN_2PI: Dd = Dd(0.9189385332046728, -3.8782941580672414e-17);
/// (ζ(k) - 1) / k with the sign of (-1)^k, from k = 2 on; the first is 1 less Euler's constant.
const ZETA: [Dd; 40] = [
    Dd(0.42278433509846713, 4.942915152430645e-18),
    Dd(0.3224670334241132, 1.520336175199238e-17),
    Dd(-0.0673523010531981, 6.87667631175899e-18),
    Dd(0.020580808427784546, 1.4629392512775695e-18),
    Dd(-0.007385551028673986, 4.1051370891788617e-19),
    Dd(0.0028905103307415234, -7.357950161901912e-20),
    Dd(-0.001192753911703261, 4.1747852352514e-20),
    Dd(0.0005096695247430425, -2.780354175057013e-20),
    Dd(-0.00022315475845357939, 6.032078299350848e-21),
    Dd(9.945751278180853e-05, 2.734261130690314e-21),
    Dd(-4.492623673813314e-05, 3.4577848248512954e-22),
    Dd(2.050721277567069e-05, 4.864174577619616e-22),
    Dd(-9.439488275268397e-06, 8.111985879973243e-22),
    Dd(4.374866789907488e-06, -3.7021851137962053e-22),
    Dd(-2.039215753801366e-06, -4.70891370095011e-23),
    Dd(9.55141213040742e-07, 4.798512617588967e-23),
    Dd(-4.492469198764566e-07, 1.4219340578032317e-23),
    Dd(2.1207184805554665e-07, 1.2243193613787666e-23),
    Dd(-1.0043224823968099e-07, -5.246728062732248e-24),
    Dd(4.7698101693639804e-08, 1.6747349659198183e-24),
    Dd(-2.2711094608943164e-08, -1.406065812811299e-24),
    Dd(1.0838659214896955e-08, -5.018242148804151e-25),
    Dd(-5.183475041970047e-09, -1.0891302535635231e-26),
    Dd(2.4836745438024785e-09, -1.5805048837932932e-25),
    Dd(-1.1921401405860912e-09, -5.269861418993634e-26),
    Dd(5.731367241678862e-10, -2.3810866578223724e-26),
    Dd(-2.7595228851242334e-10, 2.107257883073299e-26),
    Dd(1.330476437424449e-10, 6.614614775208236e-27),
    Dd(-6.4229645638381e-11, -4.232176684861536e-27),
    Dd(3.1044247747322276e-11, -2.8715350933450543e-27),
    Dd(-1.5021384080754142e-11, -5.063470614908766e-28),
    Dd(7.275974480239079e-12, 4.879514445370743e-28),
    Dd(-3.527742476575915e-12, -1.8425514965961343e-29),
    Dd(1.711991790559618e-12, -6.994387860952799e-29),
    Dd(-8.315385841420285e-13, 1.5951572809733943e-29),
    Dd(4.04220052528944e-13, -1.2672480151835454e-29),
    Dd(-1.9664756310966165e-13, 4.0719036606056276e-30),
    Dd(9.573630387838556e-14, 1.9773509309959252e-30),
    Dd(-4.6640760264283744e-14, 2.186282283713084e-30),
    Dd(2.2737369600659724e-14, -9.672147869269828e-31),
];
/// B(2k) / (2k (2k - 1)), from k = 1 on.
const BERNOULLI: [Dd; 20] = [
    Dd(0.08333333333333333, 4.625929269271485e-18),
    Dd(-0.002777777777777778, 1.0601087908747154e-19),
    Dd(0.0007936507936507937, 6.883823317368282e-22),
    Dd(-0.0005952380952380953, 5.36938218754726e-20),
    Dd(0.0008417508417508417, 3.6870174889237694e-20),
    Dd(-0.0019175269175269176, 1.0675702776872475e-19),
    Dd(0.00641025641025641, 2.2240044563805217e-19),
    Dd(-0.029550653594771242, 4.861760957508855e-19),
    Dd(0.17964437236883057, -6.401600482710946e-19),
    Dd(-1.3924322169059011, 1.5837056989230303e-17),
    Dd(13.402864044168393, -6.154114101993966e-16),
    Dd(-156.84828462600203, 9.391823141715389e-15),
    Dd(2193.1033333333335, -1.3339255626002948e-13),
    Dd(-36108.77125372499, 5.897583353514365e-13),
    Dd(691472.268851313, 2.5585296305158e-11),
    Dd(-15238221.539407415, -8.76774522490625e-10),
    Dd(382900751.39141417, -2.4082684757733585e-08),
    Dd(-10882266035.784391, 3.141830930219749e-07),
    Dd(347320283765.00226, -6.048528997747748e-06),
    Dd(-12369602142269.275, 0.0009363732896507286),
];
const ONE: Dd = Dd(1.0, 0.0);

/// The error function for sizes up to 3, by a series whose terms have one sign.
fn erf_series(x: Dd) -> Dd {
    let twice = x * x * Dd(2.0, 0.0);
    let (mut term, mut sum) = (x, x);
    for n in 1..160 {
        term = term * twice / Dd(f64::from(2 * n + 1), 0.0);
        sum = sum + term;
        if term.0.abs() < sum.0.abs() * 1e-34 {
            break;
        }
    }
    let e = exp(-(x * x));
    sum * FRAC_2_SQRT_PI * e.value.scaled(e.exponent)
}

/// The complementary error function from 2 on, by its continued fraction.
fn erfc_fraction(x: f64) -> Scaled {
    let steps = 40 + (700.0 / (x * x)) as i32;
    let x = Dd(x, 0.0);
    let mut fraction = x;
    for n in (1..=steps).rev() {
        fraction = x + Dd(0.5 * f64::from(n), 0.0) / fraction;
    }
    let Scaled { value, exponent } = exp(-(x * x));
    Scaled {
        value: value * FRAC_2_SQRT_PI / fraction,
        exponent: exponent - 1,
    }
}

/// The error function.
#[must_use]
pub fn erf(x: f64) -> Dd {
    if x.abs() < 2.0 {
        return erf_series(x.into());
    }
    let rest = erfc_fraction(x.abs().min(20.0));
    (ONE - rest.value.scaled(rest.exponent)).signed(x)
}

/// The complementary error function.
#[must_use]
pub fn erfc(x: f64) -> Scaled {
    if x < 2.0 {
        (ONE - erf(x)).into()
    } else {
        erfc_fraction(x.min(40.0))
    }
}

/// The number whose error function is `x`, near `seed`.
#[must_use]
pub fn erfinv(x: f64, seed: f64) -> Dd {
    if x.abs() < 0.5 {
        return refined(seed, (erf(seed) - Dd(x, 0.0)).into());
    }
    let rest = two_sum(1.0, -x.abs());
    refined(seed.abs(), negative_difference(seed.abs(), rest)).signed(x)
}

/// The number whose complementary error function is `x`, near `seed`.
#[must_use]
pub fn erfcinv(x: f64, seed: f64) -> Dd {
    if x < 1.5 {
        refined(seed, negative_difference(seed, x.into()))
    } else {
        -refined(-seed, negative_difference(-seed, two_sum(2.0, -x)))
    }
}

/// `erf(seed)` less the number whose complement is `rest`.
fn negative_difference(seed: f64, rest: Dd) -> Scaled {
    let at = erfc(seed);
    Scaled {
        value: rest.scaled(-at.exponent) - at.value,
        exponent: at.exponent,
    }
}

/// Halley's step for the error function, which misses its value by `miss` at `seed`.
fn refined(seed: f64, miss: Scaled) -> Dd {
    let slope = exp(-two_product(seed, seed));
    let step = miss.value.scaled(miss.exponent - slope.exponent) / (slope.value * FRAC_2_SQRT_PI);
    Dd(seed, 0.0) - step / (ONE + step * Dd(seed, 0.0))
}

/// The logarithm of the gamma function of a positive number.
fn lgamma_positive(x: f64) -> Dd {
    if x > 0.7 && x < 2.3 {
        let t = two_sum(x, if x < 1.5 { -1.0 } else { -2.0 });
        if t.0.abs() < 0.3 {
            // lgamma(2 + t) = t (c0 + c1 t + …).
            let near_2 = polynomial(&ZETA, t) * t;
            return if x < 1.5 { near_2 - log1p(t) } else { near_2 };
        }
    }
    let (mut y, mut factor) = (Dd(x, 0.0), ONE);
    while y.0 < 26.0 {
        factor = factor * y;
        y = y + ONE;
    }
    let inverse = ONE / y;
    let tail = polynomial(&BERNOULLI, inverse * inverse) * inverse;
    let main = (y - Dd(0.5, 0.0)) * log(y) - y + HALF_LN_2PI + tail;
    if x < 26.0 { main - log(factor) } else { main }
}

/// The logarithm of the size of the gamma function; `x` is not zero or a negative integer.
#[must_use]
pub fn lgamma(x: f64) -> Dd {
    if x > 0.0 {
        return lgamma_positive(x);
    }
    if x > -1e-30 {
        return -log(Dd(-x, 0.0));
    }
    let (s, _) = sin_cos_pi(x);
    log(PI / (s.abs() * Dd(-x, 0.0))) - lgamma_positive(-x)
}

/// The gamma function; `x` is not zero or a negative integer.
#[must_use]
pub fn tgamma(x: f64) -> Scaled {
    let Scaled { value, exponent } = exp(lgamma(x));
    let negative = x < 0.0 && x.floor() % 2.0 != 0.0;
    Scaled {
        value: if negative { -value } else { value },
        exponent,
    }
}
