//! The fast forms: errors within what CUDA's guide says of them on the emulator, which has the correctly rounded value of each approximation of
//! the hardware. On a GPU the bounds are those that the manual of PTX lets expect: `sin.approx` and `cos.approx` are within 2^-20.5, where the
//! guide has 2^-21.41 and 2^-21.19; `lg2.approx` is within 2^-22 from a half to 2. An H200 (driver 580.159.04, 2026-11-23) passed with these
//! bounds; how far below them it stays was not recorded.

use warploom::device_std::math::fast;
use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

/// Arguments of one test.
pub(crate) const COUNT: usize = 4001;

/// How far a result may be from the exact value.
pub(crate) type Allowed = fn(x: f64, exact: f64, on: On) -> f64;

/// Whose bounds count.
#[derive(Clone, Copy)]
pub(crate) enum On {
    /// The emulator: those of CUDA's guide.
    Emulator,
    /// A GPU: those of the manual of PTX.
    Gpu,
}

/// One ulp of `f32` at a value of this size.
pub(crate) fn ulp(exact: f64) -> f64 {
    let size = exact.abs().max(f64::from(f32::MIN_POSITIVE));
    f64::from_bits(size.to_bits() & 0x7ff0_0000_0000_0000) * f64::from(f32::EPSILON)
}

/// Kernels, all with the attribute's arguments in brackets, and for each a function that compares its results with the exact values.
macro_rules! near {
    ($options:tt $($test:ident, $kernel:ident: $from:literal..$to:literal |$x:ident| $ours:expr, $exact:expr, $allowed:expr;)*) => {
        $($crate::fast::near!(@ $options $test, $kernel: $from..$to |$x| $ours, $exact, $allowed);)*
    };
    (@ [$($option:ident)?] $test:ident, $kernel:ident: $from:literal..$to:literal |$x:ident| $ours:expr, $exact:expr, $allowed:expr) => {
        #[kernel($($option)?)]
        fn $kernel(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
            if let Some(y) = y.get_mut(i) {
                let $x = x[i.get()];
                *y = $ours;
            }
        }

        fn $test() {
            let x: Vec<f32> = (0..COUNT).map(|i| $from + ($to - $from) * (i as f32 / (COUNT - 1) as f32)).collect();
            on_each_device(|device, stream| {
                let buffer = device.upload(&x)?;
                let mut y = device.zeroed::<f32>(COUNT)?;
                let on = if device.is_gpu() { On::Gpu } else { On::Emulator };
                $kernel::launch(stream, Launch::covering(COUNT), &buffer, &mut y)?;
                for (&x, y) in x.iter().zip(y.to_vec(stream)?) {
                    let $x = f64::from(x);
                    let (exact, allowed): (f64, Allowed) = ($exact, $allowed);
                    let error = (f64::from(y) - exact).abs();
                    assert!(error <= allowed($x, exact, on), "at {x}: {y} instead of {exact}, on {}", device.name());
                }
                Ok(())
            });
        }
    };
}
pub(crate) use near;

/// The logarithms: an absolute error from a half to 2, ulps elsewhere.
pub(crate) fn logarithm(x: f64, exact: f64, absolute: f64, ulps: f64) -> f64 {
    let near_1 = (0.5..=2.0).contains(&x);
    if near_1 {
        absolute
    } else {
        // Bounds count from the correctly rounded result, which is half a unit away at most.
        (ulps + 0.5) * ulp(exact)
    }
}

/// CUDA defines the tangent as `__sinf(x) * (1 / __cosf(x))`: the error of each of the two, and two roundings.
pub(crate) fn quotient(exact: f64, on: On) -> f64 {
    let secant = (1.0 + exact * exact).sqrt();
    match on {
        On::Emulator => (SINE.of(on) + exact.abs() * COSINE.of(on)) * secant + 1.5 * ulp(exact),
        On::Gpu => 2f64.powf(-20.0) * (1.0 + exact * exact) + 3.0 * ulp(exact),
    }
}

/// Two bounds of an absolute error, by their logarithms to base 2: the guide's, and what is asked of a GPU.
#[derive(Clone, Copy)]
pub(crate) struct Absolute(f64, f64);

impl Absolute {
    pub(crate) fn of(self, on: On) -> f64 {
        2f64.powf(match on {
            On::Emulator => self.0,
            On::Gpu => self.1,
        })
    }
}

