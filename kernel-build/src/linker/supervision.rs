//! LLVM runs in a process of its own: where it crashes, others find the kernel, and keep the IR that it crashed on.

use super::deferred::Request;
use super::notes::{CONTAINER, GAVE_UP, KEEP, NOTES, Noted, ONLY, UNINSTRUMENTED, kept};
use crate::pipeline;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// Signals of an error in the process itself: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV. The others were sent from outside, and a second
/// process would only do the same work again.
const OF_ERRORS: [i32; 6] = [4, 5, 6, 7, 8, 11];

/// How a process ended that did not link.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Crash {
    /// `crashed (signal: 11 (SIGSEGV))`
    how: String,
    noted: Noted,
    /// Whether the same input ends the same way.
    repeats: bool,
}

impl Crash {
    fn of(status: ExitStatus, noted: Noted) -> Crash {
        let how = match &noted.reason {
            Some(reason) if status.code() == Some(GAVE_UP) => format!("gave up: {reason};"),
            _ => format!("crashed ({status})"),
        };
        let signal = signal_of(status);
        let repeats = signal.is_none_or(|signal| OF_ERRORS.contains(&signal));
        Crash {
            how,
            noted,
            repeats,
        }
    }
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

/// The kernels and the step to which a crash was traced.
#[derive(Debug, PartialEq, Eq)]
struct Traced {
    crash: Crash,
    kernels: Vec<usize>,
}

/// Halves the kernels as long as one half alone crashes too. `attempt` compiles some of them.
fn trace(first: Crash, attempt: &mut dyn FnMut(&[usize]) -> Option<Crash>) -> Traced {
    let kernels = (0..first.noted.kernels.len()).collect();
    let mut traced = Traced {
        crash: first,
        kernels,
    };
    while traced.crash.repeats && traced.kernels.len() > 1 {
        let (a, b) = traced.kernels.split_at(traced.kernels.len() / 2);
        let crashed = [a, b].into_iter().find_map(|half| {
            attempt(half).map(|crash| Traced {
                crash,
                kernels: half.to_vec(),
            })
        });
        let Some(half) = crashed else {
            break; // it takes kernels of both
        };
        traced = half;
    }
    traced
}

/// Why there is no container.
pub(super) struct Unlinked {
    pub(super) problem: String,
    /// Whether the next attempt would end the same way.
    pub(super) repeats: bool,
}

/// Links in another process, which writes `container`; or the problem that LLVM's crash is.
pub(super) fn link(request: &Request, container: &Path) -> Result<(), Unlinked> {
    let unstarted = |problem: String| Unlinked {
        problem,
        repeats: false,
    };
    let notes = container.with_extension("notes");
    let this = std::env::current_exe()
        .map_err(|e| unstarted(format!("cannot find the device linker itself: {e}")))?;
    // What the crash has nothing to do with takes half of the time.
    let mut instrumented = true;
    let attempt = |only: Option<&[usize]>,
                   keep: Option<usize>,
                   instrumented: bool|
     -> Result<Option<Crash>, Unlinked> {
        drop(std::fs::remove_file(&notes)); // there is none of an earlier process usually
        let mut command = Command::new(&this);
        // Cargo reads what the build script prints.
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.args(&request.arguments);
        command.envs(request.variables.iter().map(|(key, value)| (key, value)));
        command.current_dir(&request.current_folder);
        command.env(NOTES, &notes).env(CONTAINER, container);
        if let Some(only) = only {
            let numbers: Vec<String> = only.iter().map(usize::to_string).collect();
            command.env(ONLY, numbers.join(","));
            command.env(UNINSTRUMENTED, if instrumented { "0" } else { "1" });
            // The first process has said it.
            command.stderr(Stdio::null());
        }
        if let Some(step) = keep {
            command.env(KEEP, step.to_string());
        }
        let status = command.status();
        let status =
            status.map_err(|e| unstarted(format!("cannot run {}: {e}", this.display())))?;
        Ok((!status.success()).then(|| Crash::of(status, Noted::read(&notes))))
    };
    let Some(first) = attempt(None, None, instrumented)? else {
        drop(std::fs::remove_file(&notes));
        return Ok(());
    };
    instrumented = first.noted.step == pipeline::INSTRUMENTED;
    let mut traced = trace(first, &mut |kernels| {
        attempt(Some(kernels), None, instrumented).ok().flatten()
    });
    if traced.crash.repeats {
        // The first process may have left steps to copies of itself, which it does not count.
        let alone = attempt(Some(&traced.kernels), None, instrumented)?;
        traced.crash = alone.unwrap_or(traced.crash);
        let step = traced.crash.noted.steps;
        let again = attempt(Some(&traced.kernels), Some(step), instrumented)?;
        traced.crash = again.unwrap_or(traced.crash);
    }
    drop(std::fs::remove_file(&notes));
    Err(Unlinked {
        problem: problem(&traced, &request.target, &kept(&notes)),
        repeats: traced.crash.repeats,
    })
}

/// What the user is told.
fn problem(traced: &Traced, target: &str, kept: &Path) -> String {
    const SHOWN: usize = 8;
    let Crash { how, noted, .. } = &traced.crash;
    let step = match &*noted.step {
        "" => "before the first pass",
        step => &format!("in {step}"),
    };
    let mut text = format!("the device linker failed for `{target}`: LLVM {how} {step}");
    let mut kernels = traced.kernels.iter();
    let named: Vec<&str> = (&mut kernels)
        .filter_map(|k| noted.kernels.get(*k).map(String::as_str))
        .take(SHOWN)
        .collect();
    let left = kernels.count();
    match named[..] {
        [] => {}
        [one] => text.push_str(&format!("\n  kernel {one}")),
        _ => text.push_str(&format!("\n  kernels {}", named.join(", "))),
    }
    if left > 0 {
        text.push_str(&format!(" and {left} others"));
    }
    if !traced.crash.repeats {
        return text + "\n  the process was ended from outside: is there enough memory?";
    }
    if kept.exists() {
        text.push_str(&format!(
            "\n  the IR on which it did so is kept in {}: report it with this file",
            kept.display()
        ));
    }
    text + "\n  until then, leave out of the kernel what it calls last, or turn the instrumented code off (WARPLOOM_INSTRUMENTED=0) if that is where it happens"
}

#[cfg(test)]
#[path = "supervision_tests.rs"]
mod tests;
