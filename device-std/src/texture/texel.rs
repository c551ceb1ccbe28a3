//! What textures and surfaces hold, and what a read gives of it.

use crate::vector::{
    Char2, Char4, Float2, Float4, Int2, Int4, Short2, Short4, UChar2, UChar4, UInt2, UInt4,
    UShort2, UShort4,
};
use crate::{F16, F16x2, Plain};

mod sealed {
    pub trait Sealed {}
}

// Rule: texture-elements-are-numbers-of-32-bits
// Texture units have no formats of three channels, and none of 64 bits.
/// An element of a texture or surface: one, two or four numbers of one type, as a number, an array or a [vector](crate::vector).
///
/// The numbers are `u8`, `u16`, `u32`, `i8`, `i16`, `i32`, `F16` or `f32`. CUDA: `cudaChannelFormatDesc`.
///
/// ```
/// use warploom_device_std::{F16, texture::Texel};
/// fn channels<T: Texel>() -> u32 { T::CHANNELS }
/// assert_eq!((channels::<u8>(), channels::<[F16; 2]>(), channels::<[f32; 4]>()), (1, 2, 4));
/// ```
/// ```compile_fail,E0277
/// fn texel<T: warploom_device_std::texture::Texel>() {}
/// texel::<[u8; 3]>(); // texture units have no elements of three numbers
/// ```
#[diagnostic::on_unimplemented(
    message = "textures and surfaces have no elements of type `{Self}`",
    label = "not an element of a texture or surface",
    note = "elements are `u8`, `u16`, `u32`, `i8`, `i16`, `i32`, `F16` or `f32`, alone or two or four of them: `[u8; 4]`, `Float2`"
)]
pub trait Texel: Plain + sealed::Sealed {
    /// What an [`Element`](super::Element) read gives: the same; of `F16` the `f32` that a texture unit makes of it.
    type Value: Plain;
    /// What a gather gives of each element: one number of [`Value`](Self::Value).
    type Component: Plain;
    /// The same in numbers of 32 bits: `u32`, `i32` or `f32`, as an array where there are several.
    type Wide: Plain;
    /// The driver's number of the type of the numbers: `CUarray_format`.
    const FORMAT: u32;
    /// How many numbers there are: 1, 2 or 4.
    const CHANNELS: u32;
    /// In which type a texture unit gives the numbers.
    #[doc(hidden)]
    const REGISTERS: Registers;
    /// What four registers of a texture unit hold.
    #[doc(hidden)]
    fn value(registers: [u32; 4]) -> Self::Value;
    /// What one register of a texture unit holds.
    #[doc(hidden)]
    fn component(register: u32) -> Self::Component;
    /// The bits of the numbers, as surface instructions take them; 0 for what is not there.
    #[doc(hidden)]
    fn to_registers(self) -> [u32; 4];
    /// The element whose numbers have these bits.
    #[doc(hidden)]
    fn from_registers(registers: [u32; 4]) -> Self;
    /// The bits of numbers of 32 bits; 0 for what is not there.
    #[doc(hidden)]
    fn wide_registers(value: Self::Wide) -> [u32; 4];
}

/// Elements that can be read as floating-point numbers of 0 to 1, or −1 to 1 where they are signed: integers of 8 and 16 bits.
///
/// CUDA: what `cudaReadModeNormalizedFloat` is for.
#[diagnostic::on_unimplemented(
    message = "elements `{Self}` of a texture cannot be read as numbers of 0 to 1",
    note = "`Normalized` reads are of integers with 8 or 16 bits; leave the argument out to read elements as they are"
)]
pub trait NormalizedTexel: Texel {
    /// What a [`Normalized`](super::Normalized) read gives.
    type Float: Plain;
    #[doc(hidden)]
    fn float(registers: [u32; 4]) -> Self::Float;
}

/// The type of the registers in which a fetch leaves its result.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registers {
    /// `u32`.
    Unsigned,
    /// `i32`.
    Signed,
    /// `f32`.
    Float,
}

/// One number of an element. Public in a private module, for `Texel` names its types.
pub trait Number: Plain {
    /// What a read of the element gives.
    type Read: Plain;
    /// The type of 32 bits that it is converted from.
    type Wide: Plain;
    const FORMAT: u32;
    const REGISTERS: Registers;
    fn read(register: u32) -> Self::Read;
    fn to_register(self) -> u32;
    fn from_register(register: u32) -> Self;
    fn wide_register(wide: Self::Wide) -> u32;
}

macro_rules! integers {
    ($($ty:ty as $wide:ty = $format:literal $registers:ident;)*) => {$(
        impl Number for $ty {
            type Read = $ty;
            type Wide = $wide;
            const FORMAT: u32 = $format;
            const REGISTERS: Registers = Registers::$registers;
            #[inline(always)]
            fn read(register: u32) -> $ty {
                register as $ty // extended from this type
            }
            #[inline(always)]
            fn to_register(self) -> u32 {
                self as u32
            }
            #[inline(always)]
            fn from_register(register: u32) -> $ty {
                register as $ty
            }
            #[inline(always)]
            fn wide_register(wide: $wide) -> u32 {
                wide as u32
            }
        }
    )*};
}

integers! {
    u8 as u32 = 0x01 Unsigned;
    u16 as u32 = 0x02 Unsigned;
    u32 as u32 = 0x03 Unsigned;
    i8 as i32 = 0x08 Signed;
    i16 as i32 = 0x09 Signed;
    i32 as i32 = 0x0a Signed;
}

