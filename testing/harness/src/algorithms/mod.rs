//! The algorithms of `warploom-algorithms` beside CUB's: rows, the files of rows in `benches/results/algorithms`, `docs/generated/algorithms.md`.
//!
//! Must not know: devices, which algorithms there are.

mod document;

pub use document::document;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::benchmark::Times;
use crate::results::{ResultsError, files, read_text, slug, write_text};
use crate::statistics::{Summary, summarise};

/// One algorithm for one type at one size, both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The algorithm.
    pub algorithm: String,
    /// The type of its elements.
    pub of: String,
    /// Elements.
    pub n: u64,
    /// Bits of entropy for each bit of the elements, or `-` where it does not matter.
    pub entropy: String,
    /// Bytes that must be read and written, or 0 if bandwidth is not what bounds the algorithm.
    pub bytes: u64,
    /// Memory made beforehand; the stream has work when the algorithm is queued, so these are times of the device alone.
    pub planned: Pair,
    /// As `planned`, but with memory from the pool in each call.
    pub pooled: Pair,
    /// Memory made beforehand; the stream is idle when the algorithm is queued, so the host's time counts as far as the device waits for it.
    pub idle: Pair,
    /// Measured runs of each side.
    pub runs: usize,
    /// Bytes of our plan.
    pub plan_bytes: u64,
    /// Bytes of the peer's workspace.
    pub workspace_bytes: u64,
    /// Largest relative difference of the results.
    pub max_error: f64,
}

/// Milliseconds of both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Ours.
    pub ours: Summary,
    /// The peer's.
    pub peer: Summary,
}

impl Pair {
    /// `None` if a side has no times, or one that is not a number.
    #[must_use]
    pub fn of(times: &Times) -> Option<Pair> {
        Some(Pair {
            ours: summarise(&times.ours_ms)?,
            peer: summarise(&times.peer_ms)?,
        })
    }

    /// The peer's time by ours: above 1 ours is the faster one.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.peer.median / self.ours.median
    }

    fn columns(&self) -> String {
        let (ours, peer) = (self.ours, self.peer);
        format!(
            "{:.6}\t{:.4}\t{:.6}\t{:.4}",
            ours.median, ours.spread, peer.median, peer.spread
        )
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pair = &self.planned;
        write!(
            f,
            "{:24} {:4} {:>10} {:>6}   ours {:9.4} ms ± {:4.1} %   peer {:9.4} ms ± {:4.1} %   ratio {:.3}, pooled {:.3}, idle {:.3}",
            self.algorithm,
            self.of,
            self.n,
            self.entropy,
            pair.ours.median,
            pair.ours.spread * 100.0,
            pair.peer.median,
            pair.peer.spread * 100.0,
            pair.ratio(),
            self.pooled.ratio(),
            self.idle.ratio(),
        )
    }
}

/// What all rows of a run have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Name of the GPU.
    pub gpu: String,
    /// Version of its driver.
    pub driver: String,
    /// Which CUB, and what compiled it.
    pub peers: String,
    /// Day of the measurement, `2026-01-31`.
    pub date: String,
    /// Bytes read and written per second, in 10^9, by a copy within device memory in the same run.
    pub copy_gb_s: f64,
}

/// One file of results.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// Where and when.
    pub machine: Machine,
    /// In the order in which they were measured.
    pub rows: Vec<Row>,
}

impl Results {
    /// The rows of other algorithms than `algorithms` in the file at `path`, if it is there and of the same GPU, driver, peers and day: a run of some algorithms leaves those of the
    /// others.
    ///
    /// # Errors
    /// [`AlgorithmsError`] if the file is there, but cannot be read.
    pub fn others(&self, path: &Path, algorithms: &[&str]) -> Result<Vec<Row>, AlgorithmsError> {
        if !path.exists() {
            return Ok(Vec::new());
        }
        let mut known = read(path)?;
        // Each run measures it anew.
        known.machine.copy_gb_s = self.machine.copy_gb_s;
        if known.machine != self.machine {
            return Ok(Vec::new());
        }
        let is_other = |row: &Row| !algorithms.contains(&row.algorithm.as_str());
        known.rows.retain(is_other);
        Ok(known.rows)
    }
}

/// Why there are no rows.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AlgorithmsError {
    /// A file or folder cannot be read or written.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// A file is there, but holds something else.
    #[error("{path}, line {line}: {wrong}; run benches/algorithms again to write the file anew")]
    Format {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        wrong: String,
    },
}

const MACHINE: [&str; 5] = ["gpu", "driver", "peers", "date", "copy_gb_s"];

const COLUMNS: &str = "algorithm\ttype\tn\tentropy\tbytes\tours_ms\tours_spread\tpeer_ms\tpeer_spread\tpooled_ours_ms\tpooled_ours_spread\tpooled_peer_ms\tpooled_peer_spread\tidle_ours_ms\tidle_ours_spread\tidle_peer_ms\tidle_peer_spread\truns\tplan_bytes\tworkspace_bytes\tmax_error";

/// The name of the file of a GPU's results.
#[must_use]
pub fn file_name(gpu: &str) -> String {
    format!("{}.tsv", slug(gpu))
}

/// Writes a file of results, and its folder if it is missing.
///
/// # Errors
/// [`ResultsError`] if that fails.
pub fn write(path: &Path, results: &Results) -> Result<(), ResultsError> {
    write_text(path, &text(results))
}

