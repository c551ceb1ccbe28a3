//! From global to shared memory.

use warploom::device_std::tma::{self, TensorElement};
use warploom::device_std::wmma::Tf32;
use warploom::device_std::{Mbarrier, TensorSource};
use warploom::prelude::*;
use warploom::tensor::{Fill, Swizzle};
use warploom_harness::device_test::check;

use super::expected::{Bits, Case, Kib, matrix, words};

/// Copies one box, and gives the words of it.
#[kernel(block(1024))]
fn load_box<T: TensorElement, const R: usize>(
    block: Block,
    i: Index1D,
    x: TensorSource<T, R>,
    at: [i32; R],
    bytes: u32,
    mut y: DisjointSlice<u32>,
) {
    let (tile, memory) = (shared_array!(Kib, 4), shared_array!(u64, 1));
    let to: *mut u8 = tile.as_ptr().cast();
    // SAFETY: the memory has room for a barrier.
    let barrier = unsafe { Mbarrier::new(memory, 0) };
    if block.thread() == 0 {
        x.prefetch_map();
        // SAFETY: the coordinates of these tests are those of 16 bytes.
        unsafe { x.prefetch(at) };
        // SAFETY: initialised by one thread, before the others use it.
        unsafe { barrier.init(1) };
        tma::fence_mbarrier_init();
    }
    block.sync();
    if block.thread() == 0 {
        // SAFETY: a barrier; this thread arrives alone, and the copy brings so many bytes.
        let _ = unsafe { barrier.arrive_expecting(bytes) };
        // SAFETY: the tile has room for all boxes of these tests, and no thread uses it before the phase has ended.
        unsafe { x.load(to, at, barrier) };
    }
    // SAFETY: a barrier.
    unsafe { barrier.wait_parity(0) };
    if let Some(y) = y.get_mut(i) {
        // SAFETY: the host makes `y` as long as the box, and the copy has ended.
        *y = unsafe { to.cast::<u32>().wrapping_add(i.get()).read() };
    }
}

/// The same for a box whose rows have gaps between them, which hold what threads wrote before.
#[kernel(block(1024))]
fn load_into_gaps(
    block: Block,
    i: Index1D,
    x: TensorSource<u32, 2>,
    bytes: u32,
    mut y: DisjointSlice<u32>,
) {
    let (tile, memory) = (shared_array!(Kib, 4), shared_array!(u64, 1));
    let to: *mut u8 = tile.as_ptr().cast();
    // SAFETY: each thread has a word of its own.
    unsafe { to.cast::<u32>().wrapping_add(i.get()).write(u32::MAX) };
    // SAFETY: the memory has room for a barrier.
    let barrier = unsafe { Mbarrier::new(memory, 0) };
    if block.thread() == 0 {
        // SAFETY: initialised by one thread, before the others use it.
        unsafe { barrier.init(1) };
        tma::fence_mbarrier_init();
    }
    tma::fence_proxy_async();
    block.sync();
    if block.thread() == 0 {
        // SAFETY: a barrier; this thread arrives alone, and the copy brings so many bytes.
        let _ = unsafe { barrier.arrive_expecting(bytes) };
        // SAFETY: the tile has room for all boxes of these tests, and no thread uses it before the phase has ended.
        unsafe { x.load(to, [4, 2], barrier) };
    }
    // SAFETY: a barrier.
    unsafe { barrier.wait_parity(0) };
    if let Some(y) = y.get_mut(i) {
        // SAFETY: each thread reads a word of its own, and the copy has ended.
        *y = unsafe { to.cast::<u32>().wrapping_add(i.get()).read() };
    }
}

