//! Errors that end a context: told once, named ever after, harmless to drop, and not the end of the program where the driver makes another
//! context. On the fake driver; each test runs in a process of its own.

#![cfg(target_os = "linux")]

use warploom_fake_driver::testing::{fake_driver, nothing_is_left};
use warploom_runtime::{Device, DeviceError, Result};

//@ rows: GER-1, GER-2
#[test]
fn the_first_call_is_told_and_later_ones_name_the_cause() -> Result<()> {
    let test = "the_first_call_is_told_and_later_ones_name_the_cause";
    let Some(fake) = fake_driver(test, "", &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let stream = device.stream()?;
    assert_eq!(device.lost(), None);
    fake.break_context(0, 700);
    let first = stream.synchronize().unwrap_err().to_string();
    assert!(
        first.contains("cuStreamSynchronize") && first.contains("(700)"),
        "{first}"
    );
    assert!(
        first.contains("lost with all that was made of it") && first.contains("reopen"),
        "{first}"
    );
    fake.start_log();
    for later in [
        device.upload(&[1u8]).unwrap_err().to_string(),
        device.stream().unwrap_err().to_string(),
        device.synchronize().unwrap_err().to_string(),
        device.memory_info().unwrap_err().to_string(),
    ] {
        assert!(
            later.contains("cuStreamSynchronize") && later.contains("was not called"),
            "{later}"
        );
    }
    assert_eq!(fake.log(), [""; 0], "a call reached the driver");
    let cause = device.lost().unwrap();
    assert_eq!(
        (cause.code, cause.call, cause.is_sticky()),
        (700, "cuStreamSynchronize", true)
    );
    Ok(())
}

//@ rows: GER-1
#[test]
fn every_error_of_this_kind_ends_the_device_and_others_do_not() -> Result<()> {
    let test = "every_error_of_this_kind_ends_the_device_and_others_do_not";
    let Some(fake) = fake_driver(test, "recovers=1", &[]) else {
        return Ok(());
    };
    for code in [
        214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 806, 810, 911, 916,
    ] {
        let device = Device::cuda(0)?;
        fake.fail(&format!("cuCtxSynchronize:1:{code}"));
        assert!(device.synchronize().is_err());
        fake.fail_nothing();
        assert_eq!(device.lost().map(|cause| cause.code), Some(code));
        assert!(device.synchronize().is_err(), "{code}");
    }
    for code in [1, 2, 4, 101, 201, 400, 500, 600, 701, 720, 800, 801, 999] {
        let device = Device::cuda(0)?;
        fake.fail(&format!("cuCtxSynchronize:1:{code}"));
        assert!(device.synchronize().is_err());
        fake.fail_nothing();
        assert_eq!(device.lost(), None, "{code}");
        device.synchronize()?;
    }
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GER-1, GDR-6
#[test]
fn a_lost_gpu_can_be_opened_again_beside_what_is_left_of_it() -> Result<()> {
    let test = "a_lost_gpu_can_be_opened_again_beside_what_is_left_of_it";
    let Some(fake) = fake_driver(test, "memory=1000000,queued=1,recovers=1", &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let twin = Device::cuda(0)?; // has the same context
    let (stream, event) = (device.stream()?, device.event()?);
    let old = device.zeroed::<u8>(1000)?;
    fake.break_context(0, 719);
    assert!(stream.synchronize().is_err());
    assert!(twin.synchronize().is_err() && twin.lost().is_some());
    let again = device.reopen()?;
    assert_eq!((again.lost(), again.ordinal()), (None, 0));
    let new = again.upload(&[5u8; 1000])?;
    fake.start_log();
    drop((old, event, stream));
    assert_eq!(fake.log(), [""; 0], "a drop reached the driver");
    drop(device);
    let work = again.stream()?;
    assert_eq!(new.to_vec(&work)?, [5; 1000]);
    // The lost context is released with its last owner; then the GPU's own context can be retained again.
    assert_eq!(fake.count("contexts"), 2);
    drop(twin);
    assert_eq!(
        (fake.count("contexts"), fake.count("device bytes")),
        (1, 1000)
    );
    let third = Device::cuda(0)?;
    third.upload(&[1u8])?;
    drop((new, work, again, third));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GER-1
#[test]
fn a_gpu_that_is_lost_to_the_process_says_so() -> Result<()> {
    let test = "a_gpu_that_is_lost_to_the_process_says_so";
    let Some(fake) = fake_driver(test, "devices=2", &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let old = device.upload(&[1u8; 10])?;
    fake.break_context(0, 700);
    assert!(device.synchronize().is_err());
    for error in [device.reopen(), Device::cuda(0), Device::cuda(1)].map(|again| again.unwrap_err())
    {
        let text = error.to_string();
        let DeviceError::LostToProcess { source, .. } = error else {
            panic!("{text}")
        };
        assert_eq!(source.code, 700);
        assert!(text.contains("in a new process"), "{text}");
    }
    drop((old, device));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GER-1
#[test]
fn a_device_that_was_opened_again_can_be_lost_too() -> Result<()> {
    let test = "a_device_that_was_opened_again_can_be_lost_too";
    let Some(fake) = fake_driver(test, "recovers=1", &[]) else {
        return Ok(());
    };
    let mut devices = vec![Device::cuda(0)?];
    for _ in 0..3 {
        let last = &devices[devices.len() - 1];
        last.upload(&[1u8; 8])?;
        fake.fail("cuCtxSynchronize:1:700");
        assert!(last.synchronize().is_err());
        fake.fail_nothing();
        devices.push(last.reopen()?);
    }
    let lost: Vec<_> = devices
        .iter()
        .map(|device| device.lost().is_some())
        .collect();
    assert_eq!(lost, [true, true, true, false]);
    drop(devices);
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GER-1
#[test]
fn threads_meet_the_loss_together_and_go_on() -> Result<()> {
    let Some(fake) = fake_driver(
        "threads_meet_the_loss_together_and_go_on",
        "recovers=1",
        &[],
    ) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let work = |device: &Device| -> Result<()> {
        let stream = device.stream()?;
        let x = device.upload(&[3u32; 64])?;
        assert_eq!(x.to_vec(&stream)?, [3; 64]);
        Ok(())
    };
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while work(&device).is_ok() {}
                let again = device.reopen().unwrap();
                for _ in 0..20 {
                    work(&again).unwrap();
                }
            });
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        fake.break_context(0, 700);
    });
    drop(device);
    nothing_is_left(&fake);
    Ok(())
}
