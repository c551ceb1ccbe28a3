//! Which bytes of the emulator's buffers have a value, as the host's copies leave them. No kernel runs in this process.

use warploom_emulator::check::{Code, Report, host_reads};
use warploom_runtime::model::{Emulator, Mode};
use warploom_runtime::{Device, DeviceBuffer, Result};

/// What is found if the host reads elements `from..to`.
fn read<T>(buffer: &DeviceBuffer<T>, from: usize, to: usize) -> Option<Report> {
    let start = std::ptr::without_provenance::<T>(buffer.raw_ptr() as usize);
    host_reads(
        start.wrapping_add(from).cast(),
        (to - from) * size_of::<T>(),
    )
}

#[test]
fn a_fresh_buffer_has_no_values() -> Result<()> {
    let device = Device::emulator();
    let x = device.alloc_uninit::<f32>(5)?;
    let report = read(&x, 0, 5).unwrap();
    assert_eq!(report.code, Code::GLOBAL_UNINIT);
    assert!(
        report.title.contains("element 0 of a DeviceBuffer<f32>"),
        "{}",
        report.title
    );
    Ok(())
}

#[test]
fn the_report_names_the_lines_of_reading_and_making() -> Result<()> {
    let device = Device::emulator();
    let (x, line) = (device.alloc_uninit::<u16>(3)?, line!());
    let (report, read_at) = (read(&x, 1, 2).unwrap(), line!());
    let places: Vec<_> = report
        .sides
        .iter()
        .map(|side| side.place.as_ref().unwrap())
        .collect();
    assert!(
        places
            .iter()
            .all(|place| place.file.ends_with("uninitialised.rs"))
    );
    assert_eq!(places[1].line, line);
    assert!(places[0].line < read_at, "in `read`");
    Ok(())
}

#[test]
fn filled_buffers_have_values() -> Result<()> {
    let device = Device::emulator();
    assert!(read(&device.upload(&[1u8, 2, 3])?, 0, 3).is_none());
    assert!(read(&device.zeroed::<u64>(7)?, 0, 7).is_none());
    Ok(())
}

#[test]
fn what_the_host_copies_in_has_a_value() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut x = device.alloc_uninit::<u16>(9)?;
    x.copy_from(2, &[1, 2, 3], &stream)?;
    assert!(read(&x, 2, 5).is_none());
    for (from, to) in [(1, 3), (4, 6), (0, 9)] {
        assert!(read(&x, from, to).is_some(), "{from}..{to}");
    }
    Ok(())
}

#[test]
fn copies_between_buffers_take_the_state_along() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut x = device.alloc_uninit::<u64>(4)?;
    x.copy_from(1, &[5, 6], &stream)?;
    let mut y = device.alloc_uninit::<u64>(6)?;
    y.copy_from_device(2, &x, &stream)?;
    assert!(read(&y, 3, 5).is_none());
    assert!(read(&y, 2, 3).is_some());
    assert!(read(&y, 5, 6).is_some());
    Ok(())
}

#[test]
fn a_buffer_without_elements_has_no_bytes_to_be_missed() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let x = device.alloc_uninit::<u32>(0)?;
    assert!(read(&x, 0, 0).is_none());
    assert!(x.to_vec(&stream)?.is_empty());
    Ok(())
}

#[test]
fn threads_that_allocate_side_by_side_have_buffers_of_their_own() -> Result<()> {
    let device = Device::emulator();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let device = device.clone();
            scope.spawn(move || {
                let stream = device.stream().unwrap();
                for len in 1..50 {
                    let mut x = device.alloc_uninit::<u8>(len).unwrap();
                    assert!(read(&x, len - 1, len).is_some());
                    x.copy_from(len - 1, &[7], &stream).unwrap();
                    assert!(read(&x, len - 1, len).is_none());
                }
            });
        }
    });
    Ok(())
}

#[test]
fn copies_of_rectangles_carry_what_has_a_value() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut rows = device.pitched_uninit::<u8>((10, 4))?;
    rows.rect_mut(2..5, 1..3)?.copy_from(&[1; 6], &stream)?;
    let mut x = device.alloc_uninit::<u8>(40)?;
    let whole = x.as_slice_mut().shaped((10, 4))?;
    whole
        .into_part(.., .., ..)?
        .copy_from_device(rows.as_slice(), &stream)?;
    for row in 0..4 {
        let has_values = (1..3).contains(&row);
        assert_eq!(read(&x, row * 10 + 2, row * 10 + 5).is_none(), has_values);
        assert!(read(&x, row * 10, row * 10 + 2).is_some());
        assert!(read(&x, row * 10 + 5, row * 10 + 10).is_some());
    }
    Ok(())
}

#[test]
fn fills_and_copies_from_page_locked_memory_give_values() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut x = device.alloc_uninit::<u32>(10)?;
    x.slice_mut(2..4)?.fill(1, &stream)?;
    x.copy_from_pinned(4, &device.pinned::<u32>(2)?, &stream)?;
    assert!(read(&x, 2, 6).is_none());
    assert!(read(&x, 1, 6).is_some() && read(&x, 2, 7).is_some());
    Ok(())
}

#[test]
fn reading_uninitialised_memory_is_a_warning_to_take() -> Result<()> {
    let device = Emulator::new().mode(Mode::Checked).device();
    let stream = device.stream()?;
    let x = device.alloc_uninit::<u32>(4)?;
    for _ in 0..3 {
        x.to_vec(&stream)?; // one line
    }
    x.copy_to(1, &mut [0; 2], &stream)?;
    let warnings = device.take_warnings();
    let codes: Vec<_> = warnings.iter().map(|report| report.code).collect();
    assert_eq!(codes, [Code::GLOBAL_UNINIT; 2], "{warnings:?}");
    assert!(device.take_warnings().is_empty());
    x.get(3, &stream)?;
    assert_eq!(device.take_warnings().len(), 1);
    let unchecked = Emulator::new().mode(Mode::Fast).device();
    let x = unchecked.alloc_uninit::<u32>(4)?;
    x.to_vec(&unchecked.stream()?)?;
    assert!(unchecked.take_warnings().is_empty());
    Ok(())
}
