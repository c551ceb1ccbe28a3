//! docs/generated/unseen.md is what the committed results say.

use std::path::Path;

use warploom_harness::generated::assert_current;
use warploom_harness::{record, unseen};

#[test]
fn document_matches_the_committed_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let old = record::read_folder(&root.join("benches/results")).unwrap();
    let results = unseen::read_folder(&root.join("benches/results/unseen")).unwrap();
    assert_current(
        &root,
        "docs/generated/unseen.md",
        &unseen::document(&old, &results),
        "cargo test -p warploom-harness --test unseen_doc",
    );
}
