//! Streams and graphs: work that overlaps, its order, and work that is recorded once and run often.

use warploom::Graph;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;

// ANCHOR: kernel
#[kernel]
fn add_to_all(i: Index1D, amount: f32, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y += amount;
    }
}
// ANCHOR_END: kernel

// ANCHOR: two_streams
#[test]
fn halves_on_two_streams() -> warploom::Result<()> {
    const HALF: usize = 1000;
    let device = Device::open()?;
    let streams = [device.stream()?, device.stream()?];
    // Page-locked memory, so that copies run beside kernels.
    let source = device.pinned_from(&[1.0f32; 2 * HALF])?;
    let mut buffers = [device.zeroed::<f32>(HALF)?, device.zeroed::<f32>(HALF)?];
    let mut results = [device.pinned::<f32>(HALF)?, device.pinned::<f32>(HALF)?];

    let halves = buffers.iter_mut().zip(&mut results).zip(&streams);
    for (k, ((buffer, result), stream)) in halves.enumerate() {
        buffer.copy_from_pinned(0, source.slice(k * HALF..(k + 1) * HALF)?, stream)?;
        add_to_all::launch(stream, Launch::covering(HALF), k as f32, &mut *buffer)?;
        buffer.copy_to_pinned(0, result, stream)?;
    }
    // Reading page-locked memory waits for the stream that writes it.
    assert_eq!(results[0].as_slice()?[HALF - 1], 1.0);
    assert_eq!(results[1].as_slice()?[HALF - 1], 2.0);
    Ok(())
}
// ANCHOR_END: two_streams

// ANCHOR: order
#[test]
fn a_buffer_orders_two_streams() -> warploom::Result<()> {
    let device = Device::open()?;
    let (first, second) = (device.stream()?, device.stream()?);
    let mut y = device.zeroed::<f32>(500)?;
    add_to_all::launch(&first, Launch::covering(500), 1.0, &mut y)?;
    // The same buffer on another stream: the runtime lets `second` wait for `first`.
    add_to_all::launch(&second, Launch::covering(500), 2.0, &mut y)?;
    assert_eq!(y.to_vec(&second)?, [3.0; 500]);
    Ok(())
}
// ANCHOR_END: order

// ANCHOR: events
#[test]
fn events_measure_time() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut y = device.zeroed::<f32>(500)?;
    let (start, end) = (device.event()?, device.event()?);
    stream.record(&start)?;
    add_to_all::launch(&stream, Launch::covering(500), 1.0, &mut y)?;
    stream.record(&end)?;
    assert!(start.elapsed_ms(&end)? >= 0.0);
    Ok(())
}
// ANCHOR_END: events

// ANCHOR: dependent
#[kernel]
fn doubled(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    launch_dependents();
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = 2.0 * x;
    }
}

#[kernel(dependent_launch)]
fn mirrored(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[x.len() - 1 - i.get()]; // what a thread of another block wrote
    }
}

#[test]
fn the_second_kernel_starts_early() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let x = device.upload(&[1.0f32, 2.0, 3.0])?;
    let (mut y, mut z) = (device.zeroed::<f32>(3)?, device.zeroed::<f32>(3)?);
    doubled::launch(&stream, Launch::covering(3), &x, &mut y)?;
    mirrored::launch(&stream, Launch::covering(3), &y, &mut z)?;
    assert_eq!(z.to_vec(&stream)?, [6.0, 4.0, 2.0]);
    Ok(())
}
// ANCHOR_END: dependent

// ANCHOR: graph
#[test]
fn a_graph_runs_many_times() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut y = device.zeroed::<f32>(500)?;
    let graph = Graph::capture(&device, |recording| {
        add_to_all::launch(recording, Launch::covering(500), 1.0, &mut y)?;
        add_to_all::launch(recording, Launch::covering(500), 10.0, &mut y)
    })?;
    assert_eq!(graph.len(), 2);
    let graph = graph.instantiate()?;
    for _ in 0..3 {
        graph.launch(&stream)?;
    }
    assert_eq!(y.to_vec(&stream)?, [33.0; 500]);
    Ok(())
}
// ANCHOR_END: graph
