//! Methods of `f32` and `f64`: those that IEEE 754 defines agree in every bit, the others within a stated distance.

use warploom::prelude::*;
use warploom_harness::device_test::devices;

use crate::{N, agree, each, floats, noise};

/// How far two results lie apart: the number of floats between them. Equal bits, or two NaN: 0.
trait Distance: Copy + Plain {
    fn units_from(self, exact: f64) -> u64;
}

impl Distance for f32 {
    fn units_from(self, exact: f64) -> u64 {
        let place = |v: f32| {
            if v.is_sign_negative() {
                -((v.to_bits() & 0x7fff_ffff) as i64)
            } else {
                v.to_bits() as i64
            }
        };
        if self.is_nan() && exact.is_nan() {
            0
        } else {
            place(self).abs_diff(place(exact as f32))
        }
    }
}

impl Distance for f64 {
    fn units_from(self, exact: f64) -> u64 {
        let place = |v: f64| {
            if v.is_sign_negative() {
                -((v.to_bits() & (!0 >> 1)) as i64)
            } else {
                v.to_bits() as i64
            }
        };
        if self.is_nan() && exact.is_nan() {
            0
        } else {
            place(self).abs_diff(place(exact))
        }
    }
}

/// Runs `f` on all devices; no result may lie farther from that of `exact` than its limit.
#[track_caller]
fn within<T: Distance, const K: usize>(
    x: &[T],
    limits: [(&str, u64); K],
    f: impl Fn(&[T], usize) -> [T; K] + Copy + Send + Sync + 'static,
    exact: impl Fn(&[T], usize) -> [f64; K],
) where
    [T; K]: Plain,
{
    for device in devices() {
        let run = || -> warploom::Result<Vec<[T; K]>> {
            let stream = device.stream()?;
            let mut y = device.zeroed(x.len())?;
            each::launch(
                &stream,
                Launch::covering(x.len()),
                &device.upload(x)?,
                &mut y,
                f,
            )?;
            Ok(y.to_vec(&stream)?)
        };
        let found = match run() {
            Ok(found) => found,
            Err(error) => unreachable!("on {}: {error}", device.name()),
        };
        let mut worst = [(0, 0); K];
        for (i, row) in found.iter().enumerate() {
            let exact = exact(x, i);
            for k in 0..K {
                worst[k] = worst[k].max((row[k].units_from(exact[k]), i));
            }
        }
        let report = |k: usize| format!("{} {} (limit {})", limits[k].0, worst[k].0, limits[k].1);
        let lines: Vec<String> = (0..K).map(report).collect();
        eprintln!(
            "units in the last place on {}: {}",
            device.name(),
            lines.join(", ")
        );
        for (k, (name, limit)) in limits.into_iter().enumerate() {
            let (distance, i) = worst[k];
            assert!(
                distance <= limit,
                "`{name}` on {} is {distance} units in the last place off in element {i}, limit {limit}",
                device.name()
            );
        }
    }
}

/// One text for both widths: the function as kernels call it, and the reference in double precision.
macro_rules! functions {
    ($test:ident, $float:ty, $x:expr, $($label:literal, $limit:literal: |$v:ident, $w:ident| $body:expr;)*) => {
        #[test]
        fn $test() {
            const LIMITS: [(&str, u64); [$($label),*].len()] = [$(($label, $limit)),*];
            fn kernel(x: &[$float], i: usize) -> [$float; LIMITS.len()] {
                let (v, w) = (x[i], x[(i + 1) % x.len()]);
                [$({ let ($v, $w) = (v, w); let _ = $w; $body }),*]
            }
            fn reference(x: &[$float], i: usize) -> [f64; LIMITS.len()] {
                let (v, w) = (f64::from(x[i]), f64::from(x[(i + 1) % x.len()]));
                [$({ let ($v, $w) = (v, w); let _ = $w; $body }),*]
            }
            within(&$x, LIMITS, kernel, reference);
        }
    };
}

