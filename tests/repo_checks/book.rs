//! The book is whole without mdBook: every chapter is in its summary, every link leads somewhere, and all code and messages that it
//! shows are parts of compiled files or of texts that tests compare.

use super::{files, read, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const SOURCE: &str = "docs/book/src";
const LISTINGS: &str = "tests/book";
/// Small programs of several algorithms, and kernels of several pieces, which their package tests.
const PROGRAMS: &[&str] = &[
    "libraries/algorithms/tests/programs.rs",
    "libraries/algorithms/tests/block/programs.rs",
    "libraries/vulkan/tests/src/wave.rs",
    "libraries/opengl/tests/src/wave.rs",
    "testing/scenes/src/wave.rs",
];
const TRANSCRIPTS: &str = "docs/book/transcripts";
/// What the commands of `cargo warploom` print, written by `tests/outside/subcommand.rs`.
const COMMANDS: &str = "docs/generated/cargo-warploom";

/// How the book names files of the repository: they are not among its pages.
const REPOSITORY: &str = "https://github.com/warploom/warploom/blob/main/";

/// Chapters that explain; the others are the introduction and tables to look things up in.
const REFERENCE: &[&str] = &["SUMMARY", "introduction", "cuda-names", "emulator"];

/// A file in a fenced block: `{{#include path:anchor}}`.
#[derive(Debug)]
struct Include {
    chapter: String,
    language: String,
    path: String,
    anchor: Option<String>,
}

/// The names of the pages, without their ending, and their text.
fn pages() -> BTreeMap<String, String> {
    let inside =
        |path: &Path| path.starts_with(SOURCE) && path.extension().is_some_and(|e| e == "md");
    let pages = files().into_iter().filter(|path| inside(path));
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    pages
        .map(|path| (name(&path), fs::read_to_string(root().join(&path)).unwrap()))
        .collect()
}

/// The fenced blocks of a page: language and lines.
fn blocks(page: &str) -> Vec<(String, Vec<String>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, Vec<String>)> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((language.to_owned(), vec![])),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some((_, lines))) => lines.push(line.to_owned()),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block that is not closed: {open:?}");
    blocks
}

/// `{{#include ../../../tests/book/warps.rs:sum}}`, seen from the root of the repository.
fn include(chapter: &str, language: &str, line: &str) -> Option<Include> {
    let inner = line.strip_prefix("{{#include ")?.strip_suffix("}}")?;
    let (path, anchor) = match inner.split_once(':') {
        Some((path, anchor)) => (path, Some(anchor.to_owned())),
        None => (inner, None),
    };
    let path = match path.strip_prefix("../../../") {
        Some(rest) => rest.to_owned(),
        None => match path.strip_prefix("../../") {
            Some(rest) => format!("docs/{rest}"),
            None => format!("docs/book/{}", path.strip_prefix("../")?),
        },
    };
    Some(Include {
        chapter: chapter.to_owned(),
        language: language.to_owned(),
        path,
        anchor,
    })
}

fn includes() -> Vec<Include> {
    let mut includes = Vec::new();
    for (name, page) in pages() {
        for (language, lines) in blocks(&page) {
            includes.extend(lines.iter().filter_map(|l| include(&name, &language, l)));
        }
    }
    includes
}

/// How mdBook and GitHub name a heading in links.
fn fragment(heading: &str) -> String {
    let kept = heading.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
        _ => None,
    });
    kept.collect()
}

#[test]
fn the_summary_lists_every_page_once() {
    let pages = pages();
    let mut listed: Vec<&str> = pages["SUMMARY"]
        .split("](")
        .skip(1)
        .map(|link| link.split(".md)").next().unwrap())
        .collect();
    listed.push("SUMMARY");
    listed.sort_unstable();
    let found: Vec<&str> = pages.keys().map(String::as_str).collect();
    assert_eq!(listed, found, "SUMMARY.md (left), the folder");
    assert!(found.len() >= 18, "{found:?}");
}

#[test]
fn a_chapter_says_what_its_reader_can_do_afterwards() {
    for (name, page) in pages() {
        let mut lines = page.lines();
        let title = lines.next().unwrap_or_default();
        assert!(title.starts_with("# "), "{name}: {title:?} is no title");
        if !REFERENCE.contains(&&*name) {
            let first = lines.nth(1).unwrap_or_default();
            assert!(
                first.starts_with("After this chapter you "),
                "{name}: {first:?}"
            );
        }
    }
}

