//! docs/generated/algorithm-programs.md is what the sources and the committed results say.

use std::path::Path;

use warploom_harness::algorithm_programs;
use warploom_harness::generated::assert_current;
use warploom_harness::results::read_folder;

#[test]
fn document_matches_the_sources_and_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("benches/results/algorithm-programs");
    let results: Vec<algorithm_programs::Results> = read_folder(&folder).unwrap();
    let lines = algorithm_programs::lines(&root).unwrap();
    let shared = algorithm_programs::shared_lines(&root).unwrap();
    assert_current(
        &root,
        "docs/generated/algorithm-programs.md",
        &algorithm_programs::document(&lines, shared, &results),
        "cargo test -p warploom-harness --test algorithm_programs_doc",
    );
}

#[test]
fn ports_have_fewer_lines_than_their_originals() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let lines = algorithm_programs::lines(&root).unwrap();
    for name in ["radixsort2", "scan3", "segment-reduce", "nonzero", "rle"] {
        let (original, ours) = lines[name];
        let algorithm = ours.algorithm <= original.algorithm;
        assert!(
            algorithm && ours.main < original.main,
            "{name}: {ours:?}, {original:?}"
        );
    }
}
