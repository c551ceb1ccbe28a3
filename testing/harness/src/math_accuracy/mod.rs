//! How far the mathematical functions are from the exact value: rows that the conformance tests write while they measure, the committed
//! files of them, and docs/generated/math.md.
//!
//! A file has one device and one row per function and kind of arguments, with tabs between the cells:
//!
//! | column | what |
//! |---|---|
//! | type | `f32` or `f64` |
//! | function | CUDA's name; `std.` before what is called as a method of std |
//! | kind | which arguments: `all`, `pairs`, or the name of a kind in `testing/conformance/tests/math_double/functions.rs` |
//! | arguments | how many |
//! | `off_by` | floats between a result and the correctly rounded one, at most; `-` for `f64` |
//! | `exact_error` | largest distance from the exact value, in units in the last place (ulp) |
//! | at | for which arguments; `-` where there is no error |
//! | bound | of `off_by` for `f32`; for `f64` `exact_error` may be half a unit more |
//! | device, platform, date | what it was measured on, with the driver or the host, and when |

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use warploom_runtime::Device;

use crate::date;
use crate::results::slug;

mod document; // the page

pub use document::document;

/// The folder that measured rows go to.
const FOLDER: &str = "WARPLOOM_RECORD_DIR";
/// The driver's version, which programs on a GPU machine learn from `nvidia-smi` alone.
const DRIVER: &str = "WARPLOOM_BENCH_DRIVER";
/// The first line of a file.
const HEAD: &str =
    "type\tfunction\tkind\targuments\toff_by\texact_error\tat\tbound\tdevice\tplatform\tdate\n";

/// What was measured of one function over one kind of arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// `f32` or `f64`.
    pub precision: String,
    /// CUDA's name.
    pub function: String,
    /// Which arguments.
    pub kind: String,
    /// How many of them.
    pub arguments: u64,
    /// Floats between a result and the correctly rounded one, at most; of `f64` it is not counted.
    pub off_by: Option<u32>,
    /// The largest distance from the exact value, in ulp.
    pub exact_error: f64,
    /// Where it is so large.
    pub at: String,
    /// What CUDA's guide allows.
    pub bound: u32,
}

impl Row {
    /// Whether the bound is kept: of `f64` the correctly rounded result is half a unit from the exact one, at most.
    #[must_use]
    pub fn holds(&self) -> bool {
        match self.off_by {
            Some(floats) => floats <= self.bound,
            None => self.exact_error < f64::from(self.bound) + 0.5,
        }
    }
}

/// A file: all that was measured on one device.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The device's name.
    pub device: String,
    /// Its driver, or the host of the emulator.
    pub platform: String,
    /// The day of the last row.
    pub date: String,
    /// The rows, in the file's order.
    pub rows: Vec<Row>,
}

/// Whether measured rows are wanted: then tests take more arguments than they need to fail.
#[must_use]
pub fn is_recorded() -> bool {
    std::env::var_os(FOLDER).is_some()
}

/// Appends a row to the device's file in the folder that `WARPLOOM_RECORD_DIR` names, if it is set.
///
/// # Panics
/// When the row cannot be written: the record would lack a function.
#[expect(clippy::panic, reason = "an incomplete record is a failure")]
pub fn record(device: &Device, row: &Row) {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let platform = if device.is_gpu() {
        let driver = std::env::var(DRIVER).unwrap_or_else(|_| "of an unknown version".to_owned());
        format!("driver {driver}")
    } else {
        format!("{} {}", std::env::consts::ARCH, std::env::consts::OS)
    };
    let line = line(row, device.name(), &platform, &date::today());
    let path = folder.join(format!("{}.tsv", slug(device.name())));
    let written = fs::create_dir_all(&folder).and_then(|()| append(&path, &line));
    if let Err(error) = written {
        panic!(
            "cannot write to {}, which {FOLDER} asks for: {error}",
            path.display()
        );
    }
}

