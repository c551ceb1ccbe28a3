//! What copies of boxes bring, computed element by element on the host.

use warploom::device_std::tma::TensorElement;
use warploom::device_std::wmma::Tf32;
use warploom::prelude::*;
use warploom::tensor::{Fill, Swizzle};
use warploom::{DeviceSlice, DeviceSliceMut, TensorMap, TensorMapMut};

/// Elements by their bits.
pub(crate) trait Bits: TensorElement {
    const NAN: u64;
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
}

macro_rules! bits {
    ($($ty:ty: $nan:literal, |$value:ident| $of:expr, |$own:ident| $bits:expr;)*) => {$(
        impl Bits for $ty {
            const NAN: u64 = $nan;
            fn of($value: u64) -> Self {
                $of
            }
            fn bits(self) -> u64 {
                let $own = self;
                $bits
            }
        }
    )*};
}

bits! {
    u8: 0, |b| b as u8, |x| x.into();
    u16: 0, |b| b as u16, |x| x.into();
    u32: 0, |b| b as u32, |x| x.into();
    i32: 0, |b| b as i32, |x| u64::from(x as u32);
    u64: 0, |b| b, |x| x;
    i64: 0, |b| b as i64, |x| x as u64;
    F16: 0x7ff7, |b| F16::from_bits(b as u16), |x| x.to_bits().into();
    Bf16: 0x7ff7, |b| Bf16::from_bits(b as u16), |x| x.to_bits().into();
    f32: 0x7ff7_7ff7, |b| f32::from_bits(b as u32), |x| x.to_bits().into();
    f64: 0x7ff7_7ff7_7ff7_7ff7, |b| f64::from_bits(b), |x| x.to_bits();
    // Of other numbers of 32 bits a copy may drop the last.
    Tf32: 0x7ff7_7ff7, |b| Tf32::from_f32(f32::from_bits(b as u32 & 0x3fff_e000)), |x| x.to_f32().to_bits().into();
}

/// A tensor, and a box of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case<const R: usize> {
    pub(crate) extents: [usize; R],
    /// Elements from one to the next along each dimension.
    pub(crate) strides: [usize; R],
    pub(crate) block: [usize; R],
    pub(crate) steps: [usize; R],
    pub(crate) swizzle: Swizzle,
    pub(crate) fill: Fill,
    pub(crate) at: [i32; R],
}

impl<const R: usize> Case<R> {
    /// Elements of the memory that the tensor lies in, up to the end of the 16 bytes in which it ends.
    pub(crate) fn len<T>(&self) -> usize {
        let last: usize = (0..R)
            .map(|i| (self.extents[i] - 1) * self.strides[i])
            .sum();
        (last + 1).next_multiple_of(16 / size_of::<T>())
    }

