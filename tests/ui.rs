//! What the macros refuse, as the user sees it: one rule, one case of the same name.
//!
//! A rule is a `// Rule: name` in kernel-macros/src or device-std/src; its case is `tests/ui/name.rs` beside the text that rustc prints.
//! `TRYBUILD=overwrite cargo test --test ui` writes the texts anew; review them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

#[test]
fn refused_with_a_remedy() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

#[test]
fn every_rule_has_its_case() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut rules = Vec::new();
    for sources in ["kernel-macros/src", "device-std/src"] {
        rules_under(&root.join(sources), &mut rules).unwrap();
    }
    let cases: BTreeSet<String> = fs::read_dir(root.join("tests/ui"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    let names: BTreeSet<String> = rules.iter().cloned().collect();
    assert_eq!(names.len(), rules.len(), "a rule stands twice: {rules:?}");
    let without_case: Vec<_> = names.difference(&cases).collect();
    let without_rule: Vec<_> = cases.difference(&names).collect();
    assert!(
        without_case.is_empty() && without_rule.is_empty(),
        "rules without a case in tests/ui: {without_case:?}; cases without a rule in kernel-macros/src or device-std/src: {without_rule:?}"
    );
}

#[test]
fn a_case_is_short() {
    let cases = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")).unwrap();
    for path in cases.map(|entry| entry.unwrap().path()) {
        if path.extension().is_some_and(|extension| extension == "rs") {
            let lines = fs::read_to_string(&path).unwrap().lines().count();
            assert!(
                lines <= 15,
                "{} has {lines} lines; a case shows one rule in at most 15",
                path.display()
            );
        }
    }
}

/// The names after `// Rule: ` in all sources under `folder`, in the spelling of file names.
fn rules_under(folder: &Path, rules: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            rules_under(&path, rules)?;
            continue;
        }
        let source = fs::read_to_string(&path)?;
        let names = source
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("// Rule: "))
            .map(|name| name.replace('-', "_"));
        rules.extend(names);
    }
    Ok(())
}
