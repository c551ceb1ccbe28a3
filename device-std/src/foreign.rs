//! Bodies for instructions that only hosts have: kernels are compiled for the host's processor first.
//!
//! The device linker maps LLVM's intrinsics to the functions here; their LLVM types are those of the intrinsics. A crate that uses
//! `core::arch` behind `cfg(target_feature)`, as glam does, so gets what its code says.

macro_rules! to_128_bits {
    ($unsigned:ident $signed:ident $float:ty) => {
        /// `x as u128`: towards zero, 0 for NaN, the nearest value outside of the range.
        #[unsafe(no_mangle)]
        pub extern "C" fn $unsigned(x: $float) -> u128 {
            if x > 0.0 { magnitude(x.into()) } else { 0 }
        }

        /// `x as i128`: towards zero, 0 for NaN, the nearest value outside of the range.
        #[unsafe(no_mangle)]
        pub extern "C" fn $signed(x: $float) -> i128 {
            if x.is_nan() {
                return 0;
            }
            let magnitude = magnitude(x.into());
            if x < 0.0 {
                0i128.wrapping_sub_unsigned(magnitude.min(1 << 127))
            } else {
                magnitude.min(i128::MAX as u128) as i128
            }
        }
    };
}
to_128_bits!(__warploom_fptoui_sat_i128_f32 __warploom_fptosi_sat_i128_f32 f32);
to_128_bits!(__warploom_fptoui_sat_i128_f64 __warploom_fptosi_sat_i128_f64 f64);

/// The whole part of `|x|`, at most `u128::MAX`; `x` is not NaN.
fn magnitude(x: f64) -> u128 {
    let bits = x.to_bits();
    // 2^52 stands for the digit in front of the point.
    let (exponent, digits) = (
        (bits >> 52) as u32 & 0x7ff,
        u128::from(bits << 12 >> 12 | 1 << 52),
    );
    match exponent {
        0..1023 => 0,
        1023..1075 => digits >> (1075 - exponent),
        1075..1151 => digits << (exponent - 1075),
        _ => u128::MAX,
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::{__m128, __m128i};
    use core::mem::transmute;

    fn each(a: __m128, b: __m128, f: impl Fn(f32, f32) -> u32) -> __m128 {
        // SAFETY: both are four times 32 bits, and every bit pattern is a float.
        let (a, b) = unsafe {
            (
                transmute::<__m128, [f32; 4]>(a),
                transmute::<__m128, [f32; 4]>(b),
            )
        };
        let results = [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])];
        // SAFETY: as above.
        unsafe { transmute::<[u32; 4], __m128>(results) }
    }

    /// `cmpps`: all ones where the comparison holds.
    #[unsafe(no_mangle)]
    pub extern "C" fn __warploom_x86_cmp_ps(a: __m128, b: __m128, predicate: i8) -> __m128 {
        each(a, b, |a, b| {
            let holds = match predicate & 3 {
                0 => a == b,
                1 => a < b,
                2 => a <= b,
                _ => a.is_nan() || b.is_nan(),
            };
            // Predicates 4 to 7 are the opposites.
            if holds == (predicate & 4 == 0) {
                u32::MAX
            } else {
                0
            }
        })
    }

    /// `minps`: the second if they are equal or one is NaN.
    #[unsafe(no_mangle)]
    pub extern "C" fn __warploom_x86_min_ps(a: __m128, b: __m128) -> __m128 {
        each(a, b, |a, b| if a < b { a.to_bits() } else { b.to_bits() })
    }

    /// `maxps`: the second if they are equal or one is NaN.
    #[unsafe(no_mangle)]
    pub extern "C" fn __warploom_x86_max_ps(a: __m128, b: __m128) -> __m128 {
        each(a, b, |a, b| if a > b { a.to_bits() } else { b.to_bits() })
    }

    /// `cvttps2dq`: towards zero, `i32::MIN` for what does not fit.
    #[unsafe(no_mangle)]
    pub extern "C" fn __warploom_x86_cvttps2dq(a: __m128) -> __m128i {
        let converted = each(a, a, |a, _| {
            let fits = (-2_147_483_648.0..2_147_483_648.0).contains(&a);
            if fits { a as i32 as u32 } else { 1 << 31 }
        });
        // SAFETY: both are 128 bits without meaning of their own.
        unsafe { transmute::<__m128, __m128i>(converted) }
    }

    /// `pause`: nothing to wait for.
    #[unsafe(no_mangle)]
    pub extern "C" fn __warploom_x86_pause() {}
}
