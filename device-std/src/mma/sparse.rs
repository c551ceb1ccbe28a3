//! Products with a sparse A: `mma.sp`.

use core::marker::PhantomData;

use super::element::{E4m3, E5m2, Element, S4, SumElement, U4};
use super::fragment::{A, B, D};
use super::registers::Registers;
use super::shape::{Holds, HoldsSums, M16N8K8, M16N8K16, M16N8K32, M16N8K64, M16N8K128, Shape};
use super::tf32::Tf32;
use crate::intrinsics::place_of_group;
use crate::{Bf16, F16, Warp, intrinsics as raw};

mod sealed {
    pub trait Sealed {}
}

/// Elements of sparse matrices: of each [`GROUP`](Self::GROUP) neighbours in a row at most half differ from zero.
///
/// Of two [`Tf32`] one; of four elements of 8 or 16 bits two; of eight [`S4`] or [`U4`] two pairs, each of two neighbours of which the first has an even
/// place.
pub trait SparseElement: Element + sealed::Sealed {
    /// Elements of a group.
    const GROUP: u32;
}

macro_rules! sparse_elements {
    ($($element:ident $group:literal;)*) => {$(
        impl sealed::Sealed for $element {}
        impl SparseElement for $element {
            const GROUP: u32 = $group;
        }
    )*};
}

sparse_elements! {
    F16 4;
    Bf16 4;
    Tf32 2;
    E4m3 4;
    E5m2 4;
    i8 4;
    u8 4;
    S4 8;
    U4 8;
}

/// Shapes of products with a sparse A of `T`.
#[diagnostic::on_unimplemented(
    message = "no sparse product of the shape `{Self}` has elements of type `{T}`",
    label = "not a shape for these elements",
    note = "F16, Bf16: M16N8K16, M16N8K32; Tf32: M16N8K8, M16N8K16; i8, u8: M16N8K32, M16N8K64; E4m3, E5m2: M16N8K64; S4, U4: M16N8K64, M16N8K128"
)]
pub trait HoldsSparse<T: SparseElement>: Holds<T> {
    /// The registers of a lane for the elements of A that are there.
    type Half: Registers;
}

macro_rules! held {
    ($($shape:ident: $($element:ident)+, $count:literal;)*) => {$($(
        impl HoldsSparse<$element> for $shape {
            type Half = [u32; $count];
        }
    )+)*};
}

held! {
    M16N8K16: F16 Bf16, 2;
    M16N8K32: F16 Bf16, 4;
    M16N8K8: Tf32, 2;
    M16N8K16: Tf32, 4;
    M16N8K32: i8 u8, 2;
    M16N8K64: i8 u8 E4m3 E5m2, 4;
    M16N8K64: S4 U4, 2;
    M16N8K128: S4 U4, 4;
}

/// A lane's part of a sparse matrix A of a product of shape `S`: `S::M` rows, `S::K` columns of `T`, of which half are there.
///
/// The registers hold the elements that are there as those of a matrix of `S::K / 2` columns, laid out as in [`A`]: see [`coords`](Self::coords). Of each
/// group, 4 bits of a word in one of the lanes say where they stand: see [`group`](Self::group). They are two numbers of 2 bits in ascending order, the
/// first in the lowest bits; of [`S4`] and [`U4`] the numbers are those of pairs; of [`Tf32`] they are `0b0100` for the first of two elements and `0b1110`
/// for the second.
pub struct SparseA<S: HoldsSparse<T>, T: SparseElement> {
    registers: S::Half,
    places: u32,
    _of: PhantomData<(fn() -> S, T)>,
}

impl<S: HoldsSparse<T>, T: SparseElement> Clone for SparseA<S, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: HoldsSparse<T>, T: SparseElement> Copy for SparseA<S, T> {}

impl<S: HoldsSparse<T>, T: SparseElement> SparseA<S, T> {
    /// Elements that each lane holds.
    pub const ELEMENTS: u32 = <S as Shape>::M * <S as Shape>::K / 64;
    /// Groups in a row.
    pub const GROUPS: u32 = <S as Shape>::K / T::GROUP;
    /// Groups whose places are in a word.
    pub const GROUPS_OF_WORD: u32 = 8;

