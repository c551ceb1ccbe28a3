//! Rules of the repository: crates and modules depend only downwards, files stay short, and what the documents name exists.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crates::CRATES;

#[path = "repo_checks/book.rs"]
mod book; // the book's pages, listings and links
#[path = "repo_checks/crates.rs"]
mod crates; // what each crate may depend on
#[path = "repo_checks/imports.rs"]
mod imports; // which module names which
#[path = "repo_checks/intrinsics.rs"]
mod intrinsics; // docs/generated/intrinsics.md is generated from the table
#[path = "repo_checks/layers.rs"]
mod layers; // the layers of each crate
#[path = "repo_checks/programs.rs"]
mod programs; // the programs of tests/, and which package has them
#[path = "repo_checks/sizes.rs"]
mod sizes; // docs/generated/sizes.md is generated from the sources

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
    let mut tested = list("default-members = ");
    assert!(
        tested.insert("gallery".to_owned()),
        "`.ci/run gallery` tests it"
    );
    assert!(read(".ci/run").contains("cargo test --release --package warploom-gallery"));
    assert!(
        tested.insert("benches/unseen".to_owned()),
        "`.ci/run static` runs it"
    );
    assert!(read(".ci/run").contains("cargo run --release --package warploom-unseen -- --check"));
    assert!(
        tested.insert("benches/algorithms".to_owned()),
        "`.ci/run static` tests and runs it"
    );
    assert!(read(".ci/run").contains("cargo test --release --package warploom-algorithms-bench"));
    assert!(
        tested.insert("benches/linalg".to_owned()),
        "`.ci/run static` runs it"
    );
    assert!(read(".ci/run").contains("cargo run --release --package warploom-linalg-bench -- "));
    assert!(read(".ci/run").contains("--package warploom-linalg-bench --bin rungs -- "));
    assert!(
        tested.insert("benches/attention".to_owned()),
        "`.ci/run static` runs it"
    );
    assert!(read(".ci/run").contains("cargo run --release --package warploom-attention-bench"));
    assert!(
        tested.insert("benches/algorithm-programs".to_owned()),
        "`.ci/run static` tests it"
    );
    assert!(read(".ci/run").contains("cargo test --release --package warploom-algorithm-programs"));
    assert!(
        tested.insert("benches/idioms".to_owned()),
        "`.ci/run static` runs it"
    );
    assert!(read(".ci/run").contains("cargo run --release --package warploom-idioms"));
    assert!(
        read(".ci/run").contains("cargo test --test outside"),
        "`cargo test` leaves it out"
    );
    assert_eq!(tested, all, "default-members");
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
fn text_has_no_vague_subjects() {
    // "No thread", "no caller" or "is not checked" instead. In pieces, or this file would be found.
    let words = [
        ["nob", "ody"],
        ["who", "ever"],
        ["looked", " at"],
        ["made by", " chance"],
    ];
    let words = words.map(|pieces| pieces.concat());
    for path in files() {
        // Pictures are no text.
        let Ok(text) = fs::read_to_string(root().join(&path)) else {
            continue;
        };
        for (number, line) in text.to_lowercase().lines().enumerate() {
            let found = words.iter().find(|word| line.contains(*word));
            let at = format!("{}:{}", path.display(), number + 1);
            assert!(found.is_none(), "{at}: {found:?}");
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
    let documents = with_extension("md");
    let texts = documents
        .iter()
        .map(|path| fs::read_to_string(root().join(path)).unwrap());
    let lines: Vec<String> = texts
        .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let mut invariants: Vec<String> = Vec::new();
    let mut inside = false;
    for line in &lines {
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
        // Cargo looks for it in the default members only, unless the package is named.
        let in_gallery = read("gallery/Cargo.toml").contains(&format!("name = \"{example}\"\n"))
            && readme.contains(&format!("-p warploom-gallery --example {example}"));
        assert!(
            place.join("main.rs").exists() || place.with_extension("rs").exists() || in_gallery,
            "README.md runs the example `{example}`"
        );
    }
}
