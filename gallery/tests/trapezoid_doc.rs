//! docs/generated/trapezoid.md and its plots are what the committed figures say.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use std::fs;
use std::path::Path;

use warploom_gallery::trapezoid::{Figures, file_name, page};

/// Compares a file with what it should be, or writes it.
fn must_be(path: &Path, expected: &str) {
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, expected).unwrap();
    }
    let committed = fs::read_to_string(path).unwrap_or_default();
    let differs = committed
        .lines()
        .zip(expected.lines())
        .find(|(a, b)| a != b);
    assert!(
        committed == expected,
        "{} is stale: run WARPLOOM_BLESS=1 cargo test -p warploom-gallery --test trapezoid_doc\n{differs:#?}",
        path.display()
    );
}

#[test]
fn page_and_plots_match_the_committed_figures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let all = Figures::read(&root.join("benches/results/trapezoid")).unwrap();
    must_be(&root.join("docs/generated/trapezoid.md"), &page(&all));
    for figures in &all {
        assert!(figures.is_gpu, "{}: figures of GPUs only", figures.device);
        let name = format!("docs/pictures/trapezoid-{}.svg", file_name(&figures.device));
        must_be(&root.join(name), &figures.plot());
    }
}