/// Reads all `*.tsv` of a folder in the order of their names. A folder that is missing is empty.
///
/// # Errors
/// [`AlgorithmsError`] names the first file that is not what it should be.
pub fn read_folder(folder: &Path) -> Result<Vec<Results>, AlgorithmsError> {
    files(folder, "tsv")?
        .iter()
        .map(|path| read(path))
        .collect()
}

fn read(path: &Path) -> Result<Results, AlgorithmsError> {
    parse(&read_text(path)?).map_err(|(line, wrong)| AlgorithmsError::Format {
        path: path.to_owned(),
        line,
        wrong,
    })
}

fn text(results: &Results) -> String {
    let Machine {
        gpu,
        driver,
        peers,
        date,
        copy_gb_s,
    } = &results.machine;
    let values = [gpu, driver, peers, date, &format!("{copy_gb_s:.1}")];
    let machine = MACHINE.iter().zip(values);
    let mut text: String = machine.map(|(k, v)| format!("# {k}\t{v}\n")).collect();
    text += COLUMNS;
    text.push('\n');
    for row in &results.rows {
        text += &format!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.1e}\n",
            row.algorithm,
            row.of,
            row.n,
            row.entropy,
            row.bytes,
            row.planned.columns(),
            row.pooled.columns(),
            row.idle.columns(),
            row.runs,
            row.plan_bytes,
            row.workspace_bytes,
            row.max_error,
        );
    }
    text
}

/// The results in `text`, or the line that is wrong and why.
fn parse(text: &str) -> Result<Results, (usize, String)> {
    let mut lines = text.lines().zip(1..);
    let mut machine = Vec::new();
    for (i, name) in MACHINE.iter().enumerate() {
        let line = lines.next().map_or("", |(line, _)| line);
        let value = line.strip_prefix(&format!("# {name}\t"));
        machine.push(value.ok_or_else(|| (i + 1, format!("it must begin with `# {name}`")))?);
    }
    if lines.next().is_none_or(|(line, _)| line != COLUMNS) {
        return Err((MACHINE.len() + 1, "these are not the columns".to_owned()));
    }
    let row = |(line, number)| row(line).map_err(|wrong| (number, wrong));
    let copy = machine[4].parse();
    Ok(Results {
        machine: Machine {
            gpu: machine[0].to_owned(),
            driver: machine[1].to_owned(),
            peers: machine[2].to_owned(),
            date: machine[3].to_owned(),
            copy_gb_s: copy.map_err(|_| (5, "the value is no number".to_owned()))?,
        },
        rows: lines.map(row).collect::<Result<_, _>>()?,
    })
}

fn row(line: &str) -> Result<Row, String> {
    let mut fields = Fields(COLUMNS.split('\t').zip(line.split('\t')));
    let count = line.split('\t').count();
    let columns = COLUMNS.split('\t').count();
    if count != columns {
        return Err(format!("it has {count} columns, and must have {columns}"));
    }
    Ok(Row {
        algorithm: fields.next()?,
        of: fields.next()?,
        n: fields.next()?,
        entropy: fields.next()?,
        bytes: fields.next()?,
        planned: fields.pair()?,
        pooled: fields.pair()?,
        idle: fields.pair()?,
        runs: fields.next()?,
        plan_bytes: fields.next()?,
        workspace_bytes: fields.next()?,
        max_error: fields.next()?,
    })
}

/// The fields of a line with the names of their columns.
struct Fields<I>(I);

impl<'a, I: Iterator<Item = (&'a str, &'a str)>> Fields<I> {
    fn next<T: FromStr>(&mut self) -> Result<T, String> {
        let (name, value) = self.0.next().unwrap_or_default();
        let value = value.parse();
        value.map_err(|_| format!("the value of `{name}` cannot be read"))
    }

    fn side(&mut self) -> Result<Summary, String> {
        Ok(Summary {
            median: self.next()?,
            spread: self.next()?,
        })
    }

    fn pair(&mut self) -> Result<Pair, String> {
        Ok(Pair {
            ours: self.side()?,
            peer: self.side()?,
        })
    }
}

/// How the ratios of planned runs are, in a line: of all rows, and of the large ones.
#[must_use]
pub fn summary(rows: &[Row]) -> String {
    let of = |name: &str, least: u64| {
        let rows = rows.iter().filter(|row| row.n >= least);
        match Ratios::of(rows.map(|row| row.planned.ratio())) {
            None => format!("{name}: no rows"),
            Some(Ratios {
                count,
                mean,
                lowest,
                ..
            }) => format!("{name}: {count} rows, geometric mean {mean:.3}, lowest {lowest:.3}"),
        }
    };
    format!("{}; {}", of("all", 0), of("from 2^24", LARGE))
}

/// Elements from which on the launches matter little.
const LARGE: u64 = 1 << 24;

/// What the large rows are to reach at least.
const GOAL: f64 = 0.95;

/// Ratios in a few numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ratios {
    count: usize,
    /// The geometric mean.
    mean: f64,
    lowest: f64,
    /// How many are at [`GOAL`] or better.
    reached: usize,
}

impl Ratios {
    /// `None` without ratios, or if one is no positive number.
    fn of(ratios: impl Iterator<Item = f64>) -> Option<Self> {
        let ratios: Vec<f64> = ratios.collect();
        let usable = |ratio: &f64| *ratio > 0.0 && ratio.is_finite();
        if ratios.is_empty() || !ratios.iter().all(usable) {
            return None;
        }
        let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        Some(Self {
            count: ratios.len(),
            mean: (logarithms / ratios.len() as f64).exp(),
            lowest: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            reached: ratios.iter().filter(|ratio| **ratio >= GOAL).count(),
        })
    }
}

#[cfg(test)]
mod tests;
