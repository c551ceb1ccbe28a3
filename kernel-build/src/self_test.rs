//! The self-test: whether an untested release of rustc or LLVM has everything that this crate takes from it.
//!
//! [`rows`] is the table. The rows are checked in a process of their own, which LLVM may end; what has passed is kept in the target folder of the nested
//! build, until rustc, LLVM or this crate is another one.

mod kernels; // small kernels, from IR to PTX
mod libraries; // what core, alloc and std define
mod llvm_rows; // checks of LLVM
mod probe; // what rows are checked with
mod rows; // the table
mod rustc_rows; // checks of rustc
#[cfg(test)]
mod tests;

use crate::environment::ROLE;
use crate::instructions::instruct;
use crate::llvm::on_fatal_error;
use crate::toolchain::Toolchain;
use crate::{cargo, versions};
use probe::{Probe, Task};
use rows::ROWS;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

/// Runs the self-test whatever the toolchain (`1`), and prints all rows.
pub(crate) const SHOWN: &str = "WARPLOOM_SELF_TEST";

/// The role of the process that checks the rows, and what it is told.
pub(crate) const PROCESS: &str = "self-test";
const TASK: &str = "WARPLOOM_SELF_TEST_TASK";

/// What a row has come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Checked {
    row: String,
    /// `None`: it passed.
    problem: Option<String>,
}

/// A line that the process prints: a row begins, or has ended.
#[derive(Debug, Serialize, Deserialize)]
enum Line {
    Begins(String),
    Ended(Checked),
}

/// Checks a toolchain that is not known, or that the user wants to see checked. An error says which row failed.
pub(crate) fn check(toolchain: &Toolchain, target_folder: &Path) -> Result<(), String> {
    let untested = versions::untested(&toolchain.version.release, toolchain.llvm.major);
    let is_shown = std::env::var(SHOWN).as_deref() == Ok("1");
    if untested.is_none() && !is_shown {
        return Ok(());
    }
    let folder = target_folder.join("self-test");
    let checked = passed_before(toolchain, &folder).map_or_else(
        || run(toolchain, &folder).inspect(|checked| keep(toolchain, &folder, checked)),
        Ok,
    )?;
    if is_shown {
        for line in shown(&checked) {
            instruct(&format!("warning={line}"));
        }
    }
    verdict(&checked, &toolchain.name())?;
    if let Some(untested) = untested {
        instruct(&format!(
            "warning=this version of warploom-build was not tested with {untested}; the self-test of {} passed, so GPU code is built ({SHOWN}=1 shows its rows)",
            toolchain.name()
        ));
    }
    Ok(())
}

/// Checks all rows, whatever was kept: names, and what is wrong.
pub(crate) fn all_rows(
    toolchain: &Toolchain,
    folder: &Path,
) -> Result<Vec<(String, Option<String>)>, String> {
    let checked = run(toolchain, folder)?.into_iter();
    Ok(checked.map(|c| (c.row, c.problem)).collect())
}

/// All rows, a line for each.
fn shown(checked: &[Checked]) -> Vec<String> {
    let line = |c: &Checked| match &c.problem {
        None => format!("self-test: {}: passed", c.row),
        Some(problem) => format!("self-test: {}: failed: {}", c.row, one_line(problem)),
    };
    checked.iter().map(line).collect()
}

/// An error names the first row that failed: later ones may depend on it.
fn verdict(checked: &[Checked], toolchain: &str) -> Result<(), String> {
    let failed = checked
        .iter()
        .find_map(|c| Some((&c.row, c.problem.as_deref()?)));
    let Some((row, problem)) = failed else {
        return Ok(());
    };
    let change = ROWS.iter().find(|r| r.name == row).map(|r| r.change);
    Err(format!(
        "the self-test of {toolchain} failed in the row `{row}`: {}; a version of warploom-build for it differs in {}, or use a toolchain that was tested: {}",
        one_line(problem),
        change.unwrap_or_default(),
        versions::tested()
    ))
}

fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    lines.collect::<Vec<_>>().join("; ")
}

