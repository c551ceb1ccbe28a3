//! Arithmetic and conversions with the rounding in the instruction: in integers, because a host rounds to nearest alone.

use crate::exact::{self, F32, F64, Format, Number, Rounding};

/// A number of the host and its format.
trait Float: Copy {
    const FORMAT: Format;
    fn read(self) -> Number;
    fn write(value: Number, mode: Rounding) -> Self;
}

macro_rules! float {
    ($($ty:ident $format:ident $bits:ty;)*) => {$(
        impl Float for $ty {
            const FORMAT: Format = $format;
            fn read(self) -> Number {
                exact::decode(self.to_bits().into(), Self::FORMAT)
            }
            fn write(value: Number, mode: Rounding) -> Self {
                $ty::from_bits(exact::encode(value, Self::FORMAT, mode) as $bits)
            }
        }
    )*};
}
float! {
    f32 F32 u32;
    f64 F64 u64;
}

macro_rules! arithmetic {
    ($($ty:ident $mode:ident: $add:ident $mul:ident $fma:ident $div:ident $rcp:ident $sqrt:ident;)*) => {$(
        #[doc = concat!("`a + b` in `", stringify!($ty), "`, rounded once: ", stringify!($mode), ".")]
        #[must_use]
        pub fn $add(a: $ty, b: $ty) -> $ty {
            $ty::write(exact::add(a.read(), b.read(), Rounding::$mode), Rounding::$mode)
        }
        #[doc = concat!("`a * b` in `", stringify!($ty), "`, rounded once: ", stringify!($mode), ".")]
        #[must_use]
        pub fn $mul(a: $ty, b: $ty) -> $ty {
            $ty::write(exact::mul(a.read(), b.read()), Rounding::$mode)
        }
        #[doc = concat!("`a * b + c` in `", stringify!($ty), "`, rounded once: ", stringify!($mode), ".")]
        #[must_use]
        pub fn $fma(a: $ty, b: $ty, c: $ty) -> $ty {
            let product = exact::mul(a.read(), b.read());
            $ty::write(exact::add(product, c.read(), Rounding::$mode), Rounding::$mode)
        }
        #[doc = concat!("`a / b` in `", stringify!($ty), "`, rounded once: ", stringify!($mode), ".")]
        #[must_use]
        pub fn $div(a: $ty, b: $ty) -> $ty {
            $ty::write(exact::div(a.read(), b.read()), Rounding::$mode)
        }
        #[doc = concat!("`1 / a` in `", stringify!($ty), "`, rounded once: ", stringify!($mode), ".")]
        #[must_use]
        pub fn $rcp(a: $ty) -> $ty {
            $div(1.0, a)
        }
        #[doc = concat!("The square root in `", stringify!($ty), "`, rounded once: ", stringify!($mode), ".")]
        #[must_use]
        pub fn $sqrt(a: $ty) -> $ty {
            $ty::write(exact::sqrt(a.read()), Rounding::$mode)
        }
    )*};
}
arithmetic! {
    f32 Nearest: add_rn_f32 mul_rn_f32 fma_rn_f32 div_rn_f32 rcp_rn_f32 sqrt_rn_f32;
    f32 Zero: add_rz_f32 mul_rz_f32 fma_rz_f32 div_rz_f32 rcp_rz_f32 sqrt_rz_f32;
    f32 Up: add_ru_f32 mul_ru_f32 fma_ru_f32 div_ru_f32 rcp_ru_f32 sqrt_ru_f32;
    f32 Down: add_rd_f32 mul_rd_f32 fma_rd_f32 div_rd_f32 rcp_rd_f32 sqrt_rd_f32;
    f64 Nearest: add_rn_f64 mul_rn_f64 fma_rn_f64 div_rn_f64 rcp_rn_f64 sqrt_rn_f64;
    f64 Zero: add_rz_f64 mul_rz_f64 fma_rz_f64 div_rz_f64 rcp_rz_f64 sqrt_rz_f64;
    f64 Up: add_ru_f64 mul_ru_f64 fma_ru_f64 div_ru_f64 rcp_ru_f64 sqrt_ru_f64;
    f64 Down: add_rd_f64 mul_rd_f64 fma_rd_f64 div_rd_f64 rcp_rd_f64 sqrt_rd_f64;
}

