//! Streams, events, host functions and futures on a GPU, and on the fake driver: at once and queued.
//!
//! Skips, and says so, where there is no GPU; the last test runs all others on the fake driver.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed test should stop there")]

#[path = "gpu_streams/faults.rs"]
mod faults; // what breaks the context
#[path = "gpu_streams/support.rs"]
mod support; // kernels and processes

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Waker};

use warploom_fake_driver::testing::Fake;
use warploom_harness::futures::block_on;
use warploom_runtime::{
    EventOptions, MemoryError, Result, Stream, StreamError, StreamOptions, profile,
};

use support::{delay, gpu, increment, is_asynchronous};

/// Adds `what` to the list when the stream gets there.
fn push(stream: &Stream, list: &Arc<Mutex<Vec<&'static str>>>, what: &'static str) -> Result<()> {
    let list = Arc::clone(list);
    Ok(stream.launch_host(move || list.lock().unwrap().push(what))?)
}

//@ rows: GAS-6, GAS-12, GER-5, HX-4
#[test]
fn a_query_answers_before_the_end() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(100)?;
    delay(&stream)?;
    increment(&stream, &mut y)?;
    assert_eq!(stream.query()?, !is_asynchronous(&device));
    while !stream.query()? {}
    assert_eq!(y.to_vec(&stream)?, [1; 100]);
    Ok(())
}

//@ rows: GAS-11, GAS-12
#[test]
fn an_event_answers_before_the_end() -> Result<()> {
    let device = gpu!();
    let (stream, event) = (device.stream()?, device.event()?);
    assert!(matches!(event.query(), Err(StreamError::NotRecorded)));
    delay(&stream)?;
    stream.record(&event)?;
    assert_eq!(event.query()?, !is_asynchronous(&device));
    event.synchronize()?;
    assert!(event.query()?);
    Ok(())
}

//@ rows: GAS-11
#[test]
fn a_stream_waits_for_the_event_of_another() -> Result<()> {
    let device = gpu!();
    let [slow, fast] = [device.stream()?, device.stream()?];
    let order = device.event_with(EventOptions::new().without_timing().blocking_wait())?;
    let list = Arc::default();
    delay(&slow)?;
    push(&slow, &list, "slow")?;
    slow.record(&order)?;
    fast.wait(&order)?;
    push(&fast, &list, "fast")?;
    fast.synchronize()?;
    assert_eq!(*list.lock().unwrap(), ["slow", "fast"]);
    Ok(())
}

//@ rows: GAS-11
#[test]
fn a_wait_stays_with_the_mark_that_it_was_for() -> Result<()> {
    let device = gpu!();
    let [slow, fast] = [device.stream()?, device.stream()?];
    let event = device.event()?;
    let second = Arc::new(AtomicBool::new(false));
    slow.record(&event)?;
    fast.wait(&event)?;
    delay(&slow)?;
    let done = Arc::clone(&second);
    slow.launch_host(move || done.store(true, Ordering::Release))?;
    slow.record(&event)?;
    fast.synchronize()?;
    assert_eq!(second.load(Ordering::Acquire), !is_asynchronous(&device));
    event.synchronize()?;
    assert!(second.load(Ordering::Acquire), "the event has moved");
    Ok(())
}

//@ rows: GAS-11
#[test]
fn elapsed_time_grows_with_the_work() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    let [start, middle, end] = [device.event()?, device.event()?, device.event()?];
    // The first launch also loads the module, and under QEMU translates what runs.
    delay(&stream)?;
    stream.synchronize()?;
    stream.record(&start)?;
    delay(&stream)?;
    stream.record(&middle)?;
    delay(&stream)?;
    delay(&stream)?;
    stream.record(&end)?;
    let [one, two] = [start.elapsed_ms(&middle)?, middle.elapsed_ms(&end)?];
    assert!(one > 1.0 && two > 1.5 * one, "{one} then {two}");
    assert!(end.elapsed_ms(&start)? < 0.0);
    Ok(())
}

//@ rows: GAS-9
#[test]
fn the_default_stream_waits_for_blocking_streams_and_they_for_it() -> Result<()> {
    let device = gpu!();
    let default = device.default_stream()?;
    let blocking = device.stream_with(StreamOptions::new().blocking())?;
    let list = Arc::default();
    delay(&blocking)?;
    push(&blocking, &list, "blocking")?;
    delay(&default)?;
    push(&default, &list, "default")?;
    push(&blocking, &list, "blocking again")?;
    blocking.synchronize()?;
    assert_eq!(
        *list.lock().unwrap(),
        ["blocking", "default", "blocking again"]
    );
    Ok(())
}

