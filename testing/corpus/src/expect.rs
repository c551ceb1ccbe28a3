//! What the comments in the source of a case say of its reports: `//~ WL0101 first`.
//!
//! A mark stands at the end of a line and means that a report of this class names the line. `first` and `second` are the two sides of one
//! report; one mark alone is a report that names one line, on one side or on both. `//~ WL0101|WL0103`: of either class. `//~?`: such a
//! report may come as well. `//~^` means the line above; `nowhere`: the report names no line. A kernel's marks are those from its
//! `#[kernel]` to the next.

use crate::case::{Case, File};

/// One report that a case has to bring about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The class, or any of several.
    pub codes: Vec<u16>,
    /// The lines that it names.
    pub lines: Vec<u32>,
    /// Whether it must come.
    pub needed: bool,
}

/// What the marks of `case` in `file` say.
#[must_use]
pub fn expected(file: &File, case: &Case) -> Vec<Expected> {
    let mut all: Vec<Expected> = Vec::new();
    for mark in marks(file, case) {
        let same = |e: &&mut Expected| mark.is_side && e.codes == mark.codes;
        match all.iter_mut().find(|e| same(e) && e.needed == mark.needed) {
            Some(other) => other.lines.extend(mark.line),
            None => all.push(Expected {
                codes: mark.codes,
                lines: mark.line.into_iter().collect(),
                needed: mark.needed,
            }),
        }
    }
    all
}

struct Mark {
    codes: Vec<u16>,
    /// `None`: no line.
    line: Option<u32>,
    needed: bool,
    is_side: bool,
}

fn marks(file: &File, case: &Case) -> Vec<Mark> {
    let mut all = Vec::new();
    for (number, line) in lines(file, case) {
        for text in line.split("//~").skip(1) {
            let needed = !text.starts_with('?');
            let above = text.trim_start_matches('?').starts_with('^');
            let mut words = text.trim_start_matches(['?', '^']).split_whitespace();
            let codes = words.next().unwrap_or_default().split('|');
            let side = words.next();
            let line = number - u32::from(above);
            all.push(Mark {
                codes: codes
                    .filter_map(|c| c.strip_prefix("WL")?.parse().ok())
                    .collect(),
                line: (side != Some("nowhere")).then_some(line),
                needed,
                is_side: side.is_some(),
            });
        }
    }
    all
}

impl Expected {
    /// Whether this is the report: its class, and its lines as far as they are marked. Sides behind those tell more.
    #[must_use]
    pub fn is_met_by(&self, code: u16, lines: &[u32]) -> bool {
        let sorted = |lines: &[u32]| {
            let mut lines = lines.to_vec();
            lines.sort_unstable();
            lines
        };
        let n = self.lines.len();
        self.codes.contains(&code)
            && (n > 0 || lines.is_empty())
            && lines
                .get(..n)
                .is_some_and(|first| sorted(first) == sorted(&self.lines))
    }
}

/// Whether a report of this class may name all of these lines: each has a mark of the class.
#[must_use]
pub fn is_allowed(file: &File, case: &Case, code: u16, lines: &[u32]) -> bool {
    let marks = marks(file, case);
    let marked = |line: &u32| {
        marks
            .iter()
            .any(|m| m.line == Some(*line) && m.codes.contains(&code))
    };
    let is_marked = !lines.is_empty() && lines.iter().all(marked);
    is_marked
        || expected(file, case)
            .iter()
            .any(|e| e.is_met_by(code, lines))
}

/// The class of a case: that of its first mark.
#[must_use]
pub fn class(file: &File, case: &Case) -> u16 {
    let first = expected(file, case).into_iter().find(|e| e.needed);
    first.and_then(|e| e.codes.first().copied()).unwrap_or(0)
}

/// The classes of all reports that a case has to bring about.
#[must_use]
pub fn codes(file: &File, case: &Case) -> Vec<u16> {
    let needed = expected(file, case).into_iter().filter(|e| e.needed);
    needed.flat_map(|e| e.codes).collect()
}

/// The lines from the kernel's attribute to the next one's, numbered from 1.
fn lines<'a>(file: &'a File, case: &'a Case) -> impl Iterator<Item = (u32, &'a str)> {
    let name = format!("fn {}<", case.name);
    let is_kernel = |line: &str| line.starts_with("#[kernel");
    let start = file.source.lines().position(|line| line.contains(&name));
    let from = start.unwrap_or(usize::MAX);
    (1..)
        .zip(file.source.lines())
        .skip(from)
        .take_while(move |(_, line)| !is_kernel(line) && !line.starts_with("cases!"))
}