macro_rules! to_integers {
    ($($float:ident $int:ident $nan:expr, $rn:ident $rz:ident $ru:ident $rd:ident;)*) => {
        $(to_integers!(@one $float $int $nan, Nearest $rn, Zero $rz, Up $ru, Down $rd);)*
    };
    (@one $float:ident $int:ident $nan:expr, $($mode:ident $name:ident),*) => {$(
        #[doc = concat!("The nearest `", stringify!($int), "` in range: ", stringify!($mode), ". NaN becomes what a GPU gives.")]
        #[must_use]
        pub fn $name(x: $float) -> $int {
            let nan: $int = $nan;
            exact::to_integer(x.read(), Rounding::$mode, $int::MIN.into(), $int::MAX.into(), nan.into()) as $int
        }
    )*};
}
to_integers! {
    f32 i32 0, f32_to_i32_rn f32_to_i32_rz f32_to_i32_ru f32_to_i32_rd;
    f32 u32 0, f32_to_u32_rn f32_to_u32_rz f32_to_u32_ru f32_to_u32_rd;
    f32 i64 i64::MIN, f32_to_i64_rn f32_to_i64_rz f32_to_i64_ru f32_to_i64_rd;
    f32 u64 1 << 63, f32_to_u64_rn f32_to_u64_rz f32_to_u64_ru f32_to_u64_rd;
    f64 i32 i32::MIN, f64_to_i32_rn f64_to_i32_rz f64_to_i32_ru f64_to_i32_rd;
    f64 u32 1 << 31, f64_to_u32_rn f64_to_u32_rz f64_to_u32_ru f64_to_u32_rd;
    f64 i64 i64::MIN, f64_to_i64_rn f64_to_i64_rz f64_to_i64_ru f64_to_i64_rd;
    f64 u64 1 << 63, f64_to_u64_rn f64_to_u64_rz f64_to_u64_ru f64_to_u64_rd;
}

macro_rules! to_floats {
    ($($int:ident $float:ident: $($mode:ident $name:ident)*;)*) => {$($(
        #[doc = concat!("The integer as `", stringify!($float), "`: ", stringify!($mode), ".")]
        #[must_use]
        pub fn $name(x: $int) -> $float {
            $float::write(exact::from_integer(x.into()), Rounding::$mode)
        }
    )*)*};
}
to_floats! {
    i32 f32: Nearest i32_to_f32_rn Zero i32_to_f32_rz Up i32_to_f32_ru Down i32_to_f32_rd;
    u32 f32: Nearest u32_to_f32_rn Zero u32_to_f32_rz Up u32_to_f32_ru Down u32_to_f32_rd;
    i64 f32: Nearest i64_to_f32_rn Zero i64_to_f32_rz Up i64_to_f32_ru Down i64_to_f32_rd;
    u64 f32: Nearest u64_to_f32_rn Zero u64_to_f32_rz Up u64_to_f32_ru Down u64_to_f32_rd;
    i32 f64: Nearest i32_to_f64_rn;
    u32 f64: Nearest u32_to_f64_rn;
    i64 f64: Nearest i64_to_f64_rn Zero i64_to_f64_rz Up i64_to_f64_ru Down i64_to_f64_rd;
    u64 f64: Nearest u64_to_f64_rn Zero u64_to_f64_rz Up u64_to_f64_ru Down u64_to_f64_rd;
}

macro_rules! narrow {
    ($($mode:ident $name:ident;)*) => {$(
        #[doc = concat!("The number in single precision: ", stringify!($mode), ".")]
        #[must_use]
        pub fn $name(x: f64) -> f32 {
            f32::write(x.read(), Rounding::$mode)
        }
    )*};
}
narrow! {
    Nearest f64_to_f32_rn;
    Zero f64_to_f32_rz;
    Up f64_to_f32_ru;
    Down f64_to_f32_rd;
}
