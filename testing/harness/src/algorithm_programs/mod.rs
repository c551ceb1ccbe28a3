//! The programs on `warploom-algorithms` beside what they are compared with (`benches/algorithm-programs`): rows, the files of rows in
//! `benches/results/algorithm-programs`, lines of source text, `docs/generated/algorithm-programs.md`.
//!
//! Must not know: devices, how the programs are run.

mod document;
mod lines;

pub use document::document;
pub use lines::{Lines, count, lines, shared_lines};

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::results::{self, ResultsError};
use crate::statistics::summarise;

/// One case of a program at one size, beside one original.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Row {
    /// The program.
    pub program: String,
    /// Which of its inputs or types.
    pub case: String,
    /// Elements.
    pub n: u64,
    /// What the original is made with.
    pub by: String,
    /// Milliseconds of the host, as the original takes them; over the rounds.
    pub ours: Side,
    /// Milliseconds of the device between two events, of ours.
    pub device_ms: f64,
    /// Milliseconds that the original prints; over the rounds.
    pub original: Side,
    /// Runs of ours in each round, whose mean is the time of the round.
    pub runs: usize,
    /// Rounds of both sides in turn.
    pub rounds: usize,
}

/// The times of a side.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Side {
    /// The median.
    pub median: f64,
    /// Distance between the first and the third quartile, as a part of the median.
    pub spread: f64,
}

impl Side {
    /// `None` without times, or if one is no number.
    #[must_use]
    pub fn of(times: impl Iterator<Item = f64>) -> Option<Side> {
        let summary = summarise(&times.collect::<Vec<f64>>())?;
        Some(Side {
            median: summary.median,
            spread: summary.spread,
        })
    }
}

impl Row {
    /// The original's time by ours: above 1 ours is the faster one.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.original.median / self.ours.median
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:15} {:25} {:>10}   ours {:9.4} ms ± {:4.1} %, device {:9.4} ms   {:6} {:9.4} ms ± {:4.1} %   ratio {:.3}",
            self.program,
            self.case,
            self.n,
            self.ours.median,
            self.ours.spread * 100.0,
            self.device_ms,
            self.by,
            self.original.median,
            self.original.spread * 100.0,
            self.ratio(),
        )
    }
}

/// What all rows of a run have in common.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Machine {
    /// Name of the GPU.
    pub gpu: String,
    /// Version of its driver.
    pub driver: String,
    /// What compiled the originals.
    pub originals: String,
    /// Day of the measurement, `2026-01-31`.
    pub date: String,
}

/// One file of results.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Results {
    /// Where and when.
    pub machine: Machine,
    /// In the order in which they were measured.
    pub rows: Vec<Row>,
}

impl Results {
    /// Adds the rows of other programs than `programs` from the file at `path`, if it is there and of the same machine, driver, originals and day: a run of some programs leaves
    /// those of the others.
    ///
    /// # Errors
    /// [`ResultsError`] if the file is there, but cannot be read.
    pub fn keep_others(&mut self, path: &Path, programs: &[&str]) -> Result<(), ResultsError> {
        if !path.exists() {
            return Ok(());
        }
        let known: Results = results::read(path)?;
        if known.machine == self.machine {
            let others = known.rows.into_iter();
            let others = others.filter(|row| !programs.contains(&row.program.as_str()));
            self.rows.extend(others);
        }
        Ok(())
    }
}

/// Why there are no rows or lines.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramsError {
    /// A file cannot be read or written, or holds something else.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// A source file is not the one whose lines are known.
    #[error(
        "{path} has {found} lines, and {expected} in commit {commit} of HeCBench; check out that commit"
    )]
    OtherSource {
        /// The file.
        path: PathBuf,
        /// Its lines.
        found: usize,
        /// Those that it should have.
        expected: usize,
        /// Where it has them.
        commit: &'static str,
    },
    /// A list of lines is not as it should be.
    #[error(
        "line {line} of {path} is not a program with numbers of lines; `--count` writes the file anew"
    )]
    Table {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
}

#[cfg(test)]
mod tests;