    /// The matrix of which the lane has these registers and this word of places.
    ///
    /// Where the bits of a group are not places, a GPU gives unspecified numbers; the emulator reports it.
    #[inline(always)]
    #[must_use]
    pub fn from_parts(registers: S::Half, places: u32) -> Self {
        Self {
            registers,
            places,
            _of: PhantomData,
        }
    }

    /// The lane's registers and its word of places.
    #[inline(always)]
    #[must_use]
    pub fn parts(self) -> (S::Half, u32) {
        (self.registers, self.places)
    }

    /// Row of element `i` of lane `lane`, and its column in the matrix of `S::K / 2` columns.
    #[inline(always)]
    #[must_use]
    pub const fn coords(lane: u32, i: u32) -> (u32, u32) {
        A::<S, T>::coords(lane, i)
    }

    /// Row and number of the group whose places are bits `4 i` to `4 i + 3` of the word of lane `lane`; nothing if they are not read.
    #[inline(always)]
    #[must_use]
    pub const fn group(lane: u32, i: u32) -> Option<(u32, u32)> {
        place_of_group(lane, i, Self::GROUPS, T::BITS)
    }

    /// The places of those elements of a group that differ from zero. Of more than half the first are taken.
    #[inline(always)]
    fn places(mut is_there: impl FnMut(u32) -> bool) -> u32 {
        if T::GROUP == 2 {
            return if is_there(0) || !is_there(1) {
                0b0100
            } else {
                0b1110
            };
        }
        let (mut first, mut second, mut found) = (0, 3, 0);
        for place in 0..4 {
            let there = match T::GROUP {
                8 => is_there(2 * place) || is_there(2 * place + 1),
                _ => is_there(place),
            };
            match (there, found) {
                (true, 0) => (first, found) = (place, 1),
                (true, 1) => (second, found) = (place, 2),
                _ => {}
            }
        }
        // An element at the end alone is the second; the first is a zero then.
        if found == 1 && first == 3 {
            first = 0;
        }
        first | second << 2
    }

    #[inline(always)]
    fn places_in(row: u32, group: u32, of: &mut impl FnMut(usize, usize) -> T) -> u32 {
        Self::places(|i| of(row as usize, (group * T::GROUP + i) as usize).into_bits() != 0)
    }

    /// Where element `i`, of those of a group that are there, stands in the group.
    #[inline(always)]
    const fn place(places: u32, i: u32) -> u32 {
        match T::GROUP {
            2 => places >> 3 & 1,
            8 => 2 * (places >> (2 * (i / 2)) & 3) + i % 2,
            _ => places >> (2 * i) & 3,
        }
    }

    /// The matrix whose elements are `of(row, column)`, which is called for groups of which the lane has an element or the places, several times for each.
    ///
    /// Where more elements of a group differ from zero than half of them, the first are taken, and the others are zero in the product. A product of many
    /// matrices with the same A makes the registers once, or takes them from memory where the host has put them: [`from_parts`](Self::from_parts).
    #[inline(always)]
    #[must_use]
    pub fn from_fn(warp: Warp<'_>, mut of: impl FnMut(usize, usize) -> T) -> Self {
        let lane = warp.lane();
        let half = T::GROUP / 2;
        let registers = S::Half::pack(|i| {
            let (row, column) = Self::coords(lane, i);
            let group = column / half;
            let place = Self::place(Self::places_in(row, group, &mut of), column % half);
            of(row as usize, (group * T::GROUP + place) as usize)
        });
        let mut word = 0;
        for i in 0..Self::GROUPS_OF_WORD {
            if let Some((row, group)) = Self::group(lane, i) {
                word |= Self::places_in(row, group, &mut of) << (4 * i);
            }
        }
        Self::from_parts(registers, word)
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $what:literal;)*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = $what,
            label = "no tensor core has this combination of a shape and types",
            note = "the combinations are in the documentation of `device_std::mma`"
        )]
        pub trait $name<TA: SparseElement, TB: Element, TD: SumElement>: HoldsSparse<TA> + Holds<TB> + Shape<Sums: HoldsSums<TD>> {
            /// # Safety
            /// The registers of a lane; all lanes of the warp make this call.
            #[doc(hidden)]
            unsafe fn multiply_add(d: *mut u32, a: *const u32, b: *const u32, c: *const u32, places: u32);
        }
    )*};
}

