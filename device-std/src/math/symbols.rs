//! Bodies for the functions that LLVM and `std` expect of a C library.
//!
//! NVPTX cannot select `llvm.sin` and the like. The device linker maps those intrinsics, and the C names that `std` calls (`sinf`,
//! `tan`, …), to the functions here. None may call what is mapped to itself: only basic arithmetic and the intrinsics that the
//! hardware has (`fabs`, `sqrt`, `floor`, `fma`).

macro_rules! math {
    ($($float32:ident $float64:ident ($($arg:ident),*) = $of:ident;)*) => {$(
        #[doc = concat!("`", stringify!($of), "`.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $float32($($arg: f32),*) -> f32 {
            super::single::$of($($arg),*)
        }
        #[doc = concat!("`", stringify!($of), "`.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $float64($($arg: f64),*) -> f64 {
            super::double::$of($($arg),*)
        }
    )*};
}

math! {
    __warploom_math_sin_f32 __warploom_math_sin_f64(x) = sin;
    __warploom_math_cos_f32 __warploom_math_cos_f64(x) = cos;
    __warploom_math_tan_f32 __warploom_math_tan_f64(x) = tan;
    __warploom_math_asin_f32 __warploom_math_asin_f64(x) = asin;
    __warploom_math_acos_f32 __warploom_math_acos_f64(x) = acos;
    __warploom_math_atan_f32 __warploom_math_atan_f64(x) = atan;
    __warploom_math_atan2_f32 __warploom_math_atan2_f64(y, x) = atan2;
    __warploom_math_sinh_f32 __warploom_math_sinh_f64(x) = sinh;
    __warploom_math_cosh_f32 __warploom_math_cosh_f64(x) = cosh;
    __warploom_math_tanh_f32 __warploom_math_tanh_f64(x) = tanh;
    __warploom_math_asinh_f32 __warploom_math_asinh_f64(x) = asinh;
    __warploom_math_acosh_f32 __warploom_math_acosh_f64(x) = acosh;
    __warploom_math_atanh_f32 __warploom_math_atanh_f64(x) = atanh;
    __warploom_math_exp_f32 __warploom_math_exp_f64(x) = exp;
    __warploom_math_exp2_f32 __warploom_math_exp2_f64(x) = exp2;
    __warploom_math_exp10_f32 __warploom_math_exp10_f64(x) = exp10;
    __warploom_math_expm1_f32 __warploom_math_expm1_f64(x) = expm1;
    __warploom_math_log_f32 __warploom_math_log_f64(x) = log;
    __warploom_math_log2_f32 __warploom_math_log2_f64(x) = log2;
    __warploom_math_log10_f32 __warploom_math_log10_f64(x) = log10;
    __warploom_math_log1p_f32 __warploom_math_log1p_f64(x) = log1p;
    __warploom_math_pow_f32 __warploom_math_pow_f64(x, y) = pow;
    __warploom_math_cbrt_f32 __warploom_math_cbrt_f64(x) = cbrt;
    __warploom_math_hypot_f32 __warploom_math_hypot_f64(x, y) = hypot;
    __warploom_math_fmod_f32 __warploom_math_fmod_f64(x, y) = fmod;
    __warploom_math_round_f32 __warploom_math_round_f64(x) = round;
    __warploom_math_roundeven_f32 __warploom_math_roundeven_f64(x) = roundeven;
    __warploom_math_trunc_f32 __warploom_math_trunc_f64(x) = trunc;
    __warploom_math_floor_f32 __warploom_math_floor_f64(x) = floor;
    __warploom_math_ceil_f32 __warploom_math_ceil_f64(x) = ceil;
    __warploom_math_erf_f32 __warploom_math_erf_f64(x) = erf;
    __warploom_math_erfc_f32 __warploom_math_erfc_f64(x) = erfc;
    __warploom_math_tgamma_f32 __warploom_math_tgamma_f64(x) = tgamma;
    __warploom_math_fdim_f32 __warploom_math_fdim_f64(x, y) = fdim;
}

/// `sin` in the lower half and `cos` in the upper one: what the device linker makes of both of one number.
#[unsafe(no_mangle)]
pub extern "C" fn __warploom_math_sincos_f32(x: f32) -> u64 {
    let (sin, cos) = super::single::sincos(x);
    u64::from(cos.to_bits()) << 32 | u64::from(sin.to_bits())
}

/// The lower half of what [`__warploom_math_sincos_f32`] gives.
#[unsafe(no_mangle)]
pub extern "C" fn __warploom_math_sine_of_f32(both: u64) -> f32 {
    f32::from_bits(both as u32)
}

/// The upper half of what [`__warploom_math_sincos_f32`] gives.
#[unsafe(no_mangle)]
pub extern "C" fn __warploom_math_cosine_of_f32(both: u64) -> f32 {
    f32::from_bits((both >> 32) as u32)
}

macro_rules! powi {
    ($name:ident, $float:ty) => {
        /// `x` to an integer power, by squaring: the order of compiler-rt's `__powisf2`, so the same rounding.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(x: $float, n: i32) -> $float {
            let (mut square, mut rest, mut power) = (x, n.unsigned_abs(), 1.0);
            while rest != 0 {
                if rest & 1 == 1 {
                    power *= square;
                }
                rest >>= 1;
                square *= square;
            }
            if n < 0 { 1.0 / power } else { power }
        }
    };
}
powi!(__warploom_math_powi_f32, f32);
powi!(__warploom_math_powi_f64, f64);

/// `memcmp`, and `bcmp`: the sign of the first difference of two byte strings.
///
/// # Safety
/// Both pointers are valid for reads of `n` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __warploom_memcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    let mut at = 0;
    while at < n {
        // SAFETY: below `n`.
        let (a, b) = (unsafe { a.add(at) }, unsafe { b.add(at) });
        // SAFETY: the caller's promise.
        let (a, b) = (unsafe { *a }, unsafe { *b });
        if a != b {
            return i32::from(a) - i32::from(b);
        }
        at += 1;
    }
    0
}
