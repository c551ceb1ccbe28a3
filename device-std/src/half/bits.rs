//! Operations on the bits of 16-bit floats that `F16` and `Bf16`, alone and in pairs, have in common.

pub(super) const SIGN: u16 = 0x8000;
pub(super) const NAN: u16 = 0x7fff;

/// The lesser of two with `flip` 0, the greater with −1; of a number and what is none, the number. `infinite` are all bits of the exponent.
#[inline(always)]
pub(super) fn extreme(a: u16, b: u16, infinite: u16, flip: i16) -> u16 {
    let is_nan = |x: u16| x & !SIGN > infinite;
    match (is_nan(a), is_nan(b)) {
        (true, true) => NAN,
        (true, false) => b,
        (false, true) => a,
        (false, false) if order(a) ^ flip <= order(b) ^ flip => a,
        (false, false) => b,
    }
}

/// Integers in the order of the numbers, with −0 below +0.
#[inline(always)]
pub(super) const fn order(x: u16) -> i16 {
    let x = x as i16;
    x ^ (x >> 15 & i16::MAX)
}

/// `each` on the low halves and on the high halves.
#[inline(always)]
pub(super) fn halves(a: u32, b: u32, each: impl Fn(u16, u16) -> u16) -> u32 {
    let low = each(a as u16, b as u16);
    let high = each((a >> 16) as u16, (b >> 16) as u16);
    u32::from(high) << 16 | u32::from(low)
}