//@ rows: GAS-9, P-32
#[test]
fn other_streams_do_not_wait_for_the_default_stream() -> Result<()> {
    let device = gpu!();
    let (default, free) = (device.default_stream()?, device.stream()?);
    let list = Arc::default();
    delay(&default)?;
    push(&default, &list, "default")?;
    push(&free, &list, "free")?;
    free.synchronize()?;
    let first = *list.lock().unwrap().first().unwrap();
    assert_eq!(first == "free", is_asynchronous(&device));
    default.synchronize()?;
    Ok(())
}

#[test]
fn streams_of_every_priority_work() -> Result<()> {
    let device = gpu!();
    let range = device.stream_priorities()?;
    let mut y = device.zeroed::<u32>(10)?;
    for priority in range.greatest..=range.least {
        let stream = device.stream_with(StreamOptions::new().priority(priority))?;
        increment(&stream, &mut y)?;
    }
    let expected = u32::try_from(range.least - range.greatest + 1).unwrap();
    assert_eq!(y.to_vec(&device.stream()?)?, [expected; 10]);
    let error = device.stream_with(StreamOptions::new().priority(range.least + 1));
    assert!(matches!(error, Err(StreamError::PriorityOutOfRange { .. })));
    Ok(())
}

//@ rows: GAS-5
#[test]
fn host_functions_run_between_kernels() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    let list = Arc::default();
    delay(&stream)?;
    push(&stream, &list, "first")?;
    delay(&stream)?;
    push(&stream, &list, "second")?;
    if is_asynchronous(&device) {
        assert!(list.lock().unwrap().len() < 2, "the stream has work to do");
    }
    stream.synchronize()?;
    assert_eq!(*list.lock().unwrap(), ["first", "second"]);
    assert_eq!(Arc::strong_count(&list), 1);
    Ok(())
}

#[test]
fn a_panic_of_a_host_function_is_reported_by_the_next_wait() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(10)?;
    let line = line!() + 1;
    stream.launch_host(|| panic!("lost"))?;
    increment(&stream, &mut y)?;
    match stream.synchronize().unwrap_err() {
        StreamError::HostPanic {
            message,
            submitted_at,
        } => {
            assert_eq!((&*message, submitted_at.line()), ("lost", line));
        }
        error => panic!("{error}"),
    }
    assert_eq!(y.to_vec(&stream)?, [1; 10]);
    Ok(())
}

#[test]
fn a_host_function_must_not_use_the_device() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    let (sender, receiver) = mpsc::channel();
    let (inner, other) = (stream.clone(), device.clone());
    stream.launch_host(move || {
        let errors = (inner.synchronize(), inner.query(), other.zeroed::<u8>(4));
        sender.send(errors).unwrap();
    })?;
    stream.synchronize()?;
    let (wait, query, memory) = receiver.recv().unwrap();
    assert!(matches!(wait, Err(StreamError::InsideHostFunction)));
    assert!(matches!(query, Err(StreamError::InsideHostFunction)));
    let inside =
        |error: &MemoryError| matches!(error, MemoryError::Stream(StreamError::InsideHostFunction));
    assert!(memory.is_err_and(|error| inside(&error)));
    Ok(())
}

//@ rows: GLA-6, GAS-1
#[test]
fn work_is_awaited() -> Result<()> {
    let device = gpu!();
    let [first, second] = [device.stream()?, device.stream()?];
    let [mut x, mut y] = [device.zeroed::<u32>(100)?, device.zeroed::<u32>(100)?];
    block_on(async {
        for _ in 0..3 {
            delay(&first)?;
            increment(&first, &mut x)?;
            increment(&second, &mut y)?;
            let (one, two) = (first.finished(), second.finished());
            two.await?;
            one.await?;
            assert!(first.query()? && second.query()?);
        }
        Ok::<_, warploom_runtime::Error>(())
    })?;
    assert_eq!(x.to_vec(&first)?, [3; 100]);
    assert_eq!(y.to_vec(&second)?, [3; 100]);
    Ok(())
}

#[test]
fn a_future_is_for_the_work_submitted_before_it() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    let later = Arc::new(AtomicBool::new(false));
    delay(&stream)?;
    let end = stream.finished();
    delay(&stream)?;
    let done = Arc::clone(&later);
    stream.launch_host(move || done.store(true, Ordering::Release))?;
    block_on(end)?;
    assert_eq!(later.load(Ordering::Acquire), !is_asynchronous(&device));
    stream.synchronize()?;
    Ok(())
}

