//! The Rust side: each function over arguments that a thread makes in registers, so that nothing but the function takes time.

use warploom::device_std::math::{Float, double, fast, single};
use warploom::prelude::*;
use warploom::{DeviceBuffer, LaunchError};

/// Functions are applied to so many arguments in a row by a thread, times `rounds`.
pub(crate) const AT_ONCE: u32 = 4;

/// What one function is measured with.
pub(crate) struct Function {
    /// Its name, and that of the kernel.
    pub(crate) name: &'static str,
    /// Name of the `extern "C"` kernel in the twin.
    pub(crate) twin: &'static str,
    /// First and last argument.
    pub(crate) range: (f64, f64),
    /// Launches `rounds` of it.
    pub(crate) launch: Apply,
}

/// Launches a kernel: stream, shape, first argument, distance between arguments, rounds, one sum per thread.
pub(crate) type Sum<T> =
    fn(&Stream, Launch, T, T, u32, &mut DeviceBuffer<T>) -> Result<(), LaunchError>;

/// The kernel of a function.
pub(crate) enum Apply {
    /// Of `f32`.
    Single(Sum<f32>),
    /// Of `f64`.
    Double(Sum<f64>),
}

macro_rules! functions {
    ($list:ident, $float:ty, $apply:ident; $($name:ident($from:literal..$to:literal) |$x:ident| $value:expr;)*) => {
        $(
            #[kernel(fma)] // nvcc contracts by default too
            fn $name(i: Index1D, first: $float, step: $float, rounds: u32, mut sums: DisjointSlice<$float>) {
                let function = |$x: $float| -> $float { $value };
                let quarter = step * 0.25;
                let mut x = first + step * (i.get() & 1023) as $float;
                let (mut a, mut b, mut c, mut d) = (0.0, 0.0, 0.0, 0.0);
                for _ in 0..rounds {
                    a += function(x);
                    b += function(x + quarter);
                    c += function(x + quarter * 2.0);
                    d += function(x + quarter * 3.0);
                    x += step;
                }
                if let Some(sum) = sums.get_mut(i) {
                    *sum = (a + b) + (c + d);
                }
            }
        )*
        /// All of one precision.
        pub(crate) const $list: &[Function] = &[$(Function {
            name: stringify!($name),
            twin: concat!(stringify!($name), "_twin"),
            range: ($from, $to),
            launch: Apply::$apply(|stream, shape, first, step, rounds, sums| {
                $name::launch(stream, shape, first, step, rounds, sums)
            }),
        }),*];
    };
}

// `asinh`, `acosh` and `atanh` of std are formulas of its own, which never reach ours.
functions! { SINGLE, f32, Single;
    sinf(-10.0..10.0) |x| x.sin();
    cosf(-10.0..10.0) |x| x.cos();
    tanf(-10.0..10.0) |x| x.tan();
    sincosf(-10.0..10.0) |x| { let (s, c) = single::sincos(x); s + c };
    sinpif(-10.0..10.0) |x| x.sin_pi();
    cospif(-10.0..10.0) |x| x.cos_pi();
    asinf(-1.0..1.0) |x| x.asin();
    acosf(-1.0..1.0) |x| x.acos();
    atanf(-10.0..10.0) |x| x.atan();
    sinhf(-5.0..5.0) |x| x.sinh();
    coshf(-5.0..5.0) |x| x.cosh();
    tanhf(-5.0..5.0) |x| x.tanh();
    asinhf(-10.0..10.0) |x| single::asinh(x);
    acoshf(1.0..10.0) |x| single::acosh(x);
    atanhf(-0.999..0.999) |x| single::atanh(x);
    expf(-10.0..10.0) |x| x.exp();
    exp2f(-10.0..10.0) |x| x.exp2();
    exp10f(-10.0..10.0) |x| x.exp10();
    expm1f(-10.0..10.0) |x| x.exp_m1();
    logf(0.001..1000.0) |x| x.ln();
    log2f(0.001..1000.0) |x| x.log2();
    log10f(0.001..1000.0) |x| x.log10();
    log1pf(-0.5..100.0) |x| x.ln_1p();
    rsqrtf(0.001..1000.0) |x| x.rsqrt();
    cbrtf(-1000.0..1000.0) |x| x.cbrt();
    rcbrtf(0.001..1000.0) |x| x.rcbrt();
    erff(-4.0..4.0) |x| x.error_function();
    erfcf(-4.0..9.0) |x| x.error_function_complement();
    erfinvf(-0.9999..0.9999) |x| x.erf_inv();
    erfcinvf(0.0001..1.9999) |x| x.erfc_inv();
    lgammaf(0.1..20.0) |x| x.lgamma();
    tgammaf(0.5..12.0) |x| x.tgamma();
    powf(0.1..10.0) |x| x.powf(x * 0.5 - 1.0);
    hypotf(-10.0..10.0) |x| x.hypot(x * 0.5 - 1.0);
    atan2f(-10.0..10.0) |x| x.atan2(x * 0.5 - 1.0);
    fmodf(0.1..100.0) |x| single::fmod(x, 0.75);
    remainderf(0.1..100.0) |x| single::remainder(x, 0.75);
    frexpf(0.1..100.0) |x| { let (m, e) = x.frexp(); m + e as f32 };
    ldexpf(-10.0..10.0) |x| 1.5f32.ldexp(x as i32);
    ilogbf(0.1..100.0) |x| x.ilogb() as f32;
    roundf(-100.0..100.0) |x| x.round();
    fast_sinf(-3.0..3.0) |x| fast::sin(x);
    fast_cosf(-3.0..3.0) |x| fast::cos(x);
    fast_tanf(-1.5..1.5) |x| fast::tan(x);
    fast_expf(-10.0..10.0) |x| fast::exp(x);
    fast_exp10f(-10.0..10.0) |x| fast::exp10(x);
    fast_logf(0.001..1000.0) |x| fast::log(x);
    fast_log2f(0.001..1000.0) |x| fast::log2(x);
    fast_log10f(0.001..1000.0) |x| fast::log10(x);
    fast_powf(0.1..10.0) |x| fast::pow(x, x * 0.5 - 1.0);
    fast_divf(0.1..10.0) |x| fast::divide(3.0, x);
}

