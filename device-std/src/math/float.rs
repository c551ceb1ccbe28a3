//! The methods of CUDA's mathematical library that std's floats lack.

/// Mathematical functions that std does not have, as methods of `f32` and `f64`. Host and device; no minimum compute capability.
///
/// Each forwards to the free function of its C name in [`super::single`] or [`super::double`], where accuracy and special values are
/// told.
///
/// ```
/// use warploom_device_std::math::Float;
/// assert_eq!(4.0f32.rsqrt(), 0.5);
/// assert_eq!(0.5f32.sin_pi(), 1.0);
/// assert_eq!(12.0f32.frexp(), (0.75, 4));
/// assert_eq!(0.75f32.ldexp(4), 12.0);
/// ```
pub trait Float: Copy {
    /// `1 / sqrt(self)`. CUDA: `rsqrt`.
    #[must_use]
    fn rsqrt(self) -> Self;
    /// `1 / cbrt(self)`. CUDA: `rcbrt`.
    #[must_use]
    fn rcbrt(self) -> Self;
    /// 10 to the power of `self`. CUDA: `exp10`.
    #[must_use]
    fn exp10(self) -> Self;
    /// `sin(π self)`. CUDA: `sinpi`.
    #[must_use]
    fn sin_pi(self) -> Self;
    /// `cos(π self)`. CUDA: `cospi`.
    #[must_use]
    fn cos_pi(self) -> Self;
    /// `(sin(π self), cos(π self))`. CUDA: `sincospi`.
    #[must_use]
    fn sin_cos_pi(self) -> (Self, Self);
    /// The error function. CUDA: `erf`. (Not `erf`: std reserves that name.)
    #[must_use]
    fn error_function(self) -> Self;
    /// `1 - erf(self)`, accurate where that is small. CUDA: `erfc`.
    #[must_use]
    fn error_function_complement(self) -> Self;
    /// The inverse of the error function. CUDA: `erfinv`.
    #[must_use]
    fn erf_inv(self) -> Self;
    /// The inverse of the complementary error function. CUDA: `erfcinv`.
    #[must_use]
    fn erfc_inv(self) -> Self;
    /// The logarithm of the absolute value of the gamma function. CUDA: `lgamma`.
    #[must_use]
    fn lgamma(self) -> Self;
    /// The gamma function. CUDA: `tgamma`.
    #[must_use]
    fn tgamma(self) -> Self;
    /// The remainder of IEEE 754: `self - n * y` for the integer `n` nearest to `self / y`, even in a tie. CUDA: `remainder`.
    #[must_use]
    fn ieee_remainder(self, y: Self) -> Self;
    /// [`Float::ieee_remainder`], and the low three bits of `n` with its sign. CUDA: `remquo`.
    #[must_use]
    fn remquo(self, y: Self) -> (Self, i32);
    /// `(m, e)` with `self == m * 2^e` and `0.5 <= |m| < 1`. CUDA: `frexp`.
    #[must_use]
    fn frexp(self) -> (Self, i32);
    /// `self * 2^n`, rounded once. CUDA: `ldexp`, `scalbn`.
    #[must_use]
    fn ldexp(self, n: i32) -> Self;
    /// The exponent, as a float: `floor(log2(|self|))`. CUDA: `logb`.
    #[must_use]
    fn logb(self) -> Self;
    /// The exponent, as an integer. CUDA: `ilogb`.
    #[must_use]
    fn ilogb(self) -> i32;
    /// Integral part and fraction, both with the sign of `self`: `(fraction, whole)`. CUDA: `modf`.
    #[must_use]
    fn modf(self) -> (Self, Self);
    /// `self - y` if that is positive, else 0. CUDA: `fdim`.
    #[must_use]
    fn fdim(self, y: Self) -> Self;
    /// The next float after `self` in the direction of `y`. CUDA: `nextafter`.
    #[must_use]
    fn next_after(self, y: Self) -> Self;
}

macro_rules! float {
    ($ty:ty, $of:ident) => {
        float!($ty, $of;
            rsqrt() -> Self = rsqrt; rcbrt() -> Self = rcbrt; exp10() -> Self = exp10;
            sin_pi() -> Self = sinpi; cos_pi() -> Self = cospi; sin_cos_pi() -> (Self, Self) = sincospi;
            error_function() -> Self = erf; error_function_complement() -> Self = erfc;
            erf_inv() -> Self = erfinv; erfc_inv() -> Self = erfcinv;
            lgamma() -> Self = lgamma; tgamma() -> Self = tgamma;
            ieee_remainder(y: Self) -> Self = remainder; remquo(y: Self) -> (Self, i32) = remquo;
            frexp() -> (Self, i32) = frexp; ldexp(n: i32) -> Self = ldexp; logb() -> Self = logb; ilogb() -> i32 = ilogb;
            modf() -> (Self, Self) = modf; fdim(y: Self) -> Self = fdim; next_after(y: Self) -> Self = nextafter;
        );
    };
    ($ty:ty, $of:ident; $($name:ident($($arg:ident: $arg_ty:ty)?) -> $out:ty = $c:ident;)*) => {
        impl Float for $ty {$(
            #[inline(always)]
            fn $name(self $(, $arg: $arg_ty)?) -> $out {
                super::$of::$c(self $(, $arg)?)
            }
        )*}
    };
}

float!(f32, single);
float!(f64, double);
