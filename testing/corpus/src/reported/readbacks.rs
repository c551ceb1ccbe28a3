//! Results that are copied back, and buffers that are used on two streams, without waiting for the launch that has their address.

use warploom::DeviceBuffer;
use warploom::prelude::*;

use crate::case::{Failure, Run, case, cases, launch, noise};

/// Genesis-Embodied-AI/quadrants#407: a kernel on the active stream computes a size, which the host copies back on the default stream.
#[kernel]
unsafe fn size_copied_back_on_another_stream<const BUG: bool>(
    block: Block,
    x: &[u32],
    size: *mut u32,
) {
    if block.leader().is_some() {
        // SAFETY: an element. The bug is the point.
        unsafe { *size = x.iter().sum() }; //~ WL0116 second
    }
}

fn size_on_the_host(run: &Run<'_>) -> Result<(), Failure> {
    let (x, size) = (noise(20), run.zeroed::<u32>(1)?);
    let (input, active) = (run.upload(&x)?, run.device.stream()?);
    let there = Run {
        stream: &active,
        ..*run
    };
    // SAFETY: one element; the bug is intended.
    unsafe {
        launch!(
            there,
            size_copied_back_on_another_stream,
            (1, 32),
            &input,
            address(&size)
        )
    };
    if !run.bug {
        active.synchronize()?;
    }
    let found = size.get(0, run.stream)?; //~ WL0116 first
    is(found, x.iter().sum())
}

/// votca/xtp#391: a product is copied to the host without waiting for the stream that computes it.
#[kernel]
unsafe fn product_copied_too_early<const BUG: bool>(
    i: Index1D,
    a: *const u32,
    b: *const u32,
    c: *mut u32,
) {
    let (row, column) = (i.get() / 8, i.get() % 8);
    // SAFETY: matrices of eight rows and columns. The bug is the point.
    unsafe {
        let sum = (0..8)
            .map(|k| *a.add(8 * row + k) * *b.add(8 * k + column))
            .sum();
        *c.add(i.get()) = sum; //~ WL0116 second
    }
}

fn product_on_the_host(run: &Run<'_>) -> Result<(), Failure> {
    let x = noise(64);
    let (a, b, c) = (run.upload(&x)?, run.upload(&x)?, run.zeroed::<u32>(64)?);
    let (copies, done) = (run.device.stream()?, run.device.event()?);
    let [from, with, to] = [&a, &b, &c].map(address);
    // SAFETY: as many elements as the matrices have; the bug is intended.
    unsafe {
        launch!(
            run,
            product_copied_too_early,
            (1, 64),
            from.cast_const(),
            with.cast_const(),
            to
        )
    };
    run.stream.record(&done)?;
    if !run.bug {
        copies.wait(&done)?;
    }
    let found = c.to_vec(&copies)?; //~ WL0116 first
    is(found[10], (0..8).map(|k| x[8 + k] * x[8 * k + 2]).sum())
}

/// uxlfoundation/oneapi-construction-kit#489: two queues increase the same value.
#[kernel]
unsafe fn increased_by_two_queues<const BUG: bool>(block: Block, value: *mut u32) {
    if block.leader().is_some() {
        // SAFETY: an element. The bug is the point.
        unsafe { *value += 1 }; //~ WL0115
    }
}

fn two_queues(run: &Run<'_>) -> Result<(), Failure> {
    let value = run.zeroed::<u32>(1)?;
    let (first, second) = (run.device.stream()?, run.device.stream()?);
    let done = run.device.event()?;
    run.stream.record(&done)?;
    for queue in [&first, &second] {
        if !run.bug {
            queue.wait(&done)?;
        }
        let there = Run {
            stream: queue,
            ..*run
        };
        // SAFETY: one element; the bug is intended.
        unsafe { launch!(there, increased_by_two_queues, (1, 32), address(&value)) };
        queue.record(&done)?;
    }
    second.synchronize()?;
    run.expect(&value, |_| 2)
}

fn address(of: &DeviceBuffer<u32>) -> *mut u32 {
    std::ptr::with_exposed_provenance_mut(of.raw_ptr() as usize)
}

fn is(found: u32, expected: u32) -> Result<(), Failure> {
    match found == expected {
        true => Ok(()),
        false => Err(Failure::Wrong(format!("{found} instead of {expected}"))),
    }
}

cases!("readbacks.rs":
    case!(size_copied_back_on_another_stream, "Genesis-Embodied-AI/quadrants#407", size_on_the_host),
    case!(product_copied_too_early, "votca/xtp#391", product_on_the_host),
    case!(increased_by_two_queues, "uxlfoundation/oneapi-construction-kit#489", two_queues),
);
