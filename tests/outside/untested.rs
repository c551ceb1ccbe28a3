//! Toolchains that were not tested: the self-test decides whether there is device code.

use crate::without::{runs_on_the_emulator_only, with_rustc};

/// A rustc that says it is a later release.
const LATER: &str = "-vV) rustc -vV | sed 's/^release: .*/release: 1.999.0/';;";

#[test]
fn an_untested_rustc_that_passes_the_self_test_makes_device_code_with_one_note() {
    let program = with_rustc("untested", LATER);
    let said = program.builds();
    let notes: Vec<&str> = said
        .text
        .lines()
        .filter(|l| l.contains("was not tested with"))
        .collect();
    assert_eq!(notes.len(), 1, "{}", said.text);
    assert!(
        notes[0].contains(
            "was not tested with rustc 1.999.0; the self-test of rustc 1.999.0 with LLVM "
        ),
        "{}",
        notes[0]
    );
    assert_eq!(program.device_code()[0].kernels(), ["untested::saxpy"]);
    assert!(!said.text.contains("self-test: "), "{}", said.text);

    let program = program.env("WARPLOOM_SELF_TEST", "1");
    let said = program.builds();
    let rows = said
        .text
        .lines()
        .filter(|l| l.contains("self-test: ") && l.ends_with(": passed"));
    assert!(rows.count() > 15, "{}", said.text);
    assert!(!said.text.contains(": failed: "), "{}", said.text);
}

#[test]
fn an_untested_rustc_that_fails_the_self_test_makes_none_and_the_row_is_named() {
    let refuses = "*-Zub-checks*) echo 'error: unknown unstable option: `ub-checks`' >&2; exit 1;;";
    let program = with_rustc("untested-refuses", &format!("{LATER}\n{refuses}"));
    let said = program.builds();
    let expected = "no GPU code is built for `untested-refuses`, its kernels run on the emulator only: the self-test of rustc 1.999.0 with LLVM ";
    assert!(said.text.contains(expected), "{}", said.text);
    let row = "failed in the row `flags of rustc`: rustc refuses `-Zub-checks=no`: error: unknown unstable option: `ub-checks`";
    assert!(said.text.contains(row), "{}", said.text);
    runs_on_the_emulator_only(&program, "the self-test of rustc 1.999.0");
}
