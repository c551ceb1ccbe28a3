//! One value against another.

use std::fmt;

use warploom_device_std::half::{Bf16, F16};

/// A number that an output holds: of one type, as its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// An unsigned integer, or an address.
    Unsigned(u64),
    /// A signed integer.
    Signed(i64),
    /// `true` or `false`.
    Bool(bool),
    /// The bits of an [`F16`].
    F16(u16),
    /// The bits of a [`Bf16`].
    Bf16(u16),
    /// The bits of an `f32`.
    F32(u32),
    /// The bits of an `f64`.
    F64(u64),
}

/// What outputs are made of: numbers, and arrays of them.
///
/// ```
/// use warploom_runtime::testing::Comparison;
/// let pairs = [[1u32, 2], [3, 4]];
/// assert!(Comparison::exact().outputs(&pairs, &[[1, 2], [3, 5]]).is_err());
/// ```
pub trait Element: Copy {
    /// How many numbers one element is.
    const PARTS: usize;

    /// Appends them.
    fn put_parts(&self, parts: &mut Vec<Part>);
}

macro_rules! elements {
    ($($ty:ty: |$value:ident| $part:expr;)*) => {$(
        impl Element for $ty {
            const PARTS: usize = 1;

            fn put_parts(&self, parts: &mut Vec<Part>) {
                let $value = *self;
                parts.push($part);
            }
        }
    )*};
}

elements! {
    u8: |x| Part::Unsigned(x.into());
    u16: |x| Part::Unsigned(x.into());
    u32: |x| Part::Unsigned(x.into());
    u64: |x| Part::Unsigned(x);
    usize: |x| Part::Unsigned(x as u64);
    i8: |x| Part::Signed(x.into());
    i16: |x| Part::Signed(x.into());
    i32: |x| Part::Signed(x.into());
    i64: |x| Part::Signed(x);
    isize: |x| Part::Signed(x as i64);
    bool: |x| Part::Bool(x);
    F16: |x| Part::F16(x.to_bits());
    Bf16: |x| Part::Bf16(x.to_bits());
    f32: |x| Part::F32(x.to_bits());
    f64: |x| Part::F64(x.to_bits());
}

impl<T: Element, const N: usize> Element for [T; N] {
    const PARTS: usize = N * T::PARTS;

    fn put_parts(&self, parts: &mut Vec<Part>) {
        self.iter().for_each(|part| part.put_parts(parts));
    }
}

/// How far two values of one type are apart. The later variants are farther.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Distance {
    /// Equal bits.
    None,
    /// Two NaN of other bits.
    NanBits,
    /// The difference of two integers.
    Integers(u64),
    /// Two finite floats, or the two zeros.
    Floats { ulps: u64, relative: f64 },
    /// NaN or infinity and something else; or values of two types.
    Incomparable,
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distance::None => f.write_str("equal"),
            Distance::NanBits => f.write_str("two NaN of other bits"),
            Distance::Integers(difference) => write!(f, "{difference} apart"),
            Distance::Floats { ulps: 0, .. } => f.write_str("zeros of other signs"),
            Distance::Floats { ulps, relative } => {
                write!(f, "{ulps} ulp apart, relatively {relative:.1e}")
            }
            Distance::Incomparable => f.write_str("no distance between them"),
        }
    }
}

/// A float of any width: what it is, and its place among all floats of its type.
struct Float {
    value: f64,
    /// Neighbours differ by one; both zeros are 0.
    ordinal: i64,
}

impl Part {
    /// The number as a float, if it is one.
    fn float(self) -> Option<Float> {
        // The sign bit, and the rest.
        let place = |negative: bool, magnitude: u64| {
            let magnitude = magnitude as i64; // below 2^63
            if negative { -magnitude } else { magnitude }
        };
        let (value, ordinal) = match self {
            Part::F16(bits) => {
                let value = F16::from_bits(bits).to_f32();
                (value.into(), place(bits >> 15 != 0, (bits & 0x7fff).into()))
            }
            Part::Bf16(bits) => {
                let value = Bf16::from_bits(bits).to_f32();
                (value.into(), place(bits >> 15 != 0, (bits & 0x7fff).into()))
            }
            Part::F32(bits) => (
                f32::from_bits(bits).into(),
                place(bits >> 31 != 0, (bits & 0x7fff_ffff).into()),
            ),
            Part::F64(bits) => (
                f64::from_bits(bits),
                place(bits >> 63 != 0, bits & (u64::MAX >> 1)),
            ),
            Part::Unsigned(_) | Part::Signed(_) | Part::Bool(_) => return None,
        };
        Some(Float { value, ordinal })
    }

    pub(super) fn distance(self, other: Part) -> Distance {
        if self == other {
            return Distance::None;
        }
        match (self, other) {
            (Part::Unsigned(a), Part::Unsigned(b)) => return Distance::Integers(a.abs_diff(b)),
            (Part::Signed(a), Part::Signed(b)) => return Distance::Integers(a.abs_diff(b)),
            (Part::Bool(_), Part::Bool(_)) => return Distance::Integers(1),
            _ => {}
        }
        let (Some(a), Some(b)) = (self.float(), other.float()) else {
            return Distance::Incomparable;
        };
        if a.value.is_nan() && b.value.is_nan() {
            return Distance::NanBits;
        }
        if !a.value.is_finite() || !b.value.is_finite() {
            return Distance::Incomparable;
        }
        let scale = a.value.abs().max(b.value.abs());
        // Halves first: the difference of two finite numbers may be infinite.
        let relative = if scale == 0.0 {
            0.0
        } else {
            (a.value / 2.0 - b.value / 2.0).abs() / (scale / 2.0)
        };
        Distance::Floats {
            ulps: a.ordinal.abs_diff(b.ordinal),
            relative,
        }
    }
}

/// The value and its bits: `0.1 (0x3dcccccd)`.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Part::Unsigned(value) => write!(f, "{value} (0x{value:x})"),
            Part::Signed(value) => write!(f, "{value} (0x{value:x})"),
            Part::Bool(value) => write!(f, "{value}"),
            Part::F16(bits) => write!(f, "{:?} (0x{bits:04x})", F16::from_bits(bits).to_f32()),
            Part::Bf16(bits) => write!(f, "{:?} (0x{bits:04x})", Bf16::from_bits(bits).to_f32()),
            Part::F32(bits) => write!(f, "{:?} (0x{bits:08x})", f32::from_bits(bits)),
            Part::F64(bits) => write!(f, "{:?} (0x{bits:016x})", f64::from_bits(bits)),
        }
    }
}