functions! { trigonometry_f32, f32, floats(N),
    "sin", 2: |v, w| v.sin();
    "cos", 2: |v, w| v.cos();
    "tan", 4: |v, w| v.tan();
    "sin_cos", 2: |v, w| { let (s, c) = (v * 0.125).sin_cos(); if w > 0.0 { s } else { c } };
    "asin", 4: |v, w| (v * 0.125).asin();
    "acos", 3: |v, w| (v * 0.125).acos();
    "atan", 2: |v, w| v.atan();
    "atan2", 3: |v, w| v.atan2(w);
    "sinh", 3: |v, w| v.sinh();
    "cosh", 2: |v, w| v.cosh();
    "tanh", 2: |v, w| v.tanh();
    "to_degrees", 1: |v, w| v.to_degrees();
}

functions! { trigonometry_f64, f64, doubles(),
    "sin", 2: |v, w| v.sin();
    "cos", 2: |v, w| v.cos();
    "tan", 2: |v, w| v.tan();
    "sin_cos", 2: |v, w| { let (s, c) = (v * 0.125).sin_cos(); if w > 0.0 { s } else { c } };
    "asin", 2: |v, w| (v * 0.125).asin();
    "acos", 2: |v, w| (v * 0.125).acos();
    "atan", 2: |v, w| v.atan();
    "atan2", 2: |v, w| v.atan2(w);
    "sinh", 2: |v, w| v.sinh();
    "cosh", 2: |v, w| v.cosh();
    "tanh", 2: |v, w| v.tanh();
    "to_degrees", 1: |v, w| v.to_degrees();
}

functions! { exponentials_f32, f32, floats(N),
    "exp", 2: |v, w| v.exp();
    "exp2", 2: |v, w| v.exp2();
    "exp_m1", 1: |v, w| v.exp_m1();
    "ln", 1: |v, w| v.abs().ln();
    "log2", 3: |v, w| v.abs().log2();
    "log10", 3: |v, w| v.abs().log10();
    "ln_1p", 2: |v, w| v.abs().ln_1p();
    "powf", 8: |v, w| v.abs().powf(w);
    "powf of a negative", 8: |v, w| v.powf(w);
    "cbrt", 1: |v, w| v.cbrt();
    "hypot", 3: |v, w| v.hypot(w);
    "sqrt", 0: |v, w| v.abs().sqrt();
    "recip", 0: |v, w| v.recip();
}

functions! { exponentials_f64, f64, doubles(),
    "exp", 1: |v, w| v.exp();
    "exp2", 1: |v, w| v.exp2();
    "exp_m1", 1: |v, w| v.exp_m1();
    "ln", 1: |v, w| v.abs().ln();
    "log2", 1: |v, w| v.abs().log2();
    "log10", 2: |v, w| v.abs().log10();
    "ln_1p", 1: |v, w| v.abs().ln_1p();
    "powf", 2: |v, w| v.abs().powf(w);
    "powf of a negative", 2: |v, w| v.powf(w);
    "cbrt", 1: |v, w| v.cbrt();
    "hypot", 2: |v, w| v.hypot(w);
    "sqrt", 0: |v, w| v.abs().sqrt();
    "recip", 0: |v, w| v.recip();
}

functions! { large_arguments_f32, f32, floats(N).into_iter().map(|v| v * v * v * 3e5).collect::<Vec<f32>>(),
    "sin", 2: |v, w| v.sin();
    "cos", 2: |v, w| v.cos();
    "exp", 2: |v, w| (v / 1_048_576.0).exp();
    "ln", 1: |v, w| v.abs().ln();
}

fn doubles() -> Vec<f64> {
    let fine = noise(N).into_iter().rev();
    floats(N)
        .into_iter()
        .zip(fine)
        .map(|(v, fine)| f64::from(v) + f64::from(fine) * 1e-17)
        .collect()
}

