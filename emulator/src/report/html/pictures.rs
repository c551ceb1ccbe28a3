//! Small pictures: which bytes and banks the lanes of one request want.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::text::bytes;
use crate::engine::warp::LANES;
use crate::report::lints::{BANKS, Request, SECTOR_BYTES, bank, padded as padded_request, padding};

/// Pixels of one lane.
const ROW: f64 = 6.0;

const LEFT: f64 = 40.0;
const TOP: f64 = 14.0;
const WIDTH: f64 = 380.0;
const HEIGHT: f64 = TOP + ROW * LANES as f64;

/// At most so many sectors have room.
const MOST_COLUMNS: usize = 64;

/// Lanes against the sectors that they touch: what is fetched is pale, what is wanted is dark.
pub(super) fn sectors(request: &Request) -> String {
    let lowest = request.lanes().map(|(_, at)| at).min().unwrap_or(0);
    let base = lowest / SECTOR_BYTES;
    let mut columns: BTreeMap<u64, usize> = BTreeMap::new();
    for (_, at) in request.lanes() {
        let last = (at + u64::from(request.bytes.max(1)) - 1) / SECTOR_BYTES;
        for sector in (at / SECTOR_BYTES..=last).take(MOST_COLUMNS) {
            columns.insert(sector, 0);
        }
    }
    for (at, column) in columns.values_mut().enumerate() {
        *column = at;
    }
    let n_columns = columns.len().clamp(1, MOST_COLUMNS);
    let width = ((WIDTH - LEFT) / n_columns as f64).min(40.0);
    let mut out = lanes_axis();
    let shown = columns.iter().filter(|(_, column)| **column < MOST_COLUMNS);
    for (sector, column) in shown {
        let x = LEFT + width * *column as f64;
        let from = (sector - base) * SECTOR_BYTES;
        let _ = write!(
            out,
            "<rect class=\"fetched\" x=\"{:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\"><title>sector at +{from}: fetched \
             whole, {SECTOR_BYTES} bytes</title></rect>",
            x + 0.5,
            (width - 1.0).max(0.5),
            ROW * f64::from(LANES),
        );
    }
    for (lane, at) in request.lanes() {
        let end = at + u64::from(request.bytes);
        let touched = columns.range(at / SECTOR_BYTES..=end.saturating_sub(1) / SECTOR_BYTES);
        for (sector, column) in touched.filter(|(_, column)| **column < MOST_COLUMNS) {
            let start = sector * SECTOR_BYTES;
            let (from, to) = (at.max(start) - start, end.min(start + SECTOR_BYTES) - start);
            let x = LEFT + width * (*column as f64 + from as f64 / SECTOR_BYTES as f64);
            let wide = width * (to - from) as f64 / SECTOR_BYTES as f64;
            let _ = write!(
                out,
                "<rect class=\"wanted\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>lane {lane}: +{}, {} bytes</title></rect>",
                TOP + ROW * f64::from(lane) + 0.5,
                wide.max(1.6),
                ROW - 1.0,
                at - base * SECTOR_BYTES,
                request.bytes
            );
        }
    }
    // Where the first, the second and the last column begin.
    let offset = |sector: &u64| bytes((sector - base) * SECTOR_BYTES);
    let names: Vec<_> = columns.keys().take(MOST_COLUMNS).collect();
    let y = HEIGHT + 12.0;
    if let [first, .., last] = names[..] {
        let right = LEFT + width * names.len() as f64;
        let _ = write!(
            out,
            "<text x=\"{LEFT}\" y=\"{y}\">+{}</text><text x=\"{right:.1}\" y=\"{y}\" text-anchor=\"end\">+{}</text>",
            offset(first),
            offset(last)
        );
    }
    let what = if columns.len() > MOST_COLUMNS {
        format!("the first {MOST_COLUMNS} of {} sectors", columns.len())
    } else {
        format!("{} sectors of {SECTOR_BYTES} bytes", columns.len())
    };
    let middle = LEFT + width * n_columns as f64 / 2.0;
    let _ = write!(
        out,
        "<text x=\"{middle:.1}\" y=\"9\" text-anchor=\"middle\">{what}</text>"
    );
    out += &shares(request);
    svg(&out, HEIGHT + 38.0, "lanes against addresses")
}

/// How much is fetched, and how much of it is wanted, as two bars.
fn shares(request: &Request) -> String {
    let sectors = request.sectors();
    let fetched = sectors.touched * SECTOR_BYTES;
    let (y, width) = (HEIGHT + 20.0, 170.0);
    let wanted = width * sectors.wanted as f64 / fetched.max(1) as f64;
    format!(
        "<rect class=\"fetched\" x=\"{LEFT}\" y=\"{y}\" width=\"{width}\" height=\"14\"></rect>\
         <rect class=\"wanted\" x=\"{LEFT}\" y=\"{y}\" width=\"{wanted:.1}\" height=\"14\"></rect>\
         <text x=\"{:.1}\" y=\"{:.1}\">{} wanted of {} moved</text>",
        LEFT + width + 8.0,
        y + 10.5,
        bytes(sectors.wanted),
        bytes(fetched)
    )
}

