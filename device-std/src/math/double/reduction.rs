//! Large arguments modulo π/2, after Payne and Hanek: only those digits of 2/π are multiplied that matter.

use core::f64::consts::FRAC_PI_2;

use super::machine::{fast_two_sum, fma, two_product};

/// 2/π · 2^64, 2^128, …: 64 bits each, after a zero word.
static TWO_OVER_PI: [u64; 21] = [
    0,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// `x` less the nearest multiple of π/2, within 0.51 ulp, what that lacks, and the quadrant; for `|x|` above 2^10. NaN for what is not
/// finite.
#[cold]
#[inline(never)]
pub(super) fn reduce_large(x: f64) -> (f64, f64, i32) {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    if exponent == 0x7ff {
        return (f64::NAN, 0.0, 0);
    }
    let mantissa = bits & 0x000f_ffff_ffff_ffff | 0x0010_0000_0000_0000;
    // x = mantissa · 2^e. Bits of 2/π above 2^(2 - e) give multiples of 4 right angles: skip them. The zero word stands for those
    // before the point, so that the place is not negative.
    let e = exponent - 1075;
    let place = (e - 2 + 64) as u32;
    let (word, shift) = ((place / 64) as usize, place % 64);
    let digits = |i: usize| {
        let pair = u128::from(TWO_OVER_PI[(word + i) % 21]) << 64
            | u128::from(TWO_OVER_PI[(word + i + 1) % 21]);
        (pair << shift >> 64) as u64
    };
    // mantissa · 192 digits, modulo 2^192: two bits of quadrant, 190 of fraction.
    let low = u128::from(mantissa) * u128::from(digits(2));
    let middle = u128::from(mantissa) * u128::from(digits(1)) + (low >> 64);
    let high = mantissa
        .wrapping_mul(digits(0))
        .wrapping_add((middle >> 64) as u64);
    let quadrant = (high >> 62) as i32;
    let fraction =
        u128::from(high) << 66 | u128::from(middle as u64) << 2 | (low as u64 >> 62) as u128;
    // To nearest: the fraction becomes one of -1/2..=1/2.
    let up = (fraction >> 127) as i32;
    let size = if up == 1 {
        fraction.wrapping_neg()
    } else {
        fraction
    };
    let zeros = size.leading_zeros();
    let size = size << (zeros & 127);
    let power = f64::from_bits(u64::from(1023 - 53 - zeros) << 52);
    let first = (size >> 75) as u64 as f64 * power;
    let second = ((size >> 22) as u64 & 0x1f_ffff_ffff_ffff) as f64
        * power
        * f64::from_bits(0x3ca0_0000_0000_0000);
    let (product, lost) = two_product(first, FRAC_PI_2);
    let rest = fma(
        first,
        6.123_233_995_736_766e-17,
        fma(second, FRAC_PI_2, lost),
    );
    let (r, rest) = fast_two_sum(product, rest);
    let negative = (up == 1) != (x < 0.0);
    let quadrant = quadrant + up;
    (
        if negative { -r } else { r },
        if negative { -rest } else { rest },
        if x < 0.0 { -quadrant } else { quadrant },
    )
}
