//! What kernels cost before they run, ours beside nvcc's: registers, spills, instructions, the hottest loop, how wide memory is accessed.
//!
//! Takes machine code, gives rows, their file `benches/results/static.tsv` and `docs/generated/static-comparison.md`. The bench `side_by_side` knows which
//! kernels there are. Must not know: devices, times.

mod document;
mod merge;
mod sass;
mod tools;
mod twins;

pub use document::document;
pub use sass::{Function, Work, function};
pub use tools::{MachineCode, Tools, tools};
pub use twins::kernels;

use std::fmt;
use std::path::Path;

use crate::ptx::Image;

/// Figures of one function for one architecture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    /// Registers per thread.
    pub registers: u32,
    /// Bytes moved out of registers, and back.
    pub spilled: u32,
    /// All of the kernel, without functions that panics call.
    pub whole: Work,
    /// Its hottest loop, if it has one.
    pub hottest: Option<Work>,
}

/// One kernel, by one compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Name of the kernel.
    pub kernel: String,
    /// Who compiled it.
    pub side: Side,
    /// What came out.
    pub figures: Figures,
}

/// Who compiled a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The device pass, and ptxas.
    Ours,
    /// NVIDIA's compiler, with the twin.
    Nvcc,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Ours => "ours",
            Side::Nvcc => "nvcc",
        })
    }
}

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StaticError {
    /// A program failed or is missing.
    #[error("`{command}`: {reason}")]
    Tool {
        /// What was started.
        command: String,
        /// What it said.
        reason: String,
    },
    /// Machine code without the kernel.
    #[error("no function `{kernel}` in the machine code of {place}")]
    NoFunction {
        /// The kernel.
        kernel: String,
        /// Whose code it is.
        place: String,
    },
    /// The file of rows holds something else.
    #[error("{path}, line {line}: {text}")]
    Format {
        /// The file.
        path: String,
        /// From 1.
        line: usize,
        /// What is wrong with it.
        text: String,
    },
    /// A file cannot be read or written.
    #[error("cannot read or write {path}: {source}")]
    File {
        /// The file.
        path: String,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
}

/// What the rows were made with: the versions in the head of the file.
pub const HEAD: &str = "kernel\tside\tregisters\tspilled\tinstructions\tarithmetic\tbranches\tbarriers\tmemory\tloop instructions\tloop arithmetic\tloop branches\tloop barriers\tloop memory";

/// The rows as a file: one line each, in the order of the names.
#[must_use]
pub fn to_text(rows: &[Row]) -> String {
    let mut rows: Vec<&Row> = rows.iter().collect();
    rows.sort_by(|a, b| (&a.kernel, a.side).cmp(&(&b.kernel, b.side)));
    let mut text = format!("{HEAD}\n");
    for Row {
        kernel,
        side,
        figures,
    } in rows
    {
        let Figures {
            registers, spilled, ..
        } = figures;
        let hottest = figures.hottest.clone().unwrap_or_default();
        let fields = [&figures.whole, &hottest].map(|w| {
            let Work {
                instructions,
                arithmetic,
                branches,
                barriers,
                memory,
            } = w;
            let memory: Vec<String> = memory.iter().map(|(n, c)| format!("{n}*{c}")).collect();
            let memory = memory.join(" ");
            format!("{instructions}\t{arithmetic}\t{branches}\t{barriers}\t{memory}")
        });
        text += &format!(
            "{kernel}\t{side}\t{registers}\t{spilled}\t{}\n",
            fields.join("\t")
        );
    }
    text
}

/// Reads what [`to_text`] wrote.
///
/// # Errors
/// [`StaticError::Format`] names the first line that is none.
pub fn from_text(path: &Path, text: &str) -> Result<Vec<Row>, StaticError> {
    let wrong = |line: usize, text: &str| StaticError::Format {
        path: path.display().to_string(),
        line,
        text: text.to_owned(),
    };
    let mut lines = (1..).zip(text.lines());
    match lines.next() {
        Some((_, HEAD)) | None => {}
        Some(_) => {
            return Err(wrong(
                1,
                "another head; write the file anew, see docs/generated/static-comparison.md",
            ));
        }
    }
    lines
        .map(|(number, line)| row(line).ok_or_else(|| wrong(number, "not a row of 14 fields")))
        .collect()
}

fn row(line: &str) -> Option<Row> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [kernel, side, registers, spilled, rest @ ..] = fields.as_slice() else {
        return None;
    };
    let [whole @ .., a, b, c, d, e] = rest else {
        return None;
    };
    let whole = work(whole)?;
    let hottest = work(&[a, b, c, d, e])?;
    Some(Row {
        kernel: (*kernel).to_owned(),
        side: match *side {
            "ours" => Side::Ours,
            "nvcc" => Side::Nvcc,
            _ => return None,
        },
        figures: Figures {
            registers: registers.parse().ok()?,
            spilled: spilled.parse().ok()?,
            whole,
            hottest: (hottest.instructions != 0).then_some(hottest),
        },
    })
}

