//! What the bits of an operand mean to a tensor core.

use crate::exact;

/// A floating-point type of A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    /// IEEE 754 binary16.
    F16,
    /// The upper half of an `f32`.
    Bf16,
    /// An `f32` of which the lowest 13 bits are ignored.
    Tf32,
    /// 8 bits: 4 of exponent, 3 of fraction; no infinities.
    E4m3,
    /// 8 bits: the upper half of an [`Float::F16`].
    E5m2,
}

/// A number as hardware sees it: `significand · 2^(exponent - fraction)`. Subnormal numbers keep the least exponent of their type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) class: Class,
    /// With its sign.
    pub(super) significand: i64,
    pub(super) exponent: i32,
    /// Bits of the significand behind the point.
    pub(super) fraction: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Finite,
    /// The significand is 1 or -1.
    Infinite,
    Nan,
}

/// The exponent of a zero: so low that neither it nor a product with it is the largest.
const ZERO: i32 = -1000;

impl Value {
    /// Reads a number of `exponents` bits of exponent and `fraction` bits behind the point, with infinities and NaN as in IEEE 754.
    pub(super) fn decode(bits: u64, exponents: u32, fraction: u32) -> Self {
        let value = Self::decode_finite(bits, exponents, fraction);
        let highest = (1 << exponents) - 1;
        if bits >> fraction & highest != highest {
            return value;
        }
        let class = match bits & ((1 << fraction) - 1) {
            0 => Class::Infinite,
            _ => Class::Nan,
        };
        let significand = value.significand.signum();
        Self {
            class,
            significand,
            ..value
        }
    }

    /// As [`Value::decode`] without infinities and NaN.
    fn decode_finite(bits: u64, exponents: u32, fraction: u32) -> Self {
        let field = (bits >> fraction & ((1 << exponents) - 1)) as i32;
        let leading = i64::from(field != 0) << fraction;
        let magnitude = leading | (bits & ((1 << fraction) - 1)).cast_signed();
        let negative = bits >> (exponents + fraction) & 1 == 1;
        let bias = (1 << (exponents - 1)) - 1;
        Self {
            class: Class::Finite,
            significand: if negative { -magnitude } else { magnitude },
            exponent: if magnitude == 0 {
                ZERO
            } else {
                field.max(1) - bias
            },
            fraction,
        }
    }
}

impl Float {
    /// Bits of an element in a register.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::Tf32 => 32,
            Self::E4m3 | Self::E5m2 => 8,
        }
    }

    /// Whether `mma.sync` converts the elements to `f16` first, as it does on Hopper: its tensor cores have these types for `wgmma` only.
    pub(super) const fn is_converted(self) -> bool {
        matches!(self, Self::E4m3 | Self::E5m2)
    }

    /// As [`Self::decode`], where the tensor cores have the type themselves.
    pub(super) fn decode_own(self, bits: u64) -> Value {
        match self {
            Self::E4m3 if bits & 0x7f != 0x7f => Value::decode_finite(bits, 4, 3),
            Self::E5m2 => Value::decode(bits, 5, 2),
            _ => self.decode(bits),
        }
    }

    pub(super) fn decode(self, bits: u64) -> Value {
        match self {
            Self::F16 => Value::decode(bits, 5, 10),
            Self::Bf16 => Value::decode(bits, 8, 7),
            // A NaN whose upper bits of the fraction are 0 reads as an infinity.
            Self::Tf32 => Value::decode(bits >> 13, 8, 10),
            Self::E5m2 => Value::decode(bits << 8, 5, 10),
            Self::E4m3 => {
                let nan = bits & 0x7f == 0x7f;
                let value = Value::decode_finite(bits, 4, 3);
                if nan {
                    return Value {
                        class: Class::Nan,
                        ..value
                    };
                }
                // What the conversion gives: a normal number of 16 bits, but for zero.
                let exact = f16_of(value);
                Value::decode(exact, 5, 10)
            }
        }
    }
}

/// The bits of the `f16` of this value, which has one.
fn f16_of(value: Value) -> u64 {
    let magnitude = u128::from(value.significand.unsigned_abs());
    let negative = value.significand < 0;
    let finite = exact::Finite::new(negative, magnitude, value.exponent - value.fraction as i32);
    exact::encode(
        exact::Number::Finite(finite),
        exact::F16,
        exact::Rounding::Nearest,
    )
}
