//! What the lints count is what is committed; the page says it; and what GPUs count differently has a reason.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "the helpers of a test may fail as the test does"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use warploom_harness::generated::assert_current;
use warploom_lint_counters::document::{Difference, document, violations};
use warploom_lint_counters::{Case, Table, cases, counts};

const BLESS: &str = "cargo test -p warploom-lint-counters";
const LINTS: &str = "benches/lints/emulator.tsv";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn table(path: &Path) -> Table {
    let text = fs::read_to_string(path).unwrap();
    Table::of_text(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// Those of the GPUs, by the names of their files.
fn gpus() -> Vec<Table> {
    let Ok(folder) = fs::read_dir(root().join("benches/results/lints")) else {
        return vec![]; // nothing was measured yet
    };
    let mut files: Vec<_> = folder.map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "tsv"));
    files.sort();
    files.iter().map(|path| table(path)).collect()
}

fn known() -> Vec<Difference> {
    let text = fs::read_to_string(root().join("benches/lints/differences.tsv")).unwrap();
    Difference::all_of_text(&text).unwrap()
}

/// What the lints count of all cases, which run once for all tests.
fn by_lints() -> &'static Table {
    static TABLE: LazyLock<Table> = LazyLock::new(|| {
        let count = |case: &Case| {
            let counts =
                counts::by_lints(case).unwrap_or_else(|why| panic!("{}: {why}", case.name));
            (case.name.to_owned(), counts)
        };
        Table {
            head: "the emulator's lints".to_owned(),
            rows: cases().map(count).collect(),
        }
    });
    &TABLE
}

#[test]
fn the_lints_count_what_is_committed() {
    assert_current(&root(), LINTS, &by_lints().text(), BLESS);
}

#[test]
fn the_page_is_current() {
    let page = document(by_lints(), &gpus(), &known());
    assert_current(&root(), "docs/generated/lint-counters.md", &page, BLESS);
}

#[test]
fn counts_that_differ_on_a_gpu_have_a_reason() {
    assert_eq!(violations(by_lints(), &gpus(), &known()), [""; 0]);
}

#[test]
fn a_count_that_differs_without_a_reason_is_a_violation() {
    let lints = by_lints();
    let mut gpu = lints.clone();
    gpu.head = "a GPU".to_owned();
    assert_eq!(violations(lints, &[gpu.clone()], &[]), [""; 0]);
    gpu.rows[0].1[1] += 1;
    let found = violations(lints, &[gpu.clone()], &[]);
    assert_eq!(
        found,
        ["a GPU: contiguous: global_load_sectors is 2049, the lints say 2048"]
    );
    let known = "contiguous\tglobal_load_sectors\tthe reason";
    let known = Difference::all_of_text(known).unwrap();
    assert_eq!(violations(lints, &[gpu], &known), [""; 0]);
}

#[test]
fn a_reason_without_a_difference_is_a_violation() {
    let lints = by_lints();
    let known = "contiguous\tglobal_load_sectors\tthe reason";
    let known = Difference::all_of_text(known).unwrap();
    assert_eq!(
        violations(lints, &[], &known),
        ["contiguous: global_load_sectors is listed, but differs nowhere"]
    );
}

#[test]
fn a_case_that_a_gpu_did_not_count_is_a_violation() {
    let lints = by_lints();
    let mut gpu = lints.clone();
    gpu.head = "a GPU".to_owned();
    let (kernel, _) = gpu.rows.remove(3);
    assert_eq!(
        violations(lints, &[gpu], &[]),
        [format!("a GPU: {kernel} was not counted")]
    );
}
