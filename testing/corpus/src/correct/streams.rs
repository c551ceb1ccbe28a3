//! Launches of several streams on one buffer, by its address, in order or apart.

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::prelude::*;
use warploom::{DeviceBuffer, StreamOptions};

use crate::case::{cases, correct, noise, start};

/// Each of two streams has half of a buffer.
#[kernel]
unsafe fn halves_of_two_streams(i: Index1D, half: *mut u32) {
    // SAFETY: each thread has an element of the half that is this launch's.
    unsafe { *half.add(i.get()) += 1 };
}

/// Two streams add to the same counters, by atomics.
#[kernel]
unsafe fn counters_of_two_streams(i: Index1D, bins: *mut u32) {
    // SAFETY: eight counters, which are accessed by atomics alone.
    unsafe { Atomic::<u32>::from_ptr(bins.add(i.get() % 8)) }.fetch_add(1, Relaxed);
}

/// Two streams read the same elements.
#[kernel]
unsafe fn read_by_two_streams(i: Index1D, x: *const u32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        // SAFETY: as many elements as `y` has, which no launch writes meanwhile.
        *y = unsafe { *x.add(i.get()) };
    }
}

/// Streams that keep order with the legacy default stream, on which the second launch is.
#[kernel]
unsafe fn behind_the_default_stream(i: Index1D, x: *mut u32) {
    // SAFETY: each thread has an element, and launches are in order.
    unsafe { *x.add(i.get()) *= 2 };
}

/// A buffer that is passed as such to one kernel in between hands the order on.
#[kernel]
unsafe fn handed_over_by_a_buffer(i: Index1D, x: *mut u32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        // SAFETY: each thread has an element, and launches are in order, for all of them have `y`.
        unsafe { *x.add(i.get()) += 1 };
        *y += 1;
    }
}

/// Events order three streams one after the other.
#[kernel]
unsafe fn chain_of_events(i: Index1D, x: *mut u32) {
    // SAFETY: each thread has an element, and launches are in order.
    unsafe { *x.add(i.get()) += 1 };
}

fn address(of: &DeviceBuffer<u32>) -> *mut u32 {
    std::ptr::with_exposed_provenance_mut(of.raw_ptr() as usize)
}

cases!("streams.rs":
    correct!(halves_of_two_streams, |run| {
        let (x, other) = (run.upload(&noise(64))?, run.device.stream()?);
        // SAFETY: a buffer of twice 32 elements.
        unsafe {
            start!(run, halves_of_two_streams, (1, 32), address(&x));
            halves_of_two_streams::launch(&other, (1, 32), address(&x).add(32))?;
        }
        other.synchronize()?;
        run.expect(&x, |i| noise(64)[i] + 1)
    }),
    correct!(counters_of_two_streams, |run| {
        let (bins, other) = (run.zeroed::<u32>(8)?, run.device.stream()?);
        // SAFETY: a buffer of eight elements.
        unsafe {
            start!(run, counters_of_two_streams, (2, 32), address(&bins));
            counters_of_two_streams::launch(&other, (2, 32), address(&bins))?;
        }
        other.synchronize()?;
        run.expect(&bins, |_| 16)
    }),
    correct!(read_by_two_streams, |run| {
        let (x, other) = (run.upload(&noise(64))?, run.device.stream()?);
        let (mut y, mut z) = (run.zeroed::<u32>(64)?, run.zeroed::<u32>(64)?);
        // SAFETY: a buffer of 64 elements.
        unsafe {
            start!(run, read_by_two_streams, (2, 32), address(&x), &mut y);
            read_by_two_streams::launch(&other, (2, 32), address(&x), &mut z)?;
        }
        other.synchronize()?;
        run.expect(&z, |i| noise(64)[i])
    }),
    correct!(behind_the_default_stream, |run| {
        let x = run.upload(&noise(64))?;
        let blocking = run.device.stream_with(StreamOptions::new().blocking())?;
        let legacy = run.device.default_stream()?;
        // SAFETY: a buffer of 64 elements.
        unsafe {
            behind_the_default_stream::launch(&blocking, (2, 32), address(&x))?;
            behind_the_default_stream::launch(&legacy, (2, 32), address(&x))?;
            behind_the_default_stream::launch(&blocking, (2, 32), address(&x))?;
        }
        blocking.synchronize()?;
        run.expect(&x, |i| noise(64)[i] * 8)
    }),
    correct!(handed_over_by_a_buffer, |run| {
        let (x, mut y) = (run.upload(&noise(64))?, run.zeroed::<u32>(64)?);
        let others = [run.device.stream()?, run.device.stream()?];
        // SAFETY: a buffer of 64 elements.
        unsafe {
            start!(run, handed_over_by_a_buffer, (2, 32), address(&x), &mut y);
            for other in &others {
                handed_over_by_a_buffer::launch(other, (2, 32), address(&x), &mut y)?;
            }
        }
        let sums = y.to_vec(run.stream)?;
        run.expect(&x, |i| noise(64)[i] + sums[i])
    }),
    correct!(chain_of_events, |run| {
        let x = run.upload(&noise(64))?;
        let streams = [run.device.stream()?, run.device.stream()?, run.device.stream()?];
        let event = run.device.event()?;
        run.stream.record(&event)?;
        for stream in &streams {
            stream.wait(&event)?;
            // SAFETY: a buffer of 64 elements.
            unsafe { chain_of_events::launch(stream, (2, 32), address(&x))? };
            stream.record(&event)?;
        }
        event.synchronize()?;
        run.expect(&x, |i| noise(64)[i] + 3)
    }),
);
