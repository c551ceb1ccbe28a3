//! Launches of two streams on one buffer, by its address: nothing orders them but what the host asks for.

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::prelude::*;
use warploom::{DeviceBuffer, Graph};

use crate::case::{Failure, Run, case, cases, launch, noise};

/// Both streams change the same elements.
#[kernel]
unsafe fn both_streams_change<const BUG: bool>(i: Index1D, x: *mut u32) {
    // SAFETY: each thread has an element of a buffer that no other launch has at the same time. The bug is the point.
    unsafe { *x.add(i.get()) += 1 }; //~ WL0115
}

/// The second stream waits for an event that was recorded before the producer's launch.
#[kernel]
unsafe fn event_recorded_too_early<const BUG: bool>(i: Index1D, from: *const u32, to: *mut u32) {
    // SAFETY: as many elements as threads, in buffers that no other launch has at the same time. The bug is the point.
    unsafe { *to.add(i.get()) = *from.add(i.get()) + 1 }; //~ WL0115
}

/// The scratch buffer of one stream is used by the next batch on another.
#[kernel]
unsafe fn one_scratch_for_two_streams<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    scratch: *mut u32,
    mut y: DisjointSlice<u32>,
) {
    let t = block.thread();
    // SAFETY: 64 elements for each block, in a buffer that no other launch has at the same time. The bug is the point.
    unsafe {
        let own = scratch.add(64 * block.index());
        *own.add(t) = x[i.get()]; //~ WL0115
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = *own.add(63 - t); //~? WL0115
        }
    }
}

/// The consumer waits for the producer's stream, the launch that clears the buffer for the next round for none.
#[kernel]
unsafe fn cleared_while_it_is_read<const BUG: bool>(i: Index1D, x: *mut u32, y: *mut u32) {
    // SAFETY: as many elements as threads, in buffers that no other launch has at the same time. The bug is the point.
    unsafe {
        if y.is_null() {
            *x.add(i.get()) = 0; //~ WL0115 first
        } else {
            *y.add(i.get()) = *x.add(i.get()); //~ WL0115 second
        }
    }
}

/// A graph works on one stream what a launch on another has not made yet.
#[kernel]
unsafe fn graph_on_another_stream<const BUG: bool>(i: Index1D, from: *const u32, to: *mut u32) {
    // SAFETY: as many elements as threads, in buffers that no other launch has at the same time. The bug is the point.
    unsafe { *to.add(i.get()) = *from.add(i.get()) * 2 }; //~ WL0115
}

/// One stream counts with atomics, the other takes what is there by a plain read.
#[kernel]
unsafe fn counted_while_it_is_read<const BUG: bool>(i: Index1D, bins: *mut u32, y: *mut u32) {
    // SAFETY: eight bins, and as many elements of `y` if there are some. The bug is the point.
    unsafe {
        if y.is_null() {
            Atomic::<u32>::from_ptr(bins.add(i.get() % 8)).fetch_add(1, Relaxed); //~ WL0115 second
        } else if i.get() < 8 {
            *y.add(i.get()) = *bins.add(i.get()); //~ WL0115 first
        }
    }
}

fn address(of: &DeviceBuffer<u32>) -> *mut u32 {
    std::ptr::with_exposed_provenance_mut(of.raw_ptr() as usize)
}

