//! Every function of one argument over all 2^32 floats on a GPU; on the emulator over a few of them.
//!
//! With `WARPLOOM_RECORD_DIR` set, the errors go to the device's file in that folder (`warploom_harness::math_accuracy`), and the emulator
//! gets more arguments.

use std::fmt::Write as _;

use warploom::{Device, Result, Stream};
use warploom_harness::device_test::on_each_device;
use warploom_harness::math_accuracy::{self, Row};

use super::ulp::Worst;
use super::unary::{UNARY, Unary};

/// Every so many-th float on the emulator: odd, so that all mantissas and exponents come.
const STRIDE: u32 = 65_521;
/// The same where the errors are recorded.
const RECORDED_STRIDE: u32 = 1021;
/// Floats that no stride may miss: zeros, ends of ranges, infinities, NaN are multiples of this.
const LANDMARKS: u32 = 0x0040_0000;

/// The largest errors over every `stride`-th float: in 1/1024 ulp, in floats, each with its argument.
fn sweep(
    device: &Device,
    stream: &Stream,
    function: &Unary,
    stride: u32,
) -> Result<[(u32, f32); 2]> {
    let threads = match (device.is_gpu(), math_accuracy::is_recorded()) {
        (true, _) => 1 << 20,
        (false, true) => 1 << 12,
        (false, false) => 1 << 8,
    };
    let mut out = device.zeroed::<Worst>(threads)?;
    (function.sweep)(stream, threads as u32, stride, &mut out)?;
    let worst = out
        .to_vec(stream)?
        .into_iter()
        .fold([0; 2], |a, b| [a[0].max(b[0]), a[1].max(b[1])]);
    Ok(worst.map(|packed| ((packed >> 32) as u32, f32::from_bits(packed as u32))))
}

/// The strides that a device gets.
fn strides(device: &Device) -> &'static [u32] {
    match (device.is_gpu(), math_accuracy::is_recorded()) {
        (true, _) => &[1],
        (false, true) => &[RECORDED_STRIDE, LANDMARKS],
        (false, false) => &[STRIDE, LANDMARKS],
    }
}

/// Runs the functions of these names, as functions and as methods of std, and fails if one is above its bound, or if the committed figures
/// lack it.
fn check(names: &[&str]) {
    on_each_device(|device, stream| {
        let mut failed = String::new();
        let named = |f: &&Unary| {
            names
                .iter()
                .any(|name| f.name.split(' ').next() == Some(name))
        };
        for function in UNARY.iter().filter(named) {
            let Unary { name, bound, .. } = function;
            crate::assert_committed(name, *bound);
            for &stride in strides(device) {
                let [(fraction, at), (floats, floats_at)] =
                    sweep(device, stream, function, stride)?;
                let exact_error = f64::from(fraction) / 1024.0;
                if floats > *bound {
                    let _ = writeln!(
                        failed,
                        "{name}: off by {floats} floats at {floats_at:e}, the bound is {bound}; by {exact_error:.3} ulp at {at:e}"
                    );
                }
                let row = Row {
                    precision: "f32".to_owned(),
                    function: (*name).to_owned(),
                    kind: match stride {
                        1 => "all".to_owned(),
                        stride => format!("one of {stride}"),
                    },
                    arguments: (1u64 << 32).div_ceil(stride.into()),
                    off_by: Some(floats),
                    exact_error,
                    at: format!("{at:e}"),
                    bound: *bound,
                };
                math_accuracy::record(device, &row);
            }
        }
        assert!(failed.is_empty(), "on {}:\n{failed}", device.name());
        Ok(())
    });
}

//@ rows: C1-sqrtf, C1-rsqrtf, C1-cbrtf, C1-rcbrtf
#[test]
fn roots_keep_their_bounds() {
    check(&["sqrtf", "rsqrtf", "cbrtf", "rcbrtf", "std.cbrt"]);
}

//@ rows: C1-expf, C1-exp2f, C1-exp10f, C1-expm1f
#[test]
fn exponentials_keep_their_bounds() {
    check(&[
        "expf",
        "exp2f",
        "exp10f",
        "expm1f",
        "std.exp",
        "std.exp2",
        "std.exp_m1",
    ]);
}

//@ rows: C1-logf, C1-log2f, C1-log10f, C1-log1pf
#[test]
fn logarithms_keep_their_bounds() {
    check(&[
        "logf",
        "log2f",
        "log10f",
        "log1pf",
        "std.ln",
        "std.log2",
        "std.log10",
        "std.ln_1p",
    ]);
}

//@ rows: C1-sinf, C1-cosf, C1-tanf, C1-sincosf, C1-sinpif, C1-cospif, C1-sincospif, GPFI-3
#[test]
fn trigonometry_keep_their_bounds() {
    check(&[
        "sinf",
        "cosf",
        "tanf",
        "sincosf",
        "sinpif",
        "cospif",
        "sincospif",
        "std.sin",
        "std.cos",
        "std.tan",
    ]);
}

//@ rows: C1-asinf, C1-acosf, C1-atanf
#[test]
fn angles_keep_their_bounds() {
    check(&[
        "asinf", "acosf", "atanf", "std.asin", "std.acos", "std.atan",
    ]);
}

//@ rows: C1-sinhf, C1-coshf, C1-tanhf, C1-asinhf, C1-acoshf, C1-atanhf
#[test]
fn hyperbolic_keep_their_bounds() {
    check(&[
        "sinhf", "coshf", "tanhf", "asinhf", "acoshf", "atanhf", "std.sinh", "std.cosh", "std.tanh",
    ]);
}

//@ rows: C1-erff, C1-erfcf, C1-erfinvf, C1-erfcinvf
#[test]
fn errors_keep_their_bounds() {
    check(&["erff", "erfcf", "erfinvf", "erfcinvf"]);
}

//@ rows: C1-lgammaf, C1-tgammaf
#[test]
fn gamma_keep_their_bounds() {
    check(&["lgammaf", "tgammaf"]);
}

//@ rows: C1-truncf, C1-roundf, C1-rintf, C1-nearbyintf, C1-ceilf, C1-floorf
#[test]
fn integers_keep_their_bounds() {
    check(&[
        "truncf",
        "roundf",
        "rintf",
        "nearbyintf",
        "ceilf",
        "floorf",
        "std.round",
        "std.trunc",
        "std.floor",
        "std.ceil",
        "std.round_ties_even",
    ]);
}
