//! The house's own rules: what the documents say about the tree is true, and the crates know only what they may know.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use warploom::device::intrinsics::TABLES;

/// Each crate's folder and name, and what its programs may depend on: our crates, then others. Dev-dependencies are free.
const CRATES: &[(&str, &str, &[&str], &[&str])] = &[
    (
        ".",
        "warploom",
        &[
            "warploom-build",
            "warploom-device",
            "warploom-macros",
            "warploom-runtime",
        ],
        &[],
    ),
    (
        "kernel-macros",
        "warploom-macros",
        &[],
        &["proc-macro2", "quote", "syn"],
    ),
    (
        "device-std",
        "warploom-device",
        &["warploom-emulator"],
        &["libm"],
    ),
    (
        "emulator",
        "warploom-emulator",
        &[],
        &["annotate-snippets", "corosensei", "loom", "thiserror"],
    ),
    (
        "runtime",
        "warploom-runtime",
        &["warploom-device", "warploom-emulator", "warploom-manifest"],
        &[
            "bytemuck",
            "libloading",
            "ndarray",
            "serde",
            "serde_json",
            "thiserror",
        ],
    ),
    (
        "kernel-build",
        "warploom-build",
        &["warploom-manifest"],
        &[
            "libloading",
            "object",
            "rustc-demangle",
            "serde",
            "serde_json",
            "thiserror",
        ],
    ),
    (
        "manifest",
        "warploom-manifest",
        &[],
        &["serde", "serde_json"],
    ),
    (
        "conformance",
        "warploom-conformance",
        &["warploom", "warploom-build", "warploom-device"],
        &[],
    ),
    (
        "corpus",
        "warploom-corpus",
        &[
            "warploom",
            "warploom-build",
            "warploom-emulator",
            "warploom-runtime",
        ],
        &["serde_json"],
    ),
    ("fake-driver", "warploom-fake-driver", &[], &["libloading"]),
    (
        "gallery",
        "warploom-gallery",
        &["warploom", "warploom-build"],
        &["png", "serde", "serde_json"],
    ),
    (
        "harness",
        "warploom-harness",
        &["warploom-device", "warploom-manifest", "warploom-runtime"],
        &["object", "serde", "serde_json", "thiserror"],
    ),
];

/// The most lines of a source file.
const MOST_LINES: usize = 700;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// All files of the repository, seen from its root; build outputs aside.
fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut todo = vec![root().to_owned()];
    while let Some(folder) = todo.pop() {
        for path in fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let hidden = name.starts_with('.') && name != ".ci" && name != ".gitignore";
            if hidden || name == "target" || name == "wip" {
                continue;
            }
            if path.is_dir() {
                todo.push(path);
            } else {
                files.push(path.strip_prefix(root()).unwrap().to_owned());
            }
        }
    }
    files.sort();
    files
}

fn with_extension(extension: &str) -> Vec<PathBuf> {
    let of = |path: &PathBuf| path.extension().is_some_and(|e| e == extension);
    files().into_iter().filter(of).collect()
}

/// The names under each heading of a `Cargo.toml`: what stands before `=` or `.`.
fn sections(manifest: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut sections: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut heading = String::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') && line.ends_with(']') {
            heading = line.to_owned();
        } else if let Some((name, _)) = line.split_once(['=', '.'])
            && !line.starts_with('#')
        {
            let names = sections.entry(heading.clone()).or_default();
            names.insert(name.trim().to_owned());
        }
    }
    sections
}

/// The dependencies of a crate that its programs have, and those of its tests alone.
fn dependencies(folder: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut own, mut dev) = (BTreeSet::new(), BTreeSet::new());
    for (heading, names) in sections(&read(&format!("{folder}/Cargo.toml"))) {
        if heading.ends_with("dev-dependencies]") {
            dev.extend(names);
        } else if heading.ends_with("dependencies]") && heading != "[workspace.dependencies]" {
            own.extend(names);
        }
    }
    (own, dev)
}

/// What stands between single backticks, outside of fenced blocks, with the folder that the heading above names.
fn quoted(document: &str) -> Vec<(String, String)> {
    let mut quoted = Vec::new();
    let (mut fenced, mut folder) = (false, String::new());
    for line in document.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        if let Some(name) = line.strip_prefix("### `") {
            folder = name.split('`').next().unwrap().to_owned();
        } else if line.starts_with('#') {
            folder.clear();
        }
        let parts = line.split('`').skip(1).step_by(2);
        quoted.extend(parts.map(|part| (folder.clone(), part.to_owned())));
    }
    quoted
}

/// `file: test`, as documents name the test that keeps a claim.
fn as_test(quoted: &str) -> Option<(&str, &str)> {
    let (file, test) = quoted.split_once(": ")?;
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    (file.ends_with(".rs") && test.chars().all(is_name)).then_some((file, test))
}

