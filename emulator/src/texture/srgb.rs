//! From sRGB to linear: the hardware's table of 8-bit significands, and sums of its values.

use std::sync::LazyLock;

use super::filter::{self, Part, Term};

/// The first codes of the exponents above the least.
const EXPONENTS_FROM: [u32; 7] = [32, 48, 64, 96, 136, 184, 248];

/// Units of the least exponent in 1.
const UNITS: f64 = 16_384.0;

/// Significands, with the exponent of each code; measured, and then found to be the nearest to what the standard says.
static SIGNIFICANDS: LazyLock<[u8; 256]> =
    LazyLock::new(|| std::array::from_fn(|code| significand(code as u32)));

fn above_least(code: u32) -> usize {
    EXPONENTS_FROM.iter().filter(|from| code >= **from).count()
}

fn significand(code: u32) -> u8 {
    let value = f64::from(code) / 255.0;
    let linear = match value <= 0.040_45 {
        true => value / 12.92,
        false => ((value + 0.055) / 1.055).powf(2.4),
    };
    (linear * UNITS / f64::from(1 << above_least(code))).round() as u8
}

/// The weighted sum of codes as an `f32`, with the precision of 16-bit numbers.
pub(super) fn sum(parts: &[Part]) -> u32 {
    let total = filter::SRGB.total(parts, |bits| {
        let code = bits & 0xff;
        // Significands of 8 bits in a fraction of 10, the exponent of 1 being 15.
        Term {
            significand: i64::from(SIGNIFICANDS[code as usize]) << 3,
            exponent: above_least(code) as i32 + 8,
        }
    });
    filter::SRGB.rounded(total)
}

/// The code of a linear value.
pub(super) fn nearest(linear: f32) -> u32 {
    let linear = f64::from(linear).clamp(0.0, 1.0);
    let value = match linear <= 0.003_130_8 {
        true => linear * 12.92,
        false => 1.055 * linear.powf(1.0 / 2.4) - 0.055,
    };
    (value * 255.0).round() as u32
}
