//! Streams, events and the end of work on the emulator: options, host functions, futures, launches that wait, many threads.

#![expect(clippy::unwrap_used, reason = "a failed test should stop there")]

use std::future::IntoFuture;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use warploom_emulator::intrinsics as lane;
use warploom_harness::futures::block_on;
use warploom_runtime::launch::{Contract, Kernel, Param, SliceMutArg, submit};
use warploom_runtime::{
    Device, EventOptions, Launch, LaunchError, MemoryError, Result, Stream, StreamError,
    StreamOptions,
};

fn assert_send_sync<T: Send + Sync>() {}

/// `y[i] += 1`, one block; panics if the buffer is empty.
#[track_caller]
fn increment<'a>(stream: &Stream, y: impl SliceMutArg<'a, u32>) -> Result<(), LaunchError> {
    let y = y.bind();
    let threads = u32::try_from(y.len()).unwrap();
    let kernel = Kernel {
        name: "streams::increment",
        base: "increment",
        package: "",
        contract: Contract::ANY,
        params: &[Param::slice_mut::<u32>()],
        layouts: &[],
        index: 0,
        file: file!(),
        line: line!(),
    };
    let cpu = || {
        let i = lane::thread_idx_x() as usize;
        assert!(i < y.len(), "nothing to increment");
        // SAFETY: within the buffer, which is borrowed while the emulator runs this.
        let y = unsafe { y.parts().as_mut_ptr().add(i) };
        // SAFETY: thread i alone accesses element i.
        unsafe { *y += 1 };
    };
    let launch = Launch::new(1, threads.max(1));
    // SAFETY: description, argument and body belong together.
    unsafe {
        submit(
            stream,
            launch,
            &kernel,
            &[y.arg()],
            &cpu,
            Location::caller(),
        )
    }
}

//@ rows: GAS-6
#[test]
fn threads_may_share_streams_and_events() {
    assert_send_sync::<Stream>();
    assert_send_sync::<warploom_runtime::Event>();
    assert_send_sync::<warploom_runtime::Finished>();
}

//@ rows: GAS-6, GAS-12, GER-5
#[test]
fn a_query_says_whether_all_work_is_done() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    assert!(stream.query()?);
    let mut y = device.zeroed::<u32>(32)?;
    increment(&stream, &mut y)?;
    assert!(stream.query()?);
    assert_eq!(y.to_vec(&stream)?, [1; 32]);
    Ok(())
}

//@ rows: GAS-6
#[test]
fn a_query_reports_what_a_wait_would() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut nothing = device.zeroed::<u32>(0)?;
    increment(&stream, &mut nothing)?;
    let error = stream.query().unwrap_err();
    assert!(matches!(error, StreamError::Panic(_)), "{error}");
    assert!(stream.query()?, "an error is reported once");
    Ok(())
}

//@ rows: GAS-6
#[test]
fn streams_have_numbers_of_their_own() -> Result<()> {
    let device = Device::emulator();
    let (first, second) = (device.stream()?, device.stream()?);
    assert_ne!(first.number(), second.number());
    assert_eq!(first.number(), first.clone().number());
    Ok(())
}

#[test]
fn priorities_are_those_of_the_device() -> Result<()> {
    let device = Device::emulator();
    let range = device.stream_priorities()?;
    assert!(range.greatest <= range.least && range.contains(0));
    for priority in range.greatest..=range.least {
        let stream = device.stream_with(StreamOptions::new().priority(priority))?;
        assert_eq!((stream.priority(), stream.is_blocking()), (priority, false));
    }
    for wrong in [range.greatest - 1, range.least + 1] {
        let error = device
            .stream_with(StreamOptions::new().priority(wrong))
            .unwrap_err();
        assert!(
            matches!(error, StreamError::PriorityOutOfRange { given, .. } if given == wrong),
            "{error}"
        );
    }
    Ok(())
}

