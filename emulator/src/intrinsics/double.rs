//! Arithmetic of `f64`, exact; and seeds as coarse as the hardware's, so that what is built on them is tested.

/// `a * b + c`, rounded once.
#[inline]
pub fn fma_f64(a: f64, b: f64, c: f64) -> f64 {
    a.mul_add(b, c)
}

macro_rules! one_argument {
    ($($(#[$doc:meta])* $name:ident($x:ident) = $value:expr;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name($x: f64) -> f64 {
            $value
        }
    )*};
}

/// `x` with the upper word alone.
#[inline]
fn upper(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !0xffff_ffff)
}

/// What an instruction with `.ftz` makes of a subnormal number.
#[inline]
fn flush(x: f64) -> f64 {
    if x.is_subnormal() {
        0f64.copysign(x)
    } else {
        x
    }
}

one_argument! {
    /// The correctly rounded square root.
    sqrt_f64(x) = x.sqrt();
    /// The largest integer not above `x`.
    floor_f64(x) = x.floor();
    /// The smallest integer not below `x`.
    ceil_f64(x) = x.ceil();
    /// The integer next to `x` towards zero.
    trunc_f64(x) = x.trunc();
    /// The integer nearest to `x`, even in a tie.
    rint_f64(x) = x.round_ties_even();
    /// About `1 / x`, to 20 bits; subnormal numbers are taken for 0.
    rcp_approx_ftz_f64(x) = flush(upper(1.0 / upper(flush(x))));
    /// About `1 / sqrt(x)`, to 20 bits; subnormal numbers are taken for 0.
    rsqrt_approx_ftz_f64(x) = upper(1.0 / upper(flush(x)).sqrt());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_coarse_and_keep_to_their_bound() {
        for x in [1.0, 1.999_999_9, 3.0e-200, 7.7e150, 0.1] {
            for seed in [
                rcp_approx_ftz_f64(x) * x,
                rsqrt_approx_ftz_f64(x).powi(2) * x,
            ] {
                assert!((seed - 1.0).abs() < 2f64.powi(-17), "{x}: {seed}");
            }
            assert_eq!(rcp_approx_ftz_f64(x).to_bits() as u32, 0);
        }
        assert_eq!(rcp_approx_ftz_f64(-1e-310), f64::NEG_INFINITY);
        assert_eq!(rcp_approx_ftz_f64(1.7e308), 0.0);
        assert_eq!(rsqrt_approx_ftz_f64(0.0), f64::INFINITY);
        assert!(rsqrt_approx_ftz_f64(-1.0).is_nan());
    }
}
