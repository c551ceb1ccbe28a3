//! How fast the emulator is: the lines that engines write, the rows that become of them, and the document.
//!
//! An engine is what runs the kernels: the emulator with and without checks, plain loops, other simulators. Each appends [`Line`]s to
//! a file; [`Results::of`] pools them; [`document`] writes `docs/generated/emulator-speed.md`.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::results::{ResultsError, files, in_file, in_format, read_text};
use crate::statistics::summarise;

mod document; // the text
mod shows; // what is claimed, and what was expected

pub use document::document;

/// One line of an engine's file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Line {
    /// Times of one kernel.
    Sample(Sample),
    /// Why there are none.
    Missing(Missing),
}

/// Times of one kernel in one process.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Name of the kernel.
    pub kernel: String,
    /// Who ran it.
    pub engine: String,
    /// Which version of the engine; empty if it is this repository's.
    pub version: String,
    /// How many cores it had.
    pub cores: usize,
    /// Blocks of the grid.
    pub blocks: usize,
    /// Threads of the grid.
    pub threads: usize,
    /// Barriers or shuffles of each thread.
    pub events: usize,
    /// [`check_sum`] of what the first launch gave.
    pub check: u32,
    /// Nanoseconds of each launch, from the call to its end.
    pub ns: Vec<f64>,
    /// The memory of the process before the first launch, in KiB; 0: unknown.
    pub before_kib: u64,
    /// The most memory during the first launch.
    pub peak_kib: u64,
}

/// An engine that could not be measured.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// Which one.
    pub engine: String,
    /// Why, in one sentence.
    pub why: String,
}

/// Where the times were taken.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// What the system calls the processor.
    pub processor: String,
    /// How many cores there are.
    pub cores: usize,
    /// What compiled this repository's engines.
    pub compiler: String,
    /// Processes that wanted to run when the measurement began, on average over a minute; empty: unknown.
    pub load: String,
    /// Day of the measurement, `2026-01-31`.
    pub date: String,
}

/// All times of one kernel by one engine on so many cores.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Name of the kernel.
    pub kernel: String,
    /// Who ran it.
    pub engine: String,
    /// Which version of the engine; empty if it is this repository's.
    pub version: String,
    /// How many cores it had.
    pub cores: usize,
    /// Threads of the grid.
    pub threads: usize,
    /// Barriers or shuffles of each thread.
    pub events: usize,
    /// Measured launches.
    pub runs: usize,
    /// Median time of a launch in nanoseconds.
    pub median_ns: f64,
    /// Shortest time of a launch in nanoseconds.
    pub best_ns: f64,
    /// Interquartile range by the median.
    pub spread: f64,
    /// The most memory during the first launch in a process that ran nothing but this kernel, in KiB; `None`: there was no such process.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub peak_kib: Option<u64>,
    /// The memory before this launch.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before_kib: Option<u64>,
}

/// One measurement of everything on one machine.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// The machine.
    pub machine: Machine,
    /// In the order in which kernels and engines were first met.
    pub rows: Vec<Row>,
    /// Engines that could not be measured.
    pub missing: Vec<Missing>,
}

impl Sample {
    /// Median and shortest time in nanoseconds.
    #[must_use]
    pub fn median_and_best(&self) -> Option<(f64, f64)> {
        Some((summarise(&self.ns)?.median, best(&self.ns)))
    }
}

impl Row {
    /// Median nanoseconds per thread.
    #[must_use]
    pub fn per_thread(&self) -> f64 {
        self.median_ns / self.threads as f64
    }

    /// Median nanoseconds per thread and barrier, or per thread and shuffle; per thread where there are none.
    #[must_use]
    pub fn per_event(&self) -> f64 {
        self.per_thread() / self.events.max(1) as f64
    }
}

/// The name of the file whose samples tell about memory, without the extension: its processes ran one kernel each.
const MEMORY: &str = "memory";

