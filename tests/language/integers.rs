//! Integers of every width: what wraps, what is checked, what counts bits; and 128 bits.

use crate::{N, agree, noise};

macro_rules! integer_tests {
    ($($name:ident: $ty:ty;)*) => {$(
        mod $name {
            use crate::{N, agree, noise};

            /// Two values of the type, of all magnitudes; the second is small now and then.
            fn operands(x: &[u32], i: usize) -> ($ty, $ty) {
                let (low, high) = (u64::from(x[i]), u64::from(x[(i + 1) % x.len()]));
                let a = (low | high << 32) as $ty >> (low % u64::from(<$ty>::BITS));
                let b = (high << 7 ^ low) as $ty >> (high % u64::from(<$ty>::BITS));
                (a, b)
            }

            fn wrapping(x: &[u32], i: usize) -> [$ty; 8] {
                let (a, b) = operands(x, i);
                [
                    a.wrapping_add(b),
                    a.wrapping_sub(b),
                    a.wrapping_mul(b),
                    a.wrapping_neg(),
                    a.wrapping_shl(x[i]),
                    a.wrapping_shr(x[i]),
                    a.saturating_add(b),
                    a.saturating_mul(b),
                ]
            }

            fn checked(x: &[u32], i: usize) -> [$ty; 8] {
                let (a, b) = operands(x, i);
                let (sum, carried) = a.overflowing_add(b);
                let (product, lost) = a.overflowing_mul(b);
                [
                    a.checked_add(b).unwrap_or(1),
                    a.checked_sub(b).unwrap_or(2),
                    a.checked_mul(b).unwrap_or(3),
                    a.checked_div(b).unwrap_or(4),
                    a.checked_rem_euclid(b).unwrap_or(5),
                    a.checked_pow(x[i] % 5).unwrap_or(6),
                    sum ^ carried as $ty,
                    product ^ lost as $ty,
                ]
            }

            fn bits(x: &[u32], i: usize) -> [u32; 7] {
                let (a, b) = operands(x, i);
                [
                    a.leading_zeros(),
                    a.trailing_zeros(),
                    a.count_ones(),
                    a.leading_ones(),
                    (a & b).trailing_ones(),
                    a.abs_diff(b).count_zeros(),
                    a.checked_ilog2().unwrap_or(99) + 100 * a.checked_ilog10().unwrap_or(99),
                ]
            }

            fn moves(x: &[u32], i: usize) -> [$ty; 7] {
                let (a, b) = operands(x, i);
                [
                    a.rotate_left(x[i] % 70),
                    a.rotate_right(x[i] % 70),
                    a.swap_bytes(),
                    a.reverse_bits(),
                    <$ty>::from_le_bytes(b.to_be_bytes()),
                    a.max(b) ^ a.min(b) ^ a.clamp(3, 100),
                    a.isqrt_or_zero(),
                ]
            }

            /// Division with operands that cannot overflow it.
            fn quotients(x: &[u32], i: usize) -> [$ty; 4] {
                let (a, b) = operands(x, i);
                let b = if b == 0 || b == <$ty>::MIN || b == !0 { 7 } else { b };
                [a / b, a % b, a.div_euclid(b), a.rem_euclid(b)]
            }

            trait Root {
                fn isqrt_or_zero(self) -> Self;
            }
            impl Root for $ty {
                #[allow(unused_comparisons, reason = "only signed types are below zero")]
                fn isqrt_or_zero(self) -> $ty {
                    if self < 0 { 0 } else { self.isqrt() }
                }
            }

            #[test]
            fn every_operation() {
                let x = noise(N);
                agree(&x, wrapping);
                agree(&x, checked);
                agree(&x, bits);
                agree(&x, moves);
                agree(&x, quotients);
            }

            #[test]
            fn the_ends_of_the_range() {
                // 0 and all ones in every mix: -1, MIN, MAX and 0 come out of `operands`.
                let x: Vec<u32> = (0..99u32).map(|i| [0, !0, 1 << 31, 1, !0 >> 1][(i * i) as usize % 5]).collect();
                agree(&x, wrapping);
                agree(&x, checked);
                agree(&x, bits);
                agree(&x, moves);
                agree(&x, quotients);
            }
        }
    )*};
}

integer_tests! {
    of_u8: u8;
    of_u16: u16;
    of_u32: u32;
    of_u64: u64;
    of_i8: i8;
    of_i16: i16;
    of_i32: i32;
    of_i64: i64;
}

fn wide_operands(x: &[u32], i: usize) -> (u128, u128) {
    let word = |k: usize| u128::from(x[(i + k) % x.len()]);
    let a = word(0) | word(1) << 32 | word(2) << 64 | word(3) << 96;
    let b = (word(4) << 96 | word(5) << 64 | word(6) << 32 | word(7)) >> (x[i] % 128);
    (a, b.max(1))
}

fn unsigned_128(x: &[u32], i: usize) -> [u128; 8] {
    let (a, b) = wide_operands(x, i);
    [
        a.wrapping_add(b),
        a.wrapping_mul(b),
        a / b,
        a % b,
        a.rotate_left(x[i] % 128) ^ a >> (x[i] % 128) ^ b << (x[i] % 127),
        a.checked_mul(b).unwrap_or(1),
        a.reverse_bits() ^ a.swap_bytes(),
        u128::from(a.leading_zeros() + b.count_ones()) + b.isqrt(),
    ]
}

fn signed_128(x: &[u32], i: usize) -> [i128; 6] {
    let (a, b) = wide_operands(x, i);
    let (a, b) = (
        a as i128,
        if x[i].is_multiple_of(2) {
            b as i128 >> 1
        } else {
            -(b as i128 >> 2) - 1
        },
    );
    let b = if b == 0 { 3 } else { b };
    [
        a.wrapping_sub(b),
        a.checked_mul(b).unwrap_or(2),
        a.wrapping_div(b),
        a.wrapping_rem(b),
        a.wrapping_rem_euclid(b),
        a >> (x[i] % 128) ^ i128::from(a < b),
    ]
}

fn floats_of_128(x: &[u32], i: usize) -> [u128; 5] {
    let (a, b) = wide_operands(x, i);
    let of = |v: f64| u128::from(v.to_bits());
    [
        of(a as f64) ^ of(b as f64) << 64,
        of(a as i128 as f64),
        u128::from((b as f32).to_bits()),
        (b as f64 * 1.5) as u128,
        (-(b as f64) / 3.0) as i128 as u128,
    ]
}

#[test]
fn u128_in_full() {
    agree(&noise(N), unsigned_128);
}

#[test]
fn i128_in_full() {
    agree(&noise(N), signed_128);
}

#[test]
fn u128_and_floats() {
    agree(&noise(N), floats_of_128);
}

fn casts(x: &[u32], i: usize) -> [i64; 8] {
    let v = x[i];
    [
        i64::from(v as i8),
        i64::from(v as u16 as i16),
        i64::from(v as i32),
        v as i8 as u32 as i64,
        (v as i32 as u64 >> 3) as i64,
        i64::from(i16::try_from(v >> 16).unwrap_or(-5)),
        i64::from(char::from_u32(v >> 11).map_or(0, |c| c.len_utf8() as u32)),
        i64::from(v.is_power_of_two()) + i64::from(v.next_power_of_two() >> 1),
    ]
}

#[test]
fn casts_and_conversions() {
    // `next_power_of_two` overflows above 2^31.
    let x: Vec<u32> = noise(N).into_iter().map(|v| v >> 1).collect();
    agree(&x, casts);
}