fn looks_like_a_path(quoted: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let ending = [".rs", ".md", ".toml", ".json", ".sh", ".cu"];
    quoted.chars().all(plain)
        && (quoted.contains('/') || ending.iter().any(|e| quoted.ends_with(e)))
        && !quoted.starts_with("target/")
}

#[test]
fn crates_depend_as_the_design_says() {
    for (folder, name, ours, others) in CRATES {
        let manifest = read(&format!("{folder}/Cargo.toml"));
        assert!(
            manifest.contains(&format!("name = \"{name}\"")),
            "{folder}/Cargo.toml is not that of {name}"
        );
        let (own, _) = dependencies(folder);
        for dependency in &own {
            assert!(
                ours.iter()
                    .chain(*others)
                    .any(|allowed| allowed == dependency),
                "{folder}/Cargo.toml: {name} must not depend on `{dependency}`"
            );
        }
    }
}

#[test]
fn cargo_test_covers_every_crate() {
    let manifest = read("Cargo.toml");
    let list = |key: &str| -> BTreeSet<String> {
        let line = manifest.lines().find(|l| l.starts_with(key));
        let names = line.unwrap_or_default().split('"').skip(1).step_by(2);
        names.map(str::to_owned).collect()
    };
    let all: BTreeSet<String> = CRATES.iter().map(|c| c.0.to_owned()).collect();
    let mut members = list("members = ");
    members.insert(".".to_owned());
    assert_eq!(members, all, "members of the workspace (left: Cargo.toml)");
    assert_eq!(list("default-members = "), all, "default-members");
}

#[test]
fn lints_live_in_one_place() {
    for (folder, ..) in CRATES {
        let manifest = read(&format!("{folder}/Cargo.toml"));
        assert!(
            manifest.contains("[lints]\nworkspace = true\n"),
            "{folder}/Cargo.toml must take the lints of the workspace"
        );
    }
}

#[test]
fn every_dependency_has_its_reason() {
    let document = read("docs/dependencies.md");
    let first_column: BTreeSet<String> = document
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .flat_map(|line| line.split(" | ").next().unwrap().split([',', '`', ' ']))
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    let mut used = BTreeSet::new();
    for (folder, ..) in CRATES {
        let (own, dev) = dependencies(folder);
        used.extend(own.into_iter().chain(dev));
    }
    used.retain(|name| !name.starts_with("warploom"));
    assert_eq!(
        used, first_column,
        "Cargo.toml (left), docs/dependencies.md"
    );
    let mut declared = sections(&read("Cargo.toml"))
        .remove("[workspace.dependencies]")
        .unwrap();
    declared.retain(|name| !name.starts_with("warploom"));
    assert_eq!(used, declared, "used, [workspace.dependencies]");
}

#[test]
fn files_have_at_most_700_lines() {
    for path in with_extension("rs") {
        let lines = fs::read_to_string(root().join(&path))
            .unwrap()
            .lines()
            .count();
        assert!(
            lines <= MOST_LINES,
            "{} has {lines} lines, {MOST_LINES} are the limit; look for the seam",
            path.display()
        );
    }
}

#[test]
fn no_file_names_a_machine() {
    // In pieces, or this file would be found.
    let words = [
        ["/wo", "rk/"].concat(),
        ["/ro", "ot/"].concat(),
        ["../sha", "red"].concat(),
    ];
    for path in files() {
        // Pictures are no text.
        let Ok(text) = fs::read_to_string(root().join(&path)) else {
            continue;
        };
        for (number, line) in text.lines().enumerate() {
            let found = words.iter().find(|word| line.contains(*word));
            assert!(
                found.is_none(),
                "{}:{}: {found:?}",
                path.display(),
                number + 1
            );
        }
    }
}

#[test]
fn architecture_has_an_entry_per_crate() {
    let document = read("ARCHITECTURE.md");
    for (folder, name, ..) in CRATES {
        let folder = if *folder == "." { "src" } else { folder };
        let heading = format!("### `{folder}/` · `{name}`\n");
        assert!(document.contains(&heading), "no {heading:?}");
    }
}

#[test]
fn architecture_names_what_exists() {
    for (folder, name) in quoted(&read("ARCHITECTURE.md")) {
        if looks_like_a_path(&name) {
            let places = [
                name.clone(),
                format!("{folder}{name}"),
                format!("{folder}src/{name}"),
            ];
            assert!(
                places.iter().any(|place| root().join(place).exists()),
                "`{name}` (under `{folder}`) does not exist"
            );
        } else if name.starts_with("warploom-") && !name.contains(' ') {
            assert!(CRATES.iter().any(|c| c.1 == name), "there is no `{name}`");
        }
    }
}

