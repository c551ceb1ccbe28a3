//! What the host does to memory that a launch has by its address, before it has waited for the launch.

use warploom::prelude::*;
use warploom::{DeviceBuffer, ManagedBuffer};

use crate::case::{Failure, Run, case, cases, launch, noise};

/// The host looks at managed memory as soon as the launch that writes it is queued.
#[kernel]
unsafe fn managed_read_too_early<const BUG: bool>(i: Index1D, x: *mut u32) {
    // SAFETY: as many elements as threads. The bug is the point.
    unsafe { *x.add(i.get()) += 1 }; //~ WL0116 second
}

fn managed_read_too_early_on_the_host(run: &Run<'_>) -> Result<(), Failure> {
    let x = run.device.managed_from(&noise(64))?;
    // SAFETY: an element for each thread; the bug is intended.
    unsafe { launch!(run, managed_read_too_early, (2, 32), managed(&x)) };
    if !run.bug {
        run.stream.synchronize()?;
    }
    let found = x.as_slice()?.to_vec(); //~ WL0116 first
    is(&found, |i| noise(64)[i] + 1)
}

/// The host fills the input for the next round while the launch of this round may still read it.
#[kernel]
unsafe fn input_filled_too_early<const BUG: bool>(i: Index1D, x: *const u32, y: *mut u32) {
    // SAFETY: as many elements as threads. The bug is the point.
    unsafe { *y.add(i.get()) = *x.add(i.get()) * 2 }; //~ WL0116 second
}

fn input_filled_too_early_on_the_host(run: &Run<'_>) -> Result<(), Failure> {
    let mut x = run.device.managed_from(&noise(64))?;
    let y = run.zeroed::<u32>(64)?;
    let from = managed(&x).cast_const();
    // SAFETY: an element for each thread; the bug is intended.
    unsafe { launch!(run, input_filled_too_early, (2, 32), from, address(&y)) };
    if !run.bug {
        run.stream.synchronize()?;
    }
    x.as_mut_slice()?.fill(7); //~ WL0116 first
    run.expect(&y, |i| noise(64)[i] * 2)
}

/// The result is copied back on another stream than that of the launch.
#[kernel]
unsafe fn copied_back_on_another_stream<const BUG: bool>(i: Index1D, x: *mut u32) {
    // SAFETY: as many elements as threads. The bug is the point.
    unsafe { *x.add(i.get()) += 3 }; //~ WL0116 second
}

fn copied_back_on_another_stream_on_the_host(run: &Run<'_>) -> Result<(), Failure> {
    let x = run.upload(&noise(64))?;
    let copies = run.device.stream()?;
    // SAFETY: an element for each thread; the bug is intended.
    unsafe { launch!(run, copied_back_on_another_stream, (2, 32), address(&x)) };
    let found = x.to_vec(run.pick(&copies, run.stream))?; //~ WL0116 first
    is(&found, |i| noise(64)[i] + 3)
}

/// The event that the stream of copies waits for was recorded before the launch.
#[kernel]
unsafe fn copy_waits_for_an_early_event<const BUG: bool>(i: Index1D, x: *mut u32) {
    // SAFETY: as many elements as threads. The bug is the point.
    unsafe { *x.add(i.get()) ^= 5 }; //~ WL0116 second
}

fn copy_waits_for_an_early_event_on_the_host(run: &Run<'_>) -> Result<(), Failure> {
    let x = run.upload(&noise(64))?;
    let copies = run.device.stream()?;
    let (early, late) = (run.device.event()?, run.device.event()?);
    run.stream.record(&early)?;
    // SAFETY: an element for each thread; the bug is intended.
    unsafe { launch!(run, copy_waits_for_an_early_event, (2, 32), address(&x)) };
    run.stream.record(&late)?;
    copies.wait(run.pick(&early, &late))?;
    let found = x.to_vec(&copies)?; //~ WL0116 first
    is(&found, |i| noise(64)[i] ^ 5)
}

/// New input is copied in on a stream of copies, and nothing lets that wait for the launch that reads the old.
#[kernel]
unsafe fn copied_over_what_is_read<const BUG: bool>(i: Index1D, x: *const u32, y: *mut u32) {
    // SAFETY: as many elements as threads. The bug is the point.
    unsafe { *y.add(i.get()) = *x.add(63 - i.get()) }; //~ WL0116 second
}