#[test]
fn a_future_may_be_dropped_at_any_time() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(10)?;
    for _ in 0..3 {
        delay(&stream)?;
        increment(&stream, &mut y)?;
        drop(stream.finished());
        let mut end = Box::pin(stream.finished());
        let poll = end.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(poll, Poll::Pending | Poll::Ready(Ok(()))));
    }
    assert_eq!(y.to_vec(&stream)?, [3; 10]);
    Ok(())
}

//@ rows: GAS-4, P-32
#[test]
fn kernels_of_two_streams_run_side_by_side() -> Result<()> {
    let device = gpu!();
    let streams = [device.stream()?, device.stream()?];
    let [start, one, both] = [device.event()?, device.event()?, device.event()?];
    delay(&streams[0])?;
    streams[0].synchronize()?; // the code is loaded now
    streams[0].record(&start)?;
    streams[1].wait(&start)?;
    delay(&streams[0])?;
    delay(&streams[1])?;
    streams[0].record(&one)?;
    streams[0].wait(&{
        let end = device.event()?;
        streams[1].record(&end)?;
        end
    })?;
    streams[0].record(&both)?;
    let [alone, together] = [start.elapsed_ms(&one)?, start.elapsed_ms(&both)?];
    if device.name().contains("fake") {
        assert!(
            together >= alone,
            "the fake driver does one thing at a time"
        );
    } else {
        assert!(
            together < 1.5 * alone,
            "{together} ms for both, {alone} for one"
        );
    }
    Ok(())
}

//@ rows: GAS-9, GAS-10
#[test]
fn any_order_of_issue_gives_the_same_results() -> Result<()> {
    let device = gpu!();
    let streams = [(); 4].map(|()| device.stream());
    let streams: Vec<Stream> = streams.into_iter().collect::<std::result::Result<_, _>>()?;
    let mut buffers = Vec::new();
    for _ in 0..4 {
        buffers.push(device.zeroed::<u32>(1000)?);
    }
    // All steps of one buffer, then those of the next; every second step on another stream.
    for (i, buffer) in buffers.iter_mut().enumerate() {
        for step in 0..6 {
            increment(&streams[(i + step % 2) % 4], &mut *buffer)?;
        }
    }
    // One step of each buffer, then the next of each; the host makes and frees memory in between.
    for step in 0..6 {
        for (i, buffer) in buffers.iter_mut().enumerate() {
            increment(&streams[(i + step) % 4], &mut *buffer)?;
        }
        drop(device.upload(&[step; 100])?);
    }
    for buffer in &buffers {
        assert_eq!(buffer.to_vec(&streams[0])?, [12; 1000]);
    }
    Ok(())
}

//@ rows: GDV-4, GDR-6
#[test]
fn dropping_a_device_waits_for_its_work() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    let done = Arc::new(AtomicBool::new(false));
    let reached = Arc::clone(&done);
    delay(&stream)?;
    stream.launch_host(move || reached.store(true, Ordering::Release))?;
    assert_eq!(done.load(Ordering::Acquire), !is_asynchronous(&device));
    drop((stream, device));
    assert!(
        done.load(Ordering::Acquire),
        "the device went before its work was done"
    );
    Ok(())
}

/// What a profiler makes of it is its own; that the driver is told shows in the fake driver's log. On a GPU the calls succeed.
#[test]
fn profiles_take_names_and_orders() -> Result<()> {
    let device = gpu!();
    let stream = device.stream()?;
    let fake = Fake::loaded().ok();
    if let Some(fake) = &fake {
        fake.start_log();
    }
    profile::start(&device)?;
    profile::name_stream(&stream, "copies");
    profile::stop(&device)?;
    if let Some(fake) = fake {
        let log = fake.log();
        let orders = log.iter().filter(|call| call.starts_with("cuProfiler"));
        let orders: Vec<&str> = orders.map(String::as_str).collect();
        assert_eq!(orders, ["cuProfilerStart", "cuProfilerStop"], "{log:?}");
    }
    Ok(())
}

/// The same tests where there is no GPU: the runtime's half of all of them.
#[test]
fn all_of_it_runs_on_the_fake_driver() {
    use warploom_fake_driver::testing::{assert_passed, is_child, run_others};
    if is_child() {
        return;
    }
    for options in ["", "queued=1"] {
        let output = run_others("all_of_it_runs_on_the_fake_driver", options).unwrap();
        assert_passed(&output);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("skipped"), "{said}");
    }
}
