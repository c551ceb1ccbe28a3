//! What the emulator says of kernels: errors fail the launch and come as `Err`, warnings are written to a file.
#![expect(
    clippy::print_stdout,
    reason = "programs of the gallery talk to their users"
)]

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use warploom::checked::Report;
use warploom::{Error, MemoryError, StreamError};

use crate::program::Program;

/// Where the runtime's findings go: `json:` and a path.
pub(crate) const REPORT: &str = "WARPLOOM_REPORT";

/// The file with the findings of this process.
#[derive(Debug)]
pub(crate) struct Reports {
    path: PathBuf,
    /// How many bytes of it have been read.
    seen: Cell<usize>,
    /// Classes that were found.
    classes: RefCell<BTreeSet<String>>,
}

/// A warning or a note.
#[derive(Debug)]
struct Finding {
    code: String,
    text: String,
}

impl Reports {
    /// `None` if findings go elsewhere.
    pub(crate) fn of_environment() -> Option<Reports> {
        let form = std::env::var(REPORT).ok()?;
        let path = PathBuf::from(form.strip_prefix("json:")?);
        let seen = Cell::new(fs::read(&path).map_or(0, |bytes| bytes.len()));
        let classes = RefCell::default();
        Some(Reports {
            path,
            seen,
            classes,
        })
    }

    /// What was found since the last call.
    fn take(&self) -> Vec<Finding> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let new = text
            .get(self.seen.replace(text.len())..)
            .unwrap_or_default();
        let found: Vec<Finding> = new.lines().filter_map(finding).collect();
        let codes = found.iter().map(|finding| finding.code.clone());
        self.classes.borrow_mut().extend(codes);
        found
    }

    /// Whether this class was found so far.
    fn had(&self, code: &str) -> bool {
        self.classes.borrow().contains(code)
    }
}

/// A line of the file.
fn finding(line: &str) -> Option<Finding> {
    let object: serde_json::Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| object[name].as_str().map(str::to_owned);
    Some(Finding {
        code: text("code")?,
        text: text("rendered")?,
    })
}

impl Program {
    /// Checks that the emulator refuses a kernel with a report of this class, such as `WL0101`, and prints the report. `ended` is what
    /// waiting for the stream gave.
    pub fn finds(&self, code: &str, ended: Result<(), impl Into<Error>>) {
        let what = format!("{code} is reported");
        let error = match ended {
            Ok(()) => return self.is(&what, "no error", code),
            Err(error) => error.into(),
        };
        println!("{error}\n");
        let found = codes(&error);
        match found.iter().any(|found| found == code) {
            true => self.is(&what, code, code),
            false => self.is(&what, &*found.join(", "), code),
        }
    }

    /// Checks that the emulator warned of this class since the last such call, in a program that [`costs`](crate::costs) runs; prints all
    /// warnings.
    pub fn warns(&self, code: &str) {
        let found = self.take();
        for finding in &found {
            println!("{}", finding.text);
        }
        let has = found.iter().any(|finding| finding.code == code);
        self.is(&format!("{code} is reported"), has, true);
    }

    /// Checks that the emulator warned of nothing of this class since the last such call. What is silent comes before what is warned of: a
    /// place is warned of once in a process, so that behind a warning silence means nothing, and is a failure.
    pub fn is_silent(&self, code: &str) {
        if self.reports.as_ref().is_some_and(|all| all.had(code)) {
            let why = "it was before, and no place is warned of twice: check this first";
            return self.is(&format!("{code} is not reported"), why, "");
        }
        let mut found = self.take();
        found.retain(|finding| finding.code == code);
        let first = found.first().map_or("", |finding| &*finding.text);
        self.is(&format!("{code} is not reported"), first, "");
    }

    fn take(&self) -> Vec<Finding> {
        self.reports.as_ref().map_or_else(Vec::new, Reports::take)
    }
}

/// The classes of an error's findings.
fn codes(error: &Error) -> Vec<String> {
    let stream = match error {
        Error::Stream(error) | Error::Memory(MemoryError::Stream(error)) => error,
        _ => return Vec::new(),
    };
    let (own, findings): (_, &[Report]) = match stream {
        StreamError::Check(found) => (None, found.findings()),
        StreamError::Panic(panic) => (Some(panic.code()), &panic.findings),
        StreamError::Deadlock(stuck) => (Some(stuck.code()), &stuck.findings),
        _ => return Vec::new(),
    };
    let found = findings.iter().map(|report| report.code);
    own.into_iter()
        .chain(found)
        .map(|code| code.to_string())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_read_once() {
        let path = std::env::temp_dir().join(format!("gallery-{}.jsonl", std::process::id()));
        let line = r#"{"code":"WL0501","rendered":"two ways","count":1}"#;
        fs::write(&path, format!("{line}\nnot json\n")).unwrap();
        let reports = Reports {
            path: path.clone(),
            seen: Cell::new(0),
            classes: RefCell::default(),
        };
        assert!(!reports.had("WL0501"));
        let found = reports.take();
        assert!(reports.had("WL0501") && !reports.had("WL0502"));
        assert_eq!((&*found[0].code, &*found[0].text), ("WL0501", "two ways"));
        assert_eq!((found.len(), reports.take().len()), (1, 0));
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn an_error_without_findings_has_no_classes() {
        assert!(codes(&Error::Stream(StreamError::NoTiming)).is_empty());
    }
}
