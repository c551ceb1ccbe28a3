//! Kernels with `fast_math`: results within what CUDA's guide and the manual of PTX say of `-use_fast_math`. The emulator computes them as in other
//! kernels, so there they are nearer.

use super::fast::{Allowed, COSINE, COUNT, LOG, LOG2, LOG10, On, SINE};
use super::fast::{logarithm, near, quotient, ulp};
use warploom::prelude::*;
use warploom_harness::device_test::{check, on_each_device};

near! {
    [fast_math]
    sine, sin: -3.141_592_5..3.141_592_5 |x| x.sin(), x.sin(), |_, _, on| SINE.of(on);
    cosine, cos: -3.141_592_5..3.141_592_5 |x| x.cos(), x.cos(), |_, _, on| COSINE.of(on);
    sine_of_both, sin_of_sincos: -3.141_592_5..3.141_592_5 |x| x.sin_cos().0, x.sin(), |_, _, on| SINE.of(on);
    cosine_of_both, cos_of_sincos: -3.141_592_5..3.141_592_5 |x| x.sin_cos().1, x.cos(), |_, _, on| COSINE.of(on);
    tangent, tan: -1.5..1.5 |x| x.tan(), x.tan(), |_, exact, on| quotient(exact, on);
    hyperbolic_tangent, tanh: 0.01..9.0 |x| x.tanh(), x.tanh(), |_, exact, _| exact.abs() * 2f64.powi(-11) + ulp(exact);
    exponential, exp: -80.0..80.0 |x| x.exp(), x.exp(), |x, exact, _| (2.0 + (1.16 * x).abs().floor()) * ulp(exact);
    power_of_two, exp2: -126.0..127.5 |x| x.exp2(), x.exp2(), |_, exact, _| 2.0 * ulp(exact);
    natural_logarithm, log: 0.001..5.0 |x| x.ln(), x.ln(), |x, exact, on| logarithm(x, exact, LOG.of(on), 3.0);
    logarithm_to_base_2, log2: 0.001..5.0 |x| x.log2(), x.log2(), |x, exact, on| logarithm(x, exact, LOG2.of(on), 2.0);
    logarithm_to_base_10, log10: 0.001..5.0 |x| x.log10(), x.log10(), |x, exact, on| logarithm(x, exact, LOG10.of(on), 3.0);
    power, pow: 0.01..10.0 |x| x.powf(3.5), x.powf(3.5), |_, exact, _| 24.0 * ulp(exact);
    division, divide: 0.01..1000.0 |x| 3.0 / x, 3.0 / x, |_, exact, _| 2.0 * ulp(exact);
    inverse, invert: 0.01..1000.0 |x| 1.0 / x, 1.0 / x, |_, exact, _| 1.5 * ulp(exact);
    root, sqrt: 0.01..1000.0 |x| x.sqrt(), x.sqrt(), |_, exact, _| 2.5 * ulp(exact);
    inverse_root, rsqrt: 0.01..1000.0 |x| 1.0 / x.sqrt(), 1.0 / x.sqrt(), |_, exact, _| 3.0 * ulp(exact);
    fused, multiply_add: 0.01..1000.0 |x| x * 1.1 + 0.3, x * f64::from(1.1f32) + f64::from(0.3f32), |_, exact, _| 1.5 * ulp(exact);
    // Not replaced: as near as in other kernels, but for the subnormal numbers.
    arc_sine, asin: -1.0..1.0 |x| x.asin(), x.asin(), |_, exact, _| 3.0 * ulp(exact);
    arc_tangent, atan: -50.0..50.0 |x| x.atan(), x.atan(), |_, exact, _| 3.0 * ulp(exact);
    cube_root, cbrt: -1000.0..1000.0 |x| x.cbrt(), x.cbrt(), |_, exact, _| 2.0 * ulp(exact);
    hyperbolic_sine, sinh: -20.0..20.0 |x| x.sinh(), x.sinh(), |_, exact, _| 4.0 * ulp(exact);
    exponential_less_1, expm1: -10.0..10.0 |x| x.exp_m1(), x.exp_m1(), |_, exact, _| 2.0 * ulp(exact);
    remainder, fmod: -100.0..100.0 |x| x % 2.5, x % 2.5, |_, _, _| 0.0;
}

//@ rows: GPFI-8
#[test]
fn trigonometric_functions_are_near() {
    sine();
    cosine();
    sine_of_both();
    cosine_of_both();
    tangent();
}

//@ rows: GPFI-8
#[test]
fn powers_are_near() {
    exponential();
    power_of_two();
    power();
}