    /// Elements that memory holds at first.
    pub(crate) fn memory<T: Bits>(&self) -> Vec<T> {
        (0..self.len::<T>() as u64)
            .map(|i| T::of((i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7))
            .collect()
    }

    /// For each element of the box, as they follow each other: where it lies in the memory; `None`: outside of the tensor.
    pub(crate) fn places(&self) -> Vec<Option<usize>> {
        let counts: [usize; R] = std::array::from_fn(|i| self.block[i].div_ceil(self.steps[i]));
        (0..counts.iter().product())
            .map(|mut n: usize| {
                let mut place = 0;
                for (i, count) in counts.iter().enumerate() {
                    let along = (n % count) * self.steps[i];
                    n /= count;
                    let at = i64::from(self.at[i]) + along as i64;
                    if at < 0 || at >= self.extents[i] as i64 {
                        return None;
                    }
                    place += at as usize * self.strides[i];
                }
                Some(place)
            })
            .collect()
    }

    /// The bytes of the box in shared memory, whose rows have nothing between them.
    pub(crate) fn loaded<T: Bits>(&self, memory: &[T]) -> Vec<u8> {
        let outside = match self.fill {
            Fill::Nan => T::NAN,
            Fill::Zeros => 0,
        };
        let elements = self.places().into_iter().map(|place| match place {
            Some(place) => memory[place].bits(),
            None => outside,
        });
        let size = size_of::<T>();
        let bytes: Vec<u8> = elements
            .flat_map(|bits| bits.to_le_bytes().into_iter().take(size))
            .collect();
        let mut permuted = vec![0; bytes.len()];
        for (at, byte) in bytes.into_iter().enumerate() {
            permuted[permute(self.swizzle, at)] = byte;
        }
        permuted
    }

    /// The same where each row has a piece of its own, and other bytes hold `before`.
    pub(crate) fn loaded_over<T: Bits>(&self, memory: &[T], before: u8) -> Vec<u8> {
        let plain = Case {
            swizzle: Swizzle::None,
            ..*self
        };
        let (span, row) = (self.swizzle.span(), self.block[0] * size_of::<T>());
        let bytes = plain.loaded(memory);
        let mut all = vec![before; bytes.len() / row * span];
        for (at, byte) in bytes.into_iter().enumerate() {
            all[permute(self.swizzle, at / row * span + at % row)] = byte;
        }
        all
    }

    /// The memory after the bytes of a box have been copied to the tensor; `change`: what becomes of an element, and the one that is given.
    pub(crate) fn stored<T: Bits>(
        &self,
        memory: &[T],
        shared: &[u8],
        change: impl Fn(T, T) -> T,
    ) -> Vec<T> {
        let (mut after, size) = (memory.to_vec(), size_of::<T>());
        // A row is written to the end of the 16 bytes in which it ends.
        let mut written = *self;
        written.extents[0] = self.extents[0].next_multiple_of(16 / size);
        for (n, place) in written.places().into_iter().enumerate() {
            let Some(place) = place else { continue };
            let mut bits = [0; 8];
            for (i, byte) in bits.iter_mut().enumerate().take(size) {
                *byte = shared[permute(self.swizzle, n * size + i)];
            }
            after[place] = change(after[place], T::of(u64::from_le_bytes(bits)));
        }
        after
    }

    /// The map of the tensor in this memory.
    pub(crate) fn source<'a, T: Bits>(
        &self,
        memory: DeviceSlice<'a, T>,
    ) -> warploom::Result<TensorMap<'a, T, R>> {
        let map = TensorMap::builder(memory, self.extents)
            .strides(self.strides.map(|stride| stride * size_of::<T>()))
            .block(self.block)
            .steps(self.steps)
            .swizzle(self.swizzle)
            .fill(self.fill);
        Ok(map.build()?)
    }

    /// The same, to write.
    pub(crate) fn target<'a, T: Bits>(
        &self,
        memory: DeviceSliceMut<'a, T>,
    ) -> warploom::Result<TensorMapMut<'a, T, R>> {
        let map = TensorMapMut::builder(memory, self.extents)
            .strides(self.strides.map(|stride| stride * size_of::<T>()))
            .block(self.block)
            .steps(self.steps)
            .swizzle(self.swizzle);
        Ok(map.build()?)
    }
}

/// Where a byte of a box lies, whose number it is without a permutation: parts of 16 bytes change places within pieces, by the number of the 128 bytes that they are in.
fn permute(swizzle: Swizzle, at: usize) -> usize {
    let parts = match swizzle {
        Swizzle::None => return at,
        Swizzle::B32 => 2,
        Swizzle::B64 => 4,
        Swizzle::B128 => 8,
    };
    let (part, line) = (at / 16 % parts, at / 128 % parts);
    at - part * 16 + (part ^ line) * 16
}

/// Memory of a block to which copies may go, whichever the permutation is.
#[derive(Clone, Copy, Plain)]
#[repr(C, align(1024))]
pub(crate) struct Kib(pub(crate) [u8; 1024]);

/// A box, and which elements of the tensor are next to each other: two dimensions, without gaps.
pub(crate) fn matrix<T>(columns: usize, rows: usize, block: [usize; 2], at: [i32; 2]) -> Case<2> {
    let stride = (columns * size_of::<T>()).next_multiple_of(16) / size_of::<T>();
    Case {
        extents: [columns, rows],
        strides: [1, stride],
        block,
        steps: [1; 2],
        swizzle: Swizzle::None,
        fill: Fill::Zeros,
        at,
    }
}

/// Bytes by fours.
pub(crate) fn words(bytes: &[u8]) -> Vec<u32> {
    let four = |four: &[u8]| {
        four.iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u32::from(*byte))
    };
    bytes.chunks(4).map(four).collect()
}
