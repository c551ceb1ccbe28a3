//! Bars of all variants on a logarithmic axis, as SVG: the book's two GPUs beside ours.

use std::fmt::Write as _;

use super::page::{BOOK, ms as digits};
use super::{Figures, Row};

const WIDTH: f64 = 900.0;
const LEFT: f64 = 210.0;
const RIGHT: f64 = 70.0;
const BAR: f64 = 10.0;
const TOP: f64 = 70.0;
/// Decades of milliseconds on the axis: from 10 to the power of the first to that of the second.
const DECADES: (i32, i32) = (-3, 2);
/// What the bars of a row stand for.
const SERIES: [(&str, &str); 4] = [
    ("GK20A, or its host (the book)", "#b9c4cf"),
    ("Titan X, or its host (the book)", "#8195ab"),
    ("ours, the whole", "#d08a2e"),
    ("ours, the kernel", "#5b9a68"),
];

/// Where a time lies on the axis.
fn x(ms: f64) -> f64 {
    let (first, last) = (f64::from(DECADES.0), f64::from(DECADES.1));
    let part = (ms.log10() - first) / (last - first);
    LEFT + part.clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
}

impl Figures {
    /// The means as bars, a group for each row.
    #[must_use]
    pub fn plot(&self) -> String {
        let groups: Vec<(String, Vec<(usize, f64)>)> = self.rows.iter().map(bars).collect();
        let bars: usize = groups.iter().map(|(_, bars)| bars.len()).sum();
        let height = TOP + bars as f64 * BAR + groups.len() as f64 * 8.0 + 20.0;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"10\" y=\"20\" font-size=\"13\">Trapezoidal rule, {} trapezoids, {}: mean times</text>\n",
            self.trapezoids, self.device
        );
        for (number, (name, colour)) in SERIES.iter().enumerate() {
            let left = 10.0 + 200.0 * number as f64;
            let _ = writeln!(
                svg,
                "<rect x=\"{left}\" y=\"30\" width=\"12\" height=\"10\" fill=\"{colour}\"/><text x=\"{}\" y=\"39\">{name}</text>",
                left + 17.0
            );
        }
        for decade in DECADES.0..=DECADES.1 {
            let ms = 10f64.powi(decade);
            let at = x(ms);
            let _ = writeln!(
                svg,
                "<line x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{}\" stroke=\"#ddd\"/><text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{ms} ms</text>",
                height - 15.0,
                TOP - 6.0
            );
        }
        let mut y = TOP + 4.0;
        for (name, bars) in &groups {
            let middle = y + BAR * bars.len() as f64 / 2.0 + 4.0;
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{middle:.1}\" text-anchor=\"end\">{name}</text>",
                LEFT - 8.0
            );
            for (series, ms) in bars {
                let (end, colour) = (x(*ms), SERIES[*series].1);
                let _ = writeln!(
                    svg,
                    "<rect x=\"{LEFT}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{}\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"{:.1}\" font-size=\"9\">{}</text>",
                    end - LEFT,
                    BAR - 1.0,
                    end + 4.0,
                    y + 8.0,
                    digits(*ms)
                );
                y += BAR;
            }
            y += 8.0;
        }
        svg + "</svg>\n"
    }
}

/// A row's name and its bars: number of the series, milliseconds.
fn bars(row: &Row) -> (String, Vec<(usize, f64)>) {
    let mut bars = Vec::new();
    let book = BOOK
        .iter()
        .find(|(variant, threads, ..)| (*variant, *threads) == (row.variant, row.threads));
    if let Some((.., small, large)) = book {
        bars.extend([(0, *small), (1, *large)]);
    }
    bars.push((2, row.whole.mean_ms));
    bars.extend(row.kernel.iter().map(|times| (3, times.mean_ms)));
    (row.name(), bars)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_lie_equally_far_apart() {
        let step = x(1.0) - x(0.1);
        assert!((x(10.0) - x(1.0) - step).abs() < 1e-9);
        assert_eq!((x(0.001), x(100.0)), (LEFT, WIDTH - RIGHT));
    }
}