//@ rows: GAS-9, P-32
#[test]
fn the_default_stream_keeps_order_with_blocking_streams() -> Result<()> {
    let device = Device::emulator();
    let default = device.default_stream()?;
    let blocking = device.stream_with(StreamOptions::new().blocking())?;
    assert!(default.is_blocking() && blocking.is_blocking());
    assert!(!device.stream()?.is_blocking());
    let mut y = device.zeroed::<u32>(8)?;
    for _ in 0..5 {
        increment(&blocking, &mut y)?;
        increment(&default, &mut y)?;
    }
    assert_eq!(y.to_vec(&blocking)?, [10; 8]);
    Ok(())
}

//@ rows: GAS-11, GAS-12, P-34
#[test]
fn an_event_is_queried_after_it_was_recorded() -> Result<()> {
    let device = Device::emulator();
    let (stream, event) = (device.stream()?, device.event()?);
    assert!(matches!(event.query(), Err(StreamError::NotRecorded)));
    assert!(matches!(stream.wait(&event), Err(StreamError::NotRecorded)));
    stream.record(&event)?;
    assert!(event.query()?);
    Ok(())
}

//@ rows: GAS-11
#[test]
fn an_event_that_is_recorded_again_moves() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let [start, mark] = [device.event()?, device.event()?];
    stream.record(&start)?;
    stream.record(&mark)?;
    let first = start.elapsed_ms(&mark)?;
    thread::sleep(std::time::Duration::from_millis(2));
    stream.record(&mark)?;
    let second = start.elapsed_ms(&mark)?;
    assert!(second >= first + 2.0, "{first} then {second}");
    assert!(mark.elapsed_ms(&start)? < 0.0);
    Ok(())
}

//@ rows: GAS-11
#[test]
fn an_event_without_timing_orders_and_takes_no_time() -> Result<()> {
    let device = Device::emulator();
    let (first, second) = (device.stream()?, device.stream()?);
    let order = device.event_with(EventOptions::new().without_timing().blocking_wait())?;
    let timed = device.event()?;
    let mut y = device.zeroed::<u32>(4)?;
    increment(&first, &mut y)?;
    first.record(&order)?;
    first.record(&timed)?;
    second.wait(&order)?;
    increment(&second, &mut y)?;
    order.synchronize()?;
    for (a, b) in [(&order, &timed), (&timed, &order)] {
        assert!(matches!(a.elapsed_ms(b), Err(StreamError::NoTiming)));
    }
    assert_eq!(y.to_vec(&second)?, [2; 4]);
    Ok(())
}

//@ rows: GAS-5
#[test]
fn host_functions_run_in_order_with_the_work() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut y = device.zeroed::<u32>(1)?;
    for i in 0..10 {
        increment(&stream, &mut y)?;
        let seen = Arc::clone(&seen);
        stream.launch_host(move || seen.lock().unwrap().push(i))?;
    }
    stream.synchronize()?;
    assert_eq!(*seen.lock().unwrap(), (0..10).collect::<Vec<_>>());
    assert_eq!(Arc::strong_count(&seen), 1, "each function is dropped");
    Ok(())
}

#[test]
fn a_panic_of_a_host_function_is_reported_once_by_its_stream() -> Result<()> {
    let device = Device::emulator();
    let (stream, other) = (device.stream()?, device.stream()?);
    let line = line!() + 1;
    stream.launch_host(|| panic!("{} lost", 3))?;
    stream.launch_host(|| panic!("the second"))?;
    other.synchronize()?;
    match stream.synchronize().unwrap_err() {
        StreamError::HostPanic {
            message,
            submitted_at,
        } => {
            assert_eq!(message, "3 lost");
            assert_eq!((submitted_at.file(), submitted_at.line()), (file!(), line));
        }
        error => panic!("{error}"),
    }
    stream.synchronize()?;
    let mut y = device.zeroed::<u32>(3)?;
    increment(&stream, &mut y)?;
    assert_eq!(y.to_vec(&stream)?, [1; 3]);
    Ok(())
}

