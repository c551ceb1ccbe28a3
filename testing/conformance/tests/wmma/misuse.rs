//! Matrices that memory does not hold, or that instructions do not take; lanes that do not agree.

use warploom::device_std::wmma::{Accumulator, Fragment, M16N16K16, RowMajor};
use warploom::prelude::*;
use warploom::{LaunchError, StreamError};
use warploom_harness::device_test::on_each_device;

type Sums = Fragment<Accumulator, M16N16K16, f32>;

#[kernel]
fn load(
    warp: Warp,
    x: &[f32],
    first: u32,
    stride: u32,
    mut y: DisjointSlice2D<f32, WarpPatches<16, 16>>,
) {
    let sums = Sums::load(warp, &x[first as usize..], stride as usize, RowMajor);
    if let Some(mut patch) = y.get_mut(warp) {
        sums.store(warp, &mut patch, (0, 0), RowMajor);
    }
}

#[kernel]
fn store(warp: Warp, row: u32, column: u32, mut y: DisjointSlice2D<f32, WarpPatches<32, 20>>) {
    if let Some(mut patch) = y.get_mut(warp) {
        let at = (row as usize, column as usize);
        Sums::filled(0.0).store(warp, &mut patch, at, RowMajor);
    }
}

/// The message of the panic in a kernel, on each device.
#[track_caller]
fn refused(
    message: &str,
    launch: impl Fn(&Stream, &DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<(), LaunchError>,
) {
    on_each_device(|device, stream| {
        let x = device.zeroed::<f32>(1024)?;
        let mut y = device.zeroed::<f32>(1280)?;
        launch(stream, &x, &mut y)?;
        match stream.synchronize() {
            Err(StreamError::Panic(panic)) => {
                assert!(panic.file.ends_with("wmma/misuse.rs"), "{}", panic.file);
                assert_eq!(panic.message, message, "on {}", device.name());
            }
            other => panic!("on {}: {other:?}", device.name()),
        }
        Ok(())
    });
}

//@ rows: WX-2, WX-3, E-19
#[test]
fn strides_are_multiples_of_16_bytes() {
    let message = "a matrix with 18 elements from line to line: that is a multiple of 4 elements, of 16 bytes, and not less than a line of 16";
    refused(message, |stream, x, y| {
        load::launch(stream, (1, 32), x, 0, 18, y.view_2d_mut(16).unwrap())
    });
}

//@ rows: WX-2, WX-3
#[test]
fn strides_are_no_less_than_a_line() {
    let message = "a matrix with 12 elements from line to line: that is a multiple of 4 elements, of 16 bytes, and not less than a line of 16";
    refused(message, |stream, x, y| {
        load::launch(stream, (1, 32), x, 0, 12, y.view_2d_mut(16).unwrap())
    });
}

//@ rows: WX-2, WX-3
#[test]
fn matrices_are_within_the_slice() {
    let message = "a matrix of 16 lines of 16 elements with 20 from line to line does not lie in the 312 elements that there are";
    refused(message, |stream, x, y| {
        load::launch(stream, (1, 32), x, 712, 20, y.view_2d_mut(16).unwrap())
    });
}

//@ rows: WX-2, WX-3
#[test]
fn a_stride_that_overflows_is_longer_than_the_slice() {
    let message = "a matrix of 16 lines of 16 elements with 4294967280 from line to line does not lie in the 1024 elements that there are";
    refused(message, |stream, x, y| {
        let rows = y.view_2d_mut(16).unwrap();
        load::launch(stream, (1, 32), x, 0, u32::MAX - 15, rows)
    });
}

//@ rows: WX-4
#[test]
fn stored_matrices_are_within_the_patch() {
    let message = "16 lines of 16 elements from row 17 and column 0 on do not lie in the warp's 32 rows of 20 elements";
    refused(message, |stream, _, y| {
        store::launch(stream, (1, 32), 17, 0, y.view_2d_mut(20).unwrap())
    });
    let message = "16 lines of 16 elements from row 0 and column 5 on do not lie in the warp's 32 rows of 20 elements";
    refused(message, |stream, _, y| {
        store::launch(stream, (1, 32), 0, 5, y.view_2d_mut(20).unwrap())
    });
}

//@ rows: WX-2, WX-4, E-19
#[test]
fn matrices_begin_at_multiples_of_32_bytes() {
    on_each_device(|device, stream| {
        let x = device.zeroed::<f32>(1024)?;
        let mut y = device.zeroed::<f32>(1280)?;
        let message = |launched: Result<(), LaunchError>| {
            launched.unwrap();
            match stream.synchronize() {
                Err(StreamError::Panic(panic)) => panic.message,
                other => panic!("on {}: {other:?}", device.name()),
            }
        };
        let end = ": its first element is at a multiple of 32 bytes";
        let rows = y.view_2d_mut(16)?;
        let loaded = message(load::launch(stream, (1, 32), &x, 4, 16, rows));
        assert!(loaded.ends_with(&format!("10{end}")), "{loaded}");
        let rows = y.view_2d_mut(20)?;
        let stored = message(store::launch(stream, (1, 32), 0, 4, rows));
        assert!(stored.ends_with(&format!("10{end}")), "{stored}");
        Ok(())
    });
}

/// What a run of `launch` on the emulator reports.
#[track_caller]
fn report(launch: impl FnOnce(&Stream, &DeviceBuffer<f32>) -> Result<(), LaunchError>) -> String {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let x = device.zeroed::<f32>(2048).unwrap();
    launch(&stream, &x).unwrap();
    stream.synchronize().unwrap_err().to_string()
}

#[kernel]
fn different_places(warp: Warp, x: &[f32]) {
    let at = if warp.lane() == 9 { 256 } else { 0 };
    let _ = Sums::load(warp, &x[at..], 16, RowMajor);
}

//@ rows: WX-2
#[test]
fn lanes_that_name_different_matrices_are_reported() {
    let text = report(|stream, x| different_places::launch(stream, (1, 32), x));
    let expected = "was called with other arguments by lane 9 than by lane 0";
    assert!(text.contains(expected), "{text}");
}

#[kernel]
fn misaligned(warp: Warp, x: &[f32]) {
    // SAFETY: none: the address is no multiple of 32 bytes, which the emulator finds.
    let _ = unsafe { Sums::load_raw(warp, &raw const x[4], 16, RowMajor) };
}

//@ rows: WX-2, E-19
#[test]
fn a_misaligned_pointer_is_reported() {
    let text = report(|stream, x| misaligned::launch(stream, (1, 32), x));
    let expected = "error[WL0004]: misaligned access to x[4]: 16 bytes past a multiple of 32";
    assert!(text.contains(expected), "{text}");
}

#[kernel]
fn half_a_warp(warp: Warp, x: &[f32]) {
    if warp.lane() < 16 {
        let _ = Sums::load(warp, x, 16, RowMajor);
    }
    warp.sync();
}

//@ rows: WX-2
#[test]
fn lanes_that_are_elsewhere_are_waited_for() {
    let text = report(|stream, x| half_a_warp::launch(stream, (1, 32), x));
    assert!(text.contains("never ends"), "{text}");
    assert!(text.contains("wmma.load"), "{text}");
}

//@ rows: WX-2
#[test]
fn a_warp_of_less_than_32_threads_is_refused() {
    let text = report(|stream, x| different_places::launch(stream, (1, 8), x));
    assert!(text.contains("in a warp of 8 threads"), "{text}");
}
