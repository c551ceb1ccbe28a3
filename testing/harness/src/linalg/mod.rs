//! The products of `warploom-linalg` beside cuBLASLt's: rows, the files of rows in `benches/results/linalg`, `docs/generated/linalg.md`.
//!
//! Must not know: devices, which products there are.

mod document;

pub use document::document;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::results::{ResultsError, files, read_text, slug, write_text};
use crate::statistics::Summary;

/// One product, both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Elements and layouts, as `bf16 tn`.
    pub kind: String,
    /// Where the size is from.
    pub of: String,
    /// Rows of the result.
    pub m: u64,
    /// Columns of the result.
    pub n: u64,
    /// Products of each sum.
    pub k: u64,
    /// Our kernel.
    pub kernel: String,
    /// Milliseconds of ours.
    pub ours: Summary,
    /// Milliseconds of the peer.
    pub peer: Summary,
    /// The multiprocessors' clock behind the last run, in MHz; 0 if it is not known.
    pub clock_mhz: u32,
    /// The power at the same time, in watts; 0 if it is not known.
    pub power_w: u32,
    /// Largest difference from sums in `f64`, relative to the standard deviation of a sum.
    pub error: f64,
}

impl Row {
    /// The peer's time by ours: above 1 ours is the faster one.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.peer.median / self.ours.median
    }

    /// Operations of a second, in 10^12; a multiplication and an addition are two.
    #[must_use]
    pub fn rate(&self, side: Summary) -> f64 {
        2.0 * self.m as f64 * self.n as f64 * self.k as f64 / side.median / 1e9
    }
}

/// One file of results.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// Name of the GPU.
    pub gpu: String,
    /// Version of its driver.
    pub driver: String,
    /// Which cuBLASLt.
    pub peer: String,
    /// Day of the measurement, `2026-01-31`.
    pub date: String,
    /// In the order in which they were measured.
    pub rows: Vec<Row>,
}

/// Why results cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinalgError {
    /// A file or folder cannot be read.
    #[error(transparent)]
    File(#[from] ResultsError),
    /// A file is there, but holds something else.
    #[error("{path}, line {line}: {wrong}")]
    Format {
        /// The file.
        path: PathBuf,
        /// The number of the line.
        line: usize,
        /// What is wrong with it.
        wrong: String,
    },
}

const MACHINE: [&str; 4] = ["gpu", "driver", "peer", "date"];
const COLUMNS: &str = "kind\tof\tm\tn\tk\tkernel\tours_ms\tours_spread\tpeer_ms\tpeer_spread\tclock_mhz\tpower_w\terror";

/// Name of the file of a GPU: `NVIDIA H200` becomes `nvidia-h200.tsv`.
#[must_use]
pub fn file_name(gpu: &str) -> String {
    format!("{}.tsv", slug(gpu))
}

/// Writes a file, and its folder if it is missing.
///
/// # Errors
/// [`ResultsError`] if that fails.
pub fn write(path: &Path, results: &Results) -> Result<(), ResultsError> {
    write_text(path, &text(results))
}

/// Reads all `*.tsv` of a folder in the order of their names. A folder that is missing is empty.
///
/// # Errors
/// [`LinalgError`] names the first file that is not what it should be.
pub fn read_folder(folder: &Path) -> Result<Vec<Results>, LinalgError> {
    let read = |path: &PathBuf| {
        parse(&read_text(path)?).map_err(|(line, wrong)| LinalgError::Format {
            path: path.clone(),
            line,
            wrong,
        })
    };
    files(folder, "tsv")?.iter().map(read).collect()
}

fn text(results: &Results) -> String {
    let Results {
        gpu,
        driver,
        peer,
        date,
        rows,
    } = results;
    let machine = MACHINE.iter().zip([gpu, driver, peer, date]);
    let mut text: String = machine.map(|(k, v)| format!("# {k}\t{v}\n")).collect();
    text += COLUMNS;
    text.push('\n');
    for row in rows {
        let Row {
            kind,
            of,
            m,
            n,
            k,
            kernel,
            ours,
            peer,
            clock_mhz,
            power_w,
            error,
        } = row;
        text += &format!(
            "{kind}\t{of}\t{m}\t{n}\t{k}\t{kernel}\t{:.6}\t{:.4}\t{:.6}\t{:.4}\t{clock_mhz}\t{power_w}\t{error:.1e}\n",
            ours.median, ours.spread, peer.median, peer.spread
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
        machine.push(
            value
                .ok_or_else(|| (i + 1, format!("it must begin with `# {name}`")))?
                .to_owned(),
        );
    }
    if lines.next().is_none_or(|(line, _)| line != COLUMNS) {
        return Err((MACHINE.len() + 1, "these are not the columns".to_owned()));
    }
    let row = |(line, number)| row(line).map_err(|wrong| (number, wrong));
    let rows = lines.map(row).collect::<Result<_, _>>()?;
    let [gpu, driver, peer, date] = machine
        .try_into()
        .map_err(|_| (1, "the machine is missing".to_owned()))?;
    Ok(Results {
        gpu,
        driver,
        peer,
        date,
        rows,
    })
}

fn row(line: &str) -> Result<Row, String> {
    let (count, columns) = (line.split('\t').count(), COLUMNS.split('\t').count());
    if count != columns {
        return Err(format!("it has {count} columns, and must have {columns}"));
    }
    let mut fields = COLUMNS.split('\t').zip(line.split('\t'));
    let fields = &mut fields;
    Ok(Row {
        kind: next(fields)?,
        of: next(fields)?,
        m: next(fields)?,
        n: next(fields)?,
        k: next(fields)?,
        kernel: next(fields)?,
        ours: side(fields)?,
        peer: side(fields)?,
        clock_mhz: next(fields)?,
        power_w: next(fields)?,
        error: next(fields)?,
    })
}

fn next<'a, T: FromStr>(
    fields: &mut impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<T, String> {
    let (name, value) = fields.next().unwrap_or_default();
    value
        .parse()
        .map_err(|_| format!("the value of `{name}` cannot be read"))
}

fn side<'a>(fields: &mut impl Iterator<Item = (&'a str, &'a str)>) -> Result<Summary, String> {
    Ok(Summary {
        median: next(fields)?,
        spread: next(fields)?,
    })
}

#[cfg(test)]
mod tests;
