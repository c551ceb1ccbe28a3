//! What of a profile is worth a warning, and how it is said.

mod memory; // how well lanes share memory
mod work; // lanes, barriers, atomics

use super::profile::Profile;
use super::tally::Example;
use crate::engine::warp::LANES;
use crate::finding::{Code, Note, Place, Report, Side, Who};

/// Fewer executions by warps than this are no evidence.
const LEAST_REQUESTS: u64 = 32;

/// A warning, and what it costs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub(crate) report: Report,
    /// Estimate of the cycles of one multiprocessor that a program without this would save. Comparable, not a prediction.
    pub(crate) cycles: f64,
}

/// All findings, the dearest first.
pub(crate) fn all(profile: &Profile) -> Vec<Finding> {
    let mut found = memory::uncoalesced(profile);
    found.extend(memory::scattered_fetches(profile));
    found.extend(memory::bank_conflicts(profile));
    found.extend(work::divergence(profile));
    found.extend(work::idle_lanes(profile));
    found.extend(work::redundant_barriers(profile));
    found.extend(work::contention(profile));
    found.sort_by(|a, b| b.cycles.total_cmp(&a.cycles));
    found
}

/// A warning about this place; `count`: how often it was found.
fn warning(code: Code, title: String, place: Option<&Place>, count: u64) -> Report {
    let side = place.map(|place| Side {
        place: Some(place.clone()),
        stack: vec![],
        who: None,
        did: String::new(),
    });
    Report {
        code,
        severity: code.severity(),
        title,
        sides: side.into_iter().collect(),
        notes: vec![],
        count,
        kernel: String::new(),
        launch: String::new(),
        replay: String::new(),
    }
}

fn note(label: &'static str, text: impl Into<String>) -> Note {
    Note {
        label,
        text: text.into(),
    }
}

/// A thread of the grid.
fn who(profile: &Profile, (block, warp): (u64, u32), lane: u32) -> Who {
    Who {
        block: profile.block_at(block),
        thread: profile.thread_at(warp * LANES + lane),
        warp,
        lane,
    }
}

/// The first lane of a request.
fn first_of(profile: &Profile, worst: &Example) -> Who {
    who(profile, worst.who, worst.request.mask.trailing_zeros())
}

/// `1.00` as `1`, `1.53` as `1.53`, `12.41` as `12.4`.
pub(crate) fn number(n: f64) -> String {
    let text = if n < 10.0 {
        format!("{n:.2}")
    } else {
        format!("{n:.1}")
    };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

/// `12 345 678`, with spaces that lines are not broken at.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{a0}');
        }
        text.push(digit);
    }
    text
}

/// Lanes as `0, 2, 4..=30`-like text: runs as `a-b`.
fn lane_list(mask: u32) -> String {
    let mut parts = Vec::new();
    let mut lane = 0;
    while lane < LANES {
        let run = (mask.checked_shr(lane).unwrap_or(0)).trailing_ones();
        match run {
            0 => {}
            1 => parts.push(lane.to_string()),
            _ => parts.push(format!("{lane}-{}", lane + run - 1)),
        }
        lane += run + 1;
    }
    if parts.len() > 6 {
        let last = parts.pop().unwrap_or_default();
        parts.truncate(4);
        parts.push("...".into());
        parts.push(last);
    }
    parts.join(", ")
}

fn percent(part: u64, of: u64) -> String {
    format!("{:.0} %", 100.0 * part as f64 / of.max(1) as f64)
}
