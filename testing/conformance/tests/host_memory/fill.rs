//! Setting memory to values of 1, 2, 4 and other numbers of bytes, in order with the rest of a stream's work.

use std::fmt::Debug;

use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;
use warploom_runtime::{MemoryError, PinnedOptions};

use crate::{numbers, step};

#[track_caller]
fn fills<T: Plain + PartialEq + Debug>(old: T, new: T) {
    on_each_device(|device, stream| {
        for n in [0, 1, 2, 3, 255, 1000, 70_001] {
            let mut x = device.filled(n, old)?;
            assert_eq!(x.to_vec(stream)?, vec![old; n]);
            x.fill(new, stream)?;
            assert_eq!(x.to_vec(stream)?, vec![new; n]);
            if n >= 3 {
                x.slice_mut(1..n - 1)?.fill(old, stream)?;
                let mut expected = vec![old; n];
                (expected[0], expected[n - 1]) = (new, new);
                assert_eq!(x.to_vec(stream)?, expected);
            }
        }
        Ok(())
    });
}

//@ rows: GDM-11
#[test]
fn values_of_one_two_and_four_bytes() {
    fills(0u8, 200);
    fills(-1i8, 5);
    fills(0xBEEFu16, 1);
    fills(-300i16, 300);
    fills(0xDEAD_BEEFu32, 7);
    fills(1.5f32, -0.0);
    fills([1u8, 2], [3, 4]);
}

//@ rows: GDM-11
#[test]
fn values_of_other_sizes() {
    fills(1.25f64, 0.0);
    fills(u64::MAX, 0x0123_4567_89AB_CDEF);
    fills([1u8, 2, 3], [9; 3]);
    fills([1u16, 2, 3], [4, 5, 6]);
    fills([1u32, 2, 3], [4, 4, 4]);
    fills([1.0f32, 2.0, 3.0, 4.0], [0.0; 4]);
    fills([(); 0].map(|()| 1u8), []);
}

//@ rows: GDM-11, GAS-1
#[test]
fn a_fill_keeps_the_order_of_the_stream() {
    on_each_device(|device, stream| {
        let n = 5000;
        let x = device.upload(&numbers(n))?;
        let mut y = device.alloc_uninit::<u32>(n)?;
        let mut z = device.alloc_uninit::<u32>(n)?;
        step::launch(stream, Launch::covering(n), &x, &mut y)?;
        y.slice_mut(..100)?.fill(3, stream)?;
        step::launch(stream, Launch::covering(n), &y, &mut z)?;
        y.fill(0, stream)?;
        let z = z.to_vec(stream)?;
        assert_eq!((z[0], z[99], z[100]), (7, 7, 2803));
        Ok(())
    });
}

//@ rows: GDM-11, GDM-12
#[test]
fn mapped_and_managed_memory_is_filled_too() {
    on_each_device(|device, stream| {
        let mut x = device.managed_zeroed::<u32>(100)?;
        x.device_slice_mut().fill(8, stream)?;
        assert_eq!(x.as_slice()?, [8; 100]);
        let mut x = device.pinned_with::<u16>(100, PinnedOptions::new().mapped())?;
        x.device_slice_mut()?.fill(8, stream)?;
        assert_eq!(x.as_slice()?, [8; 100]);
        Ok(())
    });
}

#[test]
fn a_stream_of_another_device_fills_nothing() {
    on_each_device(|device, stream| {
        let mut x = device.filled(3, 1u8)?;
        let other = Device::emulator().stream()?;
        let error = x.fill(2, &other).unwrap_err();
        assert!(matches!(error, MemoryError::WrongDevice { .. }), "{error}");
        assert_eq!(x.to_vec(stream)?, [1; 3]);
        Ok(())
    });
}
