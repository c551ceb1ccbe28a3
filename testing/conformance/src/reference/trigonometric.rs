//! Trigonometric functions and their inverses.

use super::double_double::{Dd, power_of_two};
use super::elementary::INVERSE_FACTORIALS;

/// π.
pub(super) const PI: Dd = Dd(3.141592653589793, 1.2246467991473532e-16);
/// π/2.
pub(super) const PI_2: Dd = Dd(1.5707963267948966, 6.123233995736766e-17);
const ONE: Dd = Dd(1.0, 0.0);

/// The digits of 2/π, 32 at a time.
const DIGITS: [u32; 42] = [
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
    0xdebb_c561,
    0xb724_6e3a,
    0x424d_d2e0,
    0x0649_2eea,
    0x09d1_921c,
    0xfe1d_eb1c,
    0xb129_a73e,
    0xe882_35f5,
    0x2ebb_4484,
    0xe99c_7026,
    0xb45f_7e41,
    0x3991_d639,
    0x8353_39f4,
    0x9c84_5f8b,
    0xbdf9_283b,
    0x1ff8_97ff,
    0xde05_980f,
    0xef2f_118b,
    0x5a0a_6d1f,
    0x6d36_7ecf,
    0x27cb_09b7,
    0x4f46_3f66,
    0x9e5f_ea2d,
    0x7527_bac7,
    0xebe5_f17b,
    0x3d07_39f7,
    0x8a52_92ea,
    0x6bfb_5fb1,
    0x1f8d_5d08,
    0x5603_3046,
    0xfc7b_6bab,
    0xf0cf_bc20,
    0x9af4_361d,
    0xa9e3_9161,
    0x5ee6_1b08,
];

/// Sine and cosine for |r| up to about π/4, by their series.
fn sin_cos_small(r: Dd) -> (Dd, Dd) {
    let square = -(r * r);
    let mut odd = Dd(0.0, 0.0);
    let mut even = Dd(0.0, 0.0);
    let mut n = 29;
    while n > 1 {
        odd = odd * square + INVERSE_FACTORIALS[n];
        even = even * square + INVERSE_FACTORIALS[n - 1];
        n -= 2;
    }
    (r + r * (odd * square), ONE + even * square)
}

/// `|x|` less the nearest multiple of π/2, and the quadrant: fixed point, 256 bits of the quotient.
fn reduce(a: f64) -> (Dd, u32) {
    if a < 0.75 {
        return (a.into(), 0);
    }
    let bits = a.to_bits();
    let mantissa = bits & 0x000f_ffff_ffff_ffff | 0x0010_0000_0000_0000;
    let e = (bits >> 52) as i32 - 1075;
    // The quotient is mantissa · 0.DIGITS · 2^e. From bit `start` (those above give multiples of 4) eight words of 32 bits.
    let start = e - 2;
    let bit = |i: i32| -> u32 {
        if i < 0 {
            0
        } else {
            DIGITS[(i / 32) as usize % 42] >> (31 - i % 32) & 1
        }
    };
    let word = |i: i32| -> u64 {
        let mut word = 0u64;
        for k in 0..32 {
            word = word << 1 | u64::from(bit(start + 32 * i + k));
        }
        word
    };
    // Schoolbook product, low words first; two words of the mantissa.
    let halves = [mantissa & 0xffff_ffff, mantissa >> 32];
    let mut product = [0u64; 8];
    for i in 0..8 {
        let digits = word(7 - i);
        let mut carry = 0;
        for (k, half) in halves.iter().enumerate() {
            let at = i as usize + k;
            if at < 8 {
                let sum = digits * half + product[at] + carry;
                product[at] = sum & 0xffff_ffff;
                carry = sum >> 32;
            }
        }
        let at = i as usize + 2;
        if at < 8 {
            product[at] += carry;
        }
    }
    // Carries that were added without spreading.
    let mut carry = 0;
    for word in &mut product {
        let sum = *word + carry;
        *word = sum & 0xffff_ffff;
        carry = sum >> 32;
    }
    // Two bits of quadrant, then the fraction: less 1 if it is above one half.
    let mut quadrant = (product[7] >> 30) as u32;
    product[7] &= 0x3fff_ffff;
    let above = product[7] >> 29 == 1;
    let mut fraction = Dd(0.0, 0.0);
    if above {
        quadrant += 1;
        let mut borrow = 1;
        for word in &mut product {
            let sum = (!*word & 0xffff_ffff) + borrow;
            *word = sum & 0xffff_ffff;
            borrow = sum >> 32;
        }
        product[7] &= 0x3fff_ffff;
    }
    for (i, &word) in product.iter().enumerate() {
        let weight = power_of_two(32 * i as i32 - 254);
        fraction = fraction + Dd(word as f64 * weight, 0.0);
    }
    let r = fraction * PI_2;
    (if above { -r } else { r }, quadrant)
}

