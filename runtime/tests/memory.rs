//! Buffers and views on the emulator: ranges, copies, wrong devices.

use std::sync::atomic::{AtomicU32, Ordering};

use warploom_runtime::{Device, DeviceSlice, Error, MemoryError, Result};

fn assert_send_sync<T: Send + Sync>() {}

//@ rows: GDM-1, GDM-5, GPM-10
#[test]
fn what_is_uploaded_comes_back() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let source: Vec<u64> = (0..1001).map(|i| i * i).collect();
    let x = device.upload(&source)?;
    assert_eq!((x.len(), x.is_empty()), (1001, false));
    assert_eq!(x.to_vec(&stream)?, source);
    assert_eq!(x.slice(7..=9)?.to_vec(&stream)?, [49, 64, 81]);
    assert_eq!(device.zeroed::<f64>(3)?.to_vec(&stream)?, [0.0; 3]);
    assert_eq!(device.alloc_uninit::<u8>(2)?.to_vec(&stream)?, [0xA5; 2]);
    Ok(())
}

//@ rows: GDM-5, GDM-14
#[test]
fn parts_are_copied_in_and_out() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut x = device.zeroed::<i16>(6)?;
    x.copy_from(1, &[1, 2], &stream)?;
    x.slice_mut(4..)?.copy_from(1, &[9], &stream)?;
    let (mut left, mut right) = x.split_at_mut(3)?;
    left.copy_from(0, &[7], &stream)?;
    right.copy_from_device(0, &left.slice_mut(1..2)?, &stream)?;
    let mut part = [0; 4];
    x.copy_to(2, &mut part, &stream)?;
    assert_eq!(part, [2, 1, 0, 9]);
    assert_eq!(x.to_vec(&stream)?, [7, 1, 2, 1, 0, 9]);
    Ok(())
}

#[test]
fn empty_buffers_work() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut x = device.upload::<f32>(&[])?;
    assert!(x.is_empty());
    assert_eq!(x.to_vec(&stream)?, [0.0f32; 0]);
    x.copy_from(0, &[], &stream)?;
    let (left, right) = x.split_at_mut(0)?;
    assert!(left.is_empty() && right.is_empty());
    assert_eq!(x.view_2d_mut(5)?.height(), 0);
    Ok(())
}

#[test]
fn a_copy_that_does_not_fit_names_both_lengths() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut x = device.upload(&[1u8, 2, 3])?;
    let error = x.copy_from(2, &[8, 8], &stream).unwrap_err();
    assert!(matches!(
        error,
        MemoryError::CopyOutOfRange {
            given: 2,
            at: 2,
            len: 3,
            ..
        }
    ));
    assert!(
        error
            .to_string()
            .contains("2 elements to or from element 2"),
        "{error}"
    );
    assert!(x.copy_to(usize::MAX, &mut [0; 2], &stream).is_err());
    assert!(x.slice(2..5).is_err() && x.slice_mut(4..).is_err() && x.split_at_mut(4).is_err());
    let error = x.view_2d_mut(2).unwrap_err();
    assert!(matches!(
        error,
        MemoryError::NotRectangular {
            len: 3,
            width: 2,
            ..
        }
    ));
    assert!(x.view_2d_mut(0).is_err());
    assert_eq!(x.to_vec(&stream)?, [1, 2, 3]);
    Ok(())
}

//@ rows: GDR-7
#[test]
fn a_stream_of_another_device_is_refused() -> Result<()> {
    let (one, other) = (Device::emulator(), Device::emulator());
    let stream = other.stream()?;
    let mut x = one.upload(&[1u8])?;
    let y = other.upload(&[2u8])?;
    assert!(matches!(
        x.to_vec(&stream),
        Err(MemoryError::WrongDevice { .. })
    ));
    assert!(matches!(
        x.copy_from(0, &[3], &stream),
        Err(MemoryError::WrongDevice { .. })
    ));
    let stream = one.stream()?;
    assert!(matches!(
        x.copy_from_device(0, &y, &stream),
        Err(MemoryError::WrongDevice { .. })
    ));
    assert_eq!(x.to_vec(&stream)?, [1]);
    Ok(())
}

//@ rows: GDM-1
#[test]
fn too_much_memory_is_an_error() {
    let device = Device::emulator();
    for len in [usize::MAX, usize::MAX / 8] {
        let error = device.zeroed::<u64>(len).unwrap_err();
        assert!(
            matches!(error, MemoryError::OutOfMemory { size: 8, .. }),
            "{error}"
        );
    }
}

#[test]
fn atomics_see_the_buffer() -> Result<()> {
    let device = Device::emulator();
    let mut x = device.upload(&[1u32, 2])?;
    let view: DeviceSlice<'_, AtomicU32> = x.as_atomic();
    assert_eq!(view.slice(1..)?.len(), 1);
    let _ = Ordering::Relaxed;
    Ok(())
}

//@ rows: GDR-5
#[test]
fn handles_go_to_other_threads() {
    assert_send_sync::<Device>();
    assert_send_sync::<warploom_runtime::Stream>();
    assert_send_sync::<warploom_runtime::Event>();
    assert_send_sync::<warploom_runtime::DeviceBuffer<f32>>();
    assert_send_sync::<warploom_runtime::DeviceSliceMut<'_, f32>>();
    assert_send_sync::<DeviceSlice<'_, AtomicU32>>();
    assert_send_sync::<Error>();
}

//@ rows: GAS-11
#[test]
fn events_order_and_time() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let (start, end) = (device.event()?, device.event()?);
    let error = stream.wait(&start).unwrap_err();
    assert!(error.to_string().contains("never recorded"), "{error}");
    assert!(start.elapsed_ms(&end).is_err());
    stream.record(&start)?;
    std::thread::sleep(std::time::Duration::from_millis(2));
    stream.record(&end)?;
    stream.wait(&end)?;
    assert!(start.elapsed_ms(&end)? >= 2.0);
    assert!(end.elapsed_ms(&start)? <= -2.0);
    let foreign = Device::emulator().event()?;
    assert!(stream.record(&foreign).is_err() && stream.wait(&foreign).is_err());
    Ok(())
}
