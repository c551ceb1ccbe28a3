//! What barriers and warp operations that went wrong are reported as: class, both lines, words.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the body of a kernel is one sequence of intrinsics with one reason"
)]
#![expect(
    clippy::panic,
    reason = "helpers of tests stand outside of #[test] functions"
)]

mod barriers;
mod memory;
#[path = "../named/mod.rs"]
mod named; // barriers by number
mod outside;
mod warps;

use warploom_emulator::check::{Code, Options, Report};
use warploom_emulator::{Outcome, Shape, Together, run_with};

fn outcome(shape: Shape, program: &(dyn Fn() + Sync)) -> Outcome {
    run_with(shape, Together::default(), &Options::default(), program)
}

/// The only finding of a run of one block of so many threads.
#[track_caller]
fn only(threads: u32, program: impl Fn() + Sync) -> Report {
    let outcome = outcome(Shape::new([1, 1, 1], [threads, 1, 1]), &program);
    one(outcome)
}

#[track_caller]
fn one(outcome: Outcome) -> Report {
    let [report] = &outcome.reports[..] else {
        panic!("not one report: {:#?}", outcome.reports)
    };
    report.clone()
}

/// Its class and the lines of its sides.
fn lines(report: &Report) -> (Code, Vec<u32>) {
    let line =
        |side: &warploom_emulator::check::Side| side.place.as_ref().map_or(0, |place| place.line);
    (report.code, report.sides.iter().map(line).collect())
}

fn notes(report: &Report) -> String {
    let texts: Vec<_> = report.notes.iter().map(|note| note.text.as_str()).collect();
    texts.join("\n")
}

#[track_caller]
fn expect(text: &str, part: &str) {
    assert!(
        text.contains(part),
        "{text}\nwhere this was expected:\n{part}"
    );
}
