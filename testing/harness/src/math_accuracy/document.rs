//! The text of docs/generated/math.md.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Measured, Row};
use crate::record::Record;

const HEAD: &str = "\
# Mathematics: accuracy and speed

<!-- Generated from benches/results/math/ and testing/harness/src/math_accuracy/introduction.md. To write it anew:
WARPLOOM_BLESS=1 cargo test -p warploom-harness --test math_doc -->

";

/// The prose.
const INTRODUCTION: &str = include_str!("introduction.md");

/// Ratios below this are named.
const SLOW: f64 = 0.9;

/// The whole document: accuracy on each device, with the speeds of the same GPU.
#[must_use]
pub fn document(all: &[Measured], speeds: &[Vec<Record>]) -> String {
    let mut text = format!("{HEAD}{INTRODUCTION}");
    for measured in all {
        let of_device = |records: &&Vec<Record>| records.iter().all(|r| r.gpu == measured.device);
        let speeds = speeds.iter().find(of_device).map_or(&[][..], Vec::as_slice);
        section(&mut text, measured, speeds);
    }
    text
}

fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{words}"); // a string takes everything
}

fn section(text: &mut String, measured: &Measured, speeds: &[Record]) {
    let Measured {
        device,
        platform,
        date,
        ..
    } = measured;
    line(
        text,
        format_args!("\n## {device}\n\nAccuracy: {platform}, {date}."),
    );
    if let Some(first) = speeds.first() {
        summary(text, measured, first, speeds);
    }
    let has_speed = !speeds.is_empty();
    for precision in ["f32", "f64"] {
        let functions = functions(measured, precision);
        if functions.is_empty() {
            continue;
        }
        let arguments = arguments(measured, precision);
        line(
            text,
            format_args!("\n### `{precision}` on {device}\n\n{arguments}\n"),
        );
        let off_by = functions.iter().any(|row| row.off_by.is_some());
        let mut columns = vec!["function", "exact error", "bound", "at"];
        if off_by {
            columns.insert(1, "off by");
        }
        if has_speed {
            columns.push("speed");
        }
        line(
            text,
            format_args!(
                "| {} |\n|{}",
                columns.join(" | "),
                "---|".repeat(columns.len())
            ),
        );
        for row in functions {
            let mut cells = vec![format!("`{}`", row.function)];
            if off_by {
                cells.push(
                    row.off_by
                        .map_or("–".to_owned(), |floats| floats.to_string()),
                );
            }
            cells.push(format!("{:.2}", row.exact_error));
            cells.push(row.bound.to_string());
            cells.push(row.at.replace('-', if row.at == "-" { "–" } else { "-" }));
            if has_speed {
                let name = row.function.split(' ').next().unwrap_or_default();
                let speed = speeds.iter().find(|record| record.kernel == name);
                cells.push(speed.map_or("–".to_owned(), |record| format!("{:.3}", record.ratio)));
            }
            line(text, format_args!("| {} |", cells.join(" | ")));
        }
    }
}

/// The row of each function with the largest error of all kinds of arguments, by name.
fn functions(measured: &Measured, precision: &str) -> Vec<Row> {
    let rows = || {
        measured
            .rows
            .iter()
            .filter(|row| row.precision == precision)
    };
    let names: BTreeSet<&str> = rows().map(|row| row.function.as_str()).collect();
    let worst = |name: &str| {
        let all = || rows().filter(|row| row.function == name);
        let largest = all().max_by(|a, b| a.exact_error.total_cmp(&b.exact_error))?;
        Some(Row {
            off_by: all().filter_map(|row| row.off_by).max(),
            ..largest.clone()
        })
    };
    names.into_iter().filter_map(worst).collect()
}

/// How many arguments the functions were called with.
fn arguments(measured: &Measured, precision: &str) -> String {
    let counts = |pairs: bool| -> BTreeSet<u64> {
        let rows = measured.rows.iter();
        let rows = rows.filter(|row| row.precision == precision && (row.kind == "pairs") == pairs);
        rows.map(|row| row.arguments).collect()
    };
    let words = |counts: &BTreeSet<u64>| {
        let counts: Vec<String> = counts.iter().map(|count| number(*count)).collect();
        counts.join(" or ")
    };
    let (one, pairs) = (counts(false), counts(true));
    let kind = if precision == "f64" {
        "arguments of each kind"
    } else {
        "arguments"
    };
    match pairs.is_empty() {
        true => format!("{} {kind}.", words(&one)),
        false => format!(
            "{} {kind}; functions of two: {} pairs.",
            words(&one),
            words(&pairs)
        ),
    }
}

/// Powers of two as such.
fn number(count: u64) -> String {
    match count.is_power_of_two() && count >= 1 << 20 {
        true => format!("2^{}", count.trailing_zeros()),
        false => count.to_string(),
    }
}

fn summary(text: &mut String, measured: &Measured, first: &Record, speeds: &[Record]) {
    let Record {
        compiler,
        driver,
        date,
        runs,
        ..
    } = first;
    line(
        text,
        format_args!("Speed: beside {compiler}, driver {driver}, {date}, medians of {runs}."),
    );
    // A function of `f32` has CUDA's letter behind the name of one of `f64`, or is a fast form.
    let is_single = |record: &Record| {
        let double = record.kernel.strip_suffix('f');
        record.kernel.starts_with("fast_")
            || double.is_some_and(|double| speeds.iter().any(|other| other.kernel == double))
            || record.kernel == "sincospif"
    };
    let mean = |wanted: bool| {
        let ratios = speeds.iter().filter(|record| is_single(record) == wanted);
        let logarithms: Vec<f64> = ratios.map(|record| record.ratio.ln()).collect();
        let count = logarithms.len();
        let mean = (logarithms.iter().sum::<f64>() / count.max(1) as f64).exp();
        format!("{mean:.3} ({count} functions)")
    };
    let mut slow: Vec<&Record> = speeds.iter().filter(|record| record.ratio < SLOW).collect();
    slow.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    line(
        text,
        format_args!(
            "Geometric mean of the ratios: `f32` {}, `f64` {}. Below {SLOW}: {}.",
            mean(true),
            mean(false),
            list(&slow)
        ),
    );
    let (fast, exact): (Vec<&Record>, Vec<&Record>) = speeds
        .iter()
        .filter(|record| {
            let same = |row: &Row| row.function.split(' ').next() == Some(&*record.kernel);
            !measured.rows.iter().any(same)
        })
        .partition(|record| record.kernel.starts_with("fast_"));
    line(
        text,
        format_args!("\nThe fast forms, in speed: {}.", list(&fast)),
    );
    line(
        text,
        format_args!(
            "Functions without error that have no row below: {}.",
            list(&exact)
        ),
    );
}

fn list(records: &[&Record]) -> String {
    let words = records.iter().map(|record| {
        let name = record.kernel.trim_start_matches("fast_");
        format!("`{name}` {:.3}", record.ratio)
    });
    match records {
        [] => "none".to_owned(),
        _ => words.collect::<Vec<_>>().join(", "),
    }
}
