//! docs/coverage.md is what the tests say, and no row that needs a test is without.

use std::fs;
use std::path::Path;

use warploom_harness::coverage;

#[test]
fn every_row_has_its_tests_and_the_document_shows_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap_or_default();
    let requirements = coverage::requirements(&read("docs/requirements.tsv")).unwrap();
    let (gpu, passed) = coverage::gpu_record(&read("docs/gpu-tests.txt"));
    let proofs = coverage::proofs(&root, &passed).unwrap();
    let expected = coverage::document(&requirements, &proofs, &gpu);
    let path = root.join("docs/coverage.md");
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, &expected).unwrap();
    }
    let gaps = coverage::gaps(&requirements, &proofs);
    assert!(gaps.is_empty(), "{} gaps:\n{}", gaps.len(), gaps.join("\n"));
    assert!(
        read("docs/coverage.md") == expected,
        "docs/coverage.md is stale: run WARPLOOM_BLESS=1 cargo test -p warploom-harness --test coverage_doc"
    );
}