pub(crate) const SINE: Absolute = Absolute(-21.41, -20.5);
pub(crate) const COSINE: Absolute = Absolute(-21.19, -20.5);
pub(crate) const LOG: Absolute = Absolute(-21.41, -21.0);
pub(crate) const LOG2: Absolute = Absolute(-22.0, -21.0);
pub(crate) const LOG10: Absolute = Absolute(-24.0, -22.0);

near! {
    []
    sine, sin: -3.141_592_5..3.141_592_5 |x| fast::sin(x), x.sin(), |_, _, on| SINE.of(on);
    cosine, cos: -3.141_592_5..3.141_592_5 |x| fast::cos(x), x.cos(), |_, _, on| COSINE.of(on);
    sine_of_both, sin_of_sincos: -3.141_592_5..3.141_592_5 |x| fast::sincos(x).0, x.sin(), |_, _, on| SINE.of(on);
    cosine_of_both, cos_of_sincos: -3.141_592_5..3.141_592_5 |x| fast::sincos(x).1, x.cos(), |_, _, on| COSINE.of(on);
    tangent, tan: -1.5..1.5 |x| fast::tan(x), x.tan(), |_, exact, on| quotient(exact, on);
    exponential, exp: -80.0..80.0 |x| fast::exp(x), x.exp(), |x, exact, _| (2.0 + (1.16 * x).abs().floor()) * ulp(exact);
    power_of_ten, exp10: -37.0..38.0 |x| fast::exp10(x), libm::exp10(x), |x, exact, _| (2.0 + (2.95 * x).abs().floor()) * ulp(exact);
    power_of_two, exp2: -126.0..127.5 |x| fast::exp2(x), x.exp2(), |_, exact, _| 2.0 * ulp(exact);
    natural_logarithm, log: 0.001..5.0 |x| fast::log(x), x.ln(), |x, exact, on| logarithm(x, exact, LOG.of(on), 3.0);
    logarithm_to_base_2, log2: 0.001..5.0 |x| fast::log2(x), x.log2(), |x, exact, on| logarithm(x, exact, LOG2.of(on), 2.0);
    logarithm_to_base_10, log10: 0.001..5.0 |x| fast::log10(x), x.log10(), |x, exact, on| logarithm(x, exact, LOG10.of(on), 3.0);
    power, pow: 0.01..10.0 |x| fast::pow(x, 3.5), x.powf(3.5), |_, exact, _| 24.0 * ulp(exact);
    division, divide: 0.01..1000.0 |x| fast::divide(3.0, x), 3.0 / x, |_, exact, _| 2.0 * ulp(exact);
}

#[kernel]
fn divide_by_large(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = fast::divide(x[i.get()], 1.5e38);
    }
}

//@ rows: C2-__fdividef
#[test]
fn division_by_a_large_number_is_zero() {
    let x = [3.0, -1e38, f32::INFINITY];
    on_each_device(|device, stream| {
        let mut y = device.zeroed::<f32>(3)?;
        divide_by_large::launch(stream, (1, 3), &device.upload(&x)?, &mut y)?;
        let y = y.to_vec(stream)?;
        assert!(
            y[0] == 0.0 && y[1] == 0.0 && y[2].is_nan(),
            "{y:?} on {}",
            device.name()
        );
        Ok(())
    });
}

//@ rows: C2-__sinf
#[test]
fn the_sine_is_near() {
    sine();
}

//@ rows: C2-__cosf
#[test]
fn the_cosine_is_near() {
    cosine();
}

//@ rows: C2-__sincosf
#[test]
fn sine_and_cosine_come_together() {
    sine_of_both();
    cosine_of_both();
}

//@ rows: C2-__tanf
#[test]
fn the_tangent_is_near() {
    tangent();
}

//@ rows: C2-__expf
#[test]
fn powers_of_e_are_near() {
    exponential();
}

//@ rows: C2-__exp10f
#[test]
fn powers_of_ten_are_near() {
    power_of_ten();
}

#[test]
fn powers_of_two_are_near() {
    power_of_two();
}

//@ rows: C2-__logf
#[test]
fn natural_logarithms_are_near() {
    natural_logarithm();
}

//@ rows: C2-__log2f
#[test]
fn logarithms_to_base_2_are_near() {
    logarithm_to_base_2();
}

//@ rows: C2-__log10f
#[test]
fn logarithms_to_base_10_are_near() {
    logarithm_to_base_10();
}

//@ rows: C2-__powf
#[test]
fn powers_are_near() {
    power();
}

//@ rows: C2-__fdividef
#[test]
fn quotients_are_near() {
    division();
}