kinds! {
    /// Shapes that multiply a sparse matrix of `TA` with one of `TB` and add to `TD`; sums of integers wrap.
    SparseMultiplyAdd: "`{Self}` cannot multiply a sparse matrix of `{TA}` with one of `{TB}` and add to `{TD}`";
    /// Shapes that multiply a sparse matrix of integers; sums that do not fit become the least or the greatest `i32`.
    SparseMultiplyAddSaturating: "`{Self}` cannot multiply a sparse matrix of `{TA}` with one of `{TB}` and add to `{TD}` with saturation";
}

macro_rules! products {
    ($kind:ident; $($shape:ident: $a:ident $b:ident $d:ident $intrinsic:ident;)*) => {$(
        impl $kind<$a, $b, $d> for $shape {
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            unsafe fn multiply_add(d: *mut u32, a: *const u32, b: *const u32, c: *const u32, places: u32) {
                // SAFETY: the caller's promise.
                unsafe { raw::$intrinsic(d, a, b, c, places) }
            }
        }
    )*};
}

products! {
    SparseMultiplyAdd;
    M16N8K16: F16 F16 F16 mma_sp_m16n8k16_f16_f16_f16;
    M16N8K16: F16 F16 f32 mma_sp_m16n8k16_f32_f16_f16;
    M16N8K16: Bf16 Bf16 f32 mma_sp_m16n8k16_f32_bf16_bf16;
    M16N8K32: F16 F16 F16 mma_sp_m16n8k32_f16_f16_f16;
    M16N8K32: F16 F16 f32 mma_sp_m16n8k32_f32_f16_f16;
    M16N8K32: Bf16 Bf16 f32 mma_sp_m16n8k32_f32_bf16_bf16;
    M16N8K8: Tf32 Tf32 f32 mma_sp_m16n8k8_f32_tf32_tf32;
    M16N8K16: Tf32 Tf32 f32 mma_sp_m16n8k16_f32_tf32_tf32;
    M16N8K64: E4m3 E4m3 f32 mma_sp_m16n8k64_f32_e4m3_e4m3;
    M16N8K64: E4m3 E5m2 f32 mma_sp_m16n8k64_f32_e4m3_e5m2;
    M16N8K64: E5m2 E4m3 f32 mma_sp_m16n8k64_f32_e5m2_e4m3;
    M16N8K64: E5m2 E5m2 f32 mma_sp_m16n8k64_f32_e5m2_e5m2;
    M16N8K32: i8 i8 i32 mma_sp_m16n8k32_s32_s8_s8;
    M16N8K32: i8 u8 i32 mma_sp_m16n8k32_s32_s8_u8;
    M16N8K32: u8 i8 i32 mma_sp_m16n8k32_s32_u8_s8;
    M16N8K32: u8 u8 i32 mma_sp_m16n8k32_s32_u8_u8;
    M16N8K64: i8 i8 i32 mma_sp_m16n8k64_s32_s8_s8;
    M16N8K64: i8 u8 i32 mma_sp_m16n8k64_s32_s8_u8;
    M16N8K64: u8 i8 i32 mma_sp_m16n8k64_s32_u8_s8;
    M16N8K64: u8 u8 i32 mma_sp_m16n8k64_s32_u8_u8;
    M16N8K64: S4 S4 i32 mma_sp_m16n8k64_s32_s4_s4;
    M16N8K64: S4 U4 i32 mma_sp_m16n8k64_s32_s4_u4;
    M16N8K64: U4 S4 i32 mma_sp_m16n8k64_s32_u4_s4;
    M16N8K64: U4 U4 i32 mma_sp_m16n8k64_s32_u4_u4;
    M16N8K128: S4 S4 i32 mma_sp_m16n8k128_s32_s4_s4;
    M16N8K128: S4 U4 i32 mma_sp_m16n8k128_s32_s4_u4;
    M16N8K128: U4 S4 i32 mma_sp_m16n8k128_s32_u4_s4;
    M16N8K128: U4 U4 i32 mma_sp_m16n8k128_s32_u4_u4;
}

