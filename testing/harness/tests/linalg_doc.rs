//! docs/generated/linalg.md is what the committed results say.

use std::path::Path;

use warploom_harness::generated::assert_current;
use warploom_harness::linalg;

#[test]
fn document_matches_the_committed_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let results = linalg::read_folder(&root.join("benches/results/linalg")).unwrap();
    assert_current(
        &root,
        "docs/generated/linalg.md",
        &linalg::document(&results),
        "cargo test -p warploom-harness --test linalg_doc",
    );
}
