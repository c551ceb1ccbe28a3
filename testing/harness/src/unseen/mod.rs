//! The corpus of kernels on which the compiler was not tuned (`benches/unseen`): which half a program is in, rows, the files of rows,
//! `docs/generated/unseen.md`.
//!
//! Must not know: devices, which programs there are.

mod document;

pub use document::{document, slow};

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::benchmark::Times;
use crate::statistics::summarise;

/// What the names of programs are hashed with. Another seed is another split: it never changes.
pub const SEED: &str = "warploom-unseen-1";

/// Whether machine code of a program may be studied.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Half {
    /// The compiler may be improved by what its kernels show.
    #[default]
    Worked,
    /// Only its times are read.
    HeldOut,
}

impl fmt::Display for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Worked => "worked",
            Self::HeldOut => "held-out",
        })
    }
}

/// The half of a program: the top bit of the 64-bit FNV-1a hash of `SEED/suite/program`, after the last three steps of MurmurHash3's mixing. 0 is
/// worked, 1 is held out.
#[must_use]
pub fn half(suite: &str, program: &str) -> Half {
    let text = format!("{SEED}/{suite}/{program}");
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    // The top bits of FNV-1a alone depend little on the last bytes.
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    if hash >> 63 == 0 {
        Half::Worked
    } else {
        Half::HeldOut
    }
}

/// One kernel, both sides.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Where the original is from.
    pub suite: String,
    /// The program of the suite.
    pub program: String,
    /// The kernel.
    pub kernel: String,
    /// The program's half.
    pub half: Half,
    /// 0: the size for the emulator; 1: the size that is timed.
    pub scale: u32,
    /// Median time of the Rust kernel in milliseconds.
    pub ours_ms: f64,
    /// Median time of the twin in milliseconds.
    pub peer_ms: f64,
    /// `peer_ms / ours_ms`: above 1 the Rust kernel is the faster one.
    pub ratio: f64,
    /// Interquartile range of ours by its median.
    pub ours_spread: f64,
    /// Interquartile range of the twin by its median.
    pub peer_spread: f64,
    /// Measured runs of each side.
    pub runs: usize,
    /// Largest error of either side against plain Rust in the same run.
    pub max_error: f64,
}

impl Row {
    /// Takes the medians and spreads.
    ///
    /// # Errors
    /// [`UnseenError::NoTimes`] if a side has no times, or one that is not a number.
    pub fn set_times(&mut self, times: &Times) -> Result<(), UnseenError> {
        let (Some(ours), Some(peer)) = (summarise(&times.ours_ms), summarise(&times.peer_ms))
        else {
            return Err(UnseenError::NoTimes {
                kernel: self.kernel.clone(),
            });
        };
        (self.ours_ms, self.ours_spread) = (ours.median, ours.spread);
        (self.peer_ms, self.peer_spread) = (peer.median, peer.spread);
        self.ratio = peer.median / ours.median;
        self.runs = times.ours_ms.len();
        Ok(())
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format!("{}/{}/{}", self.suite, self.program, self.kernel);
        write!(
            f,
            "{name:56} {:8} ours {:9.4} ms ± {:4.1} %   twin {:9.4} ms ± {:4.1} %   ratio {:.3}",
            self.half.to_string(),
            self.ours_ms,
            self.ours_spread * 100.0,
            self.peer_ms,
            self.peer_spread * 100.0,
            self.ratio
        )
    }
}

/// What all rows of a run have in common.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Name of the GPU.
    pub gpu: String,
    /// Version of its driver.
    pub driver: String,
    /// Compiler of the twins.
    pub compiler: String,
    /// Day of the measurement, `2026-01-31`.
    pub date: String,
}

/// One file of results.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// Where and when.
    pub machine: Machine,
    /// One for each kernel.
    pub rows: Vec<Row>,
}

/// Why there are no rows.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnseenError {
    /// A side has no times.
    #[error(
        "`{kernel}` was not timed on both sides: each needs at least one time, and all must be numbers"
    )]
    NoTimes {
        /// The kernel.
        kernel: String,
    },
}

/// Geometric means of all rows and of each half, in a line.
#[must_use]
pub fn summary(rows: &[Row]) -> String {
    let of = |half: Half| rows.iter().filter(move |row| row.half == half);
    let groups = [
        ("all", Group::of(rows.iter().map(|row| row.ratio))),
        ("worked", Group::of(of(Half::Worked).map(|row| row.ratio))),
        (
            "held-out",
            Group::of(of(Half::HeldOut).map(|row| row.ratio)),
        ),
    ];
    let said = groups.map(|(name, group)| match group {
        None => format!("{name}: no kernels"),
        Some(Group {
            count,
            mean,
            lowest,
            ..
        }) => format!("{name}: {count} kernels, geometric mean {mean:.3}, lowest {lowest:.3}"),
    });
    said.join("; ")
}

/// Ratios in a few numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Group {
    count: usize,
    mean: f64,
    median: f64,
    lowest: f64,
    /// How many are at 0.98 or better.
    equal: usize,
    /// How many are below 0.9.
    slow: usize,
}

impl Group {
    /// `None` without ratios, or if one is no positive number.
    fn of(ratios: impl Iterator<Item = f64>) -> Option<Self> {
        let ratios: Vec<f64> = ratios.collect();
        let usable = |ratio: &f64| *ratio > 0.0 && ratio.is_finite();
        if !ratios.iter().all(usable) {
            return None;
        }
        let median = summarise(&ratios)?.median;
        let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        Some(Self {
            count: ratios.len(),
            mean: (logarithms / ratios.len() as f64).exp(),
            median,
            lowest: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            equal: ratios.iter().filter(|ratio| **ratio >= 0.98).count(),
            slow: ratios.iter().filter(|ratio| **ratio < 0.9).count(),
        })
    }
}

#[cfg(test)]
mod tests;
