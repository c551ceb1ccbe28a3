//! Types of the elements of tensors, and what a reduction makes of two of them.

use crate::exact::{self, BF16, Format, Number, Rounding};

/// The type of the elements of a tensor: the driver's number of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Element {
    /// `u8`.
    U8 = 0,
    /// `u16`.
    U16 = 1,
    /// `u32`.
    U32 = 2,
    /// `i32`.
    S32 = 3,
    /// `u64`.
    U64 = 4,
    /// `i64`.
    S64 = 5,
    /// 16-bit floating point.
    F16 = 6,
    /// `f32`.
    F32 = 7,
    /// `f64`.
    F64 = 8,
    /// 16-bit floating point with the exponent of `f32`.
    Bf16 = 9,
    /// 19 bits in the 32 of an `f32`.
    Tf32 = 11,
}

/// What a copy to global memory does with what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// The sum, wrapping.
    Add,
    /// The lesser.
    Min,
    /// The greater.
    Max,
    /// One more, or 0 if there is at least what is given.
    Inc,
    /// One less, or what is given if there is 0 or more than that.
    Dec,
    /// All bits of both.
    And,
    /// The bits of either.
    Or,
    /// The bits of one of the two.
    Xor,
}

impl Element {
    pub(super) const fn of(number: u8) -> Option<Element> {
        Some(match number {
            0 => Element::U8,
            1 => Element::U16,
            2 => Element::U32,
            3 => Element::S32,
            4 => Element::U64,
            5 => Element::S64,
            6 => Element::F16,
            7 => Element::F32,
            8 => Element::F64,
            9 => Element::Bf16,
            11 => Element::Tf32,
            _ => return None,
        })
    }

    /// Bytes of an element.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Element::U8 => 1,
            Element::U16 | Element::F16 | Element::Bf16 => 2,
            Element::U32 | Element::S32 | Element::F32 | Element::Tf32 => 4,
            Element::U64 | Element::S64 | Element::F64 => 8,
        }
    }

    /// Whether there are elements that are no numbers.
    #[must_use]
    pub const fn is_float(self) -> bool {
        self as u8 >= Element::F16 as u8
    }

    /// The bits of what is no number, as a copy fills it in: one pattern of 16 bits, whatever the type. Measured on an H200.
    #[must_use]
    pub const fn nan(self) -> u64 {
        const PATTERN: u64 = 0x7ff7_7ff7_7ff7_7ff7;
        match self.bytes() {
            8 => PATTERN,
            bytes => PATTERN & ((1 << (8 * bytes)) - 1),
        }
    }

    /// What a copy into shared memory makes of an element: of 32 bits it rounds 19, to nearest, of two to the even one. Measured on an H200.
    #[must_use]
    pub const fn loaded(self, bits: u64) -> u64 {
        const SIGN: u64 = 0x8000_0000;
        const INFINITY: u64 = 0x7f80_0000;
        match self {
            Element::Tf32 if bits & !SIGN > INFINITY => 0x7fff_e000,
            // A carry out of the fraction is the next exponent, up to infinity.
            Element::Tf32 => (bits + 0xfff + (bits >> 13 & 1)) & !0x1fff,
            _ => bits,
        }
    }

    /// What is in global memory after a reduction of `there` with `given`; `None`: there is no such reduction of this type.
    #[must_use]
    pub fn reduce(self, by: Reduction, there: u64, given: u64) -> Option<u64> {
        use Element::{Bf16, F16, F32, F64, S32, S64, U32, U64};
        let mask = match self.bytes() {
            8 => u64::MAX,
            bytes => (1 << (8 * bytes)) - 1,
        };
        // Of signed elements of 8 bytes there are the extremes alone.
        let is_integer = matches!(self, U32 | S32 | U64);
        let result = match (by, self) {
            (Reduction::Add, U32 | S32 | U64) => there.wrapping_add(given),
            (Reduction::Add, F32) => (f32::from_bits(there as u32) + f32::from_bits(given as u32))
                .to_bits()
                .into(),
            (Reduction::Add, F64) => (f64::from_bits(there) + f64::from_bits(given)).to_bits(),
            (Reduction::Add, F16) => sum(there, given, exact::F16),
            (Reduction::Add, Bf16) => sum(there, given, BF16),
            (Reduction::Min, U32 | U64) => there.min(given),
            (Reduction::Max, U32 | U64) => there.max(given),
            (Reduction::Min, S32) => i64::from(there as i32).min((given as i32).into()) as u64,
            (Reduction::Max, S32) => i64::from(there as i32).max((given as i32).into()) as u64,
            (Reduction::Min, S64) => (there as i64).min(given as i64) as u64,
            (Reduction::Max, S64) => (there as i64).max(given as i64) as u64,
            (Reduction::Min, F16) => extreme(there, given, exact::F16, false),
            (Reduction::Max, F16) => extreme(there, given, exact::F16, true),
            (Reduction::Min, Bf16) => extreme(there, given, BF16, false),
            (Reduction::Max, Bf16) => extreme(there, given, BF16, true),
            (Reduction::Inc, U32) if there >= given => 0,
            (Reduction::Inc, U32) => there + 1,
            (Reduction::Dec, U32) if there == 0 || there > given => given,
            (Reduction::Dec, U32) => there - 1,
            (Reduction::And, _) if is_integer => there & given,
            (Reduction::Or, _) if is_integer => there | given,
            (Reduction::Xor, _) if is_integer => there ^ given,
            _ => return None,
        };
        Some(result & mask)
    }
}

fn sum(a: u64, b: u64, format: Format) -> u64 {
    let decode = |bits: u64| exact::decode(bits, format);
    let sum = exact::add(decode(a), decode(b), Rounding::Nearest);
    exact::encode(sum, format, Rounding::Nearest)
}

/// The lesser of two 16-bit numbers, or the greater; of a number and none, the number.
fn extreme(a: u64, b: u64, format: Format, greater: bool) -> u64 {
    // In two's complement the order of bits is that of numbers, with −0 below +0.
    let key = |bits: u64| {
        let bits = bits as i16;
        bits ^ (bits >> 15 & i16::MAX)
    };
    match (exact::decode(a, format), exact::decode(b, format)) {
        (Number::Nan, Number::Nan) => 0x7fff,
        (Number::Nan, _) => b,
        (_, Number::Nan) => a,
        _ if (key(a) <= key(b)) != greater => a,
        _ => b,
    }
}