/// What has one right answer, on numbers of every kind. NaN has one bit pattern here: IEEE 754 leaves it open.
macro_rules! exact {
    ($module:ident: $float:ty, $bits:ty) => {
        mod $module {
            use crate::{N, agree, noise};

            fn numbers() -> Vec<$float> {
                let special = [
                    0.0,
                    -0.0,
                    0.5,
                    -0.5,
                    1.5,
                    2.5,
                    -2.5,
                    1e-40,
                    16_777_216.5,
                    -8_388_607.5,
                    1e19,
                    -3e38,
                ];
                let special = special.into_iter().chain([
                    <$float>::INFINITY,
                    <$float>::NEG_INFINITY,
                    <$float>::NAN,
                    <$float>::MAX,
                ]);
                let any = noise(N).into_iter().map(|v| {
                    <$float>::from_bits((v as $bits) << (<$bits>::BITS - 32) | v as $bits)
                });
                let near = noise(N)
                    .into_iter()
                    .map(|v| (v as i32 >> 12) as $float / 64.0);
                special.chain(any).chain(near).collect()
            }

            fn clean(v: $float) -> $bits {
                if v.is_nan() { 0 } else { v.to_bits() }
            }

            fn rounded(x: &[$float], i: usize) -> [$bits; 8] {
                let v = x[i];
                [
                    v.floor(),
                    v.ceil(),
                    v.round(),
                    v.trunc(),
                    v.round_ties_even(),
                    v.fract(),
                    v.abs(),
                    v.signum(),
                ]
                .map(clean)
            }

            fn combined(x: &[$float], i: usize) -> [$bits; 10] {
                let (v, w, u) = (x[i], x[(i + 5) % x.len()], x[(i + 11) % x.len()]);
                [
                    v + w,
                    v - w,
                    v * w,
                    v / w,
                    v.mul_add(w, u),
                    v.sqrt(),
                    v.copysign(w),
                    // Which zero is less, or greater, is not defined.
                    v.max(w) + 0.0,
                    v.min(w) + 0.0,
                    v.clamp(-2.0, 1e6),
                ]
                .map(clean)
            }

            fn remainders(x: &[$float], i: usize) -> [$bits; 5] {
                let (v, w) = (x[i] % 1e6, x[(i + 5) % x.len()]);
                [
                    v % w,
                    v.rem_euclid(3.0),
                    v.div_euclid(7.0),
                    v.powi(3),
                    v.powi(-(i as i32 % 9)),
                ]
                .map(clean)
            }

            fn converted(x: &[$float], i: usize) -> [i64; 8] {
                let v = x[i];
                [
                    v as i64,
                    v as u64 as i64,
                    i64::from(v as i32),
                    i64::from(v as u8),
                    i64::from(v as i16),
                    (v as f32 as f64).to_bits() as i64 * i64::from(!v.is_nan()),
                    i64::from(v.is_normal())
                        + 2 * i64::from(v.is_sign_negative()) * i64::from(!v.is_nan()),
                    v.total_cmp(&1.0) as i64 * i64::from(!v.is_nan())
                        + 4 * v.partial_cmp(&0.5).map_or(9, |o| o as i64),
                ]
            }

            fn from_integers(x: &[u32], i: usize) -> [$bits; 5] {
                let wide = u64::from(x[i]) << (x[i] % 32) | 1;
                [
                    x[i] as $float,
                    x[i] as i32 as $float,
                    wide as $float,
                    (wide as i64).wrapping_neg() as $float,
                    x[i] as i8 as $float,
                ]
                .map(clean)
            }

            #[test]
            fn rounding_and_signs() {
                agree(&numbers(), rounded);
            }

            #[test]
            fn arithmetic() {
                agree(&numbers(), combined);
            }

            #[test]
            fn remainders_and_powers() {
                agree(&numbers(), remainders);
            }

            //@ rows: GFP-10
            #[test]
            fn conversions() {
                agree(&numbers(), converted);
                agree(&noise(N), from_integers);
            }
        }
    };
}

exact! { exact_f32: f32, u32 }
exact! { exact_f64: f64, u64 }

/// A product and a sum: two roundings, because kernels do not fuse by themselves.
fn not_fused(x: &[f32], i: usize) -> u32 {
    let (a, b) = (x[i], x[(i + 1) % x.len()]);
    (a * b + x[(i + 2) % x.len()]).to_bits()
}

//@ rows: GFP-8
#[test]
fn products_are_rounded_before_they_are_added() {
    agree(&floats(N), not_fused);
}
