//! The source, line by line, with what was counted there and the findings.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::text::{bytes, escape, rust, short};
use super::{Entry, finding, grouped, number};
use crate::engine::warp::LANES;
use crate::report::lints::{Column, LineProfile, Profile};
use crate::source::Sources;

/// Lines shown before and after those that have counts.
const AROUND: u32 = 4;

/// A gap of fewer lines is shown.
const LEAST_GAP: u32 = 6;

/// All files that have counts or findings.
pub(super) fn files(profile: &Profile, entries: &[Entry<'_>], sources: &Sources) -> String {
    let mut files: BTreeMap<&str, BTreeMap<u32, Option<&LineProfile>>> = BTreeMap::new();
    for line in &profile.lines {
        files
            .entry(&line.file)
            .or_default()
            .insert(line.line, Some(line));
    }
    for entry in entries {
        if let Some(place) = entry.place() {
            let lines = files.entry(&place.file).or_default();
            lines.entry(place.line).or_insert(None);
        }
    }
    let shown = files.iter().filter(|(file, _)| !file.is_empty());
    let sections = shown.map(|(file, lines)| {
        let text = sources.text(file);
        section(file, lines, entries, text.as_deref(), &Most::of(profile))
    });
    sections.collect()
}

/// The greatest values of all lines.
struct Most {
    executions: u64,
    bytes: u64,
}

impl Most {
    fn of(profile: &Profile) -> Self {
        let most =
            |of: fn(&LineProfile) -> u64| profile.lines.iter().map(of).max().unwrap_or(0).max(1);
        Self {
            executions: most(|line| line.executions),
            bytes: most(|line| line.bytes),
        }
    }
}

const EMPTY: &str = "<td class=\"cell\"></td>";

fn section(
    file: &str,
    counted: &BTreeMap<u32, Option<&LineProfile>>,
    entries: &[Entry<'_>],
    text: Option<&str>,
    most: &Most,
) -> String {
    let text: Vec<&str> = text.map(|text| text.lines().collect()).unwrap_or_default();
    let mut out = format!("<section class=\"source\"><h2>{}</h2>", escape(file));
    if text.is_empty() {
        out.push_str("<p class=\"small\">The file cannot be read; its lines are shown without their text.</p>");
    }
    out.push_str(
        "<table><thead><tr><th></th><th>executions</th><th>sectors per<br/>request</th><th>conflict<br/>ways</th>\
         <th>active<br/>lanes</th><th>bytes</th><th></th></tr></thead><tbody>",
    );
    let mut next = 1;
    for number in shown(counted, text.len() as u32) {
        if number > next && next > 1 {
            let left_out = number - next;
            let s = if left_out == 1 { "" } else { "s" };
            let _ = write!(
                out,
                "<tr class=\"gap\"><td colspan=\"7\">{left_out} line{s} without counts</td></tr>"
            );
        }
        next = number + 1;
        let here: Vec<_> = entries
            .iter()
            .filter(|entry| entry.is_at(file, number))
            .collect();
        let text = text.get(number as usize - 1).copied().unwrap_or("");
        let line = counted.get(&number).copied().flatten();
        let class = match (line, here.is_empty()) {
            (_, false) => "found",
            (Some(_), true) => "counted",
            (None, true) => "quiet",
        };
        let _ = write!(
            out,
            "<tr class=\"{class}\" id=\"{}\"><td class=\"line\">{number}</td>{}<td class=\"text\">{}</td></tr>",
            anchor(file, number),
            cells(line, most),
            rust(text)
        );
        for entry in here {
            let _ = write!(
                out,
                "<tr class=\"finding {}\" id=\"finding-{}\"><td class=\"line\"></td>{EMPTY}{EMPTY}{EMPTY}{EMPTY}{EMPTY}<td class=\"text\">{}</td></tr>",
                entry.class(),
                entry.number,
                finding(entry, entry.number == 0)
            );
        }
    }
    out.push_str("</tbody></table></section>");
    out
}

/// The name of a line within the page.
pub(super) fn anchor(file: &str, line: u32) -> String {
    let name: String = file
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    format!("line-{name}-{line}")
}

/// The lines to show: those with counts and some around them.
fn shown(counted: &BTreeMap<u32, Option<&LineProfile>>, n_lines: u32) -> Vec<u32> {
    let mut lines: Vec<u32> = Vec::new();
    let last_line = n_lines.max(counted.keys().next_back().copied().unwrap_or(0));
    for line in counted.keys().filter(|line| **line > 0) {
        let from = line.saturating_sub(AROUND).max(1);
        let after = lines.last().map_or(from, |last| last + 1);
        let from = if from <= after + LEAST_GAP {
            after
        } else {
            from
        };
        let from = if after <= LEAST_GAP {
            from.min(after)
        } else {
            from
        };
        lines.extend(from.max(after)..=(line + AROUND).min(last_line));
    }
    if n_lines == 0 {
        lines.retain(|line| counted.contains_key(line));
    }
    lines
}

fn cells(line: Option<&LineProfile>, most: &Most) -> String {
    let Some(line) = line else {
        return EMPTY.repeat(5);
    };
    let mut out = String::new();
    out += &match line.executions {
        0 => empty(),
        n => cell(
            &short(n),
            n as f64 / most.executions as f64,
            "",
            &format!(
                "{} executions by single lanes; {} requests of warps",
                grouped(n),
                grouped(line.requests)
            ),
        ),
    };
    out += &sectors(line);
    out += &passes(line);
    out += &match (line.barriers.of, line.lanes.of) {
        (0, 0) => empty(),
        (0, _) => lanes(line),
        _ => barrier(line),
    };
    out += &match line.bytes {
        0 => empty(),
        n => cell(
            &bytes(n),
            n as f64 / most.bytes as f64,
            "",
            &format!("{} bytes that lanes asked for", grouped(n)),
        ),
    };
    out
}

fn sectors(line: &LineProfile) -> String {
    let Some(per_request) = line.sectors.ratio() else {
        return empty();
    };
    let ideal = line.ideal_sectors as f64 / line.sectors.of as f64;
    let tip = format!(
        "{} sectors of 32 bytes per request; {} would do ({:.0} % efficient); {} requests",
        number(per_request),
        number(ideal),
        100.0 * ideal / per_request,
        grouped(line.sectors.of)
    );
    cell(
        &number(per_request),
        per_request / 32.0,
        heat(per_request / ideal),
        &tip,
    )
}

fn passes(line: &LineProfile) -> String {
    let Some(ways) = line.passes.ratio() else {
        return empty();
    };
    let tip = format!(
        "{} passes where {} would do; worst request: {}-way",
        grouped(line.passes.sum),
        grouped(line.passes.of),
        line.ways
    );
    cell(&number(ways), ways / 32.0, heat(ways), &tip)
}

fn lanes(line: &LineProfile) -> String {
    let Column { sum, of } = line.lanes;
    let active = sum as f64 / line.requests as f64;
    let tip = format!(
        "on average {} lanes take part, of {} that are there",
        number(active),
        number(of as f64 / line.requests as f64)
    );
    // Lanes that do not exist are not this line's fault.
    let heat = match sum as f64 / of as f64 {
        0.95.. => "",
        0.75.. => "heat1",
        0.5.. => "heat2",
        _ => "heat3",
    };
    cell(&number(active), active / f64::from(LANES), heat, &tip)
}

/// A line that has a barrier.
fn barrier(line: &LineProfile) -> String {
    let Column { sum, of } = line.barriers;
    let heat = if sum == 0 { "heat2" } else { "" };
    let tip = format!(
        "{} times through this barrier, needed {} times at least",
        grouped(of),
        grouped(sum)
    );
    cell("barrier", 1.0, heat, &tip)
}

fn heat(ratio: f64) -> &'static str {
    match ratio {
        ..=1.26 => "",
        ..=2.0 => "heat1",
        ..=4.0 => "heat2",
        _ => "heat3",
    }
}

fn cell(text: &str, share: f64, heat: &str, tip: &str) -> String {
    format!(
        "<td class=\"cell {heat}\" title=\"{}\"><i style=\"width:{:.1}%\"></i><b>{text}</b></td>",
        escape(tip),
        100.0 * share.clamp(0.02, 1.0)
    )
}

fn empty() -> String {
    EMPTY.into()
}