products! {
    SparseMultiplyAddSaturating;
    M16N8K32: i8 i8 i32 mma_sp_m16n8k32_s32_s8_s8_satfinite;
    M16N8K32: i8 u8 i32 mma_sp_m16n8k32_s32_s8_u8_satfinite;
    M16N8K32: u8 i8 i32 mma_sp_m16n8k32_s32_u8_s8_satfinite;
    M16N8K32: u8 u8 i32 mma_sp_m16n8k32_s32_u8_u8_satfinite;
    M16N8K64: i8 i8 i32 mma_sp_m16n8k64_s32_s8_s8_satfinite;
    M16N8K64: i8 u8 i32 mma_sp_m16n8k64_s32_s8_u8_satfinite;
    M16N8K64: u8 i8 i32 mma_sp_m16n8k64_s32_u8_s8_satfinite;
    M16N8K64: u8 u8 i32 mma_sp_m16n8k64_s32_u8_u8_satfinite;
    M16N8K64: S4 S4 i32 mma_sp_m16n8k64_s32_s4_s4_satfinite;
    M16N8K64: S4 U4 i32 mma_sp_m16n8k64_s32_s4_u4_satfinite;
    M16N8K64: U4 S4 i32 mma_sp_m16n8k64_s32_u4_s4_satfinite;
    M16N8K64: U4 U4 i32 mma_sp_m16n8k64_s32_u4_u4_satfinite;
    M16N8K128: S4 S4 i32 mma_sp_m16n8k128_s32_s4_s4_satfinite;
    M16N8K128: S4 U4 i32 mma_sp_m16n8k128_s32_s4_u4_satfinite;
    M16N8K128: U4 S4 i32 mma_sp_m16n8k128_s32_u4_s4_satfinite;
    M16N8K128: U4 U4 i32 mma_sp_m16n8k128_s32_u4_u4_satfinite;
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident $kind:ident;)*) => {
        impl Warp<'_> {$(
            $(#[$doc])*
            ///
            /// All lanes of the warp make this call together, and the block has a multiple of 32 threads. Where lanes are missing, a GPU gives
            /// unspecified numbers; the emulator reports it.
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            #[must_use]
            pub fn $name<S, TA, TB, TD>(self, a: SparseA<S, TA>, b: B<S, TB>, c: D<S::Sums, TD>) -> D<S::Sums, TD>
            where
                S: $kind<TA, TB, TD>,
                TA: SparseElement,
                TB: Element,
                TD: SumElement,
            {
                let mut d = c;
                let (from_a, from_b, from_c) = (a.registers.read(), b.registers.read(), c.registers.read());
                // SAFETY: arrays of as many registers as the instruction has; lanes that do not come leave numbers without meaning.
                unsafe { S::multiply_add(d.registers.write(), from_a, from_b, from_c, a.places) };
                d
            }
        )*}
    };
}

methods! {
    /// `a · b + c` with a sparse `a`, one instruction of half as many products as the shape says. Sums of integers wrap. PTX:
    /// `mma.sp::ordered_metadata.sync.aligned`, with 0 as the selector of the lanes that hold places. Compute capability: 8.0; of [`E4m3`] and [`E5m2`] 8.9.
    ///
    /// How floating point is rounded depends on the GPU, as for [`mma`](Self::mma).
    ///
    /// ```
    /// # use warploom_emulator::{Shape, run};
    /// use warploom_device_std::mma::{B, D, M16N8K32, SparseA};
    /// use warploom_device_std::{F16, Warp};
    /// fn product(warp: Warp) {
    ///     // The second and the fourth of four neighbours are there.
    ///     let a = SparseA::<M16N8K32, F16>::from_fn(warp, |row, k| F16::from_f32(if k % 2 == 1 { row as f32 } else { 0.0 }));
    ///     let b = B::from_fn(warp, |_, column| F16::from_f32(column as f32));
    ///     let d = warp.mma_sparse(a, b, D::<_, f32>::zero());
    ///     d.for_each(warp, |row, column, value| assert_eq!(value, (16 * row * column) as f32));
    /// }
    /// # run(Shape::new([1, 1, 1], [32, 1, 1]), &|| product(unsafe { Warp::from_launch() }))?;
    /// # Ok::<(), warploom_emulator::Fault>(())
    /// ```
    mma_sparse SparseMultiplyAdd;
    /// `a · b + c` of integers with a sparse `a`, each sum the nearest `i32`. PTX: `mma.sp::ordered_metadata.sync.aligned` with `.satfinite`. Compute
    /// capability: 8.0.
    mma_sparse_saturating SparseMultiplyAddSaturating;
}
