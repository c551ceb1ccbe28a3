//! Which arguments a function is tried with: a number gives an argument, the same on hosts and in kernels.

/// Well mixed bits of a counter.
pub(crate) fn hash(i: u64) -> u64 {
    let mut x = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// 0 up to 1, without it.
fn fraction(bits: u64) -> f64 {
    (bits >> 11) as f64 * f64::EPSILON * 0.5
}

/// `2^e` for normal results.
fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((1023 + e) as u64) << 52)
}

/// The float `ulps` places away.
fn moved(x: f64, ulps: i64) -> f64 {
    f64::from_bits(x.to_bits().wrapping_add(ulps as u64))
}

/// Argument number `i` for a function whose values are interesting from `low` to `high`.
///
/// In turn: any bits, uniform, any exponent up to that of `high`, next to multiples of π/2 and of half of log 2, next to 1, next to
/// both ends, next to integers and their middles.
pub(crate) fn argument(i: u64, low: f64, high: f64) -> f64 {
    let (a, b) = (hash(i), hash(!i));
    let sign = if low < 0.0 && b & 1 == 1 { -1.0 } else { 1.0 };
    let near = (b >> 8 & 0xff) as i64 - 128;
    let uniform = low + (high.min(1e300) - low.max(-1e300)) * fraction(a);
    let x = match i % 8 {
        0 => f64::from_bits(a),
        1 => uniform,
        2 => {
            // From 2^-60 up.
            let top = (high.to_bits() >> 52 & 0x7ff) as i64 - 1023;
            let e = top - (b >> 16) as i64 % (top + 61).max(1);
            sign * (1.0 + fraction(a)) * power_of_two(e as i32)
        }
        3 => {
            let n = (a >> (11 + a % 52)) as f64;
            moved(sign * n * std::f64::consts::FRAC_PI_2, near)
        }
        4 => {
            let n = (a % 4096) as f64;
            let by = 1.0 + (fraction(a) - 0.5) * power_of_two(-((b >> 16) as i32 & 31));
            sign * n * by * (0.5 * std::f64::consts::LN_2)
        }
        5 => {
            let e = (b >> 16) as i32 & 63;
            sign * (1.0 + (fraction(a) - 0.5) * power_of_two(-e))
        }
        6 => moved(if b & 2 == 0 { low } else { high }, near),
        _ => {
            let whole = (2.0 * uniform).round() * 0.5;
            moved(whole, near >> (b >> 20 & 7))
        }
    };
    if x >= low && x <= high { x } else { uniform }
}
