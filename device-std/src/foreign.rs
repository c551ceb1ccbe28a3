//! Bodies for conversions that the NVPTX back end does not have: the device linker maps LLVM's intrinsics to the functions here, whose LLVM
//! types are those of the intrinsics.

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
