//! Registers of a lane, and elements in them.

use super::element::Packed;

mod sealed {
    pub trait Sealed {}
}

/// The registers that a lane has of a fragment: an array.
pub trait Registers: sealed::Sealed + Copy + 'static {
    /// One register, or the two of an `f64`.
    type Word: Copy;
    /// How many there are.
    const COUNT: u32;

    #[doc(hidden)]
    fn make(word: impl FnMut(u32) -> Self::Word) -> Self;
    #[doc(hidden)]
    fn zeroed() -> Self;
    #[doc(hidden)]
    fn word(&self, i: u32) -> Self::Word;
    #[doc(hidden)]
    fn read(&self) -> *const u32;
    #[doc(hidden)]
    fn write(&mut self) -> *mut u32;
    #[doc(hidden)]
    fn pack<T: Packed>(element: impl FnMut(u32) -> T) -> Self;
    #[doc(hidden)]
    fn unpack<T: Packed>(&self, element: u32) -> T;
}

macro_rules! arrays {
    ($($word:ident: $to_bits:expr, $from_bits:expr;)*) => {$(
        impl<const N: usize> sealed::Sealed for [$word; N] {}
        impl<const N: usize> Registers for [$word; N] {
            type Word = $word;
            const COUNT: u32 = N as u32;

            #[inline(always)]
            fn make(mut word: impl FnMut(u32) -> $word) -> Self {
                core::array::from_fn(|i| word(i as u32))
            }

            #[inline(always)]
            fn zeroed() -> Self {
                [<$word>::default(); N]
            }

            #[inline(always)]
            fn word(&self, i: u32) -> $word {
                self[i as usize]
            }

            #[inline(always)]
            fn read(&self) -> *const u32 {
                self.as_ptr().cast()
            }

            #[inline(always)]
            fn write(&mut self) -> *mut u32 {
                self.as_mut_ptr().cast()
            }

            #[inline(always)]
            fn pack<T: Packed>(mut element: impl FnMut(u32) -> T) -> Self {
                let from_bits = $from_bits;
                Self::make(|register| {
                    let mut bits = 0;
                    // Unrolled: each type has its own constant number of elements.
                    for within in 0..T::PER_REGISTER {
                        bits |= element(register * T::PER_REGISTER + within).into_bits() << (within * T::BITS);
                    }
                    from_bits(bits)
                })
            }

            #[inline(always)]
            fn unpack<T: Packed>(&self, element: u32) -> T {
                let to_bits = $to_bits;
                let (register, within) = (element / T::PER_REGISTER, element % T::PER_REGISTER);
                T::of_bits(to_bits(self.word(register)) >> (within * T::BITS))
            }
        }
    )*};
}

arrays! {
    u32: |word: u32| u64::from(word), |bits: u64| bits as u32;
    i32: |word: i32| u64::from(word.cast_unsigned()), |bits: u64| (bits as u32).cast_signed();
    f32: |word: f32| u64::from(word.to_bits()), |bits: u64| f32::from_bits(bits as u32);
    f64: |word: f64| word.to_bits(), |bits: u64| f64::from_bits(bits);
}
