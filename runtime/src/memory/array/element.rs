//! What an array holds: one, two or four numbers of one type.

use warploom_device_std::{F16, F16x2, Plain, vector};

/// What each channel of an array's elements is. CUDA: `CUarray_format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChannelFormat {
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `F16`.
    F16,
    /// `f32`.
    F32,
}

impl ChannelFormat {
    /// The driver's number.
    pub(crate) fn number(self) -> i32 {
        match self {
            ChannelFormat::U8 => 0x01,
            ChannelFormat::U16 => 0x02,
            ChannelFormat::U32 => 0x03,
            ChannelFormat::I8 => 0x08,
            ChannelFormat::I16 => 0x09,
            ChannelFormat::I32 => 0x0A,
            ChannelFormat::F16 => 0x10,
            ChannelFormat::F32 => 0x20,
        }
    }

    /// The driver's number of elements of so many channels in a view of an array. CUDA: `CUresourceViewFormat`.
    pub(crate) fn view_number(self, channels: u32) -> u32 {
        let of_one = match self {
            ChannelFormat::U8 => 0x01,
            ChannelFormat::I8 => 0x04,
            ChannelFormat::U16 => 0x07,
            ChannelFormat::I16 => 0x0A,
            ChannelFormat::U32 => 0x0D,
            ChannelFormat::I32 => 0x10,
            ChannelFormat::F16 => 0x13,
            ChannelFormat::F32 => 0x16,
        };
        of_one + channels / 2 // those of two and four channels follow
    }
}

/// Elements of arrays: numbers of at most 32 bits, alone or two or four of them as a Rust array or a [vector](vector).
///
/// # Safety
/// A value is [`CHANNELS`](ArrayElement::CHANNELS) numbers of the type that [`FORMAT`](ArrayElement::FORMAT) names, side by side, and
/// nothing else.
///
/// ```
/// use warploom_runtime::memory::{ArrayElement, ChannelFormat};
/// assert_eq!((<[f32; 4]>::FORMAT, <[f32; 4]>::CHANNELS), (ChannelFormat::F32, 4));
/// ```
/// ```compile_fail,E0277
/// # let device = warploom_runtime::Device::emulator();
/// device.array_uninit::<f64>(10).unwrap(); // 64 bits
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no element of arrays",
    note = "arrays hold `u8`, `u16`, `u32`, `i8`, `i16`, `i32`, `F16` or `f32`, alone or two or four of them: `[f32; 2]`, `Float4`",
    note = "for other elements use a linear or pitched buffer"
)]
pub unsafe trait ArrayElement: Plain {
    /// What each channel is.
    const FORMAT: ChannelFormat;
    /// How many there are: 1, 2 or 4.
    const CHANNELS: u32;
}

macro_rules! elements {
    ($($ty:ty: $number:ty, $format:ident, $channels:literal;)*) => { $(
        const _: () = assert!(size_of::<$ty>() == $channels * size_of::<$number>());
        // SAFETY: the size is checked above; a scalar, an array or a `repr(C)` struct of such numbers.
        unsafe impl ArrayElement for $ty {
            const FORMAT: ChannelFormat = ChannelFormat::$format;
            const CHANNELS: u32 = $channels;
        }
    )* };
}

macro_rules! numbers {
    ($($number:ty: $format:ident, $two:ty, $four:ty;)*) => { elements! { $(
        $number: $number, $format, 1;
        [$number; 2]: $number, $format, 2;
        [$number; 4]: $number, $format, 4;
        $two: $number, $format, 2;
        $four: $number, $format, 4;
    )* } };
}

numbers! {
    u8: U8, vector::UChar2, vector::UChar4;
    u16: U16, vector::UShort2, vector::UShort4;
    u32: U32, vector::UInt2, vector::UInt4;
    i8: I8, vector::Char2, vector::Char4;
    i16: I16, vector::Short2, vector::Short4;
    i32: I32, vector::Int2, vector::Int4;
    f32: F32, vector::Float2, vector::Float4;
}

elements! {
    F16: F16, F16, 1;
    F16x2: F16, F16, 2;
    [F16; 2]: F16, F16, 2;
    [F16; 4]: F16, F16, 4;
}
