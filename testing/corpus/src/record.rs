//! results/reported.tsv: what was found of each bug from a public report, by the rules of RULES.md.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use warploom_harness::unseen::Half;

use crate::case::Case;

/// What one run said of a bug and its twin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The bug's run gave an error, a warning, or a note that was expected.
    pub found: bool,
    /// One of its reports was of an expected class.
    pub class: bool,
    /// All expected reports came, with their lines, and no other.
    pub lines: bool,
    /// The twin was right, and gave no report.
    pub twin: bool,
}

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The case.
    pub name: String,
    /// The thread that it is from.
    pub origin: String,
    /// `worked` or `held-out`.
    pub half: String,
    /// What was found.
    pub verdict: Verdict,
    /// Why it is not all `yes`: written by hand.
    pub note: String,
}

impl Row {
    /// A line of this run, with the note of the line before.
    #[must_use]
    pub fn new(case: &Case, half: Half, verdict: Verdict, note: &str) -> Row {
        Row {
            name: case.name.to_owned(),
            origin: case.origin.to_owned(),
            half: half.to_string(),
            verdict,
            note: note.to_owned(),
        }
    }
}

const HEAD: &str = "\
# What was found of the bugs from public reports: RULES.md. Written by tests/corpus.rs, apart from the last column.
# case\tthread\thalf\tfound\tclass\tlines\ttwin\tnote
";

/// The file, its lines by half and name.
pub fn text(rows: &mut [Row]) -> String {
    rows.sort_by(|a, b| (&a.half, &a.name).cmp(&(&b.half, &b.name)));
    let mut text = HEAD.to_owned();
    for row in rows {
        let Row {
            name,
            origin,
            half,
            verdict,
            note,
        } = row;
        let [found, class, lines, twin] =
            [verdict.found, verdict.class, verdict.lines, verdict.twin]
                .map(|yes| if yes { "yes" } else { "no" });
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{name}\t{origin}\t{half}\t{found}\t{class}\t{lines}\t{twin}\t{note}"
        );
    }
    text
}

/// The lines of the file, by case. Lines of another form are left out.
#[must_use]
pub fn read(text: &str) -> BTreeMap<String, Row> {
    let mut rows = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split('\t').collect();
        let [name, origin, half, found, class, lines, twin, note] = words.as_slice() else {
            continue;
        };
        let [found, class, lines, twin] = [found, class, lines, twin].map(|word| *word == "yes");
        let row = Row {
            name: (*name).to_owned(),
            origin: (*origin).to_owned(),
            half: (*half).to_owned(),
            verdict: Verdict {
                found,
                class,
                lines,
                twin,
            },
            note: (*note).to_owned(),
        };
        rows.insert((*name).to_owned(), row);
    }
    rows
}
