//! Every program of the documents has its entry in programs.tsv, every entry its program, and gallery/README.md says what the table says.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders and their titles, in the order of the page.
const GROUPS: &[(&str, &str)] = &[
    ("first_kernels", "First kernels"),
    ("memory", "Memory"),
    ("cooperation", "Cooperation"),
    ("scans_and_histograms", "Sums, scans and histograms"),
    ("streams_and_events", "Streams and events"),
    ("language", "Language features"),
    ("textures", "Textures"),
    ("pictures", "Pictures"),
    ("mistakes", "Mistakes, and what reports them"),
];

/// The textbook's programs that have no number alone, or a variant beside it.
const TEXTBOOK_VARIANTS: &[&str] = &["E2-08a", "E2-08b", "E2-08c", "E2-08d", "E2-10t", "E2-14d"];

/// The row of programs that no document has.
const MORE: &str = "more";

/// A line of the table.
#[derive(Debug, Clone, Default)]
struct Entry {
    row: String,
    /// The name of an example, `ui:NAME` for tests/ui/NAME.rs, or `none`.
    program: String,
    group: String,
    section: String,
    what: String,
    note: String,
    /// A picture below `gallery/`, or nothing.
    picture: String,
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn table() -> Vec<Entry> {
    let text = fs::read_to_string(folder().join("programs.tsv")).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entries = lines.map(|line| {
        let mut cells = line.split('\t').map(str::to_owned);
        let mut cell = || cells.next().unwrap_or_default();
        let entry = Entry {
            row: cell(),
            program: cell(),
            group: cell(),
            section: cell(),
            what: cell(),
            note: cell(),
            picture: cell(),
        };
        assert!(cells.next().is_none(), "too many cells: {line}");
        entry
    });
    entries.collect()
}

/// Name and path of each example in Cargo.toml.
fn examples() -> BTreeMap<String, PathBuf> {
    let manifest = fs::read_to_string(folder().join("Cargo.toml")).unwrap();
    let value = |block: &str, key: &str| {
        let line = block.lines().find(|line| line.starts_with(key)).unwrap();
        line.split('"').nth(1).unwrap().to_owned()
    };
    let blocks = manifest.split("[[example]]").skip(1);
    blocks
        .map(|block| (value(block, "name = "), value(block, "path = ").into()))
        .collect()
}

/// All rows that the documents have.
fn rows() -> Vec<String> {
    let textbook = (1..=21).map(|n| format!("E2-{n:02}"));
    let mut rows: Vec<String> = textbook.filter(|row| row != "E2-08").collect();
    rows.extend(TEXTBOOK_VARIANTS.iter().map(|&row| row.to_owned()));
    rows.extend((1..=35).map(|n| format!("E3-{n:02}")));
    rows.push("E3-07b".to_owned());
    rows.extend((1..=49).map(|n| format!("EX-{n}")));
    rows
}

#[test]
fn every_row_of_the_documents_has_an_entry() {
    let entries: BTreeSet<String> = table().into_iter().map(|entry| entry.row).collect();
    let missing: Vec<String> = rows()
        .into_iter()
        .filter(|row| !entries.contains(row))
        .collect();
    assert!(missing.is_empty(), "not in programs.tsv: {missing:?}");
    let mut known: BTreeSet<String> = rows().into_iter().collect();
    known.insert(MORE.to_owned());
    let unknown: Vec<&String> = entries.difference(&known).collect();
    assert!(unknown.is_empty(), "no rows of the documents: {unknown:?}");
}

#[test]
fn every_entry_has_its_program() {
    let examples = examples();
    for entry in table() {
        match entry.program.split_once(':') {
            Some(("ui", case)) => {
                let case = folder().join("../tests/ui").join(case).with_extension("rs");
                assert!(case.exists(), "{entry:?}: no {}", case.display());
            }
            _ if entry.program == "none" => {}
            _ => {
                let path = examples.get(&entry.program).cloned().unwrap_or_default();
                assert!(
                    path.starts_with(&entry.group) && folder().join(&path).exists(),
                    "{entry:?}: no example of this name in the folder of its group ({})",
                    path.display()
                );
            }
        }
        let known = GROUPS.iter().any(|(name, _)| *name == entry.group);
        assert!(known != (entry.program == "none"), "{entry:?}: the group");
        assert!(
            !entry.what.is_empty() && entry.section.is_empty() == (entry.row == MORE),
            "{entry:?}: what it is, or the section"
        );
        let picture = entry.picture.is_empty() || folder().join(&entry.picture).exists();
        assert!(picture, "{entry:?}: no such picture");
    }
}

/// A program's file, or its folder if it has several.
fn whole(path: &Path) -> PathBuf {
    match path.file_name().is_some_and(|name| name == "main.rs") {
        true => path.parent().unwrap().to_owned(),
        false => path.to_owned(),
    }
}

#[test]
fn every_example_has_an_entry() {
    let entries: BTreeSet<String> = table().into_iter().map(|entry| entry.program).collect();
    for (name, path) in examples() {
        assert!(entries.contains(&name), "`{name}` is not in programs.tsv");
        assert_eq!(
            whole(&path).file_stem().unwrap().to_string_lossy(),
            name,
            "file and example"
        );
    }
    let listed: BTreeSet<PathBuf> = examples().values().map(|path| whole(path)).collect();
    for (group, _) in GROUPS {
        let Ok(files) = fs::read_dir(folder().join(group)) else {
            continue;
        };
        for file in files.map(|file| Path::new(group).join(file.unwrap().file_name())) {
            assert!(listed.contains(&file), "{} is no example", file.display());
        }
    }
}

/// What a program is called, how it is run and which rows it shows stand where a reader of its file looks first.
#[test]
fn every_program_says_which_row_it_is_and_how_it_is_run() {
    let paths = examples();
    for entry in table() {
        let Some(path) = paths.get(&entry.program) else {
            continue;
        };
        let text = fs::read_to_string(folder().join(path)).unwrap();
        let head: Vec<&str> = text
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .collect();
        let (head, lines) = (head.join("\n"), text.lines().count());
        for needed in [&*entry.row, &format!("--example {}", entry.program)] {
            assert!(
                head.contains(needed),
                "{}: the head lacks `{needed}`",
                path.display()
            );
        }
        assert!(
            lines <= 200,
            "{} has {lines} lines; 200 are the limit",
            path.display()
        );
    }
}

/// The page.
fn page() -> String {
    let mut page = "\
# Gallery

<!-- Generated from gallery/programs.tsv. To write it anew: WARPLOOM_BLESS=1 cargo test -p warploom-gallery --test index -->

The programs of three documents, in Rust: a textbook's chapter on CUDA (E2), study notes on CUDA (E3) and the CUDA programming guide (EX). Each
is a file that can be read alone, prints what the document prints, and compares its results with plain Rust. The programs that draw are in
none of them. From the root of the repository:

```sh
cargo run --release -p warploom-gallery --example vector_add    # on a GPU if there is one, else on the emulator with smaller sizes
```

How a program is written, and what they share, says [src/lib.rs](src/lib.rs). Pictures and tables go to `target/gallery/`.
"
    .to_owned();
    let (entries, paths) = (table(), examples());
    for (group, title) in GROUPS {
        let of_group: Vec<&Entry> = entries.iter().filter(|e| e.group == *group).collect();
        if of_group.is_empty() {
            continue;
        }
        let _ = write!(
            page,
            "\n## {title}\n\n| program | what it is | note | document |\n|---|---|---|---|\n"
        );
        for entry in &of_group {
            let program = match entry.program.split_once(':') {
                Some((_, case)) => format!("[does not compile](../tests/ui/{case}.stderr)"),
                None => format!("[{}]({})", entry.program, paths[&entry.program].display()),
            };
            let place = match &*entry.row {
                MORE => String::new(),
                row => format!("{row}, {}", entry.section),
            };
            let _ = writeln!(
                page,
                "| {program} | {} | {} | {place} |",
                entry.what, entry.note
            );
        }
        for entry in of_group.iter().filter(|entry| !entry.picture.is_empty()) {
            let _ = write!(page, "\n![{}]({})\n", entry.what, entry.picture);
        }
    }
    let absent: Vec<&Entry> = entries.iter().filter(|e| e.program == "none").collect();
    if !absent.is_empty() {
        page.push_str("\n## Not here\n\n| document | what it is | why not |\n|---|---|---|\n");
    }
    for entry in absent {
        let _ = writeln!(
            page,
            "| {}, {} | {} | {} |",
            entry.row, entry.section, entry.what, entry.note
        );
    }
    page
}

#[test]
fn the_page_says_what_the_table_says() {
    let (expected, path) = (page(), folder().join("README.md"));
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, &expected).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let differs = committed
        .lines()
        .zip(expected.lines())
        .find(|(a, b)| a != b);
    assert!(
        committed == expected,
        "gallery/README.md is stale: run WARPLOOM_BLESS=1 cargo test -p warploom-gallery --test index\n{differs:#?}"
    );
}
