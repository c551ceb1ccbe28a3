//! What runs when: parts of an array go to the device, through a kernel and back, on one stream and on four, drawn as bars.
//!
//! Draws what EX-13 and EX-14 of the CUDA programming guide are about (more). Note the picture: on one stream everything waits for
//! everything; on four, a GPU copies in both directions while it computes. Events mark the ends of each step. The emulator does one thing
//! at a time, so that there both look alike.
//!
//! `cargo run --release -p warploom-gallery --example timeline`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::fmt::Write as _;
use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

const PARTS: usize = 8;
const STEPS: [(&str, &str); 3] = [
    ("to the device", "#4878a8"),
    ("kernel", "#d08a2e"),
    ("to the host", "#5b9a68"),
];

/// A step of a part, in milliseconds since the beginning.
struct Span {
    stream: usize,
    step: usize,
    start: f64,
    end: f64,
}

#[kernel]
fn iterate(i: Index1D, rounds: u32, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = iterated(rounds, x[i.get()]);
    }
}

fn iterated(rounds: u32, x: u32) -> u32 {
    (0..rounds).fold(x, |value, round| (value * 5 + round) % 1009)
}

/// All parts on so many streams, and what ran when.
fn through(program: &Program, streams: usize, elements: usize, rounds: u32) -> Result<Vec<Span>> {
    let device = program.device();
    let source: Vec<u32> = (0..elements).map(|i| (i % 997) as u32).collect();
    let each: Vec<u32> = (0..997).map(|x| iterated(rounds, x)).collect();
    let expected: Vec<u32> = (0..elements).map(|i| each[i % 997]).collect();
    let (host, mut lanes, mut parts) = (device.pinned_from(&source)?, Vec::new(), Vec::new());
    for _ in 0..streams {
        lanes.push(device.stream()?);
    }
    for _ in 0..PARTS {
        let events = [
            device.event()?,
            device.event()?,
            device.event()?,
            device.event()?,
        ];
        let memory = [device.zeroed::<u32>(elements)?, device.zeroed(elements)?];
        parts.push((memory, device.pinned::<u32>(elements)?, events));
    }
    let begin = device.event()?;
    lanes[0].record(&begin)?;
    for lane in &lanes[1..] {
        lane.wait(&begin)?;
    }
    for (number, ([x, y], result, marks)) in parts.iter_mut().enumerate() {
        let lane = &lanes[number % streams];
        lane.record(&marks[0])?;
        x.copy_from_pinned(0, &host, lane)?;
        lane.record(&marks[1])?;
        iterate::launch(lane, Launch::covering(elements), rounds, &*x, &mut *y)?;
        lane.record(&marks[2])?;
        y.copy_to_pinned(0, result, lane)?;
        lane.record(&marks[3])?;
    }
    let mut spans = Vec::new();
    for (number, (_, result, marks)) in parts.iter().enumerate() {
        program.equal("a part", result.as_slice()?, &expected);
        for step in 0..STEPS.len() {
            let (start, end) = (
                begin.elapsed_ms(&marks[step])?,
                begin.elapsed_ms(&marks[step + 1])?,
            );
            let stream = number % streams;
            spans.push(Span {
                stream,
                step,
                start,
                end,
            });
        }
    }
    Ok(spans)
}

/// A row of bars for each stream, below one another.
fn draw(device: &str, runs: &[Vec<Span>]) -> String {
    let total = runs
        .iter()
        .flatten()
        .map(|span| span.end)
        .fold(1e-9, f64::max);
    let mut bars = String::new();
    let mut top = 44;
    for spans in runs {
        for span in spans {
            let at = |ms: f64| 10.0 + ms / total * 780.0;
            let (name, colour) = STEPS[span.step];
            let _ = writeln!(
                bars,
                "<rect x=\"{:.2}\" y=\"{}\" width=\"{:.2}\" height=\"14\" fill=\"{colour}\"><title>{name}, {:.3} ms</title></rect>",
                at(span.start),
                top + 18 * span.stream,
                (at(span.end) - at(span.start)).max(0.5),
                span.end - span.start
            );
        }
        top += 18 * (1 + spans.iter().map(|span| span.stream).max().unwrap_or(0)) + 14;
    }
    let mut legend = format!("{device}: one stream and four, {total:.2} ms in all");
    for (name, colour) in STEPS {
        let _ = write!(legend, " <tspan fill=\"{colour}\">■ {name}</tspan>");
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"{top}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"10\" y=\"24\">{legend}</text>\n{bars}</svg>\n"
    )
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (elements, rounds) = program.sized((1000, 10), (1 << 22, 1000));
    through(program, 1, elements, rounds)?; // loads the code
    let mut runs = Vec::new();
    for streams in [1, 4] {
        let spans = through(program, streams, elements, rounds)?;
        // Of two steps, does one start before the other has ended?
        let overlap = |a: &Span, b: &Span| a.start < b.end && b.start < a.end;
        let pairs = (0..spans.len()).flat_map(|i| (0..i).map(move |k| (i, k)));
        let together = pairs
            .filter(|&(i, k)| overlap(&spans[i], &spans[k]))
            .count();
        println!("{streams} stream(s): {together} pairs of steps ran at the same time");
        if streams == 1 || program.device().is_gpu() {
            program.is("steps at the same time", together > 0, streams > 1);
        }
        let forward = spans.iter().all(|span| span.start <= span.end);
        program.holds("no step ends before it starts", forward);
        runs.push(spans);
    }
    program.write("timeline.svg", &draw(program.device().name(), &runs))
}
