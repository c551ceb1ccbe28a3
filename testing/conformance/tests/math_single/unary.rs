//! The functions of one argument, their bounds and references.

use warploom::device_std::math::{Float, single};
use warploom::prelude::*;
use warploom::{LaunchError, Stream};
use warploom_runtime::DeviceBuffer;

use super::reference;
use super::ulp::{Worst, worse};

/// Launches `threads` threads, each with every `threads * stride`-th of the 2^32 floats.
pub(crate) type Sweep = fn(&Stream, u32, u32, &mut DeviceBuffer<Worst>) -> Result<(), LaunchError>;

/// A function of one argument.
pub(crate) struct Unary {
    /// The name that CUDA has for it; `std.` before what is called as a method of std.
    pub(crate) name: &'static str,
    /// Floats that may lie between result and correctly rounded value.
    pub(crate) bound: u32,
    /// Runs it.
    pub(crate) sweep: Sweep,
}

/// Where CUDA tells a bound of `lgamma`: its zeros are elsewhere.
fn promised(x: f32) -> bool {
    reference::promised(f64::from(x))
}

macro_rules! unary {
    ($($kernel:ident $name:literal $bound:literal |$x:ident| $ours:expr, $reference:expr;)*) => {
        $(
            #[kernel]
            fn $kernel(i: Index1D, stride: u32, mut out: DisjointSlice<Worst>) {
                let mut worst: Worst = [0; 2];
                let mut index = i.get() as u64 * u64::from(stride);
                while index < 1 << 32 {
                    let $x = f32::from_bits(index as u32);
                    let value: f32 = $ours;
                    let exact: f64 = $reference(f64::from($x));
                    worst = worse(worst, value, exact, index as u32);
                    index += i.count() as u64 * u64::from(stride);
                }
                if let Some(out) = out.get_mut(i) {
                    *out = worst;
                }
            }
        )*
        /// All of them.
        pub(crate) const UNARY: &[Unary] = &[$(Unary {
            name: $name,
            bound: $bound,
            sweep: |stream, threads, stride, out| $kernel::launch(stream, Launch::covering(threads as usize), stride, out),
        }),*];
    };
}

unary! {
    sin "sinf" 2 |x| single::sin(x), libm::sin;
    cos "cosf" 2 |x| single::cos(x), libm::cos;
    tan "tanf" 4 |x| single::tan(x), libm::tan;
    sin_of_sincos "sincosf (sine)" 2 |x| single::sincos(x).0, libm::sin;
    cos_of_sincos "sincosf (cosine)" 2 |x| single::sincos(x).1, libm::cos;
    sinpi "sinpif" 2 |x| single::sinpi(x), reference::sinpi;
    cospi "cospif" 2 |x| x.cos_pi(), reference::cospi;
    sin_of_sincospi "sincospif (sine)" 2 |x| single::sincospi(x).0, reference::sinpi;
    cos_of_sincospi "sincospif (cosine)" 2 |x| single::sincospi(x).1, reference::cospi;
    asin "asinf" 4 |x| single::asin(x), libm::asin;
    acos "acosf" 3 |x| single::acos(x), libm::acos;
    atan "atanf" 2 |x| single::atan(x), libm::atan;
    sinh "sinhf" 3 |x| single::sinh(x), libm::sinh;
    cosh "coshf" 2 |x| single::cosh(x), libm::cosh;
    tanh "tanhf" 2 |x| single::tanh(x), libm::tanh;
    asinh "asinhf" 3 |x| single::asinh(x), libm::asinh;
    acosh "acoshf" 4 |x| single::acosh(x), reference::acosh;
    atanh "atanhf" 3 |x| single::atanh(x), libm::atanh;
    exp "expf" 2 |x| single::exp(x), libm::exp;
    exp2 "exp2f" 2 |x| single::exp2(x), libm::exp2;
    exp10 "exp10f" 2 |x| x.exp10(), libm::exp10;
    expm1 "expm1f" 1 |x| single::expm1(x), libm::expm1;
    log "logf" 1 |x| single::log(x), libm::log;
    log2 "log2f" 3 |x| single::log2(x), libm::log2;
    log10 "log10f" 3 |x| single::log10(x), libm::log10;
    log1p "log1pf" 2 |x| single::log1p(x), libm::log1p;
    sqrt "sqrtf" 0 |x| single::sqrt(x), libm::sqrt;
    rsqrt "rsqrtf" 2 |x| x.rsqrt(), reference::rsqrt;
    cbrt "cbrtf" 1 |x| single::cbrt(x), libm::cbrt;
    rcbrt "rcbrtf" 2 |x| x.rcbrt(), reference::rcbrt;
    erf "erff" 3 |x| x.error_function(), libm::erf;
    erfc "erfcf" 6 |x| x.error_function_complement(), libm::erfc;
    erfinv "erfinvf" 5 |x| x.erf_inv(), reference::erfinv;
    erfcinv "erfcinvf" 7 |x| x.erfc_inv(), reference::erfcinv;
    lgamma "lgammaf" 6 |x| if promised(x) { x.lgamma() } else { 0.0 }, reference::lgamma;
    tgamma "tgammaf" 11 |x| x.tgamma(), reference::tgamma;
    std_sin "std.sin" 2 |x| x.sin(), libm::sin;
    std_cos "std.cos" 2 |x| x.cos(), libm::cos;
    std_tan "std.tan" 4 |x| x.tan(), libm::tan;
    std_asin "std.asin" 4 |x| x.asin(), libm::asin;
    std_acos "std.acos" 3 |x| x.acos(), libm::acos;
    std_atan "std.atan" 2 |x| x.atan(), libm::atan;
    std_sinh "std.sinh" 3 |x| x.sinh(), libm::sinh;
    std_cosh "std.cosh" 2 |x| x.cosh(), libm::cosh;
    std_tanh "std.tanh" 2 |x| x.tanh(), libm::tanh;
    std_exp "std.exp" 2 |x| x.exp(), libm::exp;
    std_exp2 "std.exp2" 2 |x| x.exp2(), libm::exp2;
    std_exp_m1 "std.exp_m1" 1 |x| x.exp_m1(), libm::expm1;
    std_ln "std.ln" 1 |x| x.ln(), libm::log;
    std_log2 "std.log2" 3 |x| x.log2(), libm::log2;
    std_log10 "std.log10" 3 |x| x.log10(), libm::log10;
    std_ln_1p "std.ln_1p" 2 |x| x.ln_1p(), libm::log1p;
    std_cbrt "std.cbrt" 1 |x| x.cbrt(), libm::cbrt;
    std_round "std.round" 0 |x| x.round(), libm::round;
    std_trunc "std.trunc" 0 |x| x.trunc(), libm::trunc;
    std_floor "std.floor" 0 |x| x.floor(), libm::floor;
    std_ceil "std.ceil" 0 |x| x.ceil(), libm::ceil;
    std_round_ties_even "std.round_ties_even" 0 |x| x.round_ties_even(), libm::rint;
    round "roundf" 0 |x| single::round(x), libm::round;
    trunc "truncf" 0 |x| single::trunc(x), libm::trunc;
    floor "floorf" 0 |x| single::floor(x), libm::floor;
    ceil "ceilf" 0 |x| single::ceil(x), libm::ceil;
    rint "rintf" 0 |x| single::rint(x), libm::rint;
    nearbyint "nearbyintf" 0 |x| single::nearbyint(x), libm::rint;
}
