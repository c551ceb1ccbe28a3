//! Arithmetic of `f32`, exact; and of the hardware's approximations the correctly rounded value.

/// `a * b + c`, rounded once.
#[inline]
pub fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

/// `a * b`, rounded.
#[inline]
pub fn mul_apart_f32(a: f32, b: f32) -> f32 {
    a * b
}

/// `a * b + c`, rounded once, then clamped to 0..=1; NaN becomes 0.
#[inline]
pub fn fma_sat_f32(a: f32, b: f32, c: f32) -> f32 {
    let sum = a.mul_add(b, c);
    // NaN and negative zero fail the first comparison.
    if sum > 0.0 { sum.min(1.0) } else { 0.0 }
}

macro_rules! one_argument {
    ($($(#[$doc:meta])* $name:ident($x:ident) = $value:expr;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name($x: f32) -> f32 {
            $value
        }
    )*};
}

/// What an instruction with `.ftz` makes of a subnormal number.
#[inline]
fn flush(x: f32) -> f32 {
    if x.is_subnormal() {
        0f32.copysign(x)
    } else {
        x
    }
}

/// The value of a function at `x`, from twice the digits.
#[inline]
fn rounded(x: f32, function: fn(f64) -> f64) -> f32 {
    function(f64::from(x)) as f32
}

one_argument! {
    /// The correctly rounded square root.
    sqrt_f32(x) = x.sqrt();
    /// The largest integer not above `x`.
    floor_f32(x) = x.floor();
    /// The smallest integer not below `x`.
    ceil_f32(x) = x.ceil();
    /// The integer next to `x` towards zero.
    trunc_f32(x) = x.trunc();
    /// The integer nearest to `x`, even in a tie.
    rint_f32(x) = x.round_ties_even();
    /// 2 to the power of `x`.
    ex2_approx_f32(x) = rounded(x, f64::exp2);
    /// 2 to the power of `x`; subnormal numbers are taken for 0.
    ex2_approx_ftz_f32(x) = flush(rounded(flush(x), f64::exp2));
    /// The logarithm to base 2.
    lg2_approx_f32(x) = rounded(x, f64::log2);
    /// The logarithm to base 2; subnormal numbers are taken for 0.
    lg2_approx_ftz_f32(x) = rounded(flush(x), f64::log2);
    /// The sine.
    sin_approx_f32(x) = rounded(x, f64::sin);
    /// The cosine.
    cos_approx_f32(x) = rounded(x, f64::cos);
    /// `1 / sqrt(x)`.
    rsqrt_approx_f32(x) = rounded(x, |x| 1.0 / x.sqrt());
    /// `1 / sqrt(x)`; subnormal numbers are taken for 0.
    rsqrt_approx_ftz_f32(x) = rounded(flush(x), |x| 1.0 / x.sqrt());
    /// `1 / x`.
    rcp_approx_f32(x) = 1.0 / x;
    /// `1 / x`; subnormal numbers are taken for 0.
    rcp_approx_ftz_f32(x) = flush(1.0 / flush(x));
    /// The square root.
    sqrt_approx_f32(x) = x.sqrt();
    /// The square root; subnormal numbers are taken for 0.
    sqrt_approx_ftz_f32(x) = flush(x).sqrt();
}

/// `x / y`, and 0 (NaN if `x` is infinite) where `|y|` is above 2^126: the instruction multiplies by a reciprocal that is subnormal there.
#[inline]
pub fn div_approx_f32(x: f32, y: f32) -> f32 {
    const LARGEST: f32 = 8.507_059e37; // 2^126
    if y.is_finite() && y.abs() > LARGEST {
        return x * 0f32.copysign(y);
    }
    x / y
}