/// One write per line, so that lines of several processes do not mix.
fn append(path: &Path, line: &str) -> io::Result<()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    if file.metadata()?.len() == 0 {
        file.write_all(HEAD.as_bytes())?;
    }
    file.write_all(line.as_bytes())
}

fn line(row: &Row, device: &str, platform: &str, date: &str) -> String {
    let Row {
        precision,
        function,
        kind,
        arguments,
        exact_error,
        at,
        bound,
        ..
    } = row;
    let off_by = row
        .off_by
        .map_or("-".to_owned(), |floats| floats.to_string());
    let at = if *exact_error == 0.0 { "-" } else { at };
    format!(
        "{precision}\t{function}\t{kind}\t{arguments}\t{off_by}\t{exact_error:.4}\t{at}\t{bound}\t{device}\t{platform}\t{date}\n"
    )
}

/// Reads a file.
///
/// # Errors
/// A line that is none, a second device, or a row that is there twice; by number.
pub fn parse(text: &str) -> Result<Measured, String> {
    let mut all: Option<Measured> = None;
    for (number, line) in (1..).zip(text.lines()) {
        if line.is_empty() || line.starts_with('#') || line == HEAD.trim_end() {
            continue;
        }
        let cells: Vec<&str> = line.split('\t').collect();
        let Ok(
            [
                precision,
                function,
                kind,
                arguments,
                off_by,
                exact_error,
                at,
                bound,
                device,
                platform,
                date,
            ],
        ) = <[&str; 11]>::try_from(cells)
        else {
            return Err(format!("line {number}: not 11 cells: {line}"));
        };
        let wrong = |what: &str| format!("line {number}: {what} is no number: {line}");
        let row = Row {
            precision: precision.to_owned(),
            function: function.to_owned(),
            kind: kind.to_owned(),
            arguments: arguments.parse().map_err(|_| wrong("arguments"))?,
            off_by: match off_by {
                "-" => None,
                floats => Some(floats.parse().map_err(|_| wrong("off_by"))?),
            },
            exact_error: exact_error.parse().map_err(|_| wrong("exact_error"))?,
            at: at.to_owned(),
            bound: bound.parse().map_err(|_| wrong("bound"))?,
        };
        let all = all.get_or_insert_with(|| Measured {
            device: device.to_owned(),
            platform: platform.to_owned(),
            date: date.to_owned(),
            rows: Vec::new(),
        });
        if (&*all.device, &*all.platform) != (device, platform) {
            return Err(format!(
                "line {number}: {device}, {platform} in a file of {}, {}",
                all.device, all.platform
            ));
        }
        let same = |other: &Row| {
            (&other.precision, &other.function, &other.kind)
                == (&row.precision, &row.function, &row.kind)
        };
        if all.rows.iter().any(same) {
            return Err(format!(
                "line {number}: {function} over {kind} is there already; remove the file and measure again"
            ));
        }
        date.clone_into(&mut all.date);
        all.rows.push(row);
    }
    all.ok_or_else(|| "no rows".to_owned())
}

/// The bound of a function in the text of a file, if it stands there.
///
/// # Errors
/// As [`parse`].
pub fn bound(text: &str, precision: &str, function: &str) -> Result<Option<u32>, String> {
    let rows = parse(text)?.rows;
    let found = rows
        .iter()
        .find(|row| (&*row.precision, &*row.function) == (precision, function));
    Ok(found.map(|row| row.bound))
}

/// Reads all files of a folder, in the order of their names backwards: GPUs of NVIDIA stand before emulators.
///
/// # Errors
/// The file that cannot be read, or that [`parse`] refuses.
pub fn read_folder(folder: &Path) -> Result<Vec<Measured>, String> {
    let named = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let entries = fs::read_dir(folder).map_err(|error| named(folder, &error))?;
    let paths: io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(|error| named(folder, &error))?;
    paths.sort();
    paths.reverse();
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).map_err(|error| named(path, &error))?;
        parse(&text).map_err(|error| named(path, &error))
    };
    paths.iter().map(read).collect()
}

#[cfg(test)]
mod tests;
