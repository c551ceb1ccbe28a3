//! `as` from floats to integers saturates, and makes zero of NaN, as on the host: all 2^32 `f32` on a GPU, some of them on the emulator.

use warploom::prelude::*;
use warploom_harness::device_test::{check, on_each_device};

/// What `as` gives, by integers alone: in two's complement, of `width` bits.
fn saturated(bits: u32, width: u32, is_signed: bool) -> u64 {
    let (exponent, mantissa) = ((bits >> 23 & 255) as i32 - 127, bits & 0x7f_ffff);
    if exponent < 0 || (exponent == 128 && mantissa != 0) {
        return 0;
    }
    let whole = u64::from(mantissa | 0x80_0000);
    let magnitude = match exponent {
        0..=23 => whole >> (23 - exponent),
        24..=63 => whole << (exponent - 23),
        _ => u64::MAX,
    };
    let most = u64::MAX >> (64 - width);
    match (is_signed, bits >> 31 == 1) {
        (false, false) => magnitude.min(most),
        (false, true) => 0,
        (true, false) => magnitude.min(most >> 1),
        (true, true) => magnitude.min((most >> 1) + 1).wrapping_neg() & most,
    }
}

/// For every `stride`-th `f32`, how many of each type are wrong, in this thread.
#[kernel]
fn wrong_casts(i: Index1D, threads: u32, stride: u32, mut y: DisjointSlice<[u32; 8]>) {
    if let Some(y) = y.get_mut(i) {
        let mut wrong = [0u32; 8];
        let mut at = u64::from(stride) * i.get() as u64;
        while at < 1 << 32 {
            let bits = at as u32;
            let x = f32::from_bits(bits);
            let given = [
                u64::from(x as u8),
                u64::from(x as u16),
                u64::from(x as u32),
                x as u64,
                u64::from(x as i8 as u8),
                u64::from(x as i16 as u16),
                u64::from(x as i32 as u32),
                x as i64 as u64,
            ];
            for (k, given) in given.into_iter().enumerate() {
                let expected = saturated(bits, 8 << (k & 3), k > 3);
                wrong[k] = wrong[k].wrapping_add(u32::from(given != expected));
            }
            at = at.wrapping_add(u64::from(stride) * u64::from(threads));
        }
        *y = wrong;
    }
}

#[test]
fn all_f32_saturate() {
    on_each_device(|device, stream| {
        // Odd, so that all mantissas and exponents come.
        let (threads, stride) = match device.is_gpu() {
            true => (1 << 20, 1),
            false => (1 << 8, 65_521),
        };
        let mut y = device.zeroed::<[u32; 8]>(threads)?;
        wrong_casts::launch(
            stream,
            Launch::covering(threads),
            threads as u32,
            stride,
            &mut y,
        )?;
        let wrong = y
            .to_vec(stream)?
            .into_iter()
            .fold([0; 8], |sum, of_thread| {
                std::array::from_fn(|k| sum[k] + of_thread[k])
            });
        assert_eq!(wrong, [0; 8], "of u8, u16, u32, u64, i8, i16, i32, i64");
        Ok(())
    });
}

macro_rules! casts {
    ($($kernel:ident $test:ident $float:ty;)*) => {$(
        #[kernel]
        fn $kernel(i: Index1D, x: &[$float], mut y: DisjointSlice<[i64; 8]>) {
            if let (Some(y), Some(&x)) = (y.get_mut(i), x.get(i.get())) {
                *y = [
                    i64::from(x as u8),
                    i64::from(x as u16),
                    i64::from(x as u32),
                    x as u64 as i64,
                    i64::from(x as i8),
                    i64::from(x as i16),
                    i64::from(x as i32),
                    x as i64,
                ];
            }
        }

        #[test]
        fn $test() {
            let mut x: Vec<$float> = vec![0.0, 0.5, 0.999, <$float>::MIN_POSITIVE, <$float>::from_bits(1), <$float>::MAX, <$float>::INFINITY, <$float>::NAN];
            for power in [7, 8, 15, 16, 31, 32, 63, 64] {
                let end = (2 as $float).powi(power);
                x.extend([end.next_down(), end, end.next_up(), end - 1.0, end - 0.5, end + 0.5, end + 1.0]);
            }
            x.extend(x.clone().iter().map(|x| -x));
            let expected: Vec<[i64; 8]> = x
                .iter()
                .map(|&x| {
                    let unsigned = [i64::from(x as u8), i64::from(x as u16), i64::from(x as u32), x as u64 as i64];
                    let signed = [i64::from(x as i8), i64::from(x as i16), i64::from(x as i32), x as i64];
                    std::array::from_fn(|k| if k < 4 { unsigned[k] } else { signed[k - 4] })
                })
                .collect();
            check(&expected, |device, stream| {
                let mut y = device.zeroed::<[i64; 8]>(x.len())?;
                $kernel::launch(stream, Launch::covering(x.len()), &device.upload(&x)?, &mut y)?;
                Ok(y.to_vec(stream)?)
            });
        }
    )*};
}

casts! {
    of_f32 f32_beside_the_ends_of_integers_saturate f32;
    of_f64 f64_beside_the_ends_of_integers_saturate f64;
}
