//! docs/generated/benchmarks.md and the figures in the README are what the committed results say.
#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test may fail as the test does"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use warploom_harness::record::Record;
use warploom_harness::results::read_folder;
use warploom_harness::table;

#[test]
fn document_matches_the_committed_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let results = read_folder::<Vec<Record>>(&root.join("benches/results")).unwrap();
    let expected = table::document(&results, &causes(&root));
    let path = root.join("docs/generated/benchmarks.md");
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, &expected).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == expected,
        "docs/generated/benchmarks.md differs from benches/results: run WARPLOOM_BLESS=1 cargo test -p warploom-harness --test benchmarks_doc\n{}",
        first_difference(&committed, &expected)
    );
}

#[test]
fn readme_has_the_figures_of_the_committed_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let results = read_folder::<Vec<Record>>(&root.join("benches/results")).unwrap();
    let path = root.join("README.md");
    let committed = fs::read_to_string(&path).unwrap();
    let (before, rest) = committed.split_once("<!-- speed: ").unwrap();
    let (command, rest) = rest.split_once("-->\n").unwrap();
    let (_, after) = rest.split_once("<!-- /speed -->").unwrap();
    let figures = table::in_short(&results);
    let expected = format!("{before}<!-- speed: {command}-->\n{figures}<!-- /speed -->{after}");
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, &expected).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap();
    assert!(
        committed == expected,
        "README.md differs from benches/results: run WARPLOOM_BLESS=1 cargo test -p warploom-harness --test benchmarks_doc\n{}",
        first_difference(&committed, &expected)
    );
}

#[test]
fn causes_are_of_kernels_that_were_measured() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let results = read_folder::<Vec<Record>>(&root.join("benches/results")).unwrap();
    for (kernel, cause) in &causes(&root) {
        let name = kernel.strip_suffix(table::BY_UNCHECKED).unwrap_or(kernel);
        let measured = results.iter().flatten().any(|row| row.kernel == name);
        assert!(measured, "benches/results/causes.tsv: no row of `{kernel}`");
        assert!(
            !cause.is_empty(),
            "benches/results/causes.tsv: no cause for `{kernel}`"
        );
    }
}

/// Why kernels are slower than their twins, as people found it in the machine code: a kernel and a text per line.
fn causes(root: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(root.join("benches/results/causes.tsv")).unwrap();
    // A line without a cause is a kernel whose name has no measurement.
    let pairs = text
        .lines()
        .map(|line| line.split_once('\t').unwrap_or((line, "")));
    pairs
        .map(|(kernel, cause)| (kernel.to_owned(), cause.to_owned()))
        .collect()
}

#[test]
fn ratios_of_the_committed_results_are_peer_by_ours() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/results");
    for row in read_folder::<Vec<Record>>(&folder)
        .unwrap()
        .iter()
        .flatten()
    {
        let ratio = row.peer_ms / row.ours_ms;
        assert!(
            (row.ratio - ratio).abs() < 1e-9,
            "{}: {} is not {ratio}",
            row.kernel,
            row.ratio
        );
    }
}

fn first_difference(committed: &str, expected: &str) -> String {
    let line = committed
        .lines()
        .zip(expected.lines())
        .take_while(|(a, b)| a == b)
        .count();
    let show = |text: &str| text.lines().nth(line).unwrap_or("(end)").to_owned();
    format!(
        "line {}\n- {}\n+ {}",
        line + 1,
        show(committed),
        show(expected)
    )
}