/// Checks all rows, in another process.
fn run(toolchain: &Toolchain, folder: &Path) -> Result<Vec<Checked>, String> {
    let cannot = |what: &str, error: &dyn std::fmt::Display| {
        format!(
            "the self-test of {} cannot {what}: {error}",
            toolchain.name()
        )
    };
    // Build scripts run at the same time.
    let folder = folder.join(std::process::id().to_string());
    std::fs::create_dir_all(&folder).map_err(|e| cannot("make its folder", &e))?;
    let task = Task::of(toolchain, folder.clone());
    let task = serde_json::to_string(&task).map_err(|e| cannot("begin", &e))?;
    let this = std::env::current_exe().map_err(|e| cannot("find itself", &e))?;
    let output = cargo::clean(&this)
        .env(ROLE, PROCESS)
        .env(TASK, task)
        .stdin(Stdio::null())
        .output();
    // What it has written is of no use any more, and a leftover does no harm.
    drop(std::fs::remove_dir_all(&folder));
    let output = output.map_err(|e| cannot("start", &e))?;
    let said = String::from_utf8_lossy(&output.stderr);
    Ok(read(
        &String::from_utf8_lossy(&output.stdout),
        output.status,
        &said,
    ))
}

/// Reads what the process has printed. Where it ended early, the row that had begun has failed.
fn read(printed: &str, status: ExitStatus, said: &str) -> Vec<Checked> {
    let mut checked = Vec::new();
    let mut begun = None;
    for line in printed.lines() {
        match serde_json::from_str(line) {
            Ok(Line::Begins(row)) => begun = Some(row),
            Ok(Line::Ended(row)) => {
                begun = None;
                checked.push(row);
            }
            Err(_) => {} // what libraries print
        }
    }
    if begun.is_some() || checked.len() != ROWS.len() {
        let last = said.lines().rfind(|line| !line.trim().is_empty());
        checked.push(Checked {
            row: begun.unwrap_or_else(|| "start".to_owned()),
            problem: Some(format!(
                "the process ended ({status}): {}",
                last.unwrap_or("it said nothing")
            )),
        });
    }
    checked
}

/// Checks the rows, in the process for that; the exit code.
pub(crate) fn play() -> i32 {
    on_fatal_error(|reason| {
        eprintln!("LLVM gave up: {reason}");
        1
    });
    let task = std::env::var(TASK).unwrap_or_default();
    let probe = match serde_json::from_str(&task) {
        Ok(task) => Probe::new(task),
        Err(error) => {
            eprintln!("cannot read {TASK}: {error}");
            return 1;
        }
    };
    for row in ROWS {
        print(&Line::Begins(row.name.to_owned()));
        print(&Line::Ended(Checked {
            row: row.name.to_owned(),
            problem: (row.check)(&probe).err(),
        }));
    }
    0
}

fn print(line: &Line) {
    let mut text = serde_json::to_vec(line).unwrap_or_default();
    text.push(b'\n');
    // Where nothing is read, nothing is to be said.
    let _ = std::io::stdout().lock().write_all(&text);
}

/// What decides what the rows come to.
fn key(toolchain: &Toolchain) -> String {
    let llvm = cargo::version(&toolchain.llvm.path);
    let this = std::env::current_exe().map(|this| cargo::stamp(&this));
    let rustc = &toolchain.version.text;
    format!("{rustc}\n{llvm}\n{this:?}")
}

/// A result that is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    key: String,
    checked: Vec<Checked>,
}

fn kept_at(key: &str, folder: &Path) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    folder.join(format!("{:016x}.json", hasher.finish()))
}

fn passed_before(toolchain: &Toolchain, folder: &Path) -> Option<Vec<Checked>> {
    let key = key(toolchain);
    let content = std::fs::read(kept_at(&key, folder)).ok()?;
    let kept: Kept = serde_json::from_slice(&content).ok()?;
    (kept.key == key).then_some(kept.checked)
}

/// Keeps what has passed; what has failed may have lacked memory or a disk. If it cannot be written, the rows are checked again next time.
fn keep(toolchain: &Toolchain, folder: &Path, checked: &[Checked]) {
    if checked.iter().any(|c| c.problem.is_some()) {
        return;
    }
    let key = key(toolchain);
    let path = kept_at(&key, folder);
    let kept = Kept {
        key,
        checked: checked.to_vec(),
    };
    let written = path.with_extension(std::process::id().to_string());
    let Ok(content) = serde_json::to_vec(&kept) else {
        return;
    };
    if std::fs::write(&written, content).is_ok() {
        drop(std::fs::rename(&written, path));
    }
}
