//! `docs/diagnostics.md` has a section for each code, and the sections are of one form.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use std::fmt::Write;

use warploom::checked::{Code, Severity};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/diagnostics.md");
const TEXT: &str = include_str!("../docs/diagnostics.md");

/// Heading and first line of a code's section.
fn head(code: Code) -> [String; 2] {
    let severity = match code.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let name = code.name();
    [
        format!("### {code}"),
        format!("**{}** · {severity} · `Code::{name}`", code.title()),
    ]
}

/// Each section: its code's heading, and what follows up to the next heading.
fn sections(document: &str) -> Vec<(&str, &str)> {
    let parts = document.split("\n### WL").skip(1);
    parts
        .map(|part| {
            let (number, rest) = part.split_once('\n').unwrap();
            (number, rest.split("\n## ").next().unwrap())
        })
        .collect()
}

/// The document with the generated lines as they should be.
fn with_heads(document: &str) -> String {
    let mut lines = document.lines().peekable();
    let mut out = String::new();
    while let Some(line) = lines.next() {
        writeln!(out, "{line}").unwrap();
        let code = line.strip_prefix("### WL");
        let Some(code) = code.and_then(|n| Code::of_number(n.parse().ok()?)) else {
            continue;
        };
        while lines
            .next_if(|line| line.is_empty() || line.starts_with("**"))
            .is_some()
        {}
        writeln!(out, "\n{}\n", head(code)[1]).unwrap();
    }
    out
}

#[test]
fn every_code_has_its_section() {
    let found: Vec<_> = sections(TEXT)
        .into_iter()
        .map(|(number, _)| format!("WL{number}"))
        .collect();
    let codes: Vec<_> = Code::ALL.iter().map(Code::to_string).collect();
    assert_eq!(found, codes, "docs/diagnostics.md (left), Code::ALL");
}

#[test]
fn sections_start_with_title_and_severity() {
    let right = with_heads(TEXT);
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(DOCUMENT, right).unwrap();
        return;
    }
    for (given, right) in TEXT.lines().zip(right.lines()) {
        assert_eq!(
            given, right,
            "WARPLOOM_BLESS=1 cargo test --test diagnostics"
        );
    }
}

#[test]
fn sections_say_what_readers_need() {
    for (number, text) in sections(TEXT) {
        for part in [
            "\n```rust,no_run\n",
            "\n- **On a GPU** ",
            "\n- **Repair:** ",
            "\n- **Not seen:** ",
        ] {
            assert_eq!(text.matches(part).count(), 1, "WL{number}: {part:?}");
        }
    }
}

#[test]
fn numbers_and_names_are_unique() {
    for (index, code) in Code::ALL.iter().enumerate() {
        for other in &Code::ALL[..index] {
            assert!(other.number() < code.number(), "{code} comes after {other}");
            assert_ne!(other.name(), code.name());
            assert_ne!(other.title(), code.title());
        }
    }
}