//@ rows: GAS-7
#[test]
fn waiting_for_the_device_reports_panics_of_all_streams() -> Result<()> {
    let device = Device::emulator();
    let [first, second] = [device.stream()?, device.stream()?];
    first.launch_host(|| panic!("of the first"))?;
    second.launch_host(|| panic!("of the second"))?;
    drop(first);
    let messages = [device.synchronize(), device.synchronize()].map(|waited| match waited {
        Err(StreamError::HostPanic { message, .. }) => message,
        other => panic!("{other:?}"),
    });
    assert_eq!(messages, ["of the first", "of the second"]);
    device.synchronize()?;
    second.synchronize()?;
    Ok(())
}

#[test]
fn a_host_function_must_not_use_the_device() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let (sender, receiver) = std::sync::mpsc::channel();
    let mut y = device.zeroed::<u32>(3)?;
    let (inner, event) = (stream.clone(), device.event()?);
    stream.record(&event)?;
    stream.launch_host(move || {
        let device = inner.device().clone();
        let stream_errors = [
            inner.synchronize().unwrap_err(),
            inner.query().unwrap_err(),
            inner.record(&event).unwrap_err(),
            inner.wait(&event).unwrap_err(),
            event.synchronize().unwrap_err(),
            event.query().unwrap_err(),
            inner.launch_host(|| {}).unwrap_err(),
            block_on(inner.finished()).unwrap_err(),
            device.stream().unwrap_err(),
            device.default_stream().unwrap_err(),
            device.event().unwrap_err(),
        ];
        let memory_errors = [
            device.zeroed::<u8>(1).unwrap_err(),
            y.copy_from(0, &[1], &inner).unwrap_err(),
        ];
        let launch_error = increment(&inner, &mut y).unwrap_err();
        drop(y); // this is allowed
        sender
            .send((stream_errors, memory_errors, launch_error))
            .unwrap();
    })?;
    stream.synchronize()?;
    let (stream_errors, memory_errors, launch_error) = receiver.recv().unwrap();
    for error in stream_errors {
        assert!(matches!(error, StreamError::InsideHostFunction), "{error}");
    }
    for error in memory_errors {
        assert!(
            matches!(error, MemoryError::Stream(StreamError::InsideHostFunction)),
            "{error}"
        );
    }
    assert!(
        matches!(
            launch_error,
            LaunchError::InsideHostFunction {
                kernel: "increment"
            }
        ),
        "{launch_error}"
    );
    Ok(())
}

#[test]
fn a_stream_is_awaited_on_any_executor() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(5)?;
    block_on(async {
        increment(&stream, &mut y)?;
        stream.finished().await?;
        increment(&stream, &mut y)?;
        (&stream).await?;
        stream.clone().await?;
        Ok::<_, warploom_runtime::Error>(())
    })?;
    assert_eq!(y.to_vec(&stream)?, [2; 5]);
    Ok(())
}

#[test]
fn a_future_gives_the_errors_of_a_wait() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut nothing = device.zeroed::<u32>(0)?;
    increment(&stream, &mut nothing)?;
    stream.launch_host(|| panic!("and this"))?;
    let error = block_on(stream.finished()).unwrap_err();
    assert!(matches!(error, StreamError::Panic(_)), "{error}");
    let error = block_on((&stream).into_future()).unwrap_err();
    assert!(matches!(error, StreamError::HostPanic { .. }), "{error}");
    block_on(stream.finished())?;
    Ok(())
}

#[test]
fn a_future_that_is_dropped_leaves_its_error_to_the_next_wait() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut nothing = device.zeroed::<u32>(0)?;
    increment(&stream, &mut nothing)?;
    drop(stream.finished());
    assert!(matches!(stream.synchronize(), Err(StreamError::Panic(_))));
    Ok(())
}

