//! docs/generated/static-comparison.md is what the committed figures say.

use std::fs;
use std::path::{Path, PathBuf};

use warploom_harness::benchmark::NVCC;
use warploom_harness::record::Record;
use warploom_harness::results::read_folder;
use warploom_harness::static_comparison::{Row, Side, document, from_text};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[expect(clippy::unwrap_used, reason = "this is how a test fails")]
fn rows() -> Vec<Row> {
    let path = root().join("benches/results/static.tsv");
    from_text(&path, &fs::read_to_string(&path).unwrap()).unwrap()
}

#[test]
fn document_matches_the_committed_figures() {
    let expected = document(&rows());
    let path = root().join("docs/generated/static-comparison.md");
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, &expected).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == expected,
        "docs/generated/static-comparison.md differs from benches/results/static.tsv: run WARPLOOM_BLESS=1 cargo test -p warploom-harness --test static_comparison"
    );
}

/// Those without checks are there to be compared with our own.
#[test]
fn every_kernel_has_both_sides() {
    let rows = rows();
    for row in rows.iter().filter(|r| !r.kernel.ends_with("_unchecked")) {
        let twin = |side| {
            rows.iter()
                .any(|r| r.kernel == row.kernel && r.side == side)
        };
        assert!(twin(Side::Ours) && twin(Side::Nvcc), "{}", row.kernel);
    }
}

/// A kernel that is timed beside its twin is counted beside it, too.
#[test]
fn every_benchmark_with_a_twin_has_figures() {
    let rows = rows();
    let timed = read_folder::<Vec<Record>>(&root().join("benches/results")).unwrap();
    for benchmark in timed.iter().flatten().filter(|r| r.peer == NVCC) {
        let name = &benchmark.kernel;
        assert!(
            rows.iter().any(|row| row.kernel == *name),
            "no row of `{name}` in benches/results/static.tsv"
        );
    }
}
