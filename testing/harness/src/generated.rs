//! Documents that are generated from what is committed beside them. Must not know: what they say.

use std::fs;
use std::path::Path;

/// Fails unless the document at `path` under `root` says what is expected; writes it anew first if `WARPLOOM_BLESS` is 1. `bless` is the
/// command that runs the test.
///
/// # Panics
/// If the document says something else, with the first lines that differ, or cannot be written.
#[track_caller]
pub fn assert_current(root: &Path, path: &str, expected: &str, bless: &str) {
    let file = root.join(path);
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        let written = fs::write(&file, expected);
        assert!(written.is_ok(), "cannot write {path}: {written:?}");
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    let differs = committed
        .lines()
        .zip(expected.lines())
        .find(|(committed, expected)| committed != expected);
    assert!(
        committed == expected,
        "{path} is stale: run WARPLOOM_BLESS=1 {bless}\n{differs:#?}"
    );
}
