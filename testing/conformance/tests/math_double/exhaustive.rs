//! A thousand million arguments of each function where there is a GPU: function and reference are computed there, the worst error and its
//! arguments come back. With `WARPLOOM_RECORD_DIR` set they go to the device's file in that folder (`warploom_harness::math_accuracy`), and
//! the emulator gets more arguments.

use warploom::prelude::*;
use warploom_conformance::reference::ulp_error_f64;
use warploom_harness::device_test::on_each_device;
use warploom_harness::math_accuracy::{self, Row};

use crate::functions::*;

/// Arguments per thread of one launch: so few that a launch ends within a second, and a display driver's watchdog stays quiet.
const PER_THREAD: u64 = 256;
/// Threads of a launch on a GPU, and launches.
const GPU: (u32, u32, u64) = (4096, 128, 8);
/// The same on the emulator, where a sample is enough: `accuracy` has the rest.
const EMULATOR: (u32, u32, u64) = (1, 33, 1);
/// The same where the errors are recorded.
const RECORDED: (u32, u32, u64) = (16, 128, 1);

/// The worst error of the thread's own arguments, and those: NaN counts as worse than any number.
#[kernel]
fn search<F: Function>(i: Index1D, start: u64, count: u64, mut y: DisjointSlice<[f64; 3]>) {
    if let Some(y) = y.get_mut(i) {
        let first = start + i.get() as u64 * count;
        let mut worst = [0.0; 3];
        for n in first..first + count {
            let x = F::arguments(n);
            let result = F::ours(x);
            let error = ulp_error_f64(result, F::reference(x, result));
            if !(error <= worst[0]) {
                worst = [error, x[0], x[1]];
            }
            if error.is_nan() {
                break;
            }
        }
        *y = worst;
    }
}

/// Measures a function on each device over one kind of arguments, writes it down and compares with its bound.
fn measure<F: Function>(kind: &str) {
    on_each_device(|device, stream| {
        let ((blocks, threads, launches), count) =
            match (device.is_gpu(), math_accuracy::is_recorded()) {
                (true, _) => (GPU, PER_THREAD),
                (false, true) => (RECORDED, 32),
                (false, false) => (EMULATOR, 8),
            };
        let total = u64::from(blocks) * u64::from(threads);
        let mut y = device.zeroed::<[f64; 3]>(total as usize)?;
        let mut worst = [0.0f64; 3];
        for launch in 0..launches {
            let start = launch * total * count;
            search::<F>::launch(stream, Launch::new(blocks, threads), start, count, &mut y)?;
            for found in y.to_vec(stream)? {
                if !worst[0].is_nan() && !(found[0] <= worst[0]) {
                    worst = found;
                }
            }
        }
        let [error, x, y] = worst;
        let row = Row {
            precision: "f64".to_owned(),
            function: F::NAME.to_owned(),
            kind: kind.to_owned(),
            arguments: launches * total * count,
            off_by: None,
            exact_error: error,
            at: if y == 0.0 {
                format!("{x:?}")
            } else {
                format!("({x:?}, {y:?})")
            },
            bound: F::BOUND as u32,
        };
        crate::assert_committed(F::NAME, row.bound);
        math_accuracy::record(device, &row);
        assert!(
            worst[0] < F::BOUND + HALF,
            "on {}: {} is off by {} ulp at {:?}, the bound is {}",
            device.name(),
            F::NAME,
            worst[0],
            &worst[1..],
            F::BOUND
        );
        Ok(())
    });
}

//@ rows: C1-exp, C1-exp2, C1-exp10, C1-expm1
#[test]
fn exponentials() {
    measure::<Exp>("Exp");
    measure::<Exp2>("Exp2");
    measure::<Exp10>("Exp10");
    measure::<Expm1>("Expm1");
}

//@ rows: C1-log, C1-log2, C1-log10, C1-log1p
#[test]
fn logarithms() {
    measure::<Log>("Log");
    measure::<Log2>("Log2");
    measure::<Log10>("Log10");
    measure::<Log1p>("Log1p");
}

//@ rows: C1-sin, C1-cos
#[test]
fn sines() {
    measure::<Sin>("Sin");
    measure::<Cos>("Cos");
    measure::<SinModerate>("SinModerate");
    measure::<CosModerate>("CosModerate");
}

//@ rows: C1-sincos
#[test]
fn sines_and_cosines_together() {
    measure::<SincosSin>("SincosSin");
    measure::<SincosCos>("SincosCos");
}

//@ rows: C1-tan
#[test]
fn tangents() {
    measure::<Tan>("Tan");
    measure::<TanModerate>("TanModerate");
}

//@ rows: C1-sinpi, C1-cospi, C1-sincospi
#[test]
fn sines_of_multiples_of_pi() {
    measure::<Sinpi>("Sinpi");
    measure::<SinpiModerate>("SinpiModerate");
    measure::<Cospi>("Cospi");
    measure::<SincospiSin>("SincospiSin");
    measure::<SincospiCos>("SincospiCos");
}

//@ rows: C1-asin, C1-acos, C1-atan, C1-atan2
#[test]
fn inverse_trigonometric_functions() {
    measure::<Asin>("Asin");
    measure::<Acos>("Acos");
    measure::<Atan>("Atan");
    measure::<AtanModerate>("AtanModerate");
    measure::<Atan2>("Atan2");
}

//@ rows: C1-sinh, C1-cosh, C1-tanh
#[test]
fn hyperbolic_functions() {
    measure::<Sinh>("Sinh");
    measure::<SinhModerate>("SinhModerate");
    measure::<Cosh>("Cosh");
    measure::<CoshModerate>("CoshModerate");
    measure::<Tanh>("Tanh");
    measure::<TanhModerate>("TanhModerate");
}

//@ rows: C1-asinh, C1-acosh, C1-atanh
#[test]
fn inverse_hyperbolic_functions() {
    measure::<Asinh>("Asinh");
    measure::<AsinhModerate>("AsinhModerate");
    measure::<Acosh>("Acosh");
    measure::<AcoshModerate>("AcoshModerate");
    measure::<Atanh>("Atanh");
}

//@ rows: C1-pow
#[test]
fn powers() {
    measure::<Pow>("Pow");
}

//@ rows: C1-cbrt, C1-rcbrt, C1-rsqrt, C1-hypot
#[test]
fn roots() {
    measure::<Cbrt>("Cbrt");
    measure::<Rcbrt>("Rcbrt");
    measure::<Rsqrt>("Rsqrt");
    measure::<Hypot>("Hypot");
}

//@ rows: C1-erf, C1-erfc
#[test]
fn error_functions() {
    measure::<Erf>("Erf");
    measure::<Erfc>("Erfc");
}

//@ rows: C1-erfinv, C1-erfcinv
#[test]
fn inverse_error_functions() {
    measure::<Erfinv>("Erfinv");
    measure::<Erfcinv>("Erfcinv");
}

//@ rows: C1-lgamma, C1-tgamma
#[test]
fn gamma_functions() {
    measure::<Lgamma>("Lgamma");
    measure::<LgammaModerate>("LgammaModerate");
    measure::<LgammaNegative>("LgammaNegative");
    measure::<Tgamma>("Tgamma");
    measure::<TgammaNegative>("TgammaNegative");
}
