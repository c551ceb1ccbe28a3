//! What is said once per process, in which form, and what is allowed in all of it.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

use warploom_emulator::Fault;
use warploom_emulator::check::{Allowance, Allowances, Report, Severity, Sources, colours};

use super::{Launched, json, of_fault, sources};
use crate::checked::warnings::{Kind, kind};
use crate::sync::lock;

/// The form of what is said, as `WARPLOOM_REPORT` has it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Form {
    /// Text on the standard error stream: warnings and notes. Errors are reported by the code that gets the `Err`.
    #[default]
    Human,
    /// Nothing; errors are errors all the same.
    Quiet,
    /// One JSON object per finding, errors too: on the standard error stream, or at the end of a file.
    Json(Option<PathBuf>),
}

impl Form {
    pub(super) fn of_variable(value: &str) -> Option<Form> {
        Some(match value {
            "" | "human" => Form::Human,
            "quiet" => Form::Quiet,
            "json" => Form::Json(None),
            _ => match value.strip_prefix("json:")? {
                "" => return None,
                path => Form::Json(Some(path.into())),
            },
        })
    }
}

/// What outlives a launch.
#[derive(Debug, Default)]
pub(super) struct Reporter {
    form: Form,
    allowances: Allowances,
    /// Warnings and notes that were said.
    said: HashSet<Kind>,
}

impl Reporter {
    /// As the environment wants it, and what is wrong with that.
    pub(super) fn new(report: Option<&str>, allow: Option<&str>) -> (Reporter, Vec<String>) {
        let (mut reporter, mut wrong) = (Reporter::default(), Vec::new());
        if let Some(value) = report {
            match Form::of_variable(value) {
                Some(form) => reporter.form = form,
                None => wrong.push(format!(
                    "WARPLOOM_REPORT is `{value}`; use `human`, `quiet`, `json` or `json:PATH`, or unset it"
                )),
            }
        }
        if let Some(value) = allow {
            match Allowance::list(value) {
                Ok(list) => reporter.allowances.add(list),
                Err(why) => wrong.push(format!(
                    "cannot read WARPLOOM_ALLOW, and nothing of it counts: {why}"
                )),
            }
        }
        (reporter, wrong)
    }

    /// Takes away what is allowed, and puts the fault at the front. Gives back what is left, and what is to be said of it.
    pub(super) fn take(
        &mut self,
        launched: &Launched<'_>,
        reports: Vec<Report>,
        fault: Option<&Fault>,
        sources: &Sources,
    ) -> (Vec<Report>, Vec<String>) {
        if !launched.sites.is_empty() {
            self.allowances.ran(launched.sites.clone());
        }
        let mut findings = match reports.is_empty() {
            true => reports,
            false => self.allowances.sift(reports, sources),
        };
        if let Some(own) = fault.and_then(|fault| of_fault(launched, fault, &findings)) {
            findings.insert(0, own);
        }
        let words = self.words(&findings, Some(launched), sources);
        (findings, words)
    }

    /// What was allowed in vain so far, and what is to be said of it.
    pub(super) fn unused(&mut self, sources: &Sources) -> (Vec<Report>, Vec<String>) {
        let reports = self.allowances.unused(sources);
        let words = self.words(&reports, None, sources);
        (reports, words)
    }

    fn words(
        &mut self,
        reports: &[Report],
        launched: Option<&Launched<'_>>,
        sources: &Sources,
    ) -> Vec<String> {
        let said = reports
            .iter()
            .filter_map(|report| self.say(report, launched, sources));
        said.collect()
    }

    /// Errors are said for each launch, all else once for its class and places.
    fn say(
        &mut self,
        report: &Report,
        launched: Option<&Launched<'_>>,
        sources: &Sources,
    ) -> Option<String> {
        if self.form == Form::Quiet {
            return None;
        }
        if report.severity != Severity::Error && !self.said.insert(kind(report)) {
            return None;
        }
        match (&self.form, report.severity) {
            (Form::Json(_), _) => {
                Some(json::line(report, launched, &report.render(sources, false)))
            }
            (_, Severity::Error) => None,
            _ => Some(report.render(sources, colours()) + "\n"),
        }
    }
}

