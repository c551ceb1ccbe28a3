//! The fast forms: errors within what CUDA's guide says of them.

use warploom::device_std::math::fast;
use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

/// Arguments of one test.
const COUNT: usize = 4001;

/// How far a result may be from the exact value.
type Allowed = fn(x: f64, exact: f64) -> f64;

/// One ulp of `f32` at a value of this size.
fn ulp(exact: f64) -> f64 {
    let size = exact.abs().max(f64::from(f32::MIN_POSITIVE));
    f64::from_bits(size.to_bits() & 0x7ff0_0000_0000_0000) * f64::from(f32::EPSILON)
}

macro_rules! fast {
    ($($test:ident, $kernel:ident: $from:literal..$to:literal |$x:ident| $ours:expr, $exact:expr, $allowed:expr;)*) => {$(
        #[kernel]
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
                $kernel::launch(stream, Launch::covering(COUNT), &buffer, &mut y)?;
                for (&x, y) in x.iter().zip(y.to_vec(stream)?) {
                    let $x = f64::from(x);
                    let (exact, allowed): (f64, Allowed) = ($exact, $allowed);
                    let error = (f64::from(y) - exact).abs();
                    assert!(error <= allowed($x, exact), "at {x}: {y} instead of {exact}, on {}", device.name());
                }
                Ok(())
            });
        }
    )*};
}

/// The logarithms: an absolute error from a half to 2, ulps elsewhere.
fn logarithm(x: f64, exact: f64, absolute: i32, ulps: f64) -> f64 {
    let near_1 = (0.5..=2.0).contains(&x);
    if near_1 {
        2f64.powi(-absolute)
    } else {
        // Bounds count from the correctly rounded result, which is half a unit away at most.
        (ulps + 0.5) * ulp(exact)
    }
}

fast! {
    sine, sin: -3.141_592_5..3.141_592_5 |x| fast::sin(x), x.sin(), |_, _| 2f64.powf(-20.5);
    cosine, cos: -3.141_592_5..3.141_592_5 |x| fast::cos(x), x.cos(), |_, _| 2f64.powf(-20.5);
    sine_and_cosine, sincos: -3.141_592_5..3.141_592_5 |x| { let (s, c) = fast::sincos(x); s - c }, x.sin() - x.cos(), |_, _| 2f64.powf(-19.4);
    tangent, tan: -1.5..1.5 |x| fast::tan(x), x.tan(), |_, exact| 2f64.powf(-20.0) * (1.0 + exact * exact) + 3.0 * ulp(exact);
    exponential, exp: -80.0..80.0 |x| fast::exp(x), x.exp(), |x, exact| (2.0 + (1.16 * x).abs().floor()) * ulp(exact);
    power_of_ten, exp10: -37.0..38.0 |x| fast::exp10(x), libm::exp10(x), |x, exact| (2.0 + (2.95 * x).abs().floor()) * ulp(exact);
    power_of_two, exp2: -126.0..127.5 |x| fast::exp2(x), x.exp2(), |_, exact| 2.0 * ulp(exact);
    natural_logarithm, log: 0.001..5.0 |x| fast::log(x), x.ln(), |x, exact| logarithm(x, exact, 21, 3.0);
    logarithm_to_base_2, log2: 0.001..5.0 |x| fast::log2(x), x.log2(), |x, exact| logarithm(x, exact, 21, 2.0);
    logarithm_to_base_10, log10: 0.001..5.0 |x| fast::log10(x), x.log10(), |x, exact| logarithm(x, exact, 22, 3.0);
    power, pow: 0.01..10.0 |x| fast::pow(x, 3.5), x.powf(3.5), |_, exact| 24.0 * ulp(exact);
    division, divide: 0.01..1000.0 |x| fast::divide(3.0, x), 3.0 / x, |_, exact| 2.0 * ulp(exact);
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
    sine_and_cosine();
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
