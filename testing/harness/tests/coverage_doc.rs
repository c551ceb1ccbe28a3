//! docs/generated/coverage.md and docs/generated/host-coverage.md are what the tests say, and no row that needs a test is without.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use warploom_harness::coverage::{self, Proof};
use warploom_harness::{host_coverage, sections};

const BLESS: &str = "WARPLOOM_BLESS=1 cargo test -p warploom-harness --test coverage_doc";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_default()
}

/// What the GPU's record says first, and all proofs.
fn proofs() -> (Vec<String>, Vec<Proof>) {
    let (gpu, passed) = coverage::gpu_record(&read("benches/results/gpu-tests.txt"));
    (gpu, coverage::proofs(&root(), &passed).unwrap())
}

fn compare(name: &str, expected: &str) {
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        fs::write(root().join(name), expected).unwrap();
    }
    assert!(read(name) == expected, "{name} is stale: run {BLESS}");
}

#[test]
fn every_row_has_its_tests_and_the_document_shows_them() {
    let requirements = coverage::requirements(&read("docs/requirements.tsv")).unwrap();
    let (gpu, proofs) = proofs();
    let expected = coverage::document(&requirements, &proofs, &gpu);
    compare("docs/generated/coverage.md", &expected);
    let gaps = coverage::gaps(&requirements, &proofs);
    assert!(gaps.is_empty(), "{} gaps:\n{}", gaps.len(), gaps.join("\n"));
}

#[test]
fn the_hosts_rows_are_shown_with_what_is_missing() {
    let rows = host_coverage::rows(&read("docs/host-requirements.tsv")).unwrap();
    let (gpu, proofs) = proofs();
    let expected = host_coverage::document(&rows, &proofs, &gpu);
    compare("docs/generated/host-coverage.md", &expected);
}

#[test]
fn every_row_that_a_test_names_exists() {
    let requirements = coverage::requirements(&read("docs/requirements.tsv")).unwrap();
    let rows = host_coverage::rows(&read("docs/host-requirements.tsv")).unwrap();
    let mut known: BTreeSet<&str> = requirements.iter().map(|r| r.id.as_str()).collect();
    known.extend(rows.iter().map(|r| r.id.as_str()));
    let mut unknown = coverage::unknown(&known, &proofs().1);
    let also = rows.iter().flat_map(|r| r.also.iter().map(|a| (&r.id, a)));
    for (row, also) in also.filter(|(_, also)| !known.contains(also.as_str())) {
        unknown.push(format!("docs/host-requirements.tsv: {row} names {also}"));
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

/// So that no row of the sources can be left out.
#[test]
fn every_section_has_all_of_its_rows() {
    let rows = host_coverage::rows(&read("docs/host-requirements.tsv")).unwrap();
    for (section, _, count) in host_coverage::SECTIONS {
        let found: Vec<&str> = rows
            .iter()
            .map(|r| r.id.as_str())
            .filter(|id| id.rsplit_once('-').is_some_and(|(s, _)| s == *section))
            .collect();
        let expected: Vec<String> = (1..=*count).map(|n| format!("{section}-{n}")).collect();
        assert_eq!(found, expected, "docs/host-requirements.tsv");
    }
    let sum: u32 = host_coverage::SECTIONS.iter().map(|s| s.2).sum();
    assert_eq!(rows.len(), sum as usize, "rows of no section");
}

/// The documents have these ids; whatever is offered or not, each has a row that says so.
#[test]
fn every_id_of_the_documents_has_a_row() {
    let requirements = coverage::requirements(&read("docs/requirements.tsv")).unwrap();
    let host = host_coverage::rows(&read("docs/host-requirements.tsv")).unwrap();
    let mut rows: BTreeSet<&str> = requirements.iter().map(|r| r.id.as_str()).collect();
    assert_eq!(rows.len(), requirements.len(), "a row stands twice");
    rows.extend(host.iter().map(|r| r.id.as_str()));
    let programs = read("gallery/programs.tsv");
    let programs = programs.lines().filter_map(|line| line.split('\t').next());
    let mut wrong = sections::of_tables(&rows);
    wrong.extend(sections::of_gallery(&programs.collect()));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