/// Where words go. To the error stream only through `eprintln` if they are for people: the test harness shows them with their test.
pub(super) fn write(form: &Form, words: &[String]) {
    let lines = || {
        words
            .iter()
            .flat_map(|line| [line, "\n"])
            .collect::<String>()
    };
    match form {
        _ if words.is_empty() => {}
        Form::Json(None) => drop(std::io::stderr().write_all(lines().as_bytes())),
        Form::Json(Some(path)) => {
            let file = OpenOptions::new().create(true).append(true).open(path);
            // One call, so that lines of several processes do not mix.
            if let Err(error) = file.and_then(|mut file| file.write_all(lines().as_bytes())) {
                eprintln!(
                    "warploom: cannot write findings to {}: {error}",
                    path.display()
                );
            }
        }
        Form::Human | Form::Quiet => words.iter().for_each(|text| eprintln!("{text}")),
    }
}

fn reporter() -> &'static Mutex<Reporter> {
    static DESK: OnceLock<Mutex<Reporter>> = OnceLock::new();
    DESK.get_or_init(|| {
        let variable = |name| std::env::var(name).ok();
        let (report, allow) = (variable("WARPLOOM_REPORT"), variable("WARPLOOM_ALLOW"));
        let (reporter, wrong) = Reporter::new(report.as_deref(), allow.as_deref());
        for text in wrong {
            eprintln!("warploom: {text}");
        }
        Mutex::new(reporter)
    })
}

/// Takes away what is allowed, says what is to be said now, and gives back what is left.
pub(super) fn take(
    launched: &Launched<'_>,
    reports: Vec<Report>,
    fault: Option<&Fault>,
) -> Vec<Report> {
    if reports.is_empty() && fault.is_none() && launched.sites.is_empty() {
        return reports;
    }
    if !launched.sites.is_empty() {
        at_exit();
    }
    let mut reporter = lock(reporter());
    let (findings, words) = reporter.take(launched, reports, fault, sources());
    write(&reporter.form, &words);
    findings
}

/// Says a finding that belongs to no launch, unless it is allowed. Gives back what is left.
pub(crate) fn remark(report: Report) -> Vec<Report> {
    let mut reporter = lock(reporter());
    let left = reporter.allowances.sift(vec![report], sources());
    let words = reporter.words(&left, None, sources());
    write(&reporter.form, &words);
    left
}

/// Allows findings in code that one cannot edit, from now on and in all launches of the process. For code of one's own write a comment at
/// its line: `// warploom: allow(WL0114, reason = "…")`.
///
/// `list` is what the variable `WARPLOOM_ALLOW` may have: `CODE@FILE:LINE=REASON`, several with `;` between them. `FILE` may be the end of
/// a path, and without `:LINE` all of the file is meant. A missing reason is reported when the permission is used.
///
/// # Errors
/// What cannot be read, and why; nothing is allowed then.
///
/// ```
/// warploom_runtime::checked::allow("WL0114@histogram-1.2.0/src/lib.rs:12=all threads write the same flag")?;
/// # Ok::<(), String>(())
/// ```
pub fn allow(list: &str) -> Result<(), String> {
    let list = Allowance::list(list)?;
    lock(reporter()).allowances.add(list);
    Ok(())
}

/// Permissions, in comments and lists, that no finding has needed in this process although code of their lines ran in checked mode; and
/// comments there that cannot be read. They are also said when the process ends.
///
/// Exact for what ran: a permission for a race that only another launch shows is unused until this launch was made.
///
/// ```
/// assert_eq!(warploom_runtime::checked::unused_allowances(), []);
/// ```
#[must_use]
pub fn unused_allowances() -> Vec<Report> {
    let reporter = lock(reporter());
    reporter.allowances.unused(sources())
}

/// Lets the end of the process say what was allowed in vain.
fn at_exit() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        #[cfg(not(miri))] // it knows no `atexit`
        let _ = ffi::atexit(say_unused);
    });
}

#[cfg(not(miri))]
mod ffi {
    // SAFETY: the C standard's; it takes a function that takes nothing, and any thread may call it.
    unsafe extern "C" {
        pub(super) safe fn atexit(call: extern "C" fn()) -> std::ffi::c_int;
    }
}

#[cfg(not(miri))]
extern "C" fn say_unused() {
    // A panic must not leave it, and another thread may still hold the lock.
    let _ = std::panic::catch_unwind(|| {
        if let Ok(mut reporter) = reporter().try_lock() {
            let (_, words) = reporter.unused(sources());
            write(&reporter.form, &words);
        }
    });
}