#[test]
fn code_and_messages_of_the_book_are_parts_of_tested_files() {
    let mut shown = 0;
    for (name, page) in pages() {
        for (language, lines) in blocks(&page) {
            // Manifests and commands are compared by their readers' cargo and shell.
            if matches!(&*language, "toml" | "sh" | "console") {
                continue;
            }
            let [line] = &lines[..] else {
                panic!("{name}: a block of `{language}` is one {{{{#include}}}}, not {lines:?}");
            };
            let include = include(&name, &language, line);
            assert!(include.is_some(), "{name}: {line:?} is no include");
            shown += 1;
        }
    }
    assert!(shown >= 60, "{shown} listings and messages");
}

#[test]
fn includes_lead_to_what_is_compiled_or_compared() {
    let modules = read(&format!("{LISTINGS}/main.rs"));
    for include in includes() {
        let chapter = &include.chapter;
        let path = root().join(&include.path);
        assert!(path.exists(), "{chapter}: there is no {}", include.path);
        let text = fs::read_to_string(&path).unwrap();
        if let Some(anchor) = &include.anchor {
            let count = |mark: &str| {
                let mark = format!("// {mark}: {anchor}");
                text.lines().filter(|line| line.trim() == mark).count()
            };
            assert_eq!(
                (count("ANCHOR"), count("ANCHOR_END")),
                (1, 1),
                "{chapter}: {include:?}"
            );
        }
        let tested = match &*include.language {
            "rust" => {
                let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
                include.path.starts_with("tests/outside/saxpy/")
                    || PROGRAMS.contains(&include.path.as_str())
                    || (include.path.starts_with(LISTINGS)
                        && modules.contains(&format!("\nmod {stem};")))
            }
            "text" => {
                let tested = [TRANSCRIPTS, COMMANDS, "tests/ui/"];
                tested.iter().any(|place| include.path.starts_with(place))
            }
            "cpp" => include.path.starts_with("benches/cuda/"),
            "toml" => include.path.starts_with("tests/outside/"),
            "yaml" => include.path == "docs/book/workflow.yml",
            _ => false,
        };
        assert!(tested, "{chapter}: no test has {}", include.path);
    }
}

#[test]
fn every_anchor_and_transcript_is_shown() {
    let shown: BTreeSet<String> = includes()
        .iter()
        .map(|i| format!("{}:{}", i.path, i.anchor.as_deref().unwrap_or_default()))
        .collect();
    for path in files() {
        let name = path.display().to_string();
        if path.starts_with(TRANSCRIPTS) {
            assert!(
                shown.contains(&format!("{name}:")),
                "{name} is not in the book"
            );
        }
        if path.starts_with(LISTINGS) {
            for line in read(&name).lines() {
                if let Some(anchor) = line.trim().strip_prefix("// ANCHOR: ") {
                    assert!(
                        shown.contains(&format!("{name}:{anchor}")),
                        "{name}: {anchor} is not in the book"
                    );
                }
            }
        }
    }
}

#[test]
fn links_of_the_book_lead_somewhere() {
    let pages = pages();
    let fragments = |page: &str| -> BTreeSet<String> {
        let headings = page.lines().filter(|line| line.starts_with('#'));
        headings
            .map(|h| fragment(h.trim_start_matches('#').trim()))
            .collect()
    };
    for (name, page) in &pages {
        for link in page.split("](").skip(1) {
            let link = link.split(')').next().unwrap();
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if let Some(path) = file.strip_prefix(REPOSITORY) {
                assert!(root().join(path).exists(), "{name}: {link}");
                path.ends_with(".md").then(|| read(path))
            } else if file.is_empty() {
                Some(page.clone())
            } else if let Some(other) = file.strip_suffix(".md") {
                // Only pages of the book are pages of what mdBook makes.
                Some(
                    pages
                        .get(other)
                        .unwrap_or_else(|| panic!("{name}: {link}"))
                        .clone(),
                )
            } else {
                let picture =
                    file.starts_with("pictures/") && root().join(SOURCE).join(file).exists();
                assert!(picture || file.starts_with("https://"), "{name}: {link}");
                None
            };
            let found =
                anchor.is_empty() || target.is_some_and(|text| fragments(&text).contains(anchor));
            assert!(found, "{name}: no heading is {anchor:?} in {link}");
        }
    }
}

/// Variables that the book names are read by some source; those of `WARPLOOM_…` are a promise.
#[test]
fn variables_of_the_book_exist() {
    let sources: String = files()
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "rs") && !path.starts_with("tests"))
        .map(|path| read(&path.display().to_string()))
        .collect();
    let mut named = BTreeSet::new();
    for page in pages().values() {
        for part in page.split("WARPLOOM_").skip(1) {
            let end = part.find(|c: char| !c.is_ascii_uppercase() && c != '_');
            named.insert(format!("WARPLOOM_{}", &part[..end.unwrap_or(part.len())]));
        }
    }
    assert!(named.len() >= 15, "{named:?}");
    for name in named {
        assert!(
            sources.contains(&format!("\"{name}\"")),
            "no source reads {name}"
        );
    }
}
