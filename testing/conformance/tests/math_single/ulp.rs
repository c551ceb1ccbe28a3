//! Distances between a result and its reference, for host and device.

/// Larger than any bound: one is NaN where the other is not.
pub(crate) const WRONG: u32 = u32::MAX;

/// Where a float stands among all floats; the zeros are one.
fn place(x: f32) -> i64 {
    let size = i64::from(x.to_bits() & 0x7fff_ffff);
    if x.is_sign_negative() { -size } else { size }
}

/// How many floats `value` is away from the float nearest to `exact`.
pub(crate) fn floats_between(value: f32, exact: f64) -> u32 {
    let rounded = exact as f32;
    if value.is_nan() || rounded.is_nan() {
        return if value.is_nan() == rounded.is_nan() {
            0
        } else {
            WRONG
        };
    }
    if value == 0.0
        && rounded == 0.0
        && exact == 0.0
        && value.is_sign_negative() != exact.is_sign_negative()
    {
        return WRONG; // the sign of an exact zero
    }
    (place(value) - place(rounded))
        .unsigned_abs()
        .min(u64::from(WRONG)) as u32
}

/// The distance from the exact value, in 1/1024 of the unit in the last place that a float of that size has.
pub(crate) fn thousandths(value: f32, exact: f64) -> u32 {
    let apart = floats_between(value, exact);
    if !value.is_finite() || !(exact as f32).is_finite() {
        return apart.saturating_mul(1024);
    }
    let exponent = ((exact.abs().to_bits() >> 52) as i64 - 1023).max(-126);
    // 2 to the power of 23 - exponent: at most 2^149.
    let scale = f64::from_bits(((23 - exponent + 1023) as u64) << 52);
    let ulps = (f64::from(value) - exact).abs() * scale * 1024.0;
    ulps as u32
}

/// The largest errors that one thread found: `[distance from the exact value, floats between]` in the upper half of each, the index of
/// the argument in the lower half.
pub(crate) type Worst = [u64; 2];

/// The larger of what is known and one more result.
pub(crate) fn worse(worst: Worst, value: f32, exact: f64, index: u32) -> Worst {
    let with = |error: u32| u64::from(error) << 32 | u64::from(index);
    let fraction = with(thousandths(value, exact));
    let floats = with(floats_between(value, exact));
    [worst[0].max(fraction), worst[1].max(floats)]
}
