//! Which test proves which of the host's requirements: docs/generated/host-coverage.md.
//!
//! `docs/host-requirements.tsv` has a line per row: id, title, what needs a test (`E` emulator, `G` GPU, `H` the host alone, `C` does not
//! compile, `P` PTX), the rows whose tests count here too, and a reason: why a row needs no test, or what was decided about it. Who proves
//! what is found by [`coverage`](crate::coverage). A row without a test does not fail: the document says that it is missing.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::coverage::{Proof, cell, tests_of};

/// The sections of the sources: what ids start with, what they are about, and how many rows there are.
pub const SECTIONS: &[(&str, &str, u32)] = &[
    ("GLA", "Execution configuration and launch", 18),
    ("GCO", "Compilation, PTX, JIT, versions", 12),
    ("GDM", "Device memory", 14),
    ("GPL", "Page-locked host memory", 8),
    ("GAS", "Asynchronous execution, streams, events", 13),
    ("GDV", "Devices, compute modes, mode switches", 8),
    ("GDR", "Driver API core", 13),
    ("GMX", "Mixing APIs", 5),
    ("GER", "Error handling", 6),
    ("GCC", "Tables by compute capability", 40),
    ("TM", "Textbooks: memory, seen from the host", 16),
    ("TT", "Textbooks: tools and language", 10),
    ("GPF5", "Advice: parallel work and occupancy", 10),
    ("GGX", "Graphics interfaces", 5),
    (
        "HX",
        "Language extensions: host functions that they name",
        12,
    ),
];

/// A row of the host's requirements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRow {
    /// Its id, as tests name it.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// The letters of what needs a test; empty if it does not apply.
    pub needs: String,
    /// Rows whose tests count for this one, too.
    pub also: Vec<String>,
    /// Why no test is needed, or a remark.
    pub why: String,
}

/// How far a row is covered. The order is that of the document's summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    Covered,
    OnlyEmulator,
    OnlyGpu,
    Partly,
    Waits,
    OnlyFake,
    Missing,
    NotApplicable,
}

impl Status {
    const ALL: [(Status, &'static str); 8] = [
        (Status::Covered, "covered"),
        (Status::OnlyEmulator, "only emulator"),
        (Status::OnlyGpu, "only GPU"),
        (Status::Partly, "in part"),
        (Status::Waits, "waits for a GPU"),
        (Status::OnlyFake, "only fake driver"),
        (Status::Missing, "**missing**"),
        (Status::NotApplicable, "not applicable"),
    ];

    fn text(self) -> &'static str {
        let found = Status::ALL.iter().find(|(status, _)| *status == self);
        found.map_or("", |(_, text)| text)
    }
}

/// Reads docs/host-requirements.tsv.
///
/// # Errors
/// A line that has not five cells, an unknown letter, a row that needs nothing and says not why, or one that is there twice; by number.
pub fn rows(text: &str) -> Result<Vec<HostRow>, String> {
    let mut all: Vec<HostRow> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let cells: Vec<&str> = line.split('\t').collect();
        let [id, title, needs, also, why] = cells[..] else {
            return Err(format!("line {number}: not five cells: {line}"));
        };
        if let Some(unknown) = needs.chars().find(|c| !"EGHCP".contains(*c)) {
            return Err(format!("line {number}: {unknown} is none of E, G, H, C, P"));
        }
        if needs.is_empty() && why.is_empty() {
            return Err(format!(
                "line {number}: {id} needs no test and says not why"
            ));
        }
        if all.iter().any(|row| row.id == id) {
            return Err(format!("line {number}: {id} is there already"));
        }
        let also = also.split(',').map(|a| a.trim().to_owned());
        all.push(HostRow {
            id: id.to_owned(),
            title: title.to_owned(),
            needs: needs.to_owned(),
            also: also.filter(|a| !a.is_empty()).collect(),
            why: why.to_owned(),
        });
    }
    Ok(all)
}

/// docs/generated/host-coverage.md.
#[must_use]
pub fn document(rows: &[HostRow], proofs: &[Proof], gpu: &[String]) -> String {
    let mut counts: BTreeMap<Status, usize> = BTreeMap::new();
    for row in rows {
        *counts.entry(status(row, proofs)).or_default() += 1;
    }
    let counts: Vec<String> = Status::ALL
        .iter()
        .filter_map(|(status, text)| Some(format!("{} {text}", counts.get(status)?)))
        .collect();
    let mut text = format!(
        "# Coverage of the host's side\n\n\
         <!-- Generated from the tests and docs/host-requirements.tsv. To write it anew: WARPLOOM_BLESS=1 cargo test -p warploom-harness --test coverage_doc -->\n\n\
         What a host program does with a GPU, as the CUDA programming guides and textbooks describe it: a row per requirement, with the tests that\n\
         prove it. Kernels have [coverage.md](coverage.md). *In part*: a kind of test that the row asks for is not there. *Waits*: a test is\n\
         written for GPUs and no recorded run has passed it yet. Tests against the fake driver, on the host alone and of what does not compile\n\
         stand under *others*.\n\n\
         {} rows: {}.\n\n\
         GPU: {}\n",
        rows.len(),
        counts.join(", "),
        gpu.join(" · ")
    );
    for (section, title, _) in SECTIONS {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n## {title}\n\n| row | what | status | emulator | GPU | others | remark |\n|---|---|---|---|---|---|---|\n"
        );
        let here = |row: &&HostRow| group(&row.id) == *section;
        for row in rows.iter().filter(here) {
            line(&mut text, row, proofs);
        }
    }
    text
}

