//! Streams: order, questions, functions of the host, awaiting, launches that wait, many threads.

use std::sync::{Arc, Mutex};
use std::thread;

use warploom::device_std::time::global_timer_ns;
use warploom::prelude::*;
use warploom::{Error, EventOptions, LaunchError, StreamError, StreamOptions};
use warploom_harness::device_test::{gpu_or_skip, on_each_device, on_each_kind_of_device};
use warploom_harness::futures::block_on;

const N: usize = 1003;

#[kernel]
fn step(i: Index1D, a: u32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = y.wrapping_mul(3).wrapping_add(a);
    }
}

#[kernel]
fn fetch(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()];
    }
}

/// Ends after so many nanoseconds.
#[kernel]
fn lasts(i: Index1D, ns: u64, mut y: DisjointSlice<u32>) {
    let start = global_timer_ns();
    while global_timer_ns() - start < ns {}
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}

/// What `step` with each of these in turn makes of zeros.
fn stepped(steps: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let value = steps
        .into_iter()
        .fold(0u32, |y, a| y.wrapping_mul(3).wrapping_add(a));
    vec![value; N]
}

//@ rows: GAS-5, GAS-6, GAS-12, GER-5, HX-4
#[test]
fn a_stream_says_when_its_work_is_done() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed::<u32>(N)?;
        for a in 0..50 {
            step::launch(stream, Launch::covering(N), a, &mut y)?;
        }
        while !stream.query()? {
            thread::yield_now();
        }
        assert_eq!(y.to_vec(stream)?, stepped(0..50));
        Ok(())
    });
}

//@ rows: GAS-11, HX-5
#[test]
fn events_order_streams_and_say_when_they_are_reached() {
    on_each_device(|device, stream| {
        let other = device.stream_with(StreamOptions::new().blocking())?;
        let order = device.event_with(EventOptions::new().without_timing())?;
        let list = Arc::new(Mutex::new(vec![]));
        let mut y = device.zeroed::<u32>(N)?;
        for a in 0..20 {
            step::launch(stream, Launch::covering(N), a, &mut y)?;
            let inner = Arc::clone(&list);
            stream.launch_host(move || inner.lock().unwrap().push(2 * a))?;
            stream.record(&order)?;
            other.wait(&order)?;
            let inner = Arc::clone(&list);
            other.launch_host(move || inner.lock().unwrap().push(2 * a + 1))?;
            other.record(&order)?;
            stream.wait(&order)?;
        }
        while !order.query()? {
            thread::yield_now();
        }
        assert_eq!(*list.lock().unwrap(), (0..40).collect::<Vec<_>>());
        assert_eq!(y.to_vec(stream)?, stepped(0..20));
        Ok(())
    });
}

/// By the GPU's own clock, in which the host's delays do not count: both copies begin and end while the kernel runs. Calls of other
/// tests that wait for the whole device (a free, the loading of code) can keep a copy until the kernel is done: one of several attempts is
/// enough. The emulator does one thing at a time.
//@ rows: GAS-3
#[test]
fn copies_and_a_kernel_overlap() -> Result<(), Error> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let (computing, copying) = (device.stream()?, device.stream()?);
    let mut late = vec![];
    for _ in 0..6 {
        let (kernel, copies) = copies_beside_a_kernel(&device, &computing, &copying)?;
        assert!(kernel > 290.0, "{kernel} ms"); // two clocks
        if 0.0 < copies[0] && copies[0] < copies[1] && copies[1] < kernel {
            return Ok(());
        }
        late.push((copies, kernel));
    }
    panic!("when the copies were done after the kernel's start, and how long it took: {late:?} ms")
}

