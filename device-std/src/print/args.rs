//! The types that can be printed, and how their values are written.

use alloc::boxed::Box;
use alloc::string::String;

use super::record::tag;
use super::{Writer, bytes_of};

/// A value that `gpu_println!` takes: integers, floats, `bool`, `char`, `str`, `String`, pointers, and references to these.
///
/// ```compile_fail,E0277
/// fn printable<T: warploom_device_std::print::PrintArg>() {}
/// printable::<[u32; 4]>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be printed from a kernel",
    label = "print its parts one by one",
    note = "what can be printed: integers, floats, `bool`, `char`, `str`, `String`, raw pointers, and references to these"
)]
pub trait PrintArg {
    /// What it is: one of [`tag`].
    #[doc(hidden)]
    const TAG: u8;

    /// Bytes of the value, a multiple of eight.
    #[doc(hidden)]
    #[inline(always)]
    fn value_bytes(&self) -> u64 {
        8
    }

    /// Writes the value.
    #[doc(hidden)]
    fn put(&self, to: &mut Writer);
}

macro_rules! one_word {
    ($($ty:ty, $tag:ident, $value:ident => $word:expr;)*) => {$(
        impl PrintArg for $ty {
            const TAG: u8 = tag::$tag;

            #[inline(always)]
            fn put(&self, to: &mut Writer) {
                let $value = *self;
                to.word($word);
            }
        }
    )*};
}

one_word! {
    u8, U8, v => u64::from(v);
    u16, U16, v => u64::from(v);
    u32, U32, v => u64::from(v);
    u64, U64, v => v;
    usize, U64, v => v as u64;
    i8, I8, v => i64::from(v).cast_unsigned();
    i16, I16, v => i64::from(v).cast_unsigned();
    i32, I32, v => i64::from(v).cast_unsigned();
    i64, I64, v => v.cast_unsigned();
    isize, I64, v => (v as i64).cast_unsigned();
    f32, F32, v => u64::from(v.to_bits());
    f64, F64, v => v.to_bits();
    bool, BOOL, v => u64::from(v);
    char, CHAR, v => u64::from(u32::from(v));
}

macro_rules! two_words {
    ($($ty:ty, $tag:ident;)*) => {$(
        impl PrintArg for $ty {
            const TAG: u8 = tag::$tag;

            #[inline(always)]
            fn value_bytes(&self) -> u64 {
                16
            }

            #[inline(always)]
            fn put(&self, to: &mut Writer) {
                to.word(*self as u64);
                to.word((*self >> 64) as u64);
            }
        }
    )*};
}

two_words! {
    u128, U128;
    i128, I128;
}

impl PrintArg for str {
    const TAG: u8 = tag::STR;

    #[inline(always)]
    fn value_bytes(&self) -> u64 {
        8 + bytes_of(self)
    }

    #[inline(always)]
    fn put(&self, to: &mut Writer) {
        to.text(self);
    }
}

impl PrintArg for String {
    const TAG: u8 = tag::STR;

    #[inline(always)]
    fn value_bytes(&self) -> u64 {
        self.as_str().value_bytes()
    }

    #[inline(always)]
    fn put(&self, to: &mut Writer) {
        self.as_str().put(to);
    }
}

macro_rules! as_its_target {
    ($($ty:ty),*) => {$(
        impl<T: PrintArg + ?Sized> PrintArg for $ty {
            const TAG: u8 = T::TAG;

            #[inline(always)]
            fn value_bytes(&self) -> u64 {
                (**self).value_bytes()
            }

            #[inline(always)]
            fn put(&self, to: &mut Writer) {
                (**self).put(to);
            }
        }
    )*};
}

as_its_target!(&T, &mut T, Box<T>);

impl<T> PrintArg for *const T {
    const TAG: u8 = tag::POINTER;

    #[inline(always)]
    fn put(&self, to: &mut Writer) {
        to.word(self.addr() as u64);
    }
}

impl<T> PrintArg for *mut T {
    const TAG: u8 = tag::POINTER;

    #[inline(always)]
    fn put(&self, to: &mut Writer) {
        to.word(self.addr() as u64);
    }
}

/// A value whose address `{:p}` prints: references, boxes and raw pointers.
#[diagnostic::on_unimplemented(message = "`{Self}` is no pointer, which `{{:p}}` prints")]
pub trait PrintPointer {
    /// The address that it holds.
    #[doc(hidden)]
    fn target(&self) -> usize;
}

macro_rules! pointers {
    ($($ty:ty, $value:ident => $address:expr;)*) => {$(
        impl<T: ?Sized> PrintPointer for $ty {
            #[inline(always)]
            fn target(&self) -> usize {
                let $value = self;
                $address
            }
        }
    )*};
}

pointers! {
    &T, v => core::ptr::from_ref::<T>(v).addr();
    &mut T, v => core::ptr::from_ref::<T>(v).addr();
    Box<T>, v => core::ptr::from_ref::<T>(v).addr();
    *const T, v => v.addr();
    *mut T, v => v.addr();
}

/// An address, as `{:p}` prints it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Address(usize);

/// What `{:p}` prints of `value`. Called by the expansion of `gpu_println!`.
#[doc(hidden)]
#[inline(always)]
pub fn address<T: PrintPointer + ?Sized>(value: &T) -> Address {
    Address(value.target())
}

impl PrintArg for Address {
    const TAG: u8 = tag::POINTER;

    #[inline(always)]
    fn put(&self, to: &mut Writer) {
        to.word(self.0 as u64);
    }
}

/// A width or a precision, whose type this settles. Called by the expansion of `gpu_println!`.
#[doc(hidden)]
#[inline(always)]
#[must_use]
pub fn count(count: &usize) -> &usize {
    count
}