/// A second stream; in the twin it waits for what the first has got before `work`.
fn on_another(
    run: &Run<'_>,
    work: impl FnOnce(&Run<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (other, done) = (run.device.stream()?, run.device.event()?);
    run.stream.record(&done)?;
    if !run.bug {
        other.wait(&done)?;
    }
    work(&Run {
        stream: &other,
        ..*run
    })?;
    Ok(other.synchronize()?)
}

cases!("streams.rs":
    case!(both_streams_change, "", |run| {
        let x = run.upload(&noise(64))?;
        let at = address(&x);
        let (first, second) = (run.device.stream()?, run.device.stream()?);
        // SAFETY: a buffer with an element for each thread; the bug is intended.
        unsafe { launch!(Run { stream: &first, ..*run }, both_streams_change, (2, 32), at) };
        if !run.bug {
            first.synchronize()?;
        }
        // SAFETY: as above.
        unsafe { launch!(Run { stream: &second, ..*run }, both_streams_change, (2, 32), at) };
        second.synchronize()?;
        run.expect(&x, |i| noise(64)[i] + 2)
    }),
    case!(event_recorded_too_early, "", |run| {
        let (x, middle, y) = (run.upload(&noise(64))?, run.zeroed::<u32>(64)?, run.zeroed::<u32>(64)?);
        let (other, early, late) = (run.device.stream()?, run.device.event()?, run.device.event()?);
        let [x, to, last] = [&x, &middle, &y].map(address);
        run.stream.record(&early)?;
        // SAFETY: buffers with an element for each thread; the bug is intended.
        unsafe { launch!(run, event_recorded_too_early, (2, 32), x.cast_const(), to) };
        run.stream.record(&late)?;
        other.wait(run.pick(&early, &late))?;
        let run_there = Run { stream: &other, ..*run };
        // SAFETY: as above.
        unsafe { launch!(run_there, event_recorded_too_early, (2, 32), to.cast_const(), last) };
        other.synchronize()?;
        run.expect(&y, |i| noise(64)[i] + 2)
    }),
    case!(one_scratch_for_two_streams, "", |run| {
        let x = noise(128);
        let (input, scratch) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        let (mut y, mut z) = (run.zeroed::<u32>(128)?, run.zeroed::<u32>(128)?);
        let at = address(&scratch);
        let other = run.zeroed::<u32>(128)?;
        let there = if run.bug { at } else { address(&other) };
        // SAFETY: a buffer with an element for each thread; the bug is intended.
        unsafe { launch!(run, one_scratch_for_two_streams, (2, 64), &input, at, &mut y) };
        let second = run.device.stream()?;
        let copy = run.upload(&x)?;
        let run_there = Run { stream: &second, ..*run };
        // SAFETY: as above.
        unsafe { launch!(run_there, one_scratch_for_two_streams, (2, 64), &copy, there, &mut z) };
        second.synchronize()?;
        run.expect(&z, |i| x[i / 64 * 64 + 63 - i % 64])
    }),
    case!(cleared_while_it_is_read, "", |run| {
        let (x, y) = (run.upload(&noise(64))?, run.zeroed::<u32>(64)?);
        let [from, to] = [&x, &y].map(address);
        // SAFETY: buffers with an element for each thread; the bug is intended.
        unsafe { launch!(run, cleared_while_it_is_read, (2, 32), from, to) };
        on_another(run, |run| {
            // SAFETY: as above.
            unsafe { launch!(run, cleared_while_it_is_read, (2, 32), from, std::ptr::null_mut()) };
            Ok(())
        })?;
        run.expect(&y, |i| noise(64)[i])
    }),
    case!(graph_on_another_stream, "", |run| {
        let (x, middle, y) = (run.upload(&noise(64))?, run.zeroed::<u32>(64)?, run.zeroed::<u32>(64)?);
        let [from, to, last] = [&x, &middle, &y].map(address);
        let graph = Graph::capture(run.device, |stream| {
            // SAFETY: buffers with an element for each thread; the bug is intended.
            unsafe {
                launch!(Run { stream, ..*run }, graph_on_another_stream, (2, 32), to.cast_const(), last);
            }
            Ok::<(), warploom::Error>(())
        })?;
        let graph = graph.instantiate()?;
        // SAFETY: as above.
        unsafe { launch!(run, graph_on_another_stream, (2, 32), from.cast_const(), to) };
        on_another(run, |run| Ok(graph.launch(run.stream)?))?;
        drop(graph);
        run.expect(&y, |i| noise(64)[i] * 4)
    }),
    case!(counted_while_it_is_read, "", |run| {
        let (bins, y) = (run.zeroed::<u32>(8)?, run.zeroed::<u32>(8)?);
        let [from, to] = [&bins, &y].map(address);
        // SAFETY: buffers of eight elements; the bug is intended.
        unsafe { launch!(run, counted_while_it_is_read, (2, 32), from, std::ptr::null_mut()) };
        on_another(run, |run| {
            // SAFETY: as above.
            unsafe { launch!(run, counted_while_it_is_read, (2, 32), from, to) };
            Ok(())
        })?;
        run.expect(&y, |_| 8)
    }),
);
