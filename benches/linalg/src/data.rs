//! Operands: numbers as of a normal distribution, the same on the device and on the host.

use warploom::device_std::mma::E4m3;
use warploom::prelude::*;

/// Elements of the benchmark.
pub(crate) trait Value: Plain {
    /// The nearest number; an integer for an integer type, with a standard deviation of 24.
    fn of(x: f32) -> Self;
    fn to_f64(self) -> f64;
}

macro_rules! values {
    ($($ty:ident |$x:ident| $of:expr, |$y:ident| $to:expr;)*) => {$(
        impl Value for $ty {
            #[inline(always)]
            fn of($x: f32) -> Self {
                $of
            }

            fn to_f64(self) -> f64 {
                let $y = self;
                $to
            }
        }
    )*};
}

values! {
    f32 |x| x, |x| x.into();
    f64 |x| x.into(), |x| x;
    F16 |x| F16::from_f32(x), |x| x.to_f32().into();
    Bf16 |x| Bf16::from_f32(x), |x| x.to_f32().into();
    E4m3 |x| E4m3::from_f32(x), |x| x.to_f32().into();
    i8 |x| (x * 24.0) as i8, |x| x.into();
    i32 |x| x as i32, |x| x.into();
}

/// The number `i` of a sequence: the sum of twelve uniform numbers, whose variance is 1. Exact, so the host computes the same bits.
#[inline(always)]
pub(crate) fn normal(seed: u32, i: u32) -> f32 {
    let mut state = i.wrapping_mul(0x9e37_79b9) ^ seed.wrapping_mul(0x85eb_ca6b);
    let mut sum = 0;
    for _ in 0..6 {
        state = (state ^ (state >> 16)).wrapping_mul(0x7feb_352d);
        state = (state ^ (state >> 15)).wrapping_mul(0x846c_a68b);
        state ^= state >> 16;
        sum += (state & 0xffff) + (state >> 16);
    }
    (sum as f32 - 6.0 * 65535.0) / 65536.0
}

/// Fills `y` with a sequence.
#[kernel]
pub(crate) fn fill<T>(i: Index1D, seed: u32, mut y: DisjointSlice<T>)
where
    T: Value,
{
    if let Some(y) = y.get_mut(i) {
        *y = T::of(normal(seed, i.get() as u32));
    }
}

/// `n` elements of a sequence, in device memory.
pub(crate) fn operand<T: Value>(
    stream: &Stream,
    n: usize,
    seed: u32,
) -> warploom::Result<DeviceBuffer<T>> {
    let mut y = stream.device().alloc_uninit(n)?;
    fill::<T>::launch(stream, Launch::covering(n), seed, &mut y)?;
    Ok(y)
}