#[track_caller]
fn loads<T: Bits, const R: usize>(case: Case<R>) {
    let memory = case.memory::<T>();
    let expected: Vec<u32> = words(&case.loaded(&memory));
    check(&expected, |device, stream| {
        let x = device.upload(&memory)?;
        let map = case.source(x.as_slice())?;
        assert_eq!(map.box_bytes(), expected.len() * 4);
        let mut y = device.zeroed(expected.len())?;
        let bytes = map.box_bytes() as u32;
        load_box::<T, R>::launch(stream, (1, 1024), &map, case.at, bytes, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// A tensor that is cut off on all sides of a box.
fn corner<const R: usize>(block: [usize; R], at: [i32; R]) -> Case<R> {
    let (extents, mut strides) = ([12, 5, 4, 3, 3], [1; R]);
    for i in 1..R {
        // Rows of 12 elements and a gap; then a gap of a row.
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
        at,
    }
}

//@ rows: TMA-load
#[test]
fn boxes_of_every_rank() {
    for at in [0, 4, -4] {
        loads::<u32, 1>(corner([16], [at]));
        loads::<u32, 2>(corner([8, 6], [at; 2]));
        loads::<u32, 3>(corner([8, 3, 4], [at; 3]));
        loads::<u32, 4>(corner([4, 3, 4, 3], [at; 4]));
        loads::<u32, 5>(corner([4, 3, 2, 3, 2], [at; 5]));
    }
}

//@ rows: TMA-load
#[test]
fn boxes_that_are_outside_hold_the_fill() {
    for at in [[64, 0], [0, 9], [-32, -8], [i32::MAX - 31, i32::MIN]] {
        loads::<u32, 2>(matrix::<u32>(64, 9, [32, 8], at));
    }
}

//@ rows: TMA-load
#[test]
fn elements_of_every_type() {
    fn all<T: Bits>() {
        loads::<T, 2>(matrix::<T>(83, 20, [16, 6], [16, 17]));
        loads::<T, 2>(matrix::<T>(83, 20, [32, 8], [64, -1]));
    }
    all::<u8>();
    all::<u16>();
    all::<u32>();
    all::<i32>();
    all::<u64>();
    all::<i64>();
    all::<F16>();
    all::<Bf16>();
    all::<f32>();
    all::<f64>();
    all::<Tf32>();
}

//@ rows: TMA-load
#[test]
fn what_is_no_number_is_filled_in() {
    fn all<T: Bits>() {
        let fill = Fill::Nan;
        let case = matrix::<T>(83, 20, [16, 6], [72, 17]);
        loads::<T, 2>(Case { fill, ..case });
    }
    all::<F16>();
    all::<Bf16>();
    all::<f32>();
    all::<f64>();
    all::<Tf32>();
}

//@ rows: TMA-swizzle
#[test]
fn parts_are_permuted() {
    for swizzle in [Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128] {
        let columns = swizzle.span() / 2;
        for rows in [8, 19, 30] {
            let case = matrix::<u16>(200, 40, [columns, rows], [8, 3]);
            let case = Case { swizzle, ..case };
            loads::<u16, 2>(case);
        }
        let case = matrix::<f64>(200, 40, [swizzle.span() / 8, 24], [190, 30]);
        let case = Case { swizzle, ..case };
        loads::<f64, 2>(case);
    }
}

//@ rows: TMA-swizzle
#[test]
fn a_box_of_three_dimensions_is_a_tile_of_panels() {
    // The columns of a matrix, 64 by 64, are a dimension of their own.
    let case = Case {
        extents: [64, 24, 3],
        strides: [1, 192, 64],
        block: [64, 8, 3],
        steps: [1; 3],
        swizzle: Swizzle::B128,
        fill: Fill::Zeros,
        at: [0, 9, 0],
    };
    loads::<Bf16, 3>(case);
}

//@ rows: TMA-load
#[test]
fn steps_leave_elements_out() {
    for step in [2, 3, 8] {
        let case = matrix::<u32>(64, 40, [16, 20], [8, 25]);
        let steps = [1, step];
        loads::<u32, 2>(Case { steps, ..case });
    }
}

//@ rows: TMA-swizzle
#[test]
fn rows_that_are_shorter_than_a_piece_have_gaps_between() {
    for swizzle in [Swizzle::B32, Swizzle::B64, Swizzle::B128] {
        for columns in [4, 8, 16] {
            if columns * 4 >= swizzle.span() {
                continue;
            }
            let case = Case {
                swizzle,
                ..matrix::<u32>(64, 16, [columns, 9], [4, 2])
            };
            let memory = case.memory::<u32>();
            let expected = words(&case.loaded_over(&memory, u8::MAX));
            check(&expected, |device, stream| {
                let x = device.upload(&memory)?;
                let map = case.source(x.as_slice())?;
                let mut y = device.zeroed(expected.len())?;
                let bytes = map.box_bytes() as u32;
                load_into_gaps::launch(stream, (1, 1024), &map, bytes, &mut y)?;
                Ok(y.to_vec(stream)?)
            });
        }
    }
}

//@ rows: TMA-load
#[test]
fn copies_round_to_tf32() {
    let bits: [u32; 16] = [
        0x3f80_0000,
        0x3f80_0fff,
        0x3f80_1000,
        0x3f80_1001,
        0x3f80_3000,
        0x7f7f_ffff,
        0x7fc0_0001,
        0x7f80_0001,
        0x0000_1000,
        0x8000_1fff,
        0xff80_0000,
        0x7fff_ffff,
        0x0080_1000,
        1,
        0xbf80_5000,
        0x8000_0000,
    ];
    let expected: [u32; 16] = [
        0x3f80_0000,
        0x3f80_0000,
        0x3f80_0000,
        0x3f80_2000,
        0x3f80_4000,
        0x7f80_0000,
        0x7fff_e000,
        0x7fff_e000,
        0,
        0x8000_2000,
        0xff80_0000,
        0x7fff_e000,
        0x0080_0000,
        0,
        0xbf80_4000,
        0x8000_0000,
    ];
    // SAFETY: both are 32 bits, of which each pattern is a value.
    let elements = bits.map(|bits| unsafe { std::mem::transmute::<u32, Tf32>(bits) });
    check(&expected, |device, stream| {
        let x = device.upload(&elements)?;
        let map = warploom::TensorMap::builder(x.as_slice(), [16])
            .block([16])
            .build()?;
        let mut y = device.zeroed(16)?;
        load_box::<Tf32, 1>::launch(stream, (1, 1024), &map, [0], 64, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
