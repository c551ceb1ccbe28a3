//! docs/generated/unseen.md is what the committed results say.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use warploom_harness::generated::assert_current;
use warploom_harness::record::Record;
use warploom_harness::{results as files, unseen};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn results() -> Vec<unseen::Results> {
    files::read_folder(&root().join("benches/results/unseen")).unwrap()
}

fn causes() -> BTreeMap<String, String> {
    let text = fs::read_to_string(root().join("benches/results/unseen/causes.tsv")).unwrap();
    let lines = text.lines().map(|line| line.split_once('\t').unwrap());
    lines
        .map(|(kernel, cause)| (kernel.to_owned(), cause.to_owned()))
        .collect()
}

#[test]
fn slow_kernels_of_the_worked_half_have_a_cause_and_no_others_do() {
    let (results, causes) = (results(), causes());
    let slow: Vec<&str> = unseen::slow(&results).iter().map(|r| &*r.kernel).collect();
    for kernel in &slow {
        let file = "benches/results/unseen/causes.tsv";
        assert!(
            causes.contains_key(*kernel),
            "{file}: no cause for `{kernel}`"
        );
    }
    let stale = causes.keys().find(|kernel| !slow.contains(&&***kernel));
    assert_eq!(stale, None, "a cause for a kernel that is not slow");
}

#[test]
fn document_matches_the_committed_results() {
    let root = root();
    let old: Vec<Vec<Record>> = files::read_folder(&root.join("benches/results")).unwrap();
    assert_current(
        &root,
        "docs/generated/unseen.md",
        &unseen::document(&old, &results(), &causes()),
        "cargo test -p warploom-harness --test unseen_doc",
    );
}
