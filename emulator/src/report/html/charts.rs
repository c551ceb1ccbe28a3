//! Small charts: how many lanes take part, what the first block did between its barriers.

use std::fmt::Write;

use super::pictures::svg;
use super::{grouped, number, text::short};
use crate::engine::warp::LANES;
use crate::report::lints::{Profile, place_of};
use crate::site::SiteId;

const LEFT: f64 = 40.0;
const WIDTH: f64 = 380.0;

/// At most so many intervals have room.
const MOST_INTERVALS: usize = 48;

/// Executions by warps, by how many lanes took part.
pub(super) fn active_lanes(profile: &Profile) -> String {
    let active = profile.active();
    let all: u64 = active.iter().sum();
    let most = active.iter().copied().max().unwrap_or(1).max(1);
    let (top, room) = (14.0, 150.0);
    let ground = top + room;
    let width = (WIDTH - LEFT) / f64::from(LANES);
    let mut out = String::new();
    for (share, name) in [(1.0, 1.0), (0.5, 0.5)] {
        let y = ground - room * share;
        let value = 100.0 * name * most as f64 / all.max(1) as f64;
        let _ = write!(
            out,
            "<line class=\"axis\" x1=\"{LEFT}\" y1=\"{y}\" x2=\"{WIDTH}\" y2=\"{y}\"></line>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{} %</text>",
            LEFT - 5.0,
            y + 3.5,
            number(value)
        );
    }
    for (lanes, n) in active.iter().enumerate().skip(1) {
        let tall = room * *n as f64 / most as f64;
        let tall = if *n > 0 { tall.max(1.5) } else { 0.0 };
        let class = if lanes == LANES as usize {
            "full"
        } else {
            "short"
        };
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{tall:.1}\"><title>{lanes} lane{}: {} of {} \
             executions</title></rect>",
            LEFT + width * (lanes - 1) as f64 + 1.0,
            ground - tall,
            width - 2.0,
            if lanes == 1 { "" } else { "s" },
            grouped(*n),
            grouped(all)
        );
    }
    let _ = write!(
        out,
        "<line class=\"order\" x1=\"{LEFT}\" y1=\"{ground}\" x2=\"{WIDTH}\" y2=\"{ground}\"></line>"
    );
    for lanes in [1, 8, 16, 24, 32] {
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{lanes}</text>",
            LEFT + width * (f64::from(lanes) - 0.5),
            ground + 12.0
        );
    }
    svg(&out, ground + 16.0, "executions by number of active lanes")
}

/// Warps of the first block against its intervals: the darker, the more accesses.
pub(super) fn timeline(profile: &Profile) -> String {
    let intervals = &profile.first[..profile.first.len().min(MOST_INTERVALS)];
    let n_warps = intervals
        .first()
        .map_or(1, |interval| interval.accesses.len())
        .max(1);
    let most = intervals
        .iter()
        .flat_map(|interval| &interval.accesses)
        .max();
    let most = most.copied().unwrap_or(1).max(1);
    let (top, room) = (22.0, 150.0);
    let row = (room / n_warps as f64).min(22.0);
    let room = row * n_warps as f64;
    let width = (WIDTH - LEFT) / intervals.len().max(1) as f64;
    let mut out = String::new();
    let mut labelled = 0.0;
    for (at, interval) in intervals.iter().enumerate() {
        let x = LEFT + width * at as f64;
        for (warp, n) in interval.accesses.iter().enumerate() {
            let shade = if *n == 0 {
                0.0
            } else {
                0.12 + 0.88 * *n as f64 / most as f64
            };
            let _ = write!(
                out,
                "<rect class=\"full\" fill-opacity=\"{shade:.2}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>warp {warp}, \
                 interval {at}: {} accesses</title></rect>",
                x + 1.5,
                top + row * warp as f64 + 0.5,
                (width - 3.0).max(0.8),
                (row - 1.0).max(0.5),
                grouped(*n)
            );
        }
        let Some(site) = interval.until else { continue };
        let (name, useless) = barrier(profile, site);
        let x = x + width;
        let class = if useless { "useless" } else { "order" };
        let _ = write!(
            out,
            "<line class=\"{class}\" x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{:.1}\"><title>barrier in line {name}{}</title></line>",
            top - 6.0,
            top + room + 2.0,
            if useless { ": orders nothing" } else { "" }
        );
        if x - labelled > 22.0 {
            let _ = write!(
                out,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
                top - 9.0
            );
            labelled = x;
        }
    }
    out += &warps_axis(n_warps, top, row);
    let shown = match profile.first.len() {
        n if n > MOST_INTERVALS => format!("the first {MOST_INTERVALS} of {n} intervals or more"),
        1 => "1 interval".into(),
        n => format!("{n} intervals"),
    };
    let y = top + room + 14.0;
    let _ = write!(
        out,
        "<text x=\"{LEFT}\" y=\"{y:.1}\">{shown}</text>\
         <text x=\"{WIDTH}\" y=\"{y:.1}\" text-anchor=\"end\">full colour: {} accesses</text>",
        short(most)
    );
    svg(&out, y + 4.0, "warps against barrier intervals")
}

fn warps_axis(n_warps: usize, top: f64, row: f64) -> String {
    let mut out = String::new();
    for warp in [0, n_warps - 1] {
        let name = if warp == 0 {
            "warp\u{a0}0".to_owned()
        } else {
            warp.to_string()
        };
        let y = top + row * (warp as f64 + 0.5) + 3.5;
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{name}</text>",
            LEFT - 4.0
        );
        if n_warps == 1 {
            break;
        }
    }
    out
}

/// The line of a barrier, and whether it ordered nothing in the whole launch.
fn barrier(profile: &Profile, site: SiteId) -> (u32, bool) {
    let place = place_of(site);
    let known = profile
        .barriers
        .iter()
        .find(|barrier| barrier.place == place);
    (
        place.line,
        known.is_some_and(|barrier| barrier.counts.needed == 0),
    )
}