/// Sine and cosine of a number of radians.
#[must_use]
pub fn sin_cos(x: f64) -> (Dd, Dd) {
    let (r, quadrant) = reduce(x.abs());
    let (s, c) = turned(sin_cos_small(r), quadrant);
    (if x < 0.0 { -s } else { s }, c)
}

fn turned((s, c): (Dd, Dd), quadrant: u32) -> (Dd, Dd) {
    match quadrant & 3 {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

/// The tangent of a number of radians.
#[must_use]
pub fn tan(x: f64) -> Dd {
    let (s, c) = sin_cos(x);
    s / c
}

/// Sine and cosine of π times a number.
#[must_use]
pub fn sin_cos_pi(x: f64) -> (Dd, Dd) {
    let a = x.abs() % 2.0;
    let n = (2.0 * a).round_ties_even();
    let r = PI * Dd(a - 0.5 * n, 0.0);
    let (s, c) = turned(sin_cos_small(r), n as u32);
    (if x < 0.0 { -s } else { s }, c)
}

/// The arc tangent: a seed, and the angle between its direction and the wanted one.
#[must_use]
pub fn atan(x: Dd) -> Dd {
    let a = x.abs();
    let size = if a.0 > 1.0 {
        PI_2 - atan_small(ONE / a)
    } else {
        atan_small(a)
    };
    size.signed(x.0)
}

fn atan_small(a: Dd) -> Dd {
    let seed = Dd(a.0.atan(), 0.0);
    let (s, c) = sin_cos_small(seed);
    let d = (a * c - s) / (c + a * s);
    // atan(d) by two terms of its series; d is about as large as the seed's error.
    seed + d - d * d * d / Dd(3.0, 0.0)
}

/// The arc sine.
#[must_use]
pub fn asin(x: f64) -> Dd {
    let a = Dd(x.abs(), 0.0);
    let cosine = ((ONE - a) * (ONE + a)).sqrt();
    let size = if cosine.0 > 0.0 {
        atan(a / cosine)
    } else {
        PI_2
    };
    size.signed(x)
}

/// The arc cosine.
#[must_use]
pub fn acos(x: f64) -> Dd {
    let x = Dd(x, 0.0);
    if x.0 == -1.0 {
        return PI;
    }
    let half = atan(((ONE - x) / (ONE + x)).sqrt());
    half + half
}

/// The angle of a point, for finite coordinates that are not both 0.
#[must_use]
pub fn atan2(y: f64, x: f64) -> super::Scaled {
    // Far from the axes by size: an angle below the range of f64 is a quotient.
    let (height, width) = (y.abs(), x.abs());
    let scaled = |v: f64, n: i32| Dd(super::double_double::scale(v, n), 0.0);
    let most = if height > width { height } else { width };
    let n = (most.to_bits() >> 52) as i32 - 1023;
    let (h, w) = (scaled(height, -n), scaled(width, -n));
    if x > 0.0 && h.0 < w.0 * power_of_two(-400) {
        let tiny = scaled(height, 600 - n) / w;
        let value = tiny.signed(y);
        return super::Scaled {
            value,
            exponent: -600,
        };
    }
    let acute = if h.0 > w.0 {
        PI_2 - atan(w / h)
    } else {
        atan(h / w)
    };
    let angle = if x.is_sign_negative() {
        PI - acute
    } else {
        acute
    };
    angle.signed(y).into()
}
