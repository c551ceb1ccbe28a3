//! docs/generated/math.md is what the committed results say, and these keep the bounds.

use std::path::{Path, PathBuf};

use warploom_harness::generated::assert_current;
use warploom_harness::math_accuracy::{Measured, document, read_folder};
use warploom_harness::record::Record;
use warploom_harness::results;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn accuracy() -> Result<Vec<Measured>, String> {
    read_folder(&root().join("benches/results/math/accuracy"))
}

#[test]
fn document_matches_the_committed_results() {
    let speeds = results::read_folder::<Vec<Record>>(&root().join("benches/results/math")).unwrap();
    let expected = document(&accuracy().unwrap(), &speeds);
    let bless = "cargo test -p warploom-harness --test math_doc";
    assert_current(&root(), "docs/generated/math.md", &expected, bless);
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