impl Results {
    /// Pools the times of equal kernel, engine, cores and size. Of the samples of a file `memory.jsonl` only the memory counts.
    #[must_use]
    pub fn of(machine: Machine, lines: &[(String, Line)]) -> Self {
        let (mut pooled, mut missing): (Vec<Sample>, Vec<Missing>) = (Vec::new(), Vec::new());
        let alike = |a: &Sample, b: &Sample| {
            (&a.kernel, &a.engine, a.cores, a.threads) == (&b.kernel, &b.engine, b.cores, b.threads)
        };
        for (_, line) in lines.iter().filter(|(file, _)| file != MEMORY) {
            match line {
                Line::Missing(entry) if missing.contains(entry) => {}
                Line::Missing(entry) => missing.push(entry.clone()),
                Line::Sample(sample) => {
                    match pooled.iter_mut().find(|known| alike(known, sample)) {
                        Some(known) => known.ns.extend_from_slice(&sample.ns),
                        None => pooled.push(sample.clone()),
                    }
                }
            }
        }
        let alone = |wanted: &Sample| {
            lines.iter().find_map(|(file, line)| match line {
                Line::Sample(sample) if file == MEMORY && alike(sample, wanted) => Some(sample),
                _ => None,
            })
        };
        let rows = pooled.iter().filter_map(|sample| {
            let summary = summarise(&sample.ns)?;
            let memory = alone(sample);
            Some(Row {
                kernel: sample.kernel.clone(),
                engine: sample.engine.clone(),
                version: sample.version.clone(),
                cores: sample.cores,
                threads: sample.threads,
                events: sample.events,
                runs: sample.ns.len(),
                median_ns: summary.median,
                best_ns: best(&sample.ns),
                spread: summary.spread,
                peak_kib: memory.map(|sample| sample.peak_kib),
                before_kib: memory.map(|sample| sample.before_kib),
            })
        });
        Self {
            rows: rows.collect(),
            machine,
            missing,
        }
    }

    /// The row of a kernel.
    #[must_use]
    pub fn row(&self, kernel: &str, engine: &str, cores: usize) -> Option<&Row> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.kernel == kernel && row.engine == engine && row.cores == cores)
    }
}

fn best(ns: &[f64]) -> f64 {
    ns.iter().copied().fold(f64::INFINITY, f64::min)
}

/// A number that differs where results do: each word times its place, from one, in 32 bits. Every engine computes it.
///
/// ```
/// use warploom_harness::emulator_speed::check_sum;
/// assert_eq!(check_sum(&[5, 7]), 5 + 7 * 2);
/// assert_ne!(check_sum(&[5, 7]), check_sum(&[7, 5]));
/// ```
#[must_use]
pub fn check_sum(words: &[u32]) -> u32 {
    let products = words
        .iter()
        .zip(1u32..)
        .map(|(word, place)| word.wrapping_mul(place));
    products.fold(0, u32::wrapping_add)
}

/// Appends a line to a file.
///
/// # Errors
/// [`ResultsError::File`] if the file cannot be written.
pub fn append(path: &Path, line: &Line) -> Result<(), ResultsError> {
    let text = serde_json::to_string(line).map_err(in_format(path))?;
    let file = fs::OpenOptions::new().append(true).create(true).open(path);
    let written = file.and_then(|mut file| writeln!(file, "{text}"));
    written.map_err(in_file(path))
}

/// All lines of all `*.jsonl` in a folder, each with the name of its file without the extension; files in the order of their names.
///
/// # Errors
/// [`ResultsError`] names the first file that is not what it should be.
pub fn read_lines(folder: &Path) -> Result<Vec<(String, Line)>, ResultsError> {
    let mut lines = Vec::new();
    for path in files(folder, "jsonl")? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = read_text(&path)?;
        for line in text.lines().filter(|line| !line.is_empty()) {
            let line = serde_json::from_str(line).map_err(in_format(&path))?;
            lines.push((name.clone().into_owned(), line));
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests;