#[test]
fn invariants_name_their_tests() {
    let document = read("ARCHITECTURE.md");
    let mut invariants: Vec<String> = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        if line.starts_with("- **Invariant:**") {
            invariants.push(line.to_owned());
            inside = true;
        } else if inside && line.starts_with("  ") {
            invariants.last_mut().unwrap().push_str(line);
        } else {
            inside = false;
        }
    }
    assert!(invariants.len() >= CRATES.len(), "{invariants:#?}");
    for invariant in &invariants {
        let named = quoted(invariant).iter().any(|(_, q)| as_test(q).is_some());
        assert!(
            named || invariant.contains("(no test yet"),
            "no test named, nor `(no test yet`: {invariant}"
        );
    }
}

#[test]
fn tests_that_documents_name_exist() {
    let documents = with_extension("md").into_iter();
    for path in documents {
        let text = fs::read_to_string(root().join(&path)).unwrap();
        for (_, name) in quoted(&text) {
            let Some((file, test)) = as_test(&name) else {
                continue;
            };
            let source = fs::read_to_string(root().join(file)).unwrap_or_default();
            assert!(
                source.contains(&format!("fn {test}(")),
                "{}: `{file}` has no test `{test}`",
                path.display()
            );
        }
    }
}

/// Names of tests without a file stand in docs/safety.md; nothing else there has three underscores.
#[test]
fn attacks_that_the_safety_chapter_names_exist() {
    let sources: String = with_extension("rs")
        .iter()
        .map(|path| fs::read_to_string(root().join(path)).unwrap())
        .collect();
    for (_, name) in quoted(&read("docs/safety.md")) {
        let is_name = name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit());
        if is_name && name.matches('_').count() >= 3 {
            assert!(
                sources.contains(&format!("fn {name}(")),
                "docs/safety.md names `{name}`, which is no test"
            );
        }
    }
}

#[test]
fn links_of_documents_lead_somewhere() {
    for path in with_extension("md") {
        let text = fs::read_to_string(root().join(&path)).unwrap();
        let folder = root().join(path.parent().unwrap());
        for link in text.split("](").skip(1) {
            let link = link.split([')', '#']).next().unwrap();
            assert!(
                link.is_empty() || link.starts_with("https://") || folder.join(link).exists(),
                "{}: the link to `{link}` leads nowhere",
                path.display()
            );
        }
    }
}

#[test]
fn the_readme_names_what_exists() {
    let readme = read("README.md");
    let folders = [
        "examples/",
        "benches/",
        "docs/",
        "tests/",
        "assets/",
        ".ci/",
    ];
    for (_, name) in quoted(&readme) {
        if folders.iter().any(|f| name.starts_with(f)) {
            assert!(root().join(&name).exists(), "README.md names `{name}`");
        }
    }
    let examples: Vec<&str> = readme
        .split("--example ")
        .skip(1)
        .map(|rest| rest.split([' ', '`', '\n']).next().unwrap())
        .collect();
    assert!(!examples.is_empty());
    for example in examples {
        let place = root().join("examples").join(example);
        let in_gallery = read("gallery/Cargo.toml").contains(&format!("name = \"{example}\"\n"));
        assert!(
            place.join("main.rs").exists() || place.with_extension("rs").exists() || in_gallery,
            "README.md runs the example `{example}`"
        );
    }
}

/// One intrinsic as its source declares it.
#[derive(Debug, Default)]
struct Declared {
    /// `scalar`, `convergent` or `unsafe`.
    kind: &'static str,
    name: String,
    signature: String,
    symbol: String,
    document: String,
    safety: String,
    /// Written out, not a line of a table.
    stands_alone: bool,
}

/// Reads device-std/src/intrinsics.rs: documents, signatures and symbols stand there once.
fn declared_intrinsics(source: &str) -> Vec<Declared> {
    let mut all: Vec<Declared> = Vec::new();
    let mut document = String::new();
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            document.push_str(text.trim());
            document.push('\n');
            continue;
        }
        if let Some((_, rest)) = line.split_once("#[link_name = \"")
            && let Some(last) = all.last_mut().filter(|d| d.symbol.is_empty())
        {
            last.symbol = rest.trim_end_matches("\"]").to_owned();
        }
        if line.starts_with("#[") {
            continue;
        }
        let heads = [
            ("scalar fn ", "scalar"),
            ("convergent fn ", "convergent"),
            ("unsafe convergent fn ", "convergent"),
            ("unsafe fn ", "unsafe"),
            ("pub unsafe fn ", "unsafe"),
            ("pub fn ", "scalar"),
        ];
        let head = heads
            .iter()
            .find_map(|(h, kind)| Some((line.strip_prefix(h)?, *kind)));
        if let Some((rest, kind)) = head.filter(|(rest, _)| !rest.starts_with(['$', '<'])) {
            let (signature, symbol) = match rest.split_once(" = \"") {
                Some((signature, symbol)) => (
                    signature,
                    format!("__warploom.{}", symbol.trim_end_matches("\";")),
                ),
                None => (rest.trim_end_matches(" {"), String::new()),
            };
            let (text, safety) = document.split_once("# Safety").unwrap_or((&document, ""));
            all.push(Declared {
                kind,
                name: signature.split('(').next().unwrap().to_owned(),
                signature: signature.to_owned(),
                symbol,
                document: one_line(text),
                safety: one_line(safety),
                stands_alone: line.starts_with("pub "),
            });
        }
        document.clear();
    }
    all
}

