//! What happens to streams when the GPU fails, and where everything goes in the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use warploom_fake_driver::testing::Fake;
use warploom_harness::futures::block_on;
use warploom_runtime::{
    Error, Graph, LaunchError, MemoryError, PoolOptions, Result, StreamError, StreamOptions,
};

use super::support::{assert_nothing_left, delay, gpu, increment, is_asynchronous, wild};

/// `CUDA_ERROR_ILLEGAL_ADDRESS`.
const ILLEGAL_ADDRESS: i32 = 700;

//@ rows: GER-1, GER-2
#[test]
fn an_error_of_the_gpu_names_its_launch() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    let line = line!() + 1;
    wild(&stream)?;
    let StreamError::Driver(error) = stream.synchronize().unwrap_err() else {
        panic!("the driver knows of it");
    };
    assert_eq!(error.code, ILLEGAL_ADDRESS);
    let [launch] = &*error.launches else {
        panic!("one launch: {error}");
    };
    assert_eq!((launch.kernel, launch.stream), ("wild", stream.number()));
    assert_eq!((launch.grid, launch.block), ([2, 1, 1], [32, 1, 1]));
    assert_eq!((launch.at.file(), launch.at.line()), (file!(), line));
    let text = error.to_string();
    assert!(
        text.contains(&format!("`wild` at {}:{line}:", file!())),
        "{text}"
    );
    Ok(())
}

//@ rows: GER-1
#[test]
fn launches_that_ended_well_are_no_suspects() -> Result<()> {
    let device = gpu!();
    let [first, second] = [device.stream()?, device.stream()?];
    let mut y = device.zeroed::<u32>(100)?;
    increment(&first, &mut y)?;
    first.synchronize()?;
    block_on(second.finished())?;
    delay(&second)?;
    wild(&first)?;
    let StreamError::Driver(error) = first.synchronize().unwrap_err() else {
        panic!("the driver knows of it");
    };
    let suspects: Vec<_> = error
        .launches
        .iter()
        .map(|l| (l.kernel, l.stream))
        .collect();
    assert_eq!(
        suspects,
        [("wild", first.number()), ("delay", second.number())]
    );
    match increment(&second, &mut y).unwrap_err() {
        LaunchError::Driver { source, .. } => assert_eq!(source.launches.len(), 2, "{source}"),
        error => panic!("{error}"),
    }
    Ok(())
}

//@ rows: GER-1
#[test]
fn whatever_hears_of_it_first_names_the_launch() -> Result<()> {
    let device = gpu!();
    let (stream, event) = (device.stream()?, device.event()?);
    let y = device.zeroed::<u32>(100)?;
    wild(&stream)?;
    let copied = y.to_vec(&stream).unwrap_err();
    let (MemoryError::Driver(copied) | MemoryError::Stream(StreamError::Driver(copied))) = copied
    else {
        panic!("{copied}");
    };
    let recorded = stream.record(&event).unwrap_err();
    let made = device.stream().unwrap_err();
    let marked = device.event().unwrap_err();
    let submitted = stream.launch_host(|| {}).unwrap_err();
    let [recorded, made, marked, submitted] =
        [recorded, made, marked, submitted].map(|error| match error {
            StreamError::Driver(error) => error,
            error => panic!("{error}"),
        });
    for error in [copied, recorded, made, marked, submitted] {
        let [launch] = &*error.launches else {
            panic!("one launch: {error}");
        };
        assert_eq!((error.code, launch.kernel), (ILLEGAL_ADDRESS, "wild"));
    }
    Ok(())
}

//@ rows: GAS-7, GER-1
#[test]
fn waiting_for_the_device_names_the_launches_of_all_streams() -> Result<()> {
    let device = gpu!();
    let [first, second] = [device.stream()?, device.stream()?];
    delay(&first)?;
    device.synchronize()?;
    delay(&second)?;
    wild(&first)?;
    let StreamError::Driver(error) = device.synchronize().unwrap_err() else {
        panic!("the driver knows of it");
    };
    let names: Vec<_> = error.launches.iter().map(|l| l.kernel).collect();
    assert_eq!(
        (error.code, &*names),
        (ILLEGAL_ADDRESS, &["delay", "wild"][..])
    );
    Ok(())
}

