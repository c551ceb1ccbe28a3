//! Bars over time, as SVG.

use std::fmt::Write as _;

use super::Span;

/// One run.
pub(crate) struct Lane {
    pub(crate) title: String,
    /// Milliseconds.
    pub(crate) total: f64,
    pub(crate) spans: Vec<Span>,
}

const WIDTH: f64 = 900.0;
const LEFT: f64 = 90.0;
const ROW: f64 = 16.0;
const COLOURS: [&str; 3] = ["#4878a8", "#d08a2e", "#5b9a68"];

/// A row for each step of each run, with a bar for each part; all runs on one scale.
pub(crate) fn draw(device: &str, lanes: &[Lane], steps: &[&str]) -> String {
    let longest = lanes
        .iter()
        .map(|lane| lane.total)
        .fold(f64::MIN_POSITIVE, f64::max);
    let x = |ms: f64| LEFT + ms / longest * (WIDTH - LEFT - 20.0);
    let block = 34.0 + steps.len() as f64 * ROW;
    let height = 60.0 + block * lanes.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"10\" y=\"20\" font-size=\"13\">{device}</text>\n"
    );
    for (number, lane) in lanes.iter().enumerate() {
        let top = 40.0 + block * number as f64;
        let _ = writeln!(
            svg,
            "<text x=\"10\" y=\"{top}\" font-weight=\"bold\">{}: {:.2} ms</text>",
            lane.title, lane.total
        );
        for (step, name) in steps.iter().enumerate() {
            let y = top + 18.0 + step as f64 * ROW;
            let _ = writeln!(svg, "<text x=\"10\" y=\"{y}\">{name}</text>");
        }
        for span in &lane.spans {
            let y = top + 8.0 + span.step as f64 * ROW;
            let (from, to) = (x(span.start), x(span.end));
            let _ = writeln!(
                svg,
                "<rect x=\"{from:.2}\" y=\"{y}\" width=\"{:.2}\" height=\"12\" fill=\"{}\" stroke=\"white\" stroke-width=\"0.5\"><title>part {}: {:.3} to {:.3} ms</title></rect>",
                (to - from).max(0.5),
                COLOURS[span.step % COLOURS.len()],
                span.part,
                span.start,
                span.end
            );
        }
    }
    svg + "</svg>\n"
}
