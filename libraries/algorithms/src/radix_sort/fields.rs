//! Keys of several fields.

use super::key::{RadixBits, RadixKey};

/// Fields whose bits stand side by side: a tuple of two to four keys, of which the first counts most, of at most 128 bits in all.
///
/// A tuple is no key itself, since its layout is not fixed; it serves for the key of a struct:
///
/// ```
/// # use warploom::prelude::*;
/// use warploom_algorithms::prelude::*;
/// use warploom_algorithms::{RadixFields, RadixKey};
/// #[derive(Clone, Copy, Debug, PartialEq, Plain)]
/// #[repr(C)]
/// struct Event {
///     cell: u32,
///     time: f32,
/// }
/// // SAFETY: computed from the fields.
/// unsafe impl RadixKey for Event {
///     type Bits = u64; // of 32 and 32 bits
///     fn bits(self) -> u64 {
///         (self.cell, self.time).side_by_side() as u64
///     }
/// }
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// let x = [(3, 1.0), (1, 0.5), (3, -2.0)].map(|(cell, time)| Event { cell, time });
/// let (x, mut y) = (device.upload(&x)?, device.alloc_uninit(3)?);
/// stream.sort(&x).into(&mut y)?;
/// let times: Vec<_> = y.to_vec(&stream)?.iter().map(|x: &Event| x.time).collect();
/// assert_eq!(times, [0.5, -2.0, 1.0]);
/// # Ok::<(), warploom_algorithms::Error>(())
/// ```
pub trait RadixFields: Copy {
    /// Bits of all fields.
    const BITS: u32;

    /// The bits of the last field lowest, above them those of the field before it, and so on. The number is taken as one of the type with as many bits, or more.
    fn side_by_side(self) -> u128;
}

macro_rules! tuples {
    ($($($name:ident)*;)*) => {$(
        impl<$($name: RadixKey),*> RadixFields for ($($name,)*) {
            const BITS: u32 = {
                let bits = 0 $(+ <$name::Bits as RadixBits>::BITS)*;
                assert!(bits <= 128, "the fields of a key have at most 128 bits in all");
                bits
            };

            #[inline(always)]
            #[expect(non_snake_case, reason = "fields have the names of their types")]
            fn side_by_side(self) -> u128 {
                const {
                    assert!(Self::BITS <= 128);
                }
                let ($($name,)*) = self;
                let bits = 0u128;
                $(
                    // Two shifts, since one field may have all bits.
                    let half = <$name::Bits as RadixBits>::BITS / 2;
                    let bits = bits << half << half | Into::<u128>::into($name.bits());
                )*
                bits
            }
        }
    )*};
}
tuples! {
    A B;
    A B C;
    A B C D;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_the_order_of_tuples() {
        let all = [
            (3u8, -1i32, 2u16),
            (3, -1, 1),
            (2, 5, 9),
            (3, 0, 0),
            (2, 5, u16::MAX),
        ];
        for a in all {
            for b in all {
                let (x, y) = (a.side_by_side() as u64, b.side_by_side() as u64);
                assert_eq!(x.cmp(&y), a.cmp(&b), "{a:?} and {b:?}");
            }
        }
        assert_eq!(<(u8, i32, u16)>::BITS, 56);
    }

    #[test]
    fn fields_of_all_bits() {
        let bits = (u64::MAX, 5u64).side_by_side();
        assert_eq!(bits, u128::from(u64::MAX) << 64 | 5);
    }
}
