//! A sample of each function on every back end, against the reference computed on the host.

use warploom::prelude::*;
use warploom_conformance::reference::ulp_error_f64;
use warploom_harness::device_test::on_each_device;

use crate::functions::*;

/// Arguments per function: 2^14, and some so that the last block is not full.
const SAMPLE: u64 = (1 << 14) + 77;

#[kernel]
fn apply<F: Function>(i: Index1D, x: &[[f64; 2]], mut y: DisjointSlice<f64>) {
    if let Some(y) = y.get_mut(i) {
        *y = F::ours(x[i.get()]);
    }
}

/// The function keeps to its bound on each device.
fn keeps_its_bound<F: Function>() {
    let x: Vec<[f64; 2]> = (0..SAMPLE).map(F::arguments).collect();
    on_each_device(|device, stream| {
        let arguments = device.upload(&x)?;
        let mut y = device.zeroed::<f64>(x.len())?;
        let blocks = (x.len() as u32).div_ceil(96);
        apply::<F>::launch(stream, Launch::new(blocks, 96), &arguments, &mut y)?;
        for (&x, y) in x.iter().zip(y.to_vec(stream)?) {
            let error = ulp_error_f64(y, F::reference(x, y));
            assert!(
                error < F::BOUND + HALF,
                "on {}: {}({x:?}) = {y:e} is off by {error} ulp, the bound is {}",
                device.name(),
                F::NAME,
                F::BOUND
            );
        }
        Ok(())
    });
}

//@ rows: C1-exp, C1-exp2, C1-exp10, C1-expm1
#[test]
fn exponentials() {
    keeps_its_bound::<Exp>();
    keeps_its_bound::<Exp2>();
    keeps_its_bound::<Exp10>();
    keeps_its_bound::<Expm1>();
}

//@ rows: C1-log, C1-log2, C1-log10, C1-log1p
#[test]
fn logarithms() {
    keeps_its_bound::<Log>();
    keeps_its_bound::<Log2>();
    keeps_its_bound::<Log10>();
    keeps_its_bound::<Log1p>();
}

//@ rows: C1-sin, C1-cos
#[test]
fn sines() {
    keeps_its_bound::<Sin>();
    keeps_its_bound::<Cos>();
    keeps_its_bound::<SinModerate>();
    keeps_its_bound::<CosModerate>();
}

//@ rows: C1-sincos
#[test]
fn sines_and_cosines_together() {
    keeps_its_bound::<SincosSin>();
    keeps_its_bound::<SincosCos>();
}

//@ rows: C1-tan
#[test]
fn tangents() {
    keeps_its_bound::<Tan>();
    keeps_its_bound::<TanModerate>();
}

//@ rows: C1-sinpi, C1-cospi, C1-sincospi
#[test]
fn sines_of_multiples_of_pi() {
    keeps_its_bound::<Sinpi>();
    keeps_its_bound::<SinpiModerate>();
    keeps_its_bound::<Cospi>();
    keeps_its_bound::<SincospiSin>();
    keeps_its_bound::<SincospiCos>();
}

//@ rows: C1-asin, C1-acos, C1-atan, C1-atan2
#[test]
fn inverse_trigonometric_functions() {
    keeps_its_bound::<Asin>();
    keeps_its_bound::<Acos>();
    keeps_its_bound::<Atan>();
    keeps_its_bound::<AtanModerate>();
    keeps_its_bound::<Atan2>();
}

//@ rows: C1-sinh, C1-cosh, C1-tanh
#[test]
fn hyperbolic_functions() {
    keeps_its_bound::<Sinh>();
    keeps_its_bound::<SinhModerate>();
    keeps_its_bound::<Cosh>();
    keeps_its_bound::<CoshModerate>();
    keeps_its_bound::<Tanh>();
    keeps_its_bound::<TanhModerate>();
}

//@ rows: C1-asinh, C1-acosh, C1-atanh
#[test]
fn inverse_hyperbolic_functions() {
    keeps_its_bound::<Asinh>();
    keeps_its_bound::<AsinhModerate>();
    keeps_its_bound::<Acosh>();
    keeps_its_bound::<AcoshModerate>();
    keeps_its_bound::<Atanh>();
}

//@ rows: C1-pow
#[test]
fn powers() {
    keeps_its_bound::<Pow>();
}

//@ rows: C1-cbrt, C1-rcbrt, C1-rsqrt, C1-hypot
#[test]
fn roots() {
    keeps_its_bound::<Cbrt>();
    keeps_its_bound::<Rcbrt>();
    keeps_its_bound::<Rsqrt>();
    keeps_its_bound::<Hypot>();
}

//@ rows: C1-erf, C1-erfc
#[test]
fn error_functions() {
    keeps_its_bound::<Erf>();
    keeps_its_bound::<Erfc>();
}

//@ rows: C1-erfinv, C1-erfcinv
#[test]
fn inverse_error_functions() {
    keeps_its_bound::<Erfinv>();
    keeps_its_bound::<Erfcinv>();
}

//@ rows: C1-lgamma, C1-tgamma
#[test]
fn gamma_functions() {
    keeps_its_bound::<Lgamma>();
    keeps_its_bound::<LgammaModerate>();
    keeps_its_bound::<LgammaNegative>();
    keeps_its_bound::<Tgamma>();
    keeps_its_bound::<TgammaNegative>();
}
