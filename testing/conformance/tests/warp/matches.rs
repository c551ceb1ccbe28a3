//! Which lanes hold the same value, bit for bit.

use warploom::device_std::LaneMask;
use warploom::device_std::warp::Match;
use warploom::prelude::*;
use warploom_harness::device_test::check;

use crate::model::{MASKS, lanes, noise};

/// Block `b` has mask `masks[b]`: the lanes of the mask that hold the same, and the answer of all.
#[kernel]
fn matching<T: Match>(
    warp: Warp,
    block: Block,
    masks: &[u32],
    x: &[T],
    mut y: DisjointSlice<[u32; 4]>,
    i: Index1D,
) {
    let (lane, mask) = (warp.lane(), masks[block.index() % masks.len()]);
    let mut seen = [0; 4];
    if mask >> lane & 1 == 1 {
        let v = x[i.get() % x.len()];
        let of_first = x[(i.get() / 32 * 32) % x.len()];
        // SAFETY: exactly the lanes of the mask come here, all with this mask.
        let any = unsafe { warp.match_any_mask(mask, v) };
        // SAFETY: as above.
        let all = unsafe { warp.match_all_mask(mask, v) };
        // SAFETY: as above.
        let all_of_first = unsafe { warp.match_all_mask(mask, of_first) };
        seen[0] = any.bits();
        seen[1] = all.map_or(7, LaneMask::bits);
        seen[2] = all_of_first.map_or(7, LaneMask::bits);
        seen[3] = u32::from(all_of_first.is_some());
    }
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

/// `bits` tells two values apart as the hardware does.
#[track_caller]
fn all_masks<T: Match, B: PartialEq>(
    value: impl Fn(u32) -> T,
    bits: impl Fn(T) -> B,
    launch: impl Fn(
        &Stream,
        u32,
        &DeviceBuffer<u32>,
        &DeviceBuffer<T>,
        &mut DeviceBuffer<[u32; 4]>,
    ) -> Result<(), warploom::LaunchError>,
) {
    // Four blocks for each mask: values with many, with some and with no repetitions, and all the same.
    let masks: Vec<u32> = MASKS.iter().flat_map(|m| [*m; 4]).collect();
    let x: Vec<T> = (0..masks.len() as u32 * 32)
        .map(|i| {
            let kinds = [2, 5, 1000, 1][(i / 32 % 4) as usize];
            value(noise(i) as u32 % kinds)
        })
        .collect();
    let expected: Vec<[u32; 4]> = (0..x.len())
        .map(|i| {
            let (mask, first) = (masks[i / 32], i / 32 * 32);
            if mask >> (i % 32) & 1 == 0 {
                return [0; 4];
            }
            let same = lanes(mask)
                .filter(|lane| bits(x[first + *lane as usize]) == bits(x[i]))
                .fold(0, |same, lane| same | 1 << lane);
            [same, if same == mask { mask } else { 7 }, mask, 1]
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        launch(
            stream,
            masks.len() as u32,
            &device.upload(&masks)?,
            &device.upload(&x)?,
            &mut y,
        )?;
        Ok(y.to_vec(stream)?)
    });
}

macro_rules! of_types {
    ($($name:ident $ty:ty, |$k:ident| $value:expr, $bits:expr;)*) => {$(
        //@ rows: WM-1, WM-2
        #[test]
        fn $name() {
            all_masks(|$k| -> $ty { $value }, $bits, |stream, blocks, masks, x, y| {
                matching::<$ty>::launch(stream, (blocks, 32), masks, x, y)
            });
        }
    )*};
}
of_types! {
    u32s u32, |k| k.wrapping_mul(0x8000_0001), |v| v;
    i32s i32, |k| -(k as i32), |v| v;
    // Halves that differ in the high and in the low word alone.
    u64s u64, |k| u64::from(k / 2) << 32 | u64::from(k % 2), |v| v;
    i64s i64, |k| -(i64::from(k) << 31), |v| v;
    // Two zeros that are equal as numbers, and NaNs with equal and with different bits.
    f32s f32, |k| [0.0, -0.0, f32::NAN, -f32::NAN, f32::from_bits(0x7F80_0001), 1.5, f32::INFINITY][k as usize % 7], f32::to_bits;
    f64s f64, |k| [0.0, -0.0, f64::NAN, -f64::NAN, f64::from_bits(0x7FF0_0000_0000_0001), 1.5][k as usize % 6], f64::to_bits;
}

/// Ragged warps, and lanes that returned.
#[kernel]
fn of_those_left(warp: Warp, i: Index1D, mut y: DisjointSlice<[u32; 2]>) {
    let t = i.get() as u32;
    if t % 70 % 7 == 3 {
        return;
    }
    let seen = [
        warp.match_any(t % 3).bits(),
        u32::from(warp.match_all(t / 70).is_some()) + 2 * u32::from(warp.match_all(t).is_some()),
    ];
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: WM-1, WM-2
#[test]
fn lanes_that_returned_match_nothing() {
    let left = |t: u32| t % 7 != 3;
    let expected: Vec<[u32; 2]> = (0..3 * 70u32)
        .map(|i| {
            let (t, first) = (i % 70, i / 70 * 70 + i % 70 / 32 * 32);
            if !left(t) {
                return [0; 2];
            }
            let others = (0..32).filter(|lane| t / 32 * 32 + lane < 70 && left(t / 32 * 32 + lane));
            let same = others.filter(|lane| (first + lane) % 3 == i % 3);
            [same.fold(0, |same, lane| same | 1 << lane), 1]
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        of_those_left::launch(stream, (3, 70), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