fn line(text: &mut String, row: &HostRow, proofs: &[Proof]) {
    let waits = tests(row, proofs, "W");
    let gpu = match (tests(row, proofs, "G"), waits.is_empty()) {
        (passed, false) if passed.is_empty() => format!("waits: {}", cell(&waits)),
        (passed, _) => cell(&passed),
    };
    let _ = writeln!(
        text,
        "| {} | {} | {} | {} | {gpu} | {} | {} |",
        row.id,
        row.title,
        status(row, proofs).text(),
        cell(&tests(row, proofs, "E")),
        cell(&others(row, proofs)),
        row.why
    );
}

/// The tests of a row in any of these columns, each once.
fn tests<'a>(row: &HostRow, proofs: &'a [Proof], columns: &str) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for column in columns.chars() {
        for id in [&row.id].into_iter().chain(&row.also) {
            for test in tests_of(proofs, id, column) {
                if !found.contains(&test) {
                    found.push(test);
                }
            }
        }
    }
    found
}

/// Those that run neither on the emulator nor on a GPU.
fn others<'a>(row: &HostRow, proofs: &'a [Proof]) -> Vec<&'a str> {
    let devices = tests(row, proofs, "EGW");
    let mut others = tests(row, proofs, "HCFP");
    others.retain(|test| !devices.contains(test));
    others
}

fn status(row: &HostRow, proofs: &[Proof]) -> Status {
    if row.needs.is_empty() {
        return Status::NotApplicable;
    }
    let has = |column: char| !tests(row, proofs, &column.to_string()).is_empty();
    let there: Vec<char> = row.needs.chars().filter(|c| has(*c)).collect();
    match there[..] {
        _ if there.len() == row.needs.chars().count() => Status::Covered,
        [] if row.needs.contains('G') && has('W') => Status::Waits,
        [] if has('F') => Status::OnlyFake,
        [] => Status::Missing,
        ['E'] => Status::OnlyEmulator,
        ['G'] => Status::OnlyGpu,
        _ => Status::Partly,
    }
}

fn group(id: &str) -> &str {
    id.split_once('-').map_or(id, |(group, _)| group)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof(row: &str, test: &str, columns: &str) -> Proof {
        Proof {
            file: "runtime/tests/a.rs".into(),
            test: test.into(),
            rows: vec![row.into()],
            columns: columns.into(),
        }
    }

    fn status_of(line: &str, proofs: &[Proof]) -> Status {
        status(&rows(line).unwrap()[0], proofs)
    }

    #[test]
    fn a_row_is_as_far_as_its_tests() {
        let line = "GDM-1\tallocation\tEG\t\t\n";
        for (columns, expected) in [
            ("EG", Status::Covered),
            ("HEW", Status::OnlyEmulator),
            ("G", Status::OnlyGpu),
            ("HW", Status::Waits),
            ("F", Status::OnlyFake),
            ("H", Status::Missing),
        ] {
            let proofs = [proof("GDM-1", "allocates", columns)];
            assert_eq!(status_of(line, &proofs), expected, "{columns}");
        }
        assert_eq!(status_of(line, &[]), Status::Missing);
    }

    #[test]
    fn a_kind_of_test_that_is_not_there_is_part_of_the_status() {
        let proofs = [proof("GDM-1", "allocates", "EG")];
        let line = "GDM-1\tallocation\tEGC\t\t\n";
        assert_eq!(status_of(line, &proofs), Status::Partly);
    }

    #[test]
    fn tests_of_other_rows_count_where_the_row_says_so() {
        let proofs = [proof("MS-4", "managed", "EG")];
        let line = "TM-7\tmanaged statics\tEG\tMS-4, MS-1\t\n";
        assert_eq!(status_of(line, &proofs), Status::Covered);
    }

    #[test]
    fn the_document_counts_and_shows_what_is_missing() {
        let rows = rows("GDM-1\tallocation\tEG\t\t\nGDM-4\tarrays\t\t\tlater\n").unwrap();
        let text = document(&rows, &[], &[]);
        assert!(
            text.contains("2 rows: 1 **missing**, 1 not applicable."),
            "{text}"
        );
        assert!(
            text.contains("| GDM-1 | allocation | **missing** | – | – | – |  |"),
            "{text}"
        );
    }

    #[test]
    fn a_test_that_no_gpu_has_passed_waits() {
        let rows = rows("GDM-1\tallocation\tEG\t\t\n").unwrap();
        let text = document(&rows, &[proof("GDM-1", "allocates", "HEW")], &[]);
        assert!(
            text.contains("| only emulator | `allocates` | waits: `allocates` | – |"),
            "{text}"
        );
    }

    #[test]
    fn lines_that_say_nothing_are_refused() {
        for (wrong, word) in [
            ("GDM-1\tallocation\tEG\t\n", "not five cells"),
            ("GDM-1\tallocation\tX\t\t\n", "X is none of"),
            ("GDM-1\tallocation\t\t\t\n", "says not why"),
            (
                "GDM-1\ta\tE\t\t\nGDM-1\tb\tE\t\t\n",
                "line 2: GDM-1 is there already",
            ),
        ] {
            let error = rows(wrong).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }
}
