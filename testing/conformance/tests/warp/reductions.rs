//! Reductions, by shuffles and by the instruction of sm_80.

use warploom::device_std::intrinsics as raw;
use warploom::device_std::warp::{Reduce, ReduceBits};
use warploom::prelude::*;
use warploom_harness::device_test::check;

use crate::model::{MASKS, lanes, noise, warp_of};

/// Block `b` has mask `masks[b]`.
#[kernel]
fn by_mask<T: Reduce + ReduceBits>(
    warp: Warp,
    block: Block,
    masks: &[u32],
    x: &[T],
    mut y: DisjointSlice<[T; 6]>,
    i: Index1D,
) {
    let (lane, mask) = (warp.lane(), masks[block.index() % masks.len()]);
    let v = x[i.get() % x.len()];
    let mut seen = [v; 6];
    if mask >> lane & 1 == 1 {
        seen = [
            // SAFETY: exactly the lanes of the mask come here, all with this mask.
            unsafe { warp.reduce_sum_mask(mask, v) },
            // SAFETY: as above.
            unsafe { warp.reduce_min_mask(mask, v) },
            // SAFETY: as above.
            unsafe { warp.reduce_max_mask(mask, v) },
            // SAFETY: as above.
            unsafe { warp.reduce_and_mask(mask, v) },
            // SAFETY: as above.
            unsafe { warp.reduce_or_mask(mask, v) },
            // SAFETY: as above.
            unsafe { warp.reduce_xor_mask(mask, v) },
        ];
    }
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

/// The same by the instructions; the kernel gets an image for sm_80.
#[kernel]
fn by_instruction(
    warp: Warp,
    block: Block,
    masks: &[u32],
    x: &[u32],
    mut y: DisjointSlice<[u32; 8]>,
    i: Index1D,
) {
    let (lane, mask) = (warp.lane(), masks[block.index() % masks.len()]);
    let v = x[i.get() % x.len()];
    let mut seen = [v; 8];
    if mask >> lane & 1 == 1 {
        seen = [
            // SAFETY: the lanes of `mask`, and they alone, make these calls.
            unsafe { raw::redux_add(mask, v) },
            // SAFETY: as above.
            unsafe { raw::redux_min_u32(mask, v) },
            // SAFETY: as above.
            unsafe { raw::redux_max_u32(mask, v) },
            // SAFETY: as above.
            unsafe { raw::redux_and(mask, v) },
            // SAFETY: as above.
            unsafe { raw::redux_or(mask, v) },
            // SAFETY: as above.
            unsafe { raw::redux_xor(mask, v) },
            // SAFETY: as above.
            unsafe { raw::redux_min_i32(mask, v as i32) as u32 },
            // SAFETY: as above.
            unsafe { raw::redux_max_i32(mask, v as i32) as u32 },
        ];
    }
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

/// In an image for sm_80 the methods use the instruction too: the first line raises the kernel.
#[kernel]
fn by_method_of_sm80(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<[u32; 8]>) {
    let v = x[i.get() % x.len()];
    let seen = [
        // SAFETY: all lanes of the warp make this call.
        unsafe { raw::redux_add(u32::MAX, v) },
        warp.reduce_min(v),
        warp.reduce_max(v),
        warp.reduce_and(v),
        warp.reduce_or(v),
        warp.reduce_xor(v),
        warp.reduce_min(v as i32) as u32,
        warp.reduce_max(v as i32) as u32,
    ];
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

/// Small and large numbers, runs of equal bits.
fn values() -> Vec<u32> {
    (0..4 * 32 * MASKS.len() as u32)
        .map(|i| match i / 32 % 4 {
            0 => noise(i) as u32,
            1 => (noise(i) as u32) >> 27,
            2 => noise(i) as u32 | 0xFFF0_0FFF,
            _ => 0u32.wrapping_sub(i % 5),
        })
        .collect()
}

/// Four blocks for each mask.
fn masks() -> Vec<u32> {
    MASKS.iter().flat_map(|m| [*m; 4]).collect()
}

macro_rules! of_types {
    ($($name:ident $ty:ty;)*) => {$(
        //@ rows: WR-1, WR-2, WR-3, WR-4, WR-5, WR-6
        #[test]
        fn $name() {
            let x: Vec<$ty> = values().into_iter().map(|v| (v as i32 as i128 * 0x1_0000_0001) as $ty).collect();
            let masks = masks();
            let expected: Vec<[$ty; 6]> = (0..x.len())
                .map(|i| {
                    let (mask, first) = (masks[i / 32], i / 32 * 32);
                    if mask >> (i % 32) & 1 == 0 {
                        return [x[i]; 6];
                    }
                    let values = lanes(mask).map(|lane| x[first + lane as usize]);
                    let of = |op: fn($ty, $ty) -> $ty| values.clone().reduce(op).unwrap();
                    [
                        of(<$ty>::wrapping_add),
                        of(|a, b| a.min(b)),
                        of(|a, b| a.max(b)),
                        of(|a, b| a & b),
                        of(|a, b| a | b),
                        of(|a, b| a ^ b),
                    ]
                })
                .collect();
            check(&expected, |device, stream| {
                let mut y = device.upload(&vec![[0 as $ty; 6]; x.len()])?;
                let masks = device.upload(&masks)?;
                by_mask::<$ty>::launch(stream, (x.len() as u32 / 32, 32), &masks, &device.upload(&x)?, &mut y)?;
                Ok(y.to_vec(stream)?)
            });
        }
    )*};
}
of_types! {
    u8s u8; u16s u16; u32s u32; u64s u64; u128s u128; usizes usize;
    i8s i8; i16s i16; i32s i32; i64s i64; i128s i128; isizes isize;
}

/// What the eight reductions give.
fn eight(values: impl Iterator<Item = u32> + Clone) -> [u32; 8] {
    let of = |op: fn(u32, u32) -> u32| values.clone().reduce(op).unwrap();
    [
        of(u32::wrapping_add),
        of(u32::min),
        of(u32::max),
        of(|a, b| a & b),
        of(|a, b| a | b),
        of(|a, b| a ^ b),
        of(|a, b| (a as i32).min(b as i32) as u32),
        of(|a, b| (a as i32).max(b as i32) as u32),
    ]
}

//@ rows: WR-1, WR-2, WR-3, WR-4, WR-5, WR-6
#[test]
fn the_instruction_gives_the_same() {
    let (x, masks) = (values(), masks());
    let expected: Vec<[u32; 8]> = (0..x.len())
        .map(|i| {
            let mask = masks[i / 32];
            if mask >> (i % 32) & 1 == 0 {
                return [x[i]; 8];
            }
            eight(lanes(mask).map(|lane| x[i / 32 * 32 + lane as usize]))
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(x.len())?;
        let masks = device.upload(&masks)?;
        by_instruction::launch(
            stream,
            (x.len() as u32 / 32, 32),
            &masks,
            &device.upload(&x)?,
            &mut y,
        )?;
        Ok(y.to_vec(stream)?)
    });
}

//@ rows: WR-1, WR-2, WR-3, WR-4, WR-5, WR-6
#[test]
fn ragged_warps_in_an_image_for_sm_80() {
    for block in [32usize, 96, 70, 5] {
        let x: Vec<u32> = (0..3 * block as u32).map(|i| noise(i) as u32).collect();
        let expected: Vec<[u32; 8]> = (0..x.len())
            .map(|i| {
                let (first, n) = warp_of(i, block);
                eight(x[first..first + n].iter().copied())
            })
            .collect();
        check(&expected, |device, stream| {
            let mut y = device.zeroed(x.len())?;
            by_method_of_sm80::launch(stream, (3, block as u32), &device.upload(&x)?, &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

/// Every third lane returned. Floats are added in a fixed order.
#[kernel]
fn of_those_left(warp: Warp, i: Index1D, x: &[f32], mut y: DisjointSlice<[f32; 4]>) {
    let v = x[i.get() % x.len()];
    if i.get() % 3 == 1 {
        return;
    }
    let seen = [
        warp.reduce_sum(v),
        warp.reduce_min(v),
        warp.reduce_max(v),
        warp.reduce(v, |a, b| a * b),
    ];
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: WR-1, WR-2, WR-3, P-19
#[test]
fn lanes_that_returned_are_left_out() {
    for block in [64usize, 70] {
        let x: Vec<f32> = (0..2 * block as u32)
            .map(|i| (noise(i) >> 40) as f32 * 1e-5 - 40.0)
            .collect();
        let expected: Vec<[f32; 4]> = (0..x.len())
            .map(|i| {
                let (first, n) = warp_of(i, block);
                let left = (first..first + n).filter(|k| k % 3 != 1).map(|k| x[k]);
                if i % 3 == 1 {
                    return [0.0; 4];
                }
                let of = |op: fn(f32, f32) -> f32| left.clone().reduce(op).unwrap();
                [
                    of(|a, b| a + b),
                    of(f32::min),
                    of(f32::max),
                    of(|a, b| a * b),
                ]
            })
            .collect();
        check(&expected, |device, stream| {
            let mut y = device.zeroed(x.len())?;
            of_those_left::launch(stream, (2, block as u32), &device.upload(&x)?, &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}
