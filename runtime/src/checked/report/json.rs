//! Findings for programs: one object per line. `docs/diagnostics.md` promises the fields.

#[cfg(not(warploom_device))]
use serde::Serialize;
use warploom_emulator::check::{Frame, Note, Report, Severity, Side};

use super::Launched;

/// The number of the form. Fields may be added under the same number, none is removed or changes its meaning.
const SCHEMA: u32 = 1;

/// A finding as one line, without its end. `launched`: the launch it is from, if it is from one.
pub(super) fn line(report: &Report, launched: Option<&Launched<'_>>, rendered: &str) -> String {
    let finding = Finding {
        schema: SCHEMA,
        code: report.code.to_string(),
        name: report.code.name(),
        severity: match report.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        title: &report.title,
        sides: report.sides.iter().map(Place::of_side).collect(),
        notes: report.notes.iter().map(LabelledText::of_note).collect(),
        count: report.count,
        kernel: known(&report.kernel),
        launch: launched.map(|launched| LaunchedAt {
            grid: launched.grid,
            block: launched.block,
            file: launched.at.file(),
            line: launched.at.line(),
            column: launched.at.column(),
            number: (launched.number > 0).then_some(launched.number),
        }),
        replay: known(&report.replay),
        rendered,
    };
    text(&finding)
}

#[cfg(not(warploom_device))]
fn text(finding: &Finding<'_>) -> String {
    // Nothing in it can fail: no maps, no types of others.
    serde_json::to_string(finding).unwrap_or_default()
}

/// Nothing is found in the device pass.
#[cfg(warploom_device)]
fn text(_: &Finding<'_>) -> String {
    String::new()
}

#[cfg_attr(not(warploom_device), derive(Serialize))]
struct Finding<'a> {
    schema: u32,
    code: String,
    name: &'a str,
    severity: &'a str,
    title: &'a str,
    sides: Vec<Place<'a>>,
    notes: Vec<LabelledText<'a>>,
    count: u64,
    kernel: Option<&'a str>,
    launch: Option<LaunchedAt<'a>>,
    replay: Option<&'a str>,
    rendered: &'a str,
}

#[cfg_attr(not(warploom_device), derive(Serialize))]
struct Place<'a> {
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    callers: Vec<Caller<'a>>,
    block: Option<[u32; 3]>,
    thread: Option<[u32; 3]>,
    warp: Option<u32>,
    lane: Option<u32>,
    did: &'a str,
}

#[cfg_attr(not(warploom_device), derive(Serialize))]
struct Caller<'a> {
    file: &'a str,
    line: Option<u32>,
    column: Option<u32>,
    function: Option<&'a str>,
}

#[cfg_attr(not(warploom_device), derive(Serialize))]
struct LabelledText<'a> {
    label: &'a str,
    text: &'a str,
}

#[cfg_attr(not(warploom_device), derive(Serialize))]
struct LaunchedAt<'a> {
    grid: [u32; 3],
    block: [u32; 3],
    file: &'a str,
    line: u32,
    column: u32,
    number: Option<u64>,
}

impl<'a> Place<'a> {
    fn of_side(side: &'a Side) -> Place<'a> {
        let (place, who) = (side.place.as_ref(), side.who);
        Place {
            file: place.and_then(|place| known(&place.file)),
            line: place.and_then(|place| number(place.line)),
            column: place.and_then(|place| number(place.column)),
            callers: side.stack.iter().map(Caller::of_frame).collect(),
            block: who.map(|who| who.block),
            thread: who.map(|who| who.thread),
            warp: who.map(|who| who.warp),
            lane: who.map(|who| who.lane),
            did: &side.did,
        }
    }
}

impl<'a> Caller<'a> {
    fn of_frame(frame: &'a Frame) -> Caller<'a> {
        Caller {
            file: &frame.file,
            line: number(frame.line),
            column: number(frame.column),
            function: known(&frame.function),
        }
    }
}

impl<'a> LabelledText<'a> {
    fn of_note(note: &'a Note) -> LabelledText<'a> {
        LabelledText {
            label: note.label,
            text: &note.text,
        }
    }
}

fn known(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

fn number(number: u32) -> Option<u32> {
    (number > 0).then_some(number)
}
