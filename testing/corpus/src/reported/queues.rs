//! Launches of several streams on one buffer, by its address.

use warploom::prelude::*;
use warploom::{DeviceBuffer, StreamOptions};

use crate::case::{Run, case, cases, launch, noise};

/// risc0/risc0#3522: a kernel reads what another stream has not filled yet.
#[kernel]
unsafe fn filled_on_another_stream<const BUG: bool>(i: Index1D, from: *const u32, to: *mut u32) {
    // SAFETY: as many elements as threads, and launches in order. The bug is the point.
    unsafe { *to.add(i.get()) = *from.add(i.get()) + 1 }; //~ WL0115
}

/// intel/llvm#1798: work of the default stream and of a stream that does not wait for it.
#[kernel]
unsafe fn default_stream_and_another<const BUG: bool>(i: Index1D, x: *mut u32) {
    // SAFETY: an element for each thread, and launches in order. The bug is the point.
    unsafe { *x.add(i.get()) += 1 }; //~ WL0115
}

/// cp2k/dbcsr#400: of two streams that use a buffer only one waits for the event that it is ready.
#[kernel]
unsafe fn one_of_two_waits<const BUG: bool>(i: Index1D, from: *const u32, to: *mut u32) {
    // SAFETY: as many elements as threads, and launches in order. The bug is the point.
    unsafe { *to.add(i.get()) = *from.add(i.get()) + 1 }; //~ WL0115
}

/// AcademySoftwareFoundation/openvdb#2287: an event that is recorded again no longer says that the first stream's use is over.
#[kernel]
unsafe fn event_that_moved<const BUG: bool>(i: Index1D, from: *const u32, to: *mut u32) {
    // SAFETY: as many elements as threads, and launches in order. The bug is the point.
    unsafe {
        if from.is_null() {
            *to.add(i.get()) = 0; //~ WL0115 second
        } else {
            *to.add(i.get()) = *from.add(i.get()); //~ WL0115 first
        }
    }
}

fn address(of: &DeviceBuffer<u32>) -> *mut u32 {
    std::ptr::with_exposed_provenance_mut(of.raw_ptr() as usize)
}

cases!("queues.rs":
    case!(filled_on_another_stream, "risc0/risc0#3522", |run| {
        let (x, middle, y) = (run.upload(&noise(64))?, run.zeroed::<u32>(64)?, run.zeroed::<u32>(64)?);
        let copies = run.device.stream()?;
        // SAFETY: buffers of 64 elements; the bug is intended.
        unsafe {
            launch!(Run { stream: &copies, ..*run }, filled_on_another_stream, (2, 32), address(&x).cast_const(), address(&middle));
            if !run.bug {
                copies.synchronize()?;
            }
            launch!(run, filled_on_another_stream, (2, 32), address(&middle).cast_const(), address(&y));
        }
        run.stream.synchronize()?;
        run.expect(&y, |i| noise(64)[i] + 2)
    }),
    case!(default_stream_and_another, "intel/llvm#1798", |run| {
        let x = run.upload(&noise(64))?;
        let legacy = run.device.default_stream()?;
        let other = if run.bug { run.device.stream()? } else { run.device.stream_with(StreamOptions::new().blocking())? };
        // SAFETY: a buffer of 64 elements; the bug is intended.
        unsafe {
            launch!(Run { stream: &legacy, ..*run }, default_stream_and_another, (2, 32), address(&x));
            launch!(Run { stream: &other, ..*run }, default_stream_and_another, (2, 32), address(&x));
        }
        other.synchronize()?;
        legacy.synchronize()?;
        run.expect(&x, |i| noise(64)[i] + 2)
    }),
    case!(one_of_two_waits, "cp2k/dbcsr#400", |run| {
        let (x, middle) = (run.upload(&noise(64))?, run.zeroed::<u32>(64)?);
        let (y, z) = (run.zeroed::<u32>(64)?, run.zeroed::<u32>(64)?);
        let (a, b, ready) = (run.device.stream()?, run.device.stream()?, run.device.event()?);
        // SAFETY: buffers of 64 elements; the bug is intended.
        unsafe {
            launch!(run, one_of_two_waits, (2, 32), address(&x).cast_const(), address(&middle));
            run.stream.record(&ready)?;
            a.wait(&ready)?;
            if !run.bug {
                b.wait(&ready)?;
            }
            launch!(Run { stream: &a, ..*run }, one_of_two_waits, (2, 32), address(&middle).cast_const(), address(&y));
            launch!(Run { stream: &b, ..*run }, one_of_two_waits, (2, 32), address(&middle).cast_const(), address(&z));
        }
        a.synchronize()?;
        b.synchronize()?;
        run.expect(&z, |i| noise(64)[i] + 2)
    }),
    case!(event_that_moved, "AcademySoftwareFoundation/openvdb#2287", |run| {
        let (x, y, z) = (run.upload(&noise(64))?, run.zeroed::<u32>(64)?, run.zeroed::<u32>(64)?);
        let (a, b, last, used) = (run.device.stream()?, run.device.stream()?, run.device.stream()?, run.device.event()?);
        // SAFETY: buffers of 64 elements; the bug is intended.
        unsafe {
            launch!(Run { stream: &a, ..*run }, event_that_moved, (2, 32), address(&x).cast_const(), address(&y));
            a.record(&used)?;
            if !run.bug {
                b.wait(&used)?;
            }
            launch!(Run { stream: &b, ..*run }, event_that_moved, (2, 32), address(&x).cast_const(), address(&z));
            b.record(&used)?;
            last.wait(&used)?;
            launch!(Run { stream: &last, ..*run }, event_that_moved, (2, 32), std::ptr::null(), address(&x));
        }
        last.synchronize()?;
        a.synchronize()?;
        run.expect(&y, |i| noise(64)[i])
    }),
);