fn copied_over_what_is_read_on_the_host(run: &Run<'_>) -> Result<(), Failure> {
    let (mut x, y) = (run.upload(&noise(64))?, run.zeroed::<u32>(64)?);
    let (copies, done) = (run.device.stream()?, run.device.event()?);
    let from = address(&x).cast_const();
    // SAFETY: an element for each thread; the bug is intended.
    unsafe { launch!(run, copied_over_what_is_read, (2, 32), from, address(&y)) };
    run.stream.record(&done)?;
    if !run.bug {
        copies.wait(&done)?;
    }
    x.copy_from(0, &[1; 64], &copies)?; //~ WL0116 first
    run.expect(&y, |i| noise(64)[63 - i])
}

/// The rows of a picture are copied back on another stream than that of the launch, without the gaps behind them.
#[kernel]
unsafe fn rows_copied_back_on_another_stream<const BUG: bool>(
    i: Index1D,
    pitch: usize,
    x: *mut u32,
) {
    let (column, row) = (i.get() % 24, i.get() / 24);
    // SAFETY: 4 rows of 24 elements. The bug is the point.
    unsafe { *x.add(row * pitch + column) = i.get() as u32 }; //~ WL0116 second
}

fn rows_copied_back_on_another_stream_on_the_host(run: &Run<'_>) -> Result<(), Failure> {
    let x = run.device.pitched_zeroed::<u32>((24, 4))?;
    let copies = run.device.stream()?;
    let to = std::ptr::with_exposed_provenance_mut(x.raw_ptr() as usize);
    let pitch = x.row_elements();
    // SAFETY: an element for each thread; the bug is intended.
    unsafe { launch!(run, rows_copied_back_on_another_stream, (3, 32), pitch, to) };
    let found = x.to_vec(run.pick(&copies, run.stream))?; //~ WL0116 first
    is(&found, |i| i as u32)
}

/// The next round's sums are set to zero on a stream of copies, and nothing lets that wait for the launch that adds to this round's.
#[kernel]
unsafe fn filled_while_it_is_added_to<const BUG: bool>(i: Index1D, x: *mut u32, y: *mut u32) {
    // SAFETY: as many elements as threads. The bug is the point.
    unsafe { *y.add(i.get()) += *x.add(i.get()) }; //~ WL0116 second
}

fn filled_while_it_is_added_to_on_the_host(run: &Run<'_>) -> Result<(), Failure> {
    let (mut x, y) = (run.upload(&noise(64))?, run.zeroed::<u32>(64)?);
    let (copies, done) = (run.device.stream()?, run.device.event()?);
    // SAFETY: an element for each thread; the bug is intended.
    unsafe {
        launch!(
            run,
            filled_while_it_is_added_to,
            (2, 32),
            address(&x),
            address(&y)
        )
    };
    run.stream.record(&done)?;
    if !run.bug {
        copies.wait(&done)?;
    }
    x.fill(0, &copies)?; //~ WL0116 first
    run.expect(&y, |i| noise(64)[i])
}

fn address(of: &DeviceBuffer<u32>) -> *mut u32 {
    std::ptr::with_exposed_provenance_mut(of.raw_ptr() as usize)
}

fn managed(of: &ManagedBuffer<u32>) -> *mut u32 {
    std::ptr::with_exposed_provenance_mut(of.raw_ptr() as usize)
}

fn is(found: &[u32], expected: impl Fn(usize) -> u32) -> Result<(), Failure> {
    match found.iter().enumerate().find(|(i, v)| **v != expected(*i)) {
        None => Ok(()),
        Some((i, v)) => Err(Failure::Wrong(format!("element {i} is {v}"))),
    }
}

cases!("host.rs":
    case!(managed_read_too_early, "", managed_read_too_early_on_the_host),
    case!(input_filled_too_early, "", input_filled_too_early_on_the_host),
    case!(copied_back_on_another_stream, "", copied_back_on_another_stream_on_the_host),
    case!(copy_waits_for_an_early_event, "", copy_waits_for_an_early_event_on_the_host),
    case!(copied_over_what_is_read, "", copied_over_what_is_read_on_the_host),
    case!(rows_copied_back_on_another_stream, "", rows_copied_back_on_another_stream_on_the_host),
    case!(filled_while_it_is_added_to, "", filled_while_it_is_added_to_on_the_host),
);
