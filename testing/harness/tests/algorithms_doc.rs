//! docs/generated/algorithms.md is what the committed results say.

use std::path::Path;

use warploom_harness::algorithms;
use warploom_harness::generated::assert_current;

#[test]
fn document_matches_the_committed_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let results = algorithms::read_folder(&root.join("benches/results/algorithms")).unwrap();
    assert_current(
        &root,
        "docs/generated/algorithms.md",
        &algorithms::document(&results),
        "cargo test -p warploom-harness --test algorithms_doc",
    );
}
