//! docs/generated/emulator-speed.md is what the committed results say.

use std::path::Path;

use warploom_harness::emulator_speed::{Results, document};
use warploom_harness::generated::assert_current;
use warploom_harness::results::read_folder;

#[test]
fn document_matches_the_committed_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let results: Vec<Results> = read_folder(&root.join("benches/results/emulator")).unwrap();
    let expected = document(&results);
    let bless = "cargo test -p warploom-harness --test emulator_speed_doc";
    assert_current(&root, "docs/generated/emulator-speed.md", &expected, bless);
}