/// Lanes against banks, coloured by the pass in which the bank gives the lane its word; below, the words of each bank.
pub(super) fn banks(request: &Request) -> String {
    let width = (WIDTH - LEFT) / BANKS as f64;
    let mut words: Vec<Vec<u64>> = vec![Vec::new(); BANKS];
    let mut out = lanes_axis();
    let height = ROW * f64::from(LANES);
    let _ = write!(
        out,
        "<rect class=\"box\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{height}\"></rect>",
        WIDTH - LEFT
    );
    if let Some((row, by, _)) = padding(request) {
        out += &padded(request, row, by, width);
    }
    for (lane, at) in request.lanes() {
        let last = (at + u64::from(request.bytes.max(1)) - 1) / 4;
        for word in (at / 4..=last).take(BANKS) {
            let bank = bank(word * 4);
            let known = words[bank].iter().position(|known| *known == word);
            let pass = known.unwrap_or_else(|| {
                words[bank].push(word);
                words[bank].len() - 1
            });
            let class = match pass {
                0 => "served",
                1 => "pass2",
                2..4 => "pass3",
                _ => "pass4",
            };
            let _ = write!(
                out,
                "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>lane {lane}, bank {bank}: word {} \
                 of this bank</title></rect>",
                LEFT + width * bank as f64 + 0.5,
                TOP + ROW * f64::from(lane) + 0.5,
                width - 1.0,
                ROW - 1.0,
                pass + 1
            );
        }
    }
    let most = words.iter().map(Vec::len).max().unwrap_or(1).max(1);
    let room = 30.0;
    let ground = HEIGHT + 4.0 + room;
    for (bank, words) in words
        .iter()
        .enumerate()
        .filter(|(_, words)| !words.is_empty())
    {
        let tall = room * words.len() as f64 / most as f64;
        let class = if words.len() > 1 { "short" } else { "served" };
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{tall:.1}\"><title>bank {bank}: {} words</title></rect>",
            LEFT + width * bank as f64 + 0.5,
            ground - tall,
            width - 1.0,
            words.len()
        );
    }
    let _ = write!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{most}</text>\
         <line class=\"axis\" x1=\"{LEFT}\" y1=\"{ground:.1}\" x2=\"{WIDTH}\" y2=\"{ground:.1}\"></line>\
         <text x=\"{LEFT}\" y=\"{y:.1}\">bank 0</text><text x=\"{WIDTH}\" y=\"{y:.1}\" text-anchor=\"end\">31</text>\
         <text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">words per bank, one per pass</text>",
        LEFT - 4.0,
        HEIGHT + 12.0,
        f64::midpoint(LEFT, WIDTH),
        y = ground + 11.0,
    );
    let middle = f64::midpoint(LEFT, WIDTH);
    let _ = write!(
        out,
        "<text x=\"{middle:.1}\" y=\"9\" text-anchor=\"middle\">{BANKS} banks of 4 bytes</text>"
    );
    svg(&out, ground + 15.0, "lanes against banks")
}

/// Where the lanes would be with rows of `by` more elements.
fn padded(request: &Request, row: u64, by: u64, width: f64) -> String {
    let mut out = String::new();
    for (lane, at) in padded_request(request, row, by).lanes() {
        for word in at / 4..=(at + u64::from(request.bytes) - 1) / 4 {
            let _ = write!(
                out,
                "<rect class=\"pale\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>lane {lane}, with rows of {} \
                 elements</title></rect>",
                LEFT + width * bank(word * 4) as f64 + 0.5,
                TOP + ROW * f64::from(lane) + 0.5,
                width - 1.0,
                ROW - 1.0,
                row + by
            );
        }
    }
    let (first, last) = (row + by, row);
    let _ = write!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">pale: with rows of {first} instead of {last} elements</text>",
        WIDTH - 6.0,
        TOP + 14.0
    );
    out
}

fn lanes_axis() -> String {
    let mut out = String::new();
    for lane in [0, 8, 16, 24, LANES - 1] {
        let name = if lane == 0 {
            "lane\u{a0}0".to_owned()
        } else {
            lane.to_string()
        };
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
            LEFT - 5.0,
            TOP + ROW * (f64::from(lane) + 0.5) + 3.5
        );
    }
    out
}

pub(super) fn svg(content: &str, height: f64, label: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {height:.1}\" role=\"img\" aria-label=\"{label}\">{content}</svg>"
    )
}
