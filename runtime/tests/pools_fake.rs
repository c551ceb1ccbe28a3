//! What buffers of pools ask the driver for, and what they keep. On the fake driver; each test runs in a process of its own.

#![cfg(target_os = "linux")]

use warploom_fake_driver::testing::{Fake, fake_driver, nothing_is_left};
use warploom_runtime::{Device, PoolOptions, Result};

/// Where a function is among those that were called.
fn place(log: &[String], function: &str) -> Option<usize> {
    log.iter().position(|called| called == function)
}

fn log_of(fake: &Fake, work: impl FnOnce() -> Result<()>) -> Result<Vec<String>> {
    fake.start_log();
    work()?;
    Ok(fake.log())
}

//@ rows: TM-8
#[test]
fn a_buffer_that_comes_and_goes_is_two_calls() -> Result<()> {
    let test = "a_buffer_that_comes_and_goes_is_two_calls";
    let Some(fake) = fake_driver(test, "", &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let (stream, pool) = (device.stream()?, device.pool()?);
    let come_and_go = || {
        drop(pool.alloc_uninit::<u8>(1000, &stream)?);
        Ok(())
    };
    let both = ["cuMemAllocFromPoolAsync", "cuMemFreeAsync"];
    assert_eq!(log_of(&fake, come_and_go)?, both);
    // A thread without a context: it is asked for when the driver refuses, once.
    std::thread::scope(|scope| {
        let other = scope.spawn(|| -> Result<()> {
            let log = log_of(&fake, come_and_go)?;
            let place = |function| place(&log, function);
            assert!(
                place("cuCtxSetCurrent") < place("cuMemFreeAsync"),
                "{log:?}"
            );
            assert_eq!(log_of(&fake, come_and_go)?, both);
            Ok(())
        });
        other
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    drop((stream, pool, device));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: TM-8
#[test]
fn other_streams_wait_for_the_allocation_and_its_own_does_not() -> Result<()> {
    let test = "other_streams_wait_for_the_allocation_and_its_own_does_not";
    let Some(fake) = fake_driver(test, "", &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let (a, b, pool) = (device.stream()?, device.stream()?, device.pool()?);
    let mut x = pool.alloc_uninit::<u8>(1000, &a)?;
    let own = log_of(&fake, || Ok(x.fill(1, &a)?))?;
    assert_eq!(place(&own, "cuStreamWaitEvent"), None, "{own:?}");
    let mut y = pool.alloc_uninit::<u8>(1000, &a)?;
    for buffer in [&mut x, &mut y] {
        let first = log_of(&fake, || Ok(buffer.fill(2, &b)?))?;
        let (record, wait) = (
            place(&first, "cuEventRecord"),
            place(&first, "cuStreamWaitEvent"),
        );
        assert!(record.is_some() && record < wait, "{first:?}");
        let again = log_of(&fake, || Ok(buffer.fill(3, &b)?))?;
        assert_eq!(place(&again, "cuStreamWaitEvent"), None, "{again:?}");
        assert_eq!(buffer.to_vec(&a)?, [3; 1000]);
    }
    // Unused, and copied by another stream: that waits, too, and so does the free.
    let z = pool.alloc_uninit::<u8>(1000, &a)?;
    let copied = log_of(&fake, || z.to_vec(&b).map(drop).map_err(Into::into))?;
    assert!(place(&copied, "cuStreamWaitEvent").is_some(), "{copied:?}");
    drop((x, y, z, a, b, pool, device));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: TM-8
#[test]
fn a_buffer_keeps_its_stream_its_pool_and_its_device() -> Result<()> {
    let test = "a_buffer_keeps_its_stream_its_pool_and_its_device";
    let Some(fake) = fake_driver(test, "", &[]) else {
        return Ok(());
    };
    for own in [false, true] {
        let device = Device::cuda(0)?;
        let (a, b) = (device.stream()?, device.stream()?);
        let pool = match own {
            true => device.new_pool(PoolOptions::new())?,
            false => device.pool()?,
        };
        let (mut x, y) = (
            pool.alloc_uninit::<u8>(100, &a)?,
            pool.alloc_uninit::<u8>(100, &a)?,
        );
        x.fill(1, &b)?;
        assert_eq!(device.memory_in_use().pooled.buffers, 2);
        assert_eq!(device.objects_in_use().streams, 2);
        fake.start_log();
        drop((a, b, pool, device));
        assert_eq!(fake.log(), [""; 0], "something went");
        drop(x);
        let log = fake.log();
        let place = |function| place(&log, function);
        let (freed, ended) = (place("cuMemFreeAsync"), place("cuStreamDestroy_v2"));
        assert!(freed.is_some() && freed < ended, "{log:?}");
        assert_eq!(y.device().objects_in_use().streams, 1);
        fake.start_log();
        drop(y);
        let log = fake.log();
        assert_eq!(
            log.iter().any(|call| call == "cuMemPoolDestroy"),
            own,
            "{log:?}"
        );
        nothing_is_left(&fake);
    }
    Ok(())
}

/// What the ordinary call frees is not waited for: CUDA takes all use of it to be over.
#[test]
fn memory_that_a_pool_does_not_take_back_is_freed_after_its_work() -> Result<()> {
    let test = "memory_that_a_pool_does_not_take_back_is_freed_after_its_work";
    let Some(fake) = fake_driver(test, "queued=1", &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let (stream, pool) = (device.stream()?, device.pool()?);
    let mut x = pool.alloc_uninit::<u8>(1000, &stream)?;
    x.fill(1, &stream)?;
    fake.fail("cuMemFreeAsync:1:1");
    fake.start_log();
    drop(x);
    let log = fake.log();
    let place = |function| place(&log, function);
    let waited = place("cuStreamSynchronize");
    assert!(
        waited.is_some() && waited < place("cuMemFree_v2"),
        "{log:?}"
    );
    drop((stream, pool, device));
    nothing_is_left(&fake);
    Ok(())
}
