//! Arithmetic on bits of a type.

use super::Type;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    /// The second operand, as an exchange has it.
    Second,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// A register's bits as a number of this type.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Number {
    Integer(i128),
    Float(f64),
}

fn read(ty: Type, bits: u64) -> Number {
    match (ty.class, ty.bits) {
        ('f', 32) => Number::Float(f32::from_bits(bits as u32).into()),
        ('f', _) => Number::Float(f64::from_bits(bits)),
        ('s', 64) => Number::Integer((bits as i64).into()),
        ('s', n) => Number::Integer(((bits << (64 - n)) as i64 >> (64 - n)).into()),
        (_, 64) => Number::Integer(bits.into()),
        (_, n) => Number::Integer((bits & ((1 << n) - 1)).into()),
    }
}

fn write(ty: Type, number: Number) -> u64 {
    match (number, ty.class, ty.bits) {
        (Number::Float(value), 'f', 32) => (value as f32).to_bits().into(),
        (Number::Float(value), 'f', _) => value.to_bits(),
        (Number::Float(value), 's', _) => value as i64 as u64,
        (Number::Float(value), ..) => value as u64,
        (Number::Integer(value), 'f', 32) => (value as f32).to_bits().into(),
        (Number::Integer(value), 'f', _) => (value as f64).to_bits(),
        (Number::Integer(value), _, 64) => value as u64,
        (Number::Integer(value), _, n) => value as u64 & ((1 << n) - 1),
    }
}

pub(super) fn binary(what: Binary, ty: Type, a: u64, b: u64) -> u64 {
    let number = match (read(ty, a), read(ty, b)) {
        (Number::Float(a), Number::Float(b)) => Number::Float(match what {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            Binary::Div => a / b,
            Binary::Rem => a % b,
            Binary::Min => a.min(b),
            Binary::Max => a.max(b),
            _ => b,
        }),
        (Number::Integer(a), Number::Integer(b)) => Number::Integer(match what {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a.wrapping_mul(b),
            Binary::Div => a.checked_div(b).unwrap_or(-1),
            Binary::Rem => a.checked_rem(b).unwrap_or(a),
            Binary::Min => a.min(b),
            Binary::Max => a.max(b),
            Binary::And => a & b,
            Binary::Or => a | b,
            Binary::Xor => a ^ b,
            Binary::Shl if b >= ty.bits.into() => 0,
            Binary::Shl => a << b,
            Binary::Shr => a >> b.clamp(0, 64),
            Binary::Second => b,
        }),
        (a, _) => a,
    };
    write(ty, number)
}

pub(super) fn compare(what: Compare, ty: Type, a: u64, b: u64) -> bool {
    let (a, b) = (read(ty, a), read(ty, b));
    match what {
        Compare::Eq => a == b,
        Compare::Ne => a != b,
        Compare::Lt => a < b,
        Compare::Le => a <= b,
        Compare::Gt => a > b,
        Compare::Ge => a >= b,
    }
}

/// `a * b + c`. Wide: the product and `c` have twice the bits.
pub(super) fn fused(ty: Type, [a, b, c]: [u64; 3], wide: bool) -> u64 {
    let bits = if wide { 2 * ty.bits } else { ty.bits };
    let into = Type { bits, ..ty };
    let number = match (read(ty, a), read(ty, b), read(into, c)) {
        (Number::Float(a), Number::Float(b), Number::Float(c)) if ty.bits == 32 => {
            Number::Float((a as f32).mul_add(b as f32, c as f32).into())
        }
        (Number::Float(a), Number::Float(b), Number::Float(c)) => Number::Float(a.mul_add(b, c)),
        (Number::Integer(a), Number::Integer(b), Number::Integer(c)) => {
            Number::Integer(a.wrapping_mul(b).wrapping_add(c))
        }
        (a, ..) => a,
    };
    write(into, number)
}

pub(super) fn convert(into: Type, from: Type, value: u64) -> u64 {
    write(into, read(from, value))
}
