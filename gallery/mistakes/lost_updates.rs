//! A sum in global memory without atomics, and one that a thread sets to its start while others add.
//!
//! The textbook's sections 6.10.2 and 6.10.3 (E2-10). Note the first report: `+=` is a read and a write, and between them other threads
//! read the same old value. And at the second: that one thread comes first is nowhere said, so the host has to set the start.
//!
//! `cargo run --release -p warploom-gallery --example lost_updates`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use core::sync::atomic::Ordering::Relaxed;

use warploom::model::{Emulator, Mode, Schedule};
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

fn f(x: f32) -> f32 {
    x * x + 1.0
}

#[kernel]
fn without_atomics(i: Index1D, h: f32, mut area: DisjointSlice<f32>) {
    let value = f(i.get() as f32 * h);
    // SAFETY: there is none; all threads use the one element.
    unsafe { *area.raw() += value };
}

/// Thread 0 sets the start. `store` is an atomic as well: this is no race, and still wrong.
#[kernel]
fn start_by_thread_0(i: Index1D, h: f32, area: &[AtomicF32]) {
    if i.get() == 0 {
        area[0].store(0.5, Relaxed);
    }
    area[0].fetch_add(f(i.get() as f32 * h));
}

/// The same with an ordinary write, as the book's fragment has it.
#[kernel]
fn plain_start_by_thread_0(i: Index1D, h: f32, area: &[AtomicF32]) {
    if i.get() == 0 {
        // SAFETY: there is none; others add at the same time.
        unsafe { *area[0].as_ptr() = 0.5 };
    }
    area[0].fetch_add(f(i.get() as f32 * h));
}

#[kernel]
fn atomic(i: Index1D, h: f32, area: &[AtomicF32]) {
    area[0].fetch_add(f(i.get() as f32 * h));
}

fn main() -> std::process::ExitCode {
    warploom_gallery::mistake(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let (shape, h) = (Launch::new(4, 64), 1.0 / 256.0);
    let mut area = device.upload(&[0.5f32])?;

    println!("without atomics:\n");
    without_atomics::launch(&stream, shape, h, &mut area)?;
    program.finds("WL0111", stream.synchronize());
    println!("thread 0 writes the start:\n");
    plain_start_by_thread_0::launch(&stream, shape, h, area.as_atomic())?;
    program.finds("WL0120", stream.synchronize());

    let expected: f32 = 0.5 + (0..256u16).map(|i| f(f32::from(i) * h)).sum::<f32>();
    let reverse = Emulator::new()
        .mode(Mode::Checked)
        .schedule(Schedule::Reverse)
        .device();
    let (stream, mut area) = (reverse.stream()?, reverse.upload(&[0.0f32])?);
    start_by_thread_0::launch(&stream, shape, h, area.as_atomic())?;
    let late = area.to_vec(&stream)?[0];
    println!("the same with an atomic store, thread 0 last: {late} instead of {expected}");
    program.holds("additions before the start are lost", late < 0.5 * expected);

    let mut area = reverse.upload(&[0.5f32])?;
    atomic::launch(&stream, shape, h, area.as_atomic())?;
    let right = area.to_vec(&stream)?[0];
    println!("atomics, and the host sets the start: {right}");
    program.close("area", right, expected, 1e-6);
    Ok(())
}