//@ rows: GAS-2
#[test]
fn a_launch_that_waits_names_itself() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    device.set_launch_blocking(true);
    delay(&stream)?;
    assert!(stream.query()?);
    let line = line!() + 1;
    match wild(&stream).unwrap_err() {
        LaunchError::Failed { kernel, at, source } => {
            assert_eq!((kernel, at.line()), ("wild", line));
            let StreamError::Driver(error) = *source else {
                panic!("{source}");
            };
            assert_eq!((error.code, error.launches.len()), (ILLEGAL_ADDRESS, 1));
        }
        error => panic!("{error}"),
    }
    Ok(())
}

#[test]
fn a_future_gives_the_error_of_the_gpu() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    delay(&stream)?;
    wild(&stream)?;
    let StreamError::Driver(error) = block_on(stream.finished()).unwrap_err() else {
        panic!("the driver knows of it");
    };
    assert_eq!((error.code, error.launches.len()), (ILLEGAL_ADDRESS, 2));
    Ok(())
}

#[test]
fn a_wait_that_fails_drops_host_functions() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    let ran = Arc::new(AtomicU32::new(0));
    wild(&stream)?;
    for _ in 0..3 {
        let ran = Arc::clone(&ran);
        // Where the GPU has failed already, the call says so, and has dropped the function.
        let _ = stream.launch_host(move || {
            ran.fetch_add(1, Ordering::Relaxed);
        });
    }
    assert!(stream.synchronize().is_err());
    assert_eq!(Arc::strong_count(&ran), 1);
    assert_eq!(ran.load(Ordering::Relaxed), 0);
    Ok(())
}

#[test]
fn a_device_that_fails_drops_host_functions_of_dropped_streams() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    let ran = Arc::new(AtomicU32::new(0));
    let inner = Arc::clone(&ran);
    delay(&stream)?;
    wild(&stream)?;
    let _ = stream.launch_host(move || {
        inner.fetch_add(1, Ordering::Relaxed);
    });
    drop(stream);
    drop(device);
    assert_eq!(Arc::strong_count(&ran), 1);
    assert_eq!(ran.load(Ordering::Relaxed), 0);
    Ok(())
}

#[test]
fn a_refused_host_function_is_dropped() -> Result<()> {
    let device = gpu!();
    let Ok(fake) = Fake::loaded() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let ran = Arc::new(AtomicU32::new(0));
    let inner = Arc::clone(&ran);
    fake.fail("cuLaunchHostFunc:1:2");
    let refused = stream.launch_host(move || {
        inner.fetch_add(1, Ordering::Relaxed);
    });
    assert!(matches!(refused, Err(StreamError::Driver(error)) if error.code == 2));
    assert_eq!(Arc::strong_count(&ran), 1);
    stream.synchronize()?;
    assert_eq!(ran.load(Ordering::Relaxed), 0);
    Ok(())
}

#[test]
fn what_a_host_function_drops_is_freed() -> Result<()> {
    let device = gpu!();
    let [stream, other] = [device.stream()?, device.stream()?];
    let mut y = device.zeroed::<u32>(1000)?;
    let event = device.event()?;
    delay(&other)?;
    increment(&other, &mut y)?;
    other.record(&event)?;
    stream.launch_host(move || drop((y, event, other)))?;
    stream.synchronize()?;
    drop(stream);
    drop(device);
    assert_nothing_left();
    Ok(())
}