/// Milliseconds of a kernel, and from its start to the end of either copy.
fn copies_beside_a_kernel(
    device: &Device,
    computing: &Stream,
    copying: &Stream,
) -> warploom::Result<(f64, [f64; 2])> {
    let n = 1 << 20;
    let source = device.pinned_from(&vec![7u32; n])?;
    let mut back = device.pinned::<u32>(n)?;
    let (mut x, mut y) = (device.zeroed::<u32>(n)?, device.zeroed::<u32>(1)?);
    // The first launch loads the kernel, which may wait for the device.
    lasts::launch(computing, (1, 1), 0, &mut y)?;
    device.synchronize()?;
    let mut events = vec![];
    for _ in 0..4 {
        events.push(device.event()?);
    }
    let [began, ended, copied, returned] = &events[..] else {
        unreachable!()
    };
    computing.record(began)?;
    lasts::launch(computing, (1, 1), 300_000_000, &mut y)?;
    computing.record(ended)?;
    x.copy_from_pinned(0, &source, copying)?;
    copying.record(copied)?;
    x.copy_to_pinned(0, &mut back, copying)?;
    copying.record(returned)?;
    assert!(back.as_slice()?.iter().all(|v| *v == 7));
    assert_eq!(y.to_vec(computing)?, [1]);
    let copies = [began.elapsed_ms(copied)?, began.elapsed_ms(returned)?];
    Ok((began.elapsed_ms(ended)?, copies))
}

//@ rows: GAS-1, GAS-10
#[test]
fn work_of_several_streams_is_awaited() {
    on_each_device(|device, stream| {
        let streams = [stream.clone(), device.stream()?, device.default_stream()?];
        let mut buffers = vec![];
        for _ in 0..4 {
            buffers.push(device.zeroed::<u32>(N)?);
        }
        block_on(async {
            for a in 0..12usize {
                for (i, y) in buffers.iter_mut().enumerate() {
                    let stream = &streams[(a + i) % streams.len()];
                    step::launch(stream, Launch::covering(N), a as u32, &mut *y)?;
                }
                streams[a % streams.len()].finished().await?;
            }
            for stream in &streams {
                stream.await?;
                assert!(stream.query()?);
            }
            Ok::<_, Error>(())
        })?;
        for y in &buffers {
            assert_eq!(y.to_vec(stream)?, stepped(0..12));
        }
        Ok(())
    });
}

//@ rows: GAS-2, GER-1, GER-2
#[test]
fn a_launch_that_waits_names_itself() {
    on_each_device(|device, stream| {
        let short = device.zeroed::<u32>(5)?;
        let mut y = device.zeroed::<u32>(7)?;
        device.set_launch_blocking(false);
        fetch::launch(stream, Launch::covering(7), &short, &mut y)?;
        let later = stream.synchronize().unwrap_err();
        assert!(matches!(later, StreamError::Panic(_)), "{later}");

        device.set_launch_blocking(true);
        let line = line!() + 1;
        let error = fetch::launch(stream, Launch::covering(7), &short, &mut y).unwrap_err();
        let LaunchError::Failed { kernel, at, source } = error else {
            panic!("{error}");
        };
        assert_eq!((kernel, at.file(), at.line()), ("fetch", file!(), line));
        assert!(matches!(*source, StreamError::Panic(_)), "{source}");
        step::launch(stream, Launch::covering(7), 1, &mut y)?;
        assert!(stream.query()?);
        Ok(())
    });
}

//@ rows: GAS-4, GAS-10
#[test]
fn many_threads_share_streams() {
    on_each_kind_of_device(|device, shared| {
        // The emulator's part with as many launches is in the runtime's tests.
        let rounds = if device.is_gpu() { 1000 } else { 20 };
        let results: Vec<Result<Vec<u32>, Error>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..64)
                .map(|_| {
                    scope.spawn(|| {
                        let own = device.stream()?;
                        let mut y = device.zeroed::<u32>(N)?;
                        for a in 0..rounds {
                            let stream = if a % 2 == 0 { shared } else { &own };
                            step::launch(stream, Launch::covering(N), a, &mut y)?;
                        }
                        Ok(y.to_vec(&own)?)
                    })
                })
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        for result in results {
            assert_eq!(result?, stepped(0..rounds));
        }
        Ok(())
    });
}