functions! { DOUBLE, f64, Double;
    sin(-10.0..10.0) |x| x.sin();
    cos(-10.0..10.0) |x| x.cos();
    tan(-10.0..10.0) |x| x.tan();
    sincos(-10.0..10.0) |x| { let (s, c) = double::sincos(x); s + c };
    sinpi(-10.0..10.0) |x| x.sin_pi();
    cospi(-10.0..10.0) |x| x.cos_pi();
    asin(-1.0..1.0) |x| x.asin();
    acos(-1.0..1.0) |x| x.acos();
    atan(-10.0..10.0) |x| x.atan();
    sinh(-5.0..5.0) |x| x.sinh();
    cosh(-5.0..5.0) |x| x.cosh();
    tanh(-5.0..5.0) |x| x.tanh();
    asinh(-10.0..10.0) |x| double::asinh(x);
    acosh(1.0..10.0) |x| double::acosh(x);
    atanh(-0.999..0.999) |x| double::atanh(x);
    exp(-10.0..10.0) |x| x.exp();
    exp2(-10.0..10.0) |x| x.exp2();
    exp10(-10.0..10.0) |x| x.exp10();
    expm1(-10.0..10.0) |x| x.exp_m1();
    log(0.001..1000.0) |x| x.ln();
    log2(0.001..1000.0) |x| x.log2();
    log10(0.001..1000.0) |x| x.log10();
    log1p(-0.5..100.0) |x| x.ln_1p();
    rsqrt(0.001..1000.0) |x| x.rsqrt();
    cbrt(-1000.0..1000.0) |x| x.cbrt();
    rcbrt(0.001..1000.0) |x| x.rcbrt();
    erf(-4.0..4.0) |x| x.error_function();
    erfc(-4.0..9.0) |x| x.error_function_complement();
    erfinv(-0.9999..0.9999) |x| x.erf_inv();
    erfcinv(0.0001..1.9999) |x| x.erfc_inv();
    lgamma(0.1..20.0) |x| x.lgamma();
    tgamma(0.5..12.0) |x| x.tgamma();
    pow(0.1..10.0) |x| x.powf(x * 0.5 - 1.0);
    hypot(-10.0..10.0) |x| x.hypot(x * 0.5 - 1.0);
    atan2(-10.0..10.0) |x| x.atan2(x * 0.5 - 1.0);
    fmod(0.1..100.0) |x| double::fmod(x, 0.75);
    remainder(0.1..100.0) |x| double::remainder(x, 0.75);
    frexp(0.1..100.0) |x| { let (m, e) = x.frexp(); m + f64::from(e) };
    ldexp(-10.0..10.0) |x| 1.5f64.ldexp(x as i32);
    ilogb(0.1..100.0) |x| f64::from(x.ilogb());
    round(-100.0..100.0) |x| x.round();
}
