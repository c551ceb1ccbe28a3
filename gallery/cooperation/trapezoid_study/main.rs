//! The trapezoidal rule in all of the book's variants, timed: the book's table beside ours, and which of its claims hold here.
//!
//! The textbook's sections 6.10.6, 6.12 and 6.13.6 (E2-21). Note the two columns of times: the book's way, the whole wrapper with
//! managed memory on the host's clock; and the kernel alone, by events. Means and minima are of 100 runs on a GPU, and of a few on the
//! emulator, whose times say nothing about a GPU: there the claims are not judged.
//!
//! `cargo run --release -p warploom-gallery --example trapezoid_study [runs]` also writes `target/gallery/trapezoid.svg` and `target/gallery/trapezoid.json`.
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

mod kernels;

use std::time::Instant;

use warploom::prelude::*;
use warploom::{DeviceSlice, Event, ManagedBuffer};
use warploom_gallery::trapezoid::{Figures, Row, Times, Variant};
use warploom_gallery::{Program, Result};

use kernels::f;

const FROM: f32 = -3.0;
const TO: f32 = 3.0;
/// What is measured besides the plain loop, with threads per block: the book's rows, then ours and sizes between.
const ROWS: &[(Variant, u32)] = &[
    (Variant::OneAtomicEach, 1024),
    (Variant::Shuffles, 32),
    (Variant::SharedMemory, 32),
    (Variant::Shuffles, 1024),
    (Variant::SharedMemory, 1024),
    (Variant::OneCall, 32),
    (Variant::OneCall, 1024),
    (Variant::Shuffles, 64),
    (Variant::SharedMemory, 64),
    (Variant::Shuffles, 128),
    (Variant::SharedMemory, 128),
    (Variant::Shuffles, 256),
    (Variant::SharedMemory, 256),
    (Variant::Shuffles, 512),
    (Variant::SharedMemory, 512),
];

fn main() -> std::process::ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let n = program.sized(1 << 12, 1 << 20);
    let runs = program.argument(1, program.sized(3usize, 100))?;
    let mut rows = vec![serial(n, runs)];
    for &(variant, threads) in ROWS {
        rows.push(measured(program, variant, threads, n, runs)?);
    }
    for row in &rows {
        program.close(&row.name(), row.area, 24.0, row.variant.tolerance());
    }
    let figures = Figures::new(device, n, runs, rows);
    println!("{}", figures.text());
    program.write("trapezoid.json", &figures.json()?)?;
    program.write("trapezoid.svg", &figures.plot())
}

/// Program 6.11, on the host.
fn serial(n: u32, runs: usize) -> Row {
    let mut area = 0.0;
    let mut times = Vec::new();
    for _ in 0..runs {
        let started = Instant::now();
        let h = (TO - FROM) / std::hint::black_box(n) as f32;
        let mut sum = 0.5 * (f(FROM) + f(TO));
        for i in 1..n {
            sum += f(FROM + i as f32 * h);
        }
        area = std::hint::black_box(sum * h);
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    Row {
        variant: Variant::Serial,
        threads: 1,
        area,
        whole: Times::of(&mut times),
        kernel: None,
    }
}

fn measured(program: &Program, variant: Variant, threads: u32, n: u32, runs: usize) -> Result<Row> {
    let stream = program.device().stream()?;
    let (area, whole) = whole(program, &stream, variant, threads, n, runs)?;
    let kernel = kernel_alone(program, &stream, variant, threads, n, runs)?;
    Ok(Row {
        variant,
        threads,
        area,
        whole,
        kernel: Some(kernel),
    })
}

/// The book's way: end points, launch, waiting and the final product, on the host's clock; the sum in managed memory.
fn whole(
    program: &Program,
    stream: &Stream,
    variant: Variant,
    threads: u32,
    n: u32,
    runs: usize,
) -> Result<(f32, Times)> {
    let mut area: ManagedBuffer<f32> = program.device().managed_zeroed(1)?;
    let mut times = Vec::new();
    for run in 0..=runs {
        let started = Instant::now();
        let h = (TO - FROM) / n as f32;
        area.as_mut_slice()?[0] = 0.5 * (f(FROM) + f(TO));
        let (_, atomics) = area.as_shared_atomics()?;
        launch(stream, variant, threads, n, h, atomics)?;
        area.as_mut_slice()?[0] *= h; // waits for the kernel
        if run > 0 {
            times.push(started.elapsed().as_secs_f64() * 1e3); // the first run loads the code
        }
    }
    Ok((area.as_slice()?[0], Times::of(&mut times)))
}

/// Between events, with the sum in memory of the device: as many launches in a row as make the launch itself unimportant.
fn kernel_alone(
    program: &Program,
    stream: &Stream,
    variant: Variant,
    threads: u32,
    n: u32,
    runs: usize,
) -> Result<Times> {
    let device = program.device();
    let launches = program.sized(1, 20);
    let mut area = device.zeroed::<f32>(1)?;
    let (start, end): (Event, Event) = (device.event()?, device.event()?);
    let h = (TO - FROM) / n as f32;
    let mut times = Vec::new();
    for run in 0..=runs {
        stream.record(&start)?;
        for _ in 0..launches {
            launch(stream, variant, threads, n, h, area.as_atomic())?;
        }
        stream.record(&end)?;
        if run > 0 {
            times.push(start.elapsed_ms(&end)? / f64::from(launches));
        }
    }
    Ok(Times::of(&mut times))
}

fn launch(
    stream: &Stream,
    variant: Variant,
    threads: u32,
    n: u32,
    h: f32,
    area: DeviceSlice<'_, AtomicF32>,
) -> Result {
    let shape = Launch::new(n.div_ceil(threads), threads);
    match (variant, threads) {
        (Variant::Serial, _) => return Err("the plain loop is not launched".into()),
        (Variant::OneAtomicEach, _) => {
            kernels::one_atomic_each::launch(stream, shape, FROM, h, n, area)?;
        }
        (Variant::OneCall, _) => {
            kernels::in_one_call::launch(stream, shape, FROM, h, n, area)?;
        }
        (Variant::Shuffles, 32) => {
            kernels::warps_by_shuffles::launch(stream, shape, FROM, h, n, area)?;
        }
        (Variant::SharedMemory, 32) => {
            kernels::warps_by_memory::launch(stream, shape, FROM, h, n, area)?;
        }
        (Variant::Shuffles, _) => {
            kernels::blocks_by_shuffles::launch(stream, shape, FROM, h, n, area)?;
        }
        (Variant::SharedMemory, _) => {
            kernels::blocks_by_memory::launch(stream, shape, FROM, h, n, area)?;
        }
    }
    Ok(())
}
