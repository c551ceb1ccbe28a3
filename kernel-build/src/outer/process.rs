//! The outer cargo's process: its id, arguments, folder and environment, as Linux shows them under `/proc`. On other systems nothing of it is
//! known; no device code is made there.

use std::ffi::OsString;
use std::path::PathBuf;

/// The process id of the outer cargo, where it is not the parent.
pub(crate) const PROCESS: &str = "WARPLOOM_OUTER_PROCESS";

/// The id of the outer cargo.
pub(super) fn id() -> u32 {
    let named = std::env::var(PROCESS).ok().and_then(|id| id.parse().ok());
    named.unwrap_or_else(parent)
}

#[cfg(unix)]
fn parent() -> u32 {
    std::os::unix::process::parent_id()
}

/// No process has this id.
#[cfg(not(unix))]
fn parent() -> u32 {
    0
}

/// Tells one cargo process from all others: its id and when it started.
pub(crate) fn identity_of(process: u32) -> Option<String> {
    Some(format!("{process} {}", status(process)?.get(19)?))
}

pub(crate) fn identity() -> Option<String> {
    identity_of(id())
}

/// The fields of `/proc/<id>/stat` after the name.
fn status(process: u32) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    Some(after_name.split_whitespace().map(str::to_owned).collect())
}

/// The cargo that started this process, perhaps through rustc and wrappers.
pub(crate) fn cargo_above() -> Option<u32> {
    let mut process = parent();
    while process > 1 {
        let program = std::fs::read_link(format!("/proc/{process}/exe")).ok();
        if program.is_some_and(|p| p.file_name().is_some_and(|name| name == "cargo")) {
            return Some(process);
        }
        process = status(process)?.get(1)?.parse().ok()?;
    }
    None
}

/// The arguments, without the program.
pub(super) fn arguments() -> Vec<String> {
    let args = std::fs::read(format!("/proc/{}/cmdline", id())).unwrap_or_default();
    let args = args.strip_suffix(b"\0").unwrap_or(&args).split(|b| *b == 0);
    let args = args.skip(1);
    args.map(|a| String::from_utf8_lossy(a).into_owned())
        .collect()
}

pub(crate) fn cwd() -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{}/cwd", id())).ok()
}

/// The environment.
///
/// # Errors
/// Says what cannot be read.
#[cfg(unix)]
pub(super) fn environment() -> Result<Vec<(OsString, OsString)>, String> {
    use std::os::unix::ffi::OsStringExt as _;
    let all = std::fs::read(format!("/proc/{}/environ", id())).map_err(|e| {
        format!("the environment of the outer cargo cannot be read from /proc: {e}")
    })?;
    let entries = all.split(|b| *b == 0).filter_map(|entry| {
        let at = entry.iter().position(|b| *b == b'=')?;
        let (key, value) = (entry[..at].to_vec(), entry[at + 1..].to_vec());
        Some((OsString::from_vec(key), OsString::from_vec(value)))
    });
    Ok(entries.collect())
}

/// See above.
#[cfg(not(unix))]
pub(super) fn environment() -> Result<Vec<(OsString, OsString)>, String> {
    Err("the environment of the outer cargo is known on Linux only".into())
}
