//! The figures of `trapezoid_study`: as a file, as text beside the book's table, as a plot, and what they say of the book's claims.
//!
//! `docs/generated/trapezoid.md` is made of the files in `benches/results/trapezoid/` by `gallery/tests/trapezoid_doc.rs`.

mod claims; // what the book says of its times
mod page; // docs/generated/trapezoid.md, and the text of the terminal
mod plot; // bars on a logarithmic axis

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use warploom::Device;

pub use claims::{Claim, claims};
pub use page::{file_name, page};

use crate::program::Result;

/// How the sum is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// A loop on the host.
    Serial,
    /// Every thread adds to the one sum.
    OneAtomicEach,
    /// Warps, and then blocks, add up by shuffles.
    Shuffles,
    /// Warps, and then blocks, add up through shared memory.
    SharedMemory,
    /// Blocks add up by `block.reduce_sum`, which the book does not have.
    OneCall,
}

impl Variant {
    /// How far the area may be from 24, relatively: the fewer additions one after the other, the better.
    #[must_use]
    pub fn tolerance(self) -> f64 {
        match self {
            Variant::Serial | Variant::OneAtomicEach => 1e-3,
            Variant::Shuffles | Variant::SharedMemory | Variant::OneCall => 1e-5,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Variant::Serial => "plain loop",
            Variant::OneAtomicEach => "one atomic per thread",
            Variant::Shuffles => "shuffles",
            Variant::SharedMemory => "shared memory",
            Variant::OneCall => "block.reduce_sum",
        }
    }
}

/// Times of many runs, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// The shortest.
    pub min_ms: f64,
    /// The mean.
    pub mean_ms: f64,
    /// The median; the upper one of two.
    pub median_ms: f64,
}

impl Times {
    /// Of these runs, which are sorted for it; not numbers without any run.
    #[must_use]
    pub fn of(runs: &mut [f64]) -> Times {
        runs.sort_by(f64::total_cmp);
        Times {
            min_ms: runs.first().copied().unwrap_or(f64::NAN),
            mean_ms: runs.iter().sum::<f64>() / runs.len() as f64,
            median_ms: runs.get(runs.len() / 2).copied().unwrap_or(f64::NAN),
        }
    }
}

/// One variant at one size of the block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// How the sum is made.
    pub variant: Variant,
    /// Threads per block.
    pub threads: u32,
    /// The area that came out.
    pub area: f32,
    /// The book's way: everything, on the host's clock.
    pub whole: Times,
    /// The kernel, by events; the plain loop has none.
    pub kernel: Option<Times>,
}

impl Row {
    /// Variant and threads, in words.
    #[must_use]
    pub fn name(&self) -> String {
        match self.variant {
            Variant::Serial => self.variant.name().to_owned(),
            variant => format!("{}, blocks of {}", variant.name(), self.threads),
        }
    }
}

/// All that was measured on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// The device's name.
    pub device: String,
    /// Whether it is one; the emulator's times say nothing of the claims.
    pub is_gpu: bool,
    /// The host's processor, which ran the plain loop.
    pub processor: String,
    /// The driver's version of CUDA.
    pub cuda: String,
    /// The day of the measurement, `2026-01-31`.
    pub date: String,
    /// Trapezoids.
    pub trapezoids: u32,
    /// Runs behind each time.
    pub runs: usize,
    /// The plain loop first.
    pub rows: Vec<Row>,
}

impl Figures {
    /// What was measured here.
    #[must_use]
    pub fn new(device: &Device, trapezoids: u32, runs: usize, rows: Vec<Row>) -> Figures {
        let version = device.driver_version();
        Figures {
            device: device.name().to_owned(),
            is_gpu: device.is_gpu(),
            processor: processor(),
            cuda: version.map_or_else(String::new, |(major, minor)| format!("{major}.{minor}")),
            date: today(),
            trapezoids,
            runs,
            rows,
        }
    }

    /// As the file has it.
    ///
    /// # Errors
    /// For times that are no numbers.
    pub fn json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// All files of a folder, in the order of their names; none if there is no folder.
    ///
    /// # Errors
    /// For a file that cannot be read; the text names it.
    pub fn read(folder: &Path) -> Result<Vec<Figures>> {
        let Ok(entries) = fs::read_dir(folder) else {
            return Ok(Vec::new());
        };
        let mut paths = Vec::new();
        for entry in entries {
            paths.push(entry?.path());
        }
        paths.sort();
        let read = |path: &Path| -> Result<Figures> {
            let text = fs::read_to_string(path)?;
            Ok(serde_json::from_str(&text)
                .map_err(|error| format!("{}: {error}", path.display()))?)
        };
        paths.iter().map(|path| read(path)).collect()
    }

    /// The row of this variant and size.
    fn row(&self, variant: Variant, threads: u32) -> Option<&Row> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.variant == variant && row.threads == threads)
    }
}

/// The name of the host's processor, as Linux tells it.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(": "));
    name.map_or("unknown", |(_, name)| name).trim().to_owned()
}

/// Today in UTC.
fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    date(now.map_or(0, |since| since.as_secs() / 86_400))
}

/// The day so many days after 1970-01-01: years are counted from March, so that the leap day is the last of its year.
fn date(days: u64) -> String {
    let days = days + 719_468; // since 0000-03-01
    let (era, of_era) = (days / 146_097, days % 146_097); // 400 years each
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153; // March is 0
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!("{}-{month:02}-{day:02}", 400 * era + year + next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_minimum_mean_and_median() {
        let times = Times::of(&mut [4.0, 1.0, 1.0, 2.0]);
        assert_eq!(
            (times.min_ms, times.mean_ms, times.median_ms),
            (1.0, 2.0, 2.0)
        );
    }

    #[test]
    fn days_have_their_dates() {
        let days = [0, 58, 59, 789, 790, 11_016, 20_778].map(date);
        let dates = [
            "1970-01-01",
            "1970-02-28",
            "1970-03-01",
            "1972-02-29",
            "1972-03-01",
            "2000-02-29",
            "2026-11-21",
        ];
        assert_eq!(days, dates);
    }

    #[test]
    fn figures_survive_their_file() {
        let row = Row {
            variant: Variant::Shuffles,
            threads: 32,
            area: 23.5,
            whole: Times::of(&mut [0.25]),
            kernel: Some(Times::of(&mut [0.125])),
        };
        let figures = Figures::new(&Device::emulator(), 8, 1, vec![row]);
        let read: Figures = serde_json::from_str(&figures.json().unwrap()).unwrap();
        assert_eq!(read, figures);
    }
}