impl Number for F16 {
    type Read = f32;
    type Wide = f32;
    const FORMAT: u32 = 0x10;
    const REGISTERS: Registers = Registers::Float;
    #[inline(always)]
    fn read(register: u32) -> f32 {
        f32::from_bits(register)
    }
    #[inline(always)]
    fn to_register(self) -> u32 {
        u32::from(self.to_bits())
    }
    #[inline(always)]
    fn from_register(register: u32) -> F16 {
        F16::from_bits(register as u16)
    }
    #[inline(always)]
    fn wide_register(wide: f32) -> u32 {
        wide.to_bits()
    }
}

impl Number for f32 {
    type Read = f32;
    type Wide = f32;
    const FORMAT: u32 = 0x20;
    const REGISTERS: Registers = Registers::Float;
    #[inline(always)]
    fn read(register: u32) -> f32 {
        f32::from_bits(register)
    }
    #[inline(always)]
    fn to_register(self) -> u32 {
        self.to_bits()
    }
    #[inline(always)]
    fn from_register(register: u32) -> f32 {
        f32::from_bits(register)
    }
    #[inline(always)]
    fn wide_register(wide: f32) -> u32 {
        wide.to_bits()
    }
}

macro_rules! texels {
    ($($ty:ty = [$number:ty; $channels:tt] => $value:ty;)*) => {$(
        const _: () = assert!(size_of::<$ty>() == $channels * size_of::<$number>());
        impl sealed::Sealed for $ty {}
        impl Texel for $ty {
            type Value = $value;
            type Component = <$number as Number>::Read;
            type Wide = texels!(@wide $channels $number);
            const FORMAT: u32 = <$number as Number>::FORMAT;
            const CHANNELS: u32 = $channels;
            const REGISTERS: Registers = <$number as Number>::REGISTERS;
            #[inline(always)]
            fn value(registers: [u32; 4]) -> $value {
                let read = <$number as Number>::read;
                texels!(@value $channels read registers)
            }
            #[inline(always)]
            fn component(register: u32) -> Self::Component {
                <$number as Number>::read(register)
            }
            #[inline(always)]
            fn to_registers(self) -> [u32; 4] {
                let write = <$number as Number>::to_register;
                texels!(@registers $channels write $number, self)
            }
            #[inline(always)]
            fn from_registers(registers: [u32; 4]) -> $ty {
                let read = <$number as Number>::from_register;
                texels!(@value $channels read registers)
            }
            #[inline(always)]
            fn wide_registers(value: Self::Wide) -> [u32; 4] {
                let write = <$number as Number>::wide_register;
                texels!(@wide_registers $channels write value)
            }
        }
    )*};
    (@wide 1 $number:ty) => { <$number as Number>::Wide };
    (@wide $channels:tt $number:ty) => { [<$number as Number>::Wide; $channels] };
    (@wide_registers 1 $write:ident $value:ident) => { [$write($value), 0, 0, 0] };
    (@wide_registers 2 $write:ident $value:ident) => { [$write($value[0]), $write($value[1]), 0, 0] };
    (@wide_registers 4 $write:ident $value:ident) => { $value.map($write) };
    (@value 1 $read:ident $from:ident) => { $read($from[0]) };
    (@value 2 $read:ident $from:ident) => { [$read($from[0]), $read($from[1])].into() };
    (@value 4 $read:ident $from:ident) => { $from.map($read).into() };
    (@registers 1 $write:ident $number:ty, $value:ident) => { [$write($value), 0, 0, 0] };
    (@registers 2 $write:ident $number:ty, $value:ident) => {{
        let [x, y] = <[$number; 2]>::from($value);
        [$write(x), $write(y), 0, 0]
    }};
    (@registers 4 $write:ident $number:ty, $value:ident) => { <[$number; 4]>::from($value).map($write) };
}

macro_rules! numbers {
    ($($number:ty: $two:ty, $four:ty;)*) => { texels! {$(
        $number = [$number; 1] => $number;
        [$number; 2] = [$number; 2] => [$number; 2];
        [$number; 4] = [$number; 4] => [$number; 4];
        $two = [$number; 2] => $two;
        $four = [$number; 4] => $four;
    )*} };
}

numbers! {
    u8: UChar2, UChar4;
    u16: UShort2, UShort4;
    u32: UInt2, UInt4;
    i8: Char2, Char4;
    i16: Short2, Short4;
    i32: Int2, Int4;
    f32: Float2, Float4;
}

texels! {
    F16 = [F16; 1] => f32;
    [F16; 2] = [F16; 2] => [f32; 2];
    [F16; 4] = [F16; 4] => [f32; 4];
    F16x2 = [F16; 2] => Float2;
}

macro_rules! normalized {
    ($($number:ty: $two:ty, $four:ty;)*) => {$(
        normalized!(@one $number => f32);
        normalized!(@one [$number; 2] => [f32; 2]);
        normalized!(@one [$number; 4] => [f32; 4]);
        normalized!(@one $two => Float2);
        normalized!(@one $four => Float4);
    )*};
    (@one $ty:ty => $float:ty) => {
        impl NormalizedTexel for $ty {
            type Float = $float;
            #[inline(always)]
            fn float(registers: [u32; 4]) -> $float {
                <$float as Texel>::value(registers)
            }
        }
    };
}

normalized! {
    u8: UChar2, UChar4;
    u16: UShort2, UShort4;
    i8: Char2, Char4;
    i16: Short2, Short4;
}
