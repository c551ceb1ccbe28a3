//! Every function of one argument over all 2^32 floats on a GPU; on the emulator over a few of them.
//!
//! With `WARPLOOM_RECORD_DIR` set, the errors found on a GPU go to `math_single.tsv` in that folder.

use std::fmt::Write as _;

use warploom::{Device, Result, Stream};
use warploom_harness::device_test::on_each_device;

use super::ulp::Worst;
use super::unary::{UNARY, Unary};

/// Every so many-th float on the emulator: odd, so that all mantissas and exponents come.
const STRIDE: u32 = 65_521;
/// Floats that no stride may miss: zeros, ends of ranges, infinities, NaN are multiples of this.
const LANDMARKS: u32 = 0x0040_0000;

/// The largest errors over every `stride`-th float: in 1/1024 ulp, in floats, each with its argument.
fn sweep(
    device: &Device,
    stream: &Stream,
    function: &Unary,
    stride: u32,
) -> Result<[(u32, f32); 2]> {
    let threads = if device.is_gpu() { 1 << 20 } else { 1 << 8 };
    let mut out = device.zeroed::<Worst>(threads)?;
    (function.sweep)(stream, threads as u32, stride, &mut out)?;
    let worst = out
        .to_vec(stream)?
        .into_iter()
        .fold([0; 2], |a, b| [a[0].max(b[0]), a[1].max(b[1])]);
    Ok(worst.map(|packed| ((packed >> 32) as u32, f32::from_bits(packed as u32))))
}

//@ rows: C1-sqrtf, C1-rsqrtf, C1-cbrtf, C1-rcbrtf, C1-expf, C1-exp2f, C1-exp10f, C1-expm1f, C1-logf, C1-log2f, C1-log10f, C1-log1pf
//@ rows: C1-sinf, C1-cosf, C1-tanf, C1-sincosf, C1-sinpif, C1-asinf, C1-acosf, C1-atanf, C1-sinhf, C1-coshf, C1-tanhf
//@ rows: C1-asinhf, C1-acoshf, C1-atanhf, C1-erff, C1-erfcf
//@ rows: C1-truncf, C1-roundf, C1-rintf, C1-nearbyintf, C1-ceilf, C1-floorf
#[test]
fn no_error_is_above_the_bound() {
    on_each_device(|device, stream| {
        let mut table = String::from("function\tmax_ulp\tat\tmax_floats\tat\tbound\n");
        let mut failed = String::new();
        for function in UNARY {
            let strides: &[u32] = if device.is_gpu() {
                &[1]
            } else {
                &[STRIDE, LANDMARKS]
            };
            for &stride in strides {
                let [(fraction, at), (floats, floats_at)] =
                    sweep(device, stream, function, stride)?;
                let Unary { name, bound, .. } = function;
                let line = format!(
                    "{name}\t{:.3}\t{at:e}\t{floats}\t{floats_at:e}\t{bound}",
                    f64::from(fraction) / 1024.0
                );
                if floats > *bound {
                    let _ = writeln!(failed, "{line}");
                }
                let _ = writeln!(table, "{line}");
            }
        }
        if let (true, Some(folder)) = (device.is_gpu(), std::env::var_os("WARPLOOM_RECORD_DIR")) {
            std::fs::write(
                std::path::Path::new(&folder).join("math_single.tsv"),
                &table,
            )
            .expect("the folder can be written to");
        }
        assert!(failed.is_empty(), "on {}:\n{failed}", device.name());
        Ok(())
    });
}
