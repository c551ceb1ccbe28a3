//! The table agrees with the pipeline, with the fuzz tests and with the document.

use super::{Pass, Stage, Switch, optional, switched_off};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

#[test]
fn names_are_unique_and_stages_in_order() {
    let rows = Pass::ALL.iter().map(|pass| pass.row());
    let names: HashSet<&str> = rows.clone().map(|row| row.name).collect();
    assert_eq!(names.len(), Pass::ALL.len());
    assert!(rows.is_sorted_by_key(|row| row.stage));
}

#[test]
fn a_list_of_names_switches_passes_off() {
    let off = switched_off("-gather-batching, -guard-merging,").unwrap();
    assert_eq!(off, ["gather-batching", "guard-merging"]);
    assert!(switched_off("").unwrap().is_empty());
}

#[test]
fn an_unknown_name_is_an_error_that_lists_all() {
    // Without a minus sign, of no pass, and of a pass that is required.
    for value in ["gather-batching", "-gathers", "-expand-atomics"] {
        let error = switched_off(value).unwrap_err();
        assert!(
            error.starts_with(&format!("`{value}` in WARPLOOM_PASSES")),
            "{error}"
        );
        for name in optional() {
            assert!(error.contains(&format!("-{name}")), "{error}");
        }
    }
}

#[test]
fn performance_passes_are_fuzzed() {
    let tests = include_str!("../opt/differential_fuzzing/mod.rs");
    for pass in Pass::ALL {
        if let Switch::Performance { fuzzed_by, effect } = pass.row().switch {
            assert!(!fuzzed_by.is_empty(), "{pass:?} names no fuzz test");
            assert!(!effect.is_empty(), "{pass:?} names no measured effect");
            let test = format!("#[test]\nfn {fuzzed_by}()");
            assert!(tests.contains(&test), "{pass:?}: {fuzzed_by}");
        }
    }
}

#[test]
fn the_document_is_generated_from_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/generated/compiler-passes.md");
    let document = document();
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &document).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == document,
        "docs/generated/compiler-passes.md is stale: run WARPLOOM_BLESS=1 cargo test -p warploom-build the_document"
    );
}

fn document() -> String {
    let mut text = String::from(include_str!("introduction.md"));
    for stage in [
        Stage::Linking,
        Stage::Lowering,
        Stage::Optimisation,
        Stage::Emission,
    ] {
        let _ = write!(text, "\n## {stage:?}\n\n{}\n\n", holds(stage));
        text += "| pass | what it does | requires | keeps | switch |\n|---|---|---|---|---|\n";
        let rows = Pass::ALL.iter().map(|pass| pass.row());
        for row in rows.filter(|row| row.stage == stage) {
            let switch = match row.switch {
                Switch::Required => "required".to_owned(),
                Switch::Performance { .. } => format!("`-{}`", row.name),
            };
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} | {switch} |",
                row.name, row.does, row.requires, row.keeps
            );
        }
    }
    text += include_str!("effects.txt");
    for pass in Pass::ALL {
        if let Switch::Performance { fuzzed_by, effect } = pass.row().switch {
            let name = pass.row().name;
            let _ = writeln!(text, "| `{name}` | `{fuzzed_by}` | {effect} |");
        }
    }
    text
}

/// What a stage works on.
fn holds(stage: Stage) -> &'static str {
    match stage {
        Stage::Linking => {
            "Host IR of the crate, then of all that its kernels reach. Passes from `sincos-merging` to `link-definitions` run again until nothing new is linked."
        }
        Stage::Lowering => "Host IR becomes device IR.",
        Stage::Optimisation => {
            "A copy of the device IR for each architecture. `canonical-counters`, `range-versioning`, `bounds-check-hoisting` and `loop-unswitching` run twice: on loops as the source has them, so that `optimise` gets loops without checks, and behind `local-arrays`, on the loops that are left. From there to `optimise-loops` only the functions are changed that a loop pass has changed."
        }
        Stage::Emission => {
            "The same copy; the images of its kernels are then written by LLVM's NVPTX back end."
        }
    }
}
