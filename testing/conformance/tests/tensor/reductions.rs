//! Copies to global memory that change what is there.

use warploom::device_std::TensorTarget;
use warploom::device_std::tma::{self, ReduceAdd, ReduceBits, ReduceCount, ReduceMinMax};
use warploom::prelude::*;
use warploom_harness::device_test::check;

use super::expected::{Bits, Case, Kib, matrix, words};

macro_rules! kernels {
    ($($name:ident $reduce:ident $bound:ident;)*) => {$(
        /// Each block changes the tensor by the box in `x`.
        #[kernel(block(256))]
        fn $name<T: $bound>(block: Block, x: &[u32], at: [i32; 2], y: TensorTarget<T, 2>) {
            let tile = shared_array!(Kib, 1);
            let from: *mut u8 = tile.as_ptr().cast();
            let t = block.thread();
            if let Some(x) = x.get(t) {
                // SAFETY: a box has at most 256 words, and each thread writes its own.
                unsafe { from.cast::<u32>().wrapping_add(t).write(*x) };
            }
            tma::fence_proxy_async();
            block.sync();
            if t == 0 {
                // SAFETY: written, with a fence behind and a barrier between; no thread writes it again.
                unsafe { y.$reduce(from, at) };
                // SAFETY: this thread's only group.
                unsafe { tma::commit_group() };
                // SAFETY: as above.
                unsafe { tma::wait_group_read::<0>() };
            }
        }
    )*};
}

kernels! {
    add reduce_add ReduceAdd;
    min reduce_min ReduceMinMax;
    max reduce_max ReduceMinMax;
    and reduce_and ReduceBits;
    or reduce_or ReduceBits;
    xor reduce_xor ReduceBits;
    inc reduce_inc ReduceCount;
    dec reduce_dec ReduceCount;
}

/// Bits of elements that are numbers, small enough that sums of them are exact.
fn number<T: Bits>(i: usize) -> T {
    let small = (i * 7 % 23) as f32 - 11.0;
    let name = std::any::type_name::<T>();
    T::of(match size_of::<T>() {
        2 if name.contains("Bf16") => Bf16::from_f32(small).to_bits().into(),
        2 => F16::from_f32(small).to_bits().into(),
        4 if name == "f32" => small.to_bits().into(),
        8 if name == "f64" => f64::from(small).to_bits(),
        _ => (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5555,
    })
}

macro_rules! reduces {
    ($kernel:ident, $ty:ty, $blocks:literal, |$there:ident, $given:ident| $change:expr) => {{
        let case: Case<2> = matrix::<$ty>(29, 9, [16, 8], [16, 3]);
        let memory: Vec<$ty> = (0..case.len::<$ty>()).map(number).collect();
        let given: Vec<$ty> = (0..128).map(|i| number(i * 3 + 1)).collect();
        let bytes: Vec<u8> = given
            .iter()
            .flat_map(|x| x.bits().to_le_bytes().into_iter().take(size_of::<$ty>()))
            .collect();
        let words: Vec<u32> = words(&bytes);
        let mut expected = memory.clone();
        for _ in 0..$blocks {
            expected = case.stored(&expected, &bytes, |$there, $given| $change);
        }
        let expected: Vec<u64> = expected.into_iter().map(Bits::bits).collect();
        check(&expected, |device, stream| {
            let (x, mut y) = (device.upload(&words)?, device.upload(&memory)?);
            let mut map = case.target(y.as_slice_mut())?;
            $kernel::<$ty>::launch(stream, ($blocks, 256), &x, case.at, &mut map)?;
            Ok(y.to_vec(stream)?.into_iter().map(Bits::bits).collect())
        });
    }};
}

//@ rows: TMA-reduce
#[test]
fn sums() {
    reduces!(add, u32, 5, |a, b| a.wrapping_add(b));
    reduces!(add, i32, 5, |a, b| a.wrapping_add(b));
    reduces!(add, u64, 1, |a, b| a.wrapping_add(b));
    reduces!(add, f32, 5, |a, b| a + b);
    reduces!(add, F16, 5, |a, b| F16::from_f32(a.to_f32() + b.to_f32()));
    reduces!(add, Bf16, 3, |a, b| Bf16::from_f32(a.to_f32() + b.to_f32()));
}

//@ rows: TMA-reduce
#[test]
fn sums_of_eight_bytes() {
    reduces!(add, u64, 3, |a, b| a.wrapping_add(b));
    reduces!(add, f64, 3, |a, b| a + b);
}

//@ rows: TMA-reduce
#[test]
fn extremes() {
    reduces!(min, u32, 2, |a, b| a.min(b));
    reduces!(min, i32, 2, |a, b| a.min(b));
    reduces!(max, u32, 2, |a, b| a.max(b));
    reduces!(max, i32, 2, |a, b| a.max(b));
    reduces!(min, u64, 1, |a, b| a.min(b));
    reduces!(max, i64, 1, |a, b| a.max(b));
    reduces!(min, F16, 2, |a, b| if b.to_f32() < a.to_f32() {
        b
    } else {
        a
    });
    reduces!(max, Bf16, 2, |a, b| if b.to_f32() > a.to_f32() {
        b
    } else {
        a
    });
}

//@ rows: TMA-reduce
#[test]
fn bits() {
    reduces!(and, u32, 2, |a, b| a & b);
    reduces!(or, i32, 2, |a, b| a | b);
    reduces!(xor, u32, 3, |a, b| a ^ b);
    reduces!(and, u64, 2, |a, b| a & b);
    reduces!(or, u64, 1, |a, b| a | b);
    reduces!(xor, u64, 1, |a, b| a ^ b);
}

//@ rows: TMA-reduce
#[test]
fn counts() {
    reduces!(inc, u32, 3, |a, b| if a >= b { 0 } else { a + 1 });
    reduces!(dec, u32, 3, |a, b| if a == 0 || a > b { b } else { a - 1 });
}
