//! docs/generated/math.md is what the committed results say, and these keep the bounds.

use std::fs;
use std::path::{Path, PathBuf};

use warploom_harness::math_accuracy::{Measured, document, read_folder};
use warploom_harness::record;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn accuracy() -> Result<Vec<Measured>, String> {
    read_folder(&root().join("benches/results/math/accuracy"))
}

#[test]
fn document_matches_the_committed_results() {
    let speeds = record::read_folder(&root().join("benches/results/math")).unwrap();
    let expected = document(&accuracy().unwrap(), &speeds);
    let path = root().join("docs/generated/math.md");
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, &expected).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let differs = committed
        .lines()
        .zip(expected.lines())
        .find(|(committed, expected)| committed != expected);
    assert!(
        committed == expected,
        "docs/generated/math.md differs from benches/results/math: run WARPLOOM_BLESS=1 cargo test -p warploom-harness --test math_doc\n\
         {differs:#?}"
    );
}

#[test]
fn committed_figures_keep_the_bounds() {
    for measured in accuracy().unwrap() {
        let beyond: Vec<_> = measured.rows.iter().filter(|row| !row.holds()).collect();
        assert!(beyond.is_empty(), "on {}: {beyond:#?}", measured.device);
    }
}

#[test]
fn every_device_has_the_same_functions_and_bounds() {
    let functions = |measured: &Measured| {
        let rows = measured.rows.iter();
        let mut all: Vec<_> = rows
            .map(|row| (row.precision.clone(), row.function.clone(), row.bound))
            .collect();
        all.sort();
        all.dedup();
        all
    };
    let all = accuracy().unwrap();
    for measured in &all {
        assert_eq!(
            functions(measured),
            functions(&all[0]),
            "{} and {}",
            measured.device,
            all[0].device
        );
    }
}