/// A paragraph as a cell of a table.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").replace('|', "\\|");
    text.replace("[`crate::", "`")
        .replace("[`", "`")
        .replace("`]", "`")
}

fn intrinsics_document(declared: &[Declared]) -> String {
    let mut text = "\
# Intrinsics

<!-- Generated from device-std/src/intrinsics/. To write it anew: WARPLOOM_BLESS=1 cargo test --test house -->

The operations that the hardware has and Rust has no word for, in `warploom::device::intrinsics`. Everything else of `warploom::device` is
written over them. On the CPU each calls the emulator's function of the same name and signature. On the device it calls a symbol: the
device linker puts the LLVM intrinsic of that name in its place, or, where none is named, a body of its own.

Kernels rarely need them: `Index1D`, `Block`, `Warp`, `SharedTile` and `AtomicF32` are the same operations with their obligations
checked.
"
    .to_owned();
    let chapters = [
        (
            "scalar",
            "For one thread",
            "Each thread gets its own answer; nobody waits.",
        ),
        (
            "convergent",
            "For lanes that meet",
            "The lanes of the mask wait for each other (`active_mask` has none and asks who is there). No compiler may move such a call into a \
             branch or out of it: calls are `convergent`. All that take a mask are `unsafe`; the promise is one: the caller's lane is in the \
             mask, and every lane of it that has not returned makes this call with the same mask.",
        ),
        (
            "unsafe",
            "With a promise of the caller",
            "Each is `unsafe`; the last column is the promise.",
        ),
    ];
    for (kind, title, words) in chapters {
        let last = if kind == "unsafe" { " promise |" } else { "" };
        let rule = if kind == "unsafe" { "---|" } else { "" };
        text.push_str(&format!(
            "\n## {title}\n\n{words}\n\n| function | what it does | on the device |{last}\n|---|---|---|{rule}\n"
        ));
        for line in declared.iter().filter(|d| d.kind == kind) {
            let symbol = line.symbol.trim_start_matches("__warploom.");
            let device = match symbol.strip_prefix("llvm.") {
                Some(rest) => format!("`llvm.{rest}`"),
                None => match symbol.strip_prefix("asm:").and_then(|s| s.split_once('|')) {
                    Some((_, ptx)) => format!("`{}`", ptx.replace('|', "\\|")),
                    None => "a body of the device linker".to_owned(),
                },
            };
            let promise = match kind {
                "unsafe" => format!(" {} |", line.safety),
                _ => String::new(),
            };
            text.push_str(&format!(
                "| `{}` | {} | {device} |{promise}\n",
                line.signature, line.document
            ));
        }
    }
    text
}

#[test]
fn the_table_of_intrinsics_is_documented() {
    let folder = "device-std/src/intrinsics";
    let index = read(&format!("{folder}/mod.rs"));
    let files = index.lines().filter_map(|l| l.strip_prefix("mod "));
    let declared: Vec<Declared> = files
        .filter_map(|l| l.split_once(';'))
        .flat_map(|(file, _)| declared_intrinsics(&read(&format!("{folder}/{file}.rs"))))
        .collect();
    let safe: Vec<(&str, &str, bool)> = declared
        .iter()
        .filter(|d| d.kind != "unsafe" && !d.stands_alone)
        .map(|d| (&*d.name, &*d.symbol, d.kind == "convergent"))
        .collect();
    let table: Vec<(&str, &str, bool)> = TABLES
        .iter()
        .copied()
        .flatten()
        .map(|line| (line.name, line.symbol, line.convergent))
        .collect();
    assert_eq!(safe, table, "read from the source (left), compiled table");
    for line in &declared {
        assert!(
            !line.document.is_empty() && !line.symbol.is_empty(),
            "{line:?}"
        );
        assert!(line.kind != "unsafe" || !line.safety.is_empty(), "{line:?}");
    }
    let expected = intrinsics_document(&declared);
    let path = root().join("docs/intrinsics.md");
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, &expected).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let differs = committed
        .lines()
        .zip(expected.lines())
        .find(|(committed, expected)| committed != expected);
    assert!(
        committed == expected,
        "docs/intrinsics.md is stale: run WARPLOOM_BLESS=1 cargo test --test house\n{differs:#?}"
    );
}