fn work(fields: &[&str]) -> Option<Work> {
    let [instructions, arithmetic, branches, barriers, memory] = fields else {
        return None;
    };
    let memory = memory.split_whitespace().map(|part| {
        let (name, count) = part.split_once('*')?;
        Some((name.to_owned(), count.parse().ok()?))
    });
    Some(Work {
        instructions: instructions.parse().ok()?,
        arithmetic: arithmetic.parse().ok()?,
        branches: branches.parse().ok()?,
        barriers: barriers.parse().ok()?,
        memory: memory.collect::<Option<_>>()?,
    })
}

/// Name, entry and image of each kernel of the crate targets whose names start with `target`: the newest image that a GPU of capability `sm` would run.
#[must_use]
pub fn newest<'a>(
    images: &'a [Image],
    target: &str,
    sm: u32,
) -> Vec<(&'a str, &'a str, &'a Image)> {
    let mut chosen: Vec<(&str, &str, &Image, u32)> = Vec::new();
    for image in images
        .iter()
        .filter(|i| i.target.starts_with(target) && !i.arch.ends_with('a'))
    {
        let own = image.arch.trim_start_matches("sm_").parse().unwrap_or(0);
        for (name, entry) in image.kernels.iter().filter(|_| own <= sm) {
            match chosen.iter_mut().find(|c| c.0 == name) {
                Some(other) if other.3 < own => *other = (name, entry, image, own),
                Some(_) => {}
                None => chosen.push((name, entry, image, own)),
            }
        }
    }
    chosen
        .into_iter()
        .map(|(name, entry, image, _)| (name, entry, image))
        .collect()
}

/// `saxpy` of `side_by_side::saxpy::saxpy`.
#[must_use]
pub fn short(name: &str) -> &str {
    let plain = name.split('<').next().unwrap_or(name);
    plain.rsplit("::").next().unwrap_or(plain)
}

/// What got worse in `now` against `committed`, one sentence each; rows of ours alone. A kernel that is in one list only is told, too.
#[must_use]
pub fn worse(committed: &[Row], now: &[Row]) -> Vec<String> {
    let find = |rows: &[Row], kernel: &str| {
        let mut ours = rows.iter().filter(|r| r.side == Side::Ours);
        ours.find(|r| r.kernel == kernel).map(|r| r.figures.clone())
    };
    let mut found = Vec::new();
    for row in committed.iter().filter(|r| r.side == Side::Ours) {
        let kernel = &row.kernel;
        let (was, is) = match find(now, kernel) {
            Some(is) => (&row.figures, is),
            None => {
                found.push(format!("{kernel}: has committed figures and is gone"));
                continue;
            }
        };
        let mut say = |what: &str, was: f64, is: f64| {
            if is > was {
                found.push(format!("{kernel}: {what}: {is}, committed are {was}"));
            }
        };
        say("registers", was.registers.into(), is.registers.into());
        say("bytes spilled", was.spilled.into(), is.spilled.into());
        say(
            "instructions",
            was.whole.instructions.into(),
            is.whole.instructions.into(),
        );
        let (was_loop, is_loop) = (overhead(was), overhead(&is));
        say(
            "instructions per useful one in the hottest loop",
            was_loop,
            is_loop,
        );
        let (was, is) = (&was.whole.memory, &is.whole.memory);
        if was != is {
            found.push(format!(
                "{kernel}: accesses to memory: {is:?}, committed are {was:?}"
            ));
        }
    }
    for row in now.iter().filter(|r| r.side == Side::Ours) {
        if find(committed, &row.kernel).is_none() {
            found.push(format!("{}: has no committed figures", row.kernel));
        }
    }
    found
}

/// Instructions of the hottest loop for each that the algorithm asks for, to two places; 0 without a loop.
#[must_use]
pub fn overhead(figures: &Figures) -> f64 {
    figures.hottest.as_ref().map_or(0.0, |work| {
        let ratio = f64::from(work.instructions) / f64::from(work.useful().max(1));
        (ratio * 100.0).round() / 100.0
    })
}

#[cfg(test)]
mod tests;