//@ rows: GAS-2, GER-1, GER-2
#[test]
fn a_launch_that_waits_gives_the_error_itself() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut nothing = device.zeroed::<u32>(0)?;
    device.set_launch_blocking(false);
    increment(&stream, &mut nothing)?;
    assert!(
        stream.synchronize().is_err(),
        "the launch is Ok, the wait is not"
    );

    device.set_launch_blocking(true);
    let line = line!() + 1;
    match increment(&stream, &mut nothing).unwrap_err() {
        LaunchError::Failed { kernel, at, source } => {
            assert_eq!((kernel, at.line(), at.file()), ("increment", line, file!()));
            assert!(matches!(*source, StreamError::Panic(_)), "{source}");
        }
        error => panic!("{error}"),
    }
    stream.synchronize()?;
    device.set_launch_blocking(false);
    assert!(!device.is_launch_blocking());
    increment(&stream, &mut nothing)?;
    assert!(stream.synchronize().is_err());
    Ok(())
}

//@ rows: GAS-2
#[test]
fn the_drivers_variable_makes_launches_wait() {
    const ON: &str = "CUDA_LAUNCH_BLOCKING";
    if std::env::var_os("WARPLOOM_TEST_CHILD").is_some() {
        let expected = std::env::var(ON).is_ok_and(|value| value == "1");
        assert_eq!(Device::emulator().is_launch_blocking(), expected);
        return;
    }
    for value in ["0", "1"] {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["the_drivers_variable_makes_launches_wait", "--exact"])
            .env("WARPLOOM_TEST_CHILD", "1")
            .env(ON, value)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(
            child.status.success() && said.contains("1 passed"),
            "{said}"
        );
    }
}

//@ rows: GER-1, P-10
#[test]
fn an_error_that_no_call_waits_for_is_reported_at_exit() {
    const CHILD: &str = "WARPLOOM_TEST_CHILD";
    if let Ok(waits) = std::env::var(CHILD) {
        let device = Device::emulator();
        let stream = device.stream().unwrap();
        increment(&stream, &mut device.zeroed::<u32>(0).unwrap()).unwrap();
        assert!(waits == "0" || stream.synchronize().is_err());
        return;
    }
    for (waits, told) in [("0", 1), ("1", 0)] {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["an_error_that_no_call_waits_for_is_reported_at_exit"])
            .args(["--exact", "--nocapture"])
            .env(CHILD, waits)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stderr);
        assert!(child.status.success(), "{said}");
        let sentence = "dropped before any wait reported this error";
        assert_eq!(said.matches(sentence).count(), told, "{said}");
        let panic = "kernel `increment` panicked at";
        assert_eq!(said.matches(panic).count(), told, "{said}");
    }
}

//@ rows: GAS-6
#[test]
fn work_of_a_dropped_stream_is_done_all_the_same() -> Result<()> {
    let device = Device::emulator();
    let mut y = device.zeroed::<u32>(7)?;
    let stream = device.stream()?;
    let ran = Arc::new(AtomicU32::new(0));
    let inner = Arc::clone(&ran);
    increment(&stream, &mut y)?;
    stream.launch_host(move || {
        inner.fetch_add(1, Ordering::Relaxed);
    })?;
    drop(stream);
    let other = device.stream()?;
    increment(&other, &mut y)?;
    assert_eq!(y.to_vec(&other)?, [2; 7]);
    assert_eq!(ran.load(Ordering::Relaxed), 1);
    Ok(())
}

/// 64 threads, each with 1000 launches on a buffer of its own, half of them on one stream that all share.
//@ rows: GAS-4, GAS-5, GAS-10
#[test]
fn many_threads_launch_on_shared_and_own_streams() -> Result<()> {
    let device = Device::emulator();
    let shared = device.stream()?;
    let results: Vec<Result<Vec<u32>>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..64)
            .map(|_| {
                scope.spawn(|| {
                    let own = device.stream()?;
                    let mut y = device.zeroed::<u32>(4)?;
                    for i in 0..1000 {
                        let stream = if i % 2 == 0 { &shared } else { &own };
                        increment(stream, &mut y)?;
                        if i % 250 == 0 {
                            stream.synchronize()?;
                        }
                    }
                    Ok(y.to_vec(&own)?)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    for result in results {
        assert_eq!(result?, [1000; 4]);
    }
    Ok(())
}
