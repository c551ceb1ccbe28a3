//! What a run reports: read back from the file that `WARPLOOM_REPORT=json:PATH` makes the runtime write.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

/// One report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its class.
    pub code: u16,
    /// Whether it is a note: worth knowing, and nothing wrong.
    pub is_note: bool,
    /// The lines that its sides name, in the order of the sides, each once; those of other files are left out.
    pub lines: Vec<u32>,
    /// Its first line.
    pub title: String,
}

/// The reports of this process, run by run.
#[derive(Debug)]
pub struct Reports {
    path: PathBuf,
    seen: usize,
}

impl Reports {
    /// The file that the variable names; `None` if reports go elsewhere.
    #[must_use]
    pub fn of_environment() -> Option<Reports> {
        let form = std::env::var("WARPLOOM_REPORT").ok()?;
        let path = PathBuf::from(form.strip_prefix("json:")?);
        let seen = fs::read_to_string(&path).unwrap_or_default().len();
        Some(Reports { path, seen })
    }

    /// What was reported since the last call; lines are those of `file`.
    pub fn take(&mut self, file: &str) -> Vec<Finding> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let new = text.get(self.seen..).unwrap_or_default();
        self.seen = text.len();
        new.lines().filter_map(|line| finding(line, file)).collect()
    }
}

fn finding(line: &str, file: &str) -> Option<Finding> {
    let report: Value = serde_json::from_str(line).ok()?;
    let code = report["code"].as_str()?.strip_prefix("WL")?.parse().ok()?;
    let mut lines = Vec::new();
    for side in report["sides"].as_array()? {
        let own = side["file"].as_str().is_some_and(|f| f.ends_with(file));
        let line = side["line"].as_u64().and_then(|n| u32::try_from(n).ok());
        lines.extend(line.filter(|line| own && !lines.contains(line)));
    }
    let title = report["title"].as_str().unwrap_or_default().to_owned();
    Some(Finding {
        code,
        is_note: report["severity"] == "note",
        lines,
        title,
    })
}
