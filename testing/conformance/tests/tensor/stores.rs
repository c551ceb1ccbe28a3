//! From shared to global memory.

use warploom::device_std::TensorTarget;
use warploom::device_std::tma::{self, TensorElement};
use warploom::prelude::*;
use warploom::tensor::Swizzle;
use warploom_harness::device_test::check;

use super::expected::{Bits, Case, Kib, matrix};

/// Copies `x` to the tensor, as one box.
#[kernel(block(1024))]
fn store_box<T: TensorElement, const R: usize>(
    block: Block,
    x: &[u32],
    at: [i32; R],
    y: TensorTarget<T, R>,
) {
    let tile = shared_array!(Kib, 4);
    let from: *mut u8 = tile.as_ptr().cast();
    let t = block.thread();
    if let Some(x) = x.get(t) {
        // SAFETY: a box has at most 1024 words, and each thread writes its own.
        unsafe { from.cast::<u32>().wrapping_add(t).write(*x) };
    }
    tma::fence_proxy_async();
    block.sync();
    if t == 0 {
        y.prefetch_map();
        // SAFETY: written, with a fence behind and a barrier between; no thread writes it again.
        unsafe { y.store(from, at) };
        // SAFETY: this thread's only group.
        unsafe { tma::commit_group() };
        // SAFETY: as above.
        unsafe { tma::wait_group::<0>() };
    }
}

#[track_caller]
fn stores<T: Bits, const R: usize>(case: Case<R>) {
    let memory = case.memory::<T>();
    let bytes = case.places().len() * size_of::<T>();
    let words: Vec<u32> = (0..bytes as u32 / 4)
        .map(|i| (i + 3).wrapping_mul(0x0101_7337))
        .collect();
    let given: &[u8] = bytemuck::cast_slice(&words);
    let expected = case.stored(&memory, given, |_, new: T| new);
    let expected: Vec<u64> = expected.into_iter().map(Bits::bits).collect();
    check(&expected, |device, stream| {
        let (x, mut y) = (device.upload(&words)?, device.upload(&memory)?);
        let mut map = case.target(y.as_slice_mut())?;
        store_box::<T, R>::launch(stream, (1, 1024), &x, case.at, &mut map)?;
        Ok(y.to_vec(stream)?.into_iter().map(Bits::bits).collect())
    });
}

//@ rows: TMA-store
#[test]
fn boxes_are_written_but_for_what_is_outside() {
    for at in [[0, 0], [32, 2], [48, 6], [64, 0]] {
        stores::<u32, 2>(matrix::<u32>(61, 9, [32, 8], at));
        stores::<u8, 2>(matrix::<u8>(61, 9, [32, 8], at));
        stores::<f64, 2>(matrix::<f64>(61, 9, [32, 8], at));
        stores::<Bf16, 2>(matrix::<Bf16>(61, 9, [32, 8], at));
    }
}

//@ rows: TMA-store
#[test]
fn boxes_of_every_rank_are_written() {
    use warploom::tensor::Fill;
    fn corner<const R: usize>(block: [usize; R]) -> Case<R> {
        let (extents, mut strides) = ([12, 5, 4, 3, 3], [1; R]);
        for i in 1..R {
            strides[i] = if i == 1 {
                16
            } else {
                strides[i - 1] * (extents[i - 1] + 1)
            };
        }
        Case {
            extents: std::array::from_fn(|i| extents[i]),
            strides,
            block,
            steps: [1; R],
            swizzle: Swizzle::None,
            fill: Fill::Zeros,
            at: std::array::from_fn(|i| if i == 0 { 4 } else { 2 }),
        }
    }
    stores::<u32, 1>(corner([16]));
    stores::<u32, 2>(corner([8, 6]));
    stores::<u32, 3>(corner([8, 3, 4]));
    stores::<u32, 4>(corner([4, 3, 4, 3]));
    stores::<u32, 5>(corner([4, 3, 2, 3, 2]));
}

//@ rows: TMA-swizzle
#[test]
fn parts_are_permuted_back() {
    for swizzle in [Swizzle::B32, Swizzle::B64, Swizzle::B128] {
        let case = matrix::<u16>(200, 40, [swizzle.span() / 2, 30], [8, 15]);
        stores::<u16, 2>(Case { swizzle, ..case });
    }
}
