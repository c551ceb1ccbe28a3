//! docs/generated/emulator-speed.md is what the committed results say.

use std::fs;
use std::path::Path;

use warploom_harness::emulator_speed::{document, read_results};

#[test]
fn document_matches_the_committed_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let results = read_results(&root.join("benches/results/emulator")).unwrap();
    let expected = document(&results);
    let path = root.join("docs/generated/emulator-speed.md");
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
        "docs/generated/emulator-speed.md differs from benches/results/emulator: run WARPLOOM_BLESS=1 cargo test -p warploom-harness --test \
         emulator_speed_doc\n{differs:#?}"
    );
}
