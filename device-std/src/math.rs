//! Bodies for the functions that LLVM and `std` expect of a C library, over the `libm` crate.
//!
//! NVPTX cannot select `llvm.sin` and its kin. The device linker maps those intrinsics, and the C names that `std` calls (`sinf`,
//! `tan`, …), to the functions here. They are plain Rust: `libm` computes with integers and basic arithmetic and calls no math
//! intrinsic but those that the hardware has (`fabs`, `sqrt`, `floor`), so no mapping leads back to itself.

macro_rules! math {
    ($($float32:ident $float64:ident ($($arg:ident),*) = $of32:ident $of64:ident;)*) => {$(
        #[doc = concat!("`libm::", stringify!($of32), "`.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $float32($($arg: f32),*) -> f32 {
            libm::$of32($($arg),*)
        }
        #[doc = concat!("`libm::", stringify!($of64), "`.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $float64($($arg: f64),*) -> f64 {
            libm::$of64($($arg),*)
        }
    )*};
}

math! {
    __warploom_math_sin_f32 __warploom_math_sin_f64(x) = sinf sin;
    __warploom_math_cos_f32 __warploom_math_cos_f64(x) = cosf cos;
    __warploom_math_tan_f32 __warploom_math_tan_f64(x) = tanf tan;
    __warploom_math_asin_f32 __warploom_math_asin_f64(x) = asinf asin;
    __warploom_math_acos_f32 __warploom_math_acos_f64(x) = acosf acos;
    __warploom_math_atan_f32 __warploom_math_atan_f64(x) = atanf atan;
    __warploom_math_atan2_f32 __warploom_math_atan2_f64(y, x) = atan2f atan2;
    __warploom_math_sinh_f32 __warploom_math_sinh_f64(x) = sinhf sinh;
    __warploom_math_cosh_f32 __warploom_math_cosh_f64(x) = coshf cosh;
    __warploom_math_tanh_f32 __warploom_math_tanh_f64(x) = tanhf tanh;
    __warploom_math_asinh_f32 __warploom_math_asinh_f64(x) = asinhf asinh;
    __warploom_math_acosh_f32 __warploom_math_acosh_f64(x) = acoshf acosh;
    __warploom_math_atanh_f32 __warploom_math_atanh_f64(x) = atanhf atanh;
    __warploom_math_exp_f32 __warploom_math_exp_f64(x) = expf exp;
    __warploom_math_exp2_f32 __warploom_math_exp2_f64(x) = exp2f exp2;
    __warploom_math_exp10_f32 __warploom_math_exp10_f64(x) = exp10f exp10;
    __warploom_math_expm1_f32 __warploom_math_expm1_f64(x) = expm1f expm1;
    __warploom_math_log_f32 __warploom_math_log_f64(x) = logf log;
    __warploom_math_log2_f32 __warploom_math_log2_f64(x) = log2f log2;
    __warploom_math_log10_f32 __warploom_math_log10_f64(x) = log10f log10;
    __warploom_math_log1p_f32 __warploom_math_log1p_f64(x) = log1pf log1p;
    __warploom_math_pow_f32 __warploom_math_pow_f64(x, y) = powf pow;
    __warploom_math_cbrt_f32 __warploom_math_cbrt_f64(x) = cbrtf cbrt;
    __warploom_math_hypot_f32 __warploom_math_hypot_f64(x, y) = hypotf hypot;
    __warploom_math_fmod_f32 __warploom_math_fmod_f64(x, y) = fmodf fmod;
    __warploom_math_round_f32 __warploom_math_round_f64(x) = roundf round;
    __warploom_math_roundeven_f32 __warploom_math_roundeven_f64(x) = roundevenf roundeven;
    __warploom_math_trunc_f32 __warploom_math_trunc_f64(x) = truncf trunc;
    __warploom_math_floor_f32 __warploom_math_floor_f64(x) = floorf floor;
    __warploom_math_ceil_f32 __warploom_math_ceil_f64(x) = ceilf ceil;
    __warploom_math_erf_f32 __warploom_math_erf_f64(x) = erff erf;
    __warploom_math_erfc_f32 __warploom_math_erfc_f64(x) = erfcf erfc;
    __warploom_math_tgamma_f32 __warploom_math_tgamma_f64(x) = tgammaf tgamma;
    __warploom_math_fdim_f32 __warploom_math_fdim_f64(x, y) = fdimf fdim;
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
        let (a, b) = unsafe { (*a.add(at), *b.add(at)) };
        if a != b {
            return i32::from(a) - i32::from(b);
        }
        at += 1;
    }
    0
}
