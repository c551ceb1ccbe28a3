//! Every type that a shuffle moves, bit for bit.

use warploom::device_std::warp::Shuffle;
use warploom::prelude::*;
use warploom_harness::device_test::check_map;

use crate::model::noise;

#[kernel]
fn around<T: Shuffle>(warp: Warp, i: Index1D, x: &[T], mut y: DisjointSlice<[T; 4]>) {
    let v = x[i.get() % x.len()];
    let lane = warp.lane();
    let seen = [
        warp.shuffle_idx(v, 31 - lane),
        warp.shuffle_up(v, 3),
        warp.shuffle_down(v, 3),
        warp.shuffle_xor(v, 21),
    ];
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

/// The bytes of `T`, which may be floats that are not numbers.
fn bytes<T: Plain, const BYTES: usize>(value: T) -> [u8; BYTES] {
    assert_eq!(size_of::<T>(), BYTES);
    // SAFETY: plain types have no padding; the size is the same.
    unsafe { std::mem::transmute_copy(&value) }
}

macro_rules! moves {
    ($($name:ident $ty:ty, $bytes:literal, |$bits:ident| $value:expr;)*) => {$(
        //@ rows: WS-1, WS-2, WS-3, WS-4
        #[test]
        fn $name() {
            let x: Vec<$ty> = (0..2 * 96u32)
                .map(|i| {
                    let $bits = u128::from(noise(2 * i)) << 64 | u128::from(noise(2 * i + 1));
                    $value
                })
                .collect();
            // As bytes, so that NaN is equal to itself and differs from another NaN.
            let row = |seen: [$ty; 4]| seen.map(bytes::<$ty, $bytes>);
            warploom_harness::device_test::check(
                &(0..x.len())
                    .map(|i| {
                        let (lane, first) = (i % 32, i / 32 * 32);
                        row([
                            x[first + 31 - lane],
                            x[if lane < 3 { i } else { i - 3 }],
                            x[if lane > 28 { i } else { i + 3 }],
                            x[first + (lane ^ 21)],
                        ])
                    })
                    .collect::<Vec<_>>(),
                |device, stream| {
                    let mut y = device.zeroed(x.len())?;
                    around::<$ty>::launch(stream, (2, 96), &device.upload(&x)?, &mut y)?;
                    Ok(y.to_vec(stream)?.into_iter().map(row).collect())
                },
            );
        }
    )*};
}

/// Sizes that are no multiple of 4, and of a word and a half.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Mixed {
    a: u16,
    b: [u8; 3],
    c: u8,
}

moves! {
    u8s u8, 1, |bits| bits as u8;
    i8s i8, 1, |bits| bits as i8;
    u16s u16, 2, |bits| bits as u16;
    i16s i16, 2, |bits| bits as i16;
    u32s u32, 4, |bits| bits as u32;
    i32s i32, 4, |bits| bits as i32;
    u64s u64, 8, |bits| bits as u64;
    i64s i64, 8, |bits| bits as i64;
    u128s u128, 16, |bits| bits;
    i128s i128, 16, |bits| bits as i128;
    usizes usize, 8, |bits| bits as usize;
    // One half of them NaN with different payloads, quiet and signalling.
    f32s f32, 4, |bits| f32::from_bits(if bits >> 40 & 1 == 1 { bits as u32 | 0x7F80_0001 } else { bits as u32 });
    f64s f64, 8, |bits| f64::from_bits(if bits >> 70 & 1 == 1 { bits as u64 | 0x7FF0_0000_0000_0001 } else { bits as u64 });
    three_bytes [u8; 3], 3, |bits| [bits as u8, (bits >> 8) as u8, (bits >> 16) as u8];
    six_bytes [u16; 3], 6, |bits| [bits as u16, (bits >> 16) as u16, (bits >> 32) as u16];
    structs Mixed, 6, |bits| Mixed { a: bits as u16, b: [bits as u8, (bits >> 30) as u8, (bits >> 50) as u8], c: (bits >> 60) as u8 };
    thirteen_bytes [u8; 13], 13, |bits| std::array::from_fn(|k| (bits >> (8 * k)) as u8);
    four_floats [f32; 4], 16, |bits| std::array::from_fn(|k| (bits >> (32 * k)) as u32 as f32);
}

/// A value without bytes takes part too.
//@ rows: WS-1
#[test]
fn nothing_is_moved_as_well() {
    #[kernel]
    fn nothing(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
        let [] = warp.shuffle_idx([0u64; 0], 3);
        if let Some(y) = y.get_mut(i) {
            *y = x[i.get() % x.len()] + 1;
        }
    }
    check_map(
        &[1, 2, 3],
        |stream, x, y| nothing::launch(stream, (1, 3), x, y),
        |i| i as u32 + 2,
    );
}