#[test]
fn graphs_pools_and_pinned_memory_may_go_in_a_host_function() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(1000)?;
    let pinned = device.pinned::<u32>(1000)?;
    y.copy_from_pinned(0, &pinned, &stream)?;
    let graph = Graph::capture(&device, |stream| increment(stream, &mut y))?;
    let graph = graph.instantiate()?;
    graph.launch(&stream)?;
    // Not every driver has pools.
    let pool = device.new_pool(PoolOptions::new()).ok();
    let z = pool.as_ref().map(|pool| pool.zeroed::<u32>(100, &stream));
    let z = z.transpose()?;
    delay(&stream)?;
    stream.launch_host(move || drop((graph, y, pinned, z, pool)))?;
    stream.synchronize()?;
    drop(stream);
    drop(device);
    assert_nothing_left();
    Ok(())
}

//@ rows: GAS-2
#[test]
fn a_graph_that_waits_gives_the_error_itself() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    let graph = Graph::capture(&device, |stream| {
        delay(stream)?;
        wild(stream)
    })?;
    let graph = graph.instantiate()?;
    device.set_launch_blocking(true);
    match graph.launch(&stream).unwrap_err() {
        Error::Stream(StreamError::Driver(error)) => {
            let names: Vec<_> = error.launches.iter().map(|l| l.kernel).collect();
            assert_eq!(
                (error.code, &*names),
                (ILLEGAL_ADDRESS, &["delay", "wild"][..])
            );
        }
        error => panic!("{error}"),
    }
    Ok(())
}

#[test]
fn the_last_of_a_device_may_go_in_a_host_function() -> Result<()> {
    let device = gpu!();
    // Another device on the same context: dropping it waits for all work, that of the first included.
    let other = warploom_runtime::Device::cuda(0).unwrap();
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(1000)?;
    delay(&stream)?;
    increment(&stream, &mut y)?;
    stream.launch_host(move || drop((y, device)))?;
    drop(stream);
    drop(other);
    assert_nothing_left();
    Ok(())
}

//@ rows: GAS-6
#[test]
fn dropping_a_stream_does_not_wait() -> Result<()> {
    let device = gpu!();
    let asynchronous = is_asynchronous(&device);
    let [stream, other] = [device.stream()?, device.stream()?];
    let event = device.event()?;
    let ran = Arc::new(AtomicU32::new(0));
    let inner = Arc::clone(&ran);
    delay(&stream)?;
    stream.launch_host(move || {
        inner.fetch_add(1, Ordering::Relaxed);
    })?;
    stream.record(&event)?;
    if let Ok(fake) = Fake::loaded() {
        fake.start_log();
    }
    drop(stream);
    if let Ok(fake) = Fake::loaded() {
        let log = fake.log();
        assert!(
            log.iter().any(|call| call == "cuStreamDestroy_v2"),
            "{log:?}"
        );
        assert!(
            !log.iter().any(|call| call.contains("Synchronize")),
            "{log:?}"
        );
    }
    if asynchronous {
        assert_eq!(ran.load(Ordering::Relaxed), 0, "the work is not done yet");
    }
    other.wait(&event)?;
    other.synchronize()?;
    assert_eq!(
        ran.load(Ordering::Relaxed),
        1,
        "the work is done all the same"
    );
    Ok(())
}

#[test]
fn nothing_is_left_of_streams_and_futures() -> Result<()> {
    let device = gpu!();
    for i in 0..20 {
        let priority = device.stream_priorities()?.greatest;
        let stream = device.stream_with(StreamOptions::new().priority(priority).blocking())?;
        let default = device.default_stream()?;
        let mut y = device.zeroed::<u32>(10)?;
        increment(&stream, &mut y)?;
        increment(&default, &mut y)?;
        stream.launch_host(move || assert!(i % 2 == 0, "an odd number"))?;
        let end = stream.finished();
        if i % 3 == 0 {
            drop(end);
        } else {
            assert_eq!(block_on(end).is_err(), i % 2 == 1);
        }
        delay(&stream)?;
        drop(stream.finished());
        let mut pending = Box::pin(stream.finished());
        let waker = std::task::Waker::noop();
        let _ = pending
            .as_mut()
            .poll(&mut std::task::Context::from_waker(waker));
    }
    drop(device);
    assert_nothing_left();
    Ok(())
}
