//! Copies and kernels at the same time: the same work on one stream and on several, with a picture of what ran when.
//!
//! `cargo run --release --example overlap` cuts an array into parts; each goes to the device, through a kernel and back. On one stream
//! everything waits for everything; on four, a GPU copies one part while it computes another. Events mark the ends of each step, the
//! times go to the terminal and, as bars, to `target/overlap.svg`. On the emulator, which does one thing at a time, both take as long.
#![expect(clippy::print_stdout, reason = "an example talks to its user")]

mod picture;

use std::error::Error;
use std::path::Path;

use warploom::prelude::*;
use warploom::{Event, PinnedBuffer};

use picture::{Lane, draw};

const PARTS: usize = 8;
const STEPS: [&str; 3] = ["to the device", "kernel", "to the host"];

/// One step of one part: when it started and ended, in milliseconds since the beginning.
#[derive(Clone, Copy, Debug)]
struct Span {
    part: usize,
    step: usize,
    start: f64,
    end: f64,
}

/// Steps of the logistic map: much arithmetic for each element.
#[kernel]
fn iterate(i: Index1D, rounds: u32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = iterated(rounds, x[i.get()]);
    }
}

fn iterated(rounds: u32, x: f32) -> f32 {
    let mut value = x;
    for _ in 0..rounds {
        value = 3.5 * value * (1.0 - value);
    }
    value
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::open()?;
    // About as long to compute as to copy on a large GPU; next to nothing on the emulator.
    let (elements, rounds) = if device.is_gpu() {
        (1 << 22, 4000)
    } else {
        (1 << 10, 10)
    };
    println!(
        "{}: {PARTS} parts of {elements} elements, {rounds} rounds each",
        device.name()
    );
    let host: Vec<PinnedBuffer<f32>> = (0..PARTS)
        .map(|part| device.pinned_from(&source(part, elements)))
        .collect::<Result<_, _>>()?;
    run(&device, &host, 1, rounds)?; // loads the code, and memory once touched is faster
    let mut lanes = Vec::new();
    for streams in [1, 4] {
        let (spans, total) = run(&device, &host, streams, rounds)?;
        println!("{streams} stream(s): {total:.3} ms");
        for (step, name) in STEPS.iter().enumerate() {
            let of_step = spans.iter().filter(|span| span.step == step);
            let sum: f64 = of_step.map(|span| span.end - span.start).sum();
            println!("  {name:14} {sum:8.3} ms in all");
        }
        lanes.push(Lane {
            title: format!("{streams} stream{}", if streams == 1 { "" } else { "s" }),
            total,
            spans,
        });
    }
    println!(
        "{:.2} times as fast on four streams",
        lanes[0].total / lanes[1].total
    );
    let path = Path::new("target/overlap.svg");
    std::fs::create_dir_all("target")?;
    std::fs::write(path, draw(device.name(), &lanes, &STEPS))?;
    println!("the picture is {}", path.display());
    Ok(())
}

fn source(part: usize, elements: usize) -> Vec<f32> {
    (0..elements)
        .map(|i| ((i + part) % 997) as f32 / 997.0)
        .collect()
}

/// All parts on so many streams; verifies the results. The spans, and the milliseconds from the first to the last.
fn run(
    device: &Device,
    host: &[PinnedBuffer<f32>],
    streams: usize,
    rounds: u32,
) -> Result<(Vec<Span>, f64), Box<dyn Error>> {
    let elements = host[0].len();
    let streams: Vec<Stream> = (0..streams)
        .map(|_| device.stream())
        .collect::<Result<_, _>>()?;
    let mut results = Vec::new();
    let mut device_side = Vec::new();
    for _ in 0..PARTS {
        results.push(device.pinned::<f32>(elements)?);
        device_side.push((
            device.zeroed::<f32>(elements)?,
            device.zeroed::<f32>(elements)?,
        ));
    }
    let events: Vec<Event> = (0..PARTS * (STEPS.len() + 1))
        .map(|_| device.event())
        .collect::<Result<_, _>>()?;
    let begin = device.event()?;
    streams[0].record(&begin)?;
    for stream in &streams[1..] {
        stream.wait(&begin)?;
    }
    for (part, (x, y)) in device_side.iter_mut().enumerate() {
        let stream = &streams[part % streams.len()];
        let marks = &events[part * (STEPS.len() + 1)..];
        stream.record(&marks[0])?;
        x.copy_from_pinned(0, &host[part], stream)?;
        stream.record(&marks[1])?;
        iterate::launch(stream, Launch::covering(elements), rounds, &*x, &mut *y)?;
        stream.record(&marks[2])?;
        y.copy_to_pinned(0, &mut results[part], stream)?;
        stream.record(&marks[3])?;
    }
    let mut spans = Vec::new();
    for part in 0..PARTS {
        let marks = &events[part * (STEPS.len() + 1)..];
        for step in 0..STEPS.len() {
            spans.push(Span {
                part,
                step,
                start: begin.elapsed_ms(&marks[step])?,
                end: begin.elapsed_ms(&marks[step + 1])?,
            });
        }
    }
    for (part, result) in results.iter().enumerate() {
        // All of it would take the host longer than the GPU took.
        let source = source(part, elements);
        let samples = (0..elements).step_by(elements / 64);
        for (i, got) in samples.map(|i| (i, result.as_slice().map(|all| all[i]))) {
            let (got, expected) = (got?, iterated(rounds, source[i]));
            let right = (got - expected).abs() < 1e-3; // a number that is none is not
            if !right {
                return Err(
                    format!("part {part}, element {i}: {got} instead of {expected}").into(),
                );
            }
        }
    }
    let total = spans.iter().map(|span| span.end).fold(0.0, f64::max);
    Ok((spans, total))
}
