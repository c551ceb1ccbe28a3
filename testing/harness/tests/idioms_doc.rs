//! docs/generated/idioms.md is what the committed figures and exceptions say.
#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test may fail as the test does"
)]

use std::fs;
use std::path::{Path, PathBuf};

use warploom_harness::generated::assert_current;
use warploom_harness::idioms::{self, EXCEPTIONS, Exceptions, ROWS, Row};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(root().join(ROWS)).unwrap();
    idioms::from_text(Path::new(ROWS), &text).unwrap()
}

fn exceptions() -> Exceptions {
    let text = fs::read_to_string(root().join(EXCEPTIONS)).unwrap();
    idioms::exceptions_from_text(Path::new(EXCEPTIONS), &text).unwrap()
}

#[test]
fn document_matches_the_committed_figures() {
    assert_current(
        &root(),
        "docs/generated/idioms.md",
        &idioms::document(&rows(), &exceptions()),
        "cargo test -p warploom-harness --test idioms_doc",
    );
}

/// The page would give reasons that its figures contradict.
#[test]
fn exceptions_are_those_of_the_committed_figures() {
    assert_eq!(idioms::violations(&rows(), &exceptions()), [""; 0]);
}