//@ rows: GPFI-8
#[test]
fn logarithms_are_near() {
    natural_logarithm();
    logarithm_to_base_2();
    logarithm_to_base_10();
}

//@ rows: GPFI-8
#[test]
fn the_hyperbolic_tangent_is_near() {
    hyperbolic_tangent();
}

//@ rows: GPFI-8
#[test]
fn quotients_and_roots_are_near() {
    division();
    inverse();
    root();
    inverse_root();
    fused();
}

//@ rows: GPFI-8
#[test]
fn other_functions_are_as_near_as_ever() {
    arc_sine();
    arc_tangent();
    cube_root();
    hyperbolic_sine();
    exponential_less_1();
    remainder();
}

/// Positive and negative subnormal numbers, the smallest and the largest too.
const SUBNORMAL: [f32; 6] = [
    1e-45,
    1.0e-40,
    1.175_494_2e-38,
    -1e-45,
    -2e-39,
    -1.175_494_2e-38,
];

#[kernel(fast_math)]
fn flushing(i: Index1D, x: &[f32], mut y: DisjointSlice<[f32; 4]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = [x * 4e9, x + 1e-37, x.sqrt(), x.cbrt()];
    }
}

/// On a GPU they count as zero; the emulator keeps them.
//@ rows: GPFI-8
#[test]
fn subnormal_numbers_are_zero_on_a_gpu() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed::<[f32; 4]>(SUBNORMAL.len())?;
        let x = device.upload(&SUBNORMAL)?;
        flushing::launch(stream, Launch::covering(SUBNORMAL.len()), &x, &mut y)?;
        for (x, [product, sum, root, cube_root]) in SUBNORMAL.iter().zip(y.to_vec(stream)?) {
            let name = device.name();
            if device.is_gpu() {
                assert_eq!(
                    (product, sum, root),
                    (0.0, 1e-37, 0.0),
                    "of {x:e} on {name}"
                );
                // Its own code decides by the number's bits: the root of the number, or of zero.
                let near = (f64::from(*x).cbrt() - f64::from(cube_root)).abs();
                let allowed = 2.0 * ulp(f64::from(*x).cbrt());
                let is_zero = cube_root.abs() < f32::MIN_POSITIVE;
                assert!(
                    is_zero || near <= allowed,
                    "{cube_root:e} for {x:e} on {name}"
                );
            } else {
                assert_eq!((product, sum), (x * 4e9, x + 1e-37), "of {x:e} on {name}");
            }
        }
        Ok(())
    });
}

#[inline(never)]
fn third(x: f32) -> f32 {
    x / 3.0
}

#[kernel]
fn accurate(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = third(x).sqrt() + x;
    }
}

#[kernel(fast_math)]
fn fast(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = third(x[i.get()]);
    }
}

/// Another kernel with `fast_math` calls the same function.
//@ rows: GPFI-8
#[test]
fn other_kernels_round_as_ever() {
    let x: Vec<f32> = SUBNORMAL
        .iter()
        .map(|x| x.abs())
        .chain((1..2000).map(|n| n as f32 * 0.37))
        .collect();
    let expected: Vec<f32> = x.iter().map(|x| (x / 3.0).sqrt() + x).collect();
    check(&expected, |device, stream| {
        let (input, mut y) = (device.upload(&x)?, device.zeroed::<f32>(x.len())?);
        fast::launch(stream, Launch::covering(x.len()), &input, &mut y)?;
        for (x, y) in x.iter().zip(y.to_vec(stream)?) {
            let third = f64::from(*x) / 3.0;
            let error = (f64::from(y) - third).abs();
            // Of a subnormal number it may be zero.
            let small = third < f64::from(f32::MIN_POSITIVE);
            let allowed = if small { third } else { 2.5 * ulp(third) };
            assert!(error <= allowed, "{y} for {x} on {}", device.name());
        }
        accurate::launch(stream, Launch::covering(x.len()), &input, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel(fast_math)]
fn double(i: Index1D, x: &[f64], mut y: DisjointSlice<f64>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = (x * 1.1 + 0.3).sqrt() / x;
    }
}

/// Rounded after each operation, and subnormal numbers are kept.
//@ rows: GPFI-8
#[test]
fn doubles_are_exact() {
    let x: Vec<f64> = [5e-324, 1e-310]
        .into_iter()
        .chain((1..2000).map(|n| f64::from(n) * 0.37))
        .collect();
    let expected: Vec<f64> = x.iter().map(|x| (x * 1.1 + 0.3).sqrt() / x).collect();
    check(&expected, |device, stream| {
        let (input, mut y) = (device.upload(&x)?, device.zeroed::<f64>(x.len())?);
        double::launch(stream, Launch::covering(x.len()), &input, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
