//! docs/generated/toolchains.md is what the committed results say.

use std::fs;
use std::path::Path;

use warploom_harness::generated::assert_current;
use warploom_harness::toolchains::{GpuRun, document, gpu_run, results, titles};

#[test]
fn document_matches_the_committed_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| fs::read_to_string(root.join(path));
    let titles = titles(&read("testing/toolchains/matrix.tsv").unwrap()).unwrap();
    let results = results(&read("benches/results/toolchains.tsv").unwrap()).unwrap();
    // There is none until the programs have run on a GPU.
    let gpu = read("benches/results/toolchains-gpu.tsv");
    let gpu = gpu.map_or_else(|_| GpuRun::default(), |text| gpu_run(&text).unwrap());
    let expected = document(&titles, &results, &gpu);
    let bless = "cargo test -p warploom-harness --test toolchains_doc";
    assert_current(&root, "docs/generated/toolchains.md", &expected, bless);
}
