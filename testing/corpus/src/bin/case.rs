//! Runs cases of the corpus.
//!
//! ```text
//! corpus-case list                        name, class, origin, and `hangs` if the bug keeps a GPU busy for ever; `correct` for a class
//!                                         of a kernel that has no bug
//! corpus-case worked                      names of the cases that may be run while cases are written: all but the held-out half
//! corpus-case run NAME bug|twin DEVICE    one kernel; DEVICE is `cuda`, or `fast` or `checked` for the emulator
//! corpus-case report [NAME...]            cases on the checked emulator: outcomes and reports, for tests/corpus.rs
//! ```
//! `report` wants `WARPLOOM_REPORT=json:PATH`.
#![expect(clippy::print_stdout, reason = "its output is what it is for")]

use std::process::ExitCode;

use warploom::Device;
use warploom_corpus::case::{Case, Failure, Run};
use warploom_corpus::findings::Reports;
use warploom_corpus::{cases, correct, expect};
use warploom_emulator::check::Mode;
use warploom_harness::unseen::Half;
use warploom_runtime::model::Emulator;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["list"] => list(),
        ["worked"] => worked(),
        ["run", name, version @ ("bug" | "twin"), device] => {
            return run_one(name, *version == "bug", device);
        }
        ["report", names @ ..] => return report(names),
        _ => {
            println!(
                "usage: corpus-case list | worked | run NAME bug|twin cuda|fast|checked | report [NAME...]"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn list() {
    for (file, case) in cases() {
        let hangs = if case.hangs { "hangs" } else { "" };
        let class = expect::class(file, case);
        println!("{}\tWL{class:04}\t{}\t{hangs}", case.name, case.origin);
    }
    for (_, case) in correct() {
        println!("{}\tcorrect\t\t", case.name);
    }
}

fn worked() {
    let is_worked = |(_, case): &(_, &Case)| case.half() != Some(Half::HeldOut);
    for (_, case) in cases().filter(is_worked).chain(correct()) {
        println!("{}", case.name);
    }
}

fn run_one(name: &str, bug: bool, device: &str) -> ExitCode {
    let Some((_, case)) = cases().chain(correct()).find(|(_, case)| case.name == name) else {
        println!("there is no case `{name}`");
        return ExitCode::from(2);
    };
    let device = match device {
        "cuda" => Device::cuda(0),
        "fast" => Ok(Emulator::new().mode(Mode::Fast).device()),
        _ => Ok(Emulator::new().mode(Mode::Checked).device()),
    };
    match device {
        Ok(device) => {
            let (right, outcome) = outcome(case, &device, bug);
            println!("{outcome}");
            ExitCode::from(u8::from(!right))
        }
        Err(why) => {
            println!("{why}");
            ExitCode::from(2)
        }
    }
}

/// Whether the result is right, and what to say.
fn outcome(case: &Case, device: &Device, bug: bool) -> (bool, String) {
    let run = || {
        let stream = device.stream()?;
        let (device, stream) = (device, &stream);
        (case.run)(&Run {
            device,
            stream,
            bug,
        })?;
        Ok::<(), Failure>(stream.synchronize()?)
    };
    match run() {
        Ok(()) => (true, "right".to_owned()),
        Err(failure) => (false, failure.to_string()),
    }
}

/// Twins first: what they report is not hidden by what the bug reports at the same lines.
fn report(names: &[&str]) -> ExitCode {
    let Some(mut reports) = Reports::of_environment() else {
        println!("WARPLOOM_REPORT does not say json:PATH");
        return ExitCode::from(2);
    };
    let wanted = |(_, case, _): &(_, &Case, _)| names.is_empty() || names.contains(&case.name);
    let with_bug = cases().map(|(file, case)| (file, case, &[false, true][..]));
    let without = correct().map(|(file, case)| (file, case, &[false][..]));
    for (file, case, versions) in with_bug.chain(without).filter(wanted) {
        let slow = expect::class(file, case) / 100 == 5;
        for &bug in versions {
            println!("case\t{}\t{}", case.name, if bug { "bug" } else { "twin" });
            let emulator = Emulator::new().mode(Mode::Checked).lints(slow);
            let (_, outcome) = outcome(case, &emulator.device(), bug);
            for found in reports.take(file.path) {
                let lines: Vec<String> = found.lines.iter().map(u32::to_string).collect();
                let severity = if found.is_note { "note" } else { "wrong" };
                let (code, title) = (found.code, found.title);
                println!("finding\t{code}\t{severity}\t{}\t{title}", lines.join(","));
            }
            println!("outcome\t{}", outcome.lines().next().unwrap_or_default());
        }
    }
    ExitCode::SUCCESS
}
