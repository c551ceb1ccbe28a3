//! docs/generated/sizes.md: how large the crates are, and how many of their modules are in import circles, now and at an earlier commit.

use super::imports::Imports;
use super::{CRATES, read, root};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use warploom_harness::generated::assert_current;

const DOCUMENT: &str = "docs/generated/sizes.md";
const BLESS: &str = "cargo test --test repo_checks sizes";
/// Measured once, by `WARPLOOM_MEASURE=FOLDER cargo test --test repo_checks sizes -- --nocapture` for a checkout of that commit.
const BEFORE: &str = "tests/repo_checks/sizes-5414a89.tsv";
/// Names another checkout, whose figures are printed.
const MEASURE: &str = "WARPLOOM_MEASURE";
/// Where a file's seam is looked for.
const LONG: usize = 400;
/// Figures that count lines may differ by this part from the document's, or each commit would change it.
const TOLERANCE: usize = 20;

/// The figures of one crate, of the files in `src/`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Sizes {
    /// Lines that are not of tests.
    lines: usize,
    /// The longest file.
    longest: usize,
    /// Files with more than [`LONG`] lines.
    long: usize,
    /// Modules that name one another, directly or through others.
    in_circles: usize,
}

impl Sizes {
    fn of(source: &Path) -> Sizes {
        let mut files = BTreeMap::new();
        collect(source, &mut files);
        let tests: Vec<PathBuf> = files.iter().flat_map(|(f, t)| test_files(f, t)).collect();
        files.retain(|file, _| !tests.iter().any(|t| file.starts_with(t)) && !is_of_tests(file));
        let lengths = || files.values().map(|text| text.lines().count());
        let circles = Imports::of(source).circles();
        Sizes {
            lines: files.values().map(|text| lines_without_tests(text)).sum(),
            longest: lengths().max().unwrap_or_default(),
            long: lengths().filter(|n| *n > LONG).count(),
            in_circles: circles.iter().map(|circle| circle.len()).sum(),
        }
    }

    fn figures(&self) -> [usize; 4] {
        [self.lines, self.longest, self.long, self.in_circles]
    }

    fn from_figures(figures: &[usize]) -> Option<Sizes> {
        let [lines, longest, long, in_circles] = *figures else {
            return None;
        };
        Some(Sizes {
            lines,
            longest,
            long,
            in_circles,
        })
    }

    /// Whether the document need not be written anew because of these figures.
    fn is_near(&self, documented: &Sizes) -> bool {
        let near = |a: usize, b: usize| a.abs_diff(b) <= b / TOLERANCE;
        near(self.lines, documented.lines)
            && near(self.longest, documented.longest)
            && (self.long, self.in_circles) == (documented.long, documented.in_circles)
    }
}

/// The crates of a checkout, by name. Some were not in `testing/` at first.
fn crates(checkout: &Path) -> BTreeMap<&'static str, Sizes> {
    let source = |folder: &str| {
        let places = [folder, folder.strip_prefix("testing/").unwrap_or(folder)];
        let sources = places.map(|place| checkout.join(place).join("src"));
        sources.into_iter().find(|source| source.is_dir())
    };
    let with_sources = CRATES
        .iter()
        .filter_map(|(folder, name, ..)| Some((*name, source(folder)?)));
    with_sources
        .map(|(name, source)| (name, Sizes::of(&source)))
        .collect()
}

/// All Rust files below a folder, and their texts.
fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.insert(path.clone(), fs::read_to_string(&path).unwrap());
        }
    }
}

/// By its name.
fn is_of_tests(file: &Path) -> bool {
    let stem = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let is_test = |name: &str| name == "tests" || name.ends_with("_tests");
    is_test(&stem(file)) || file.parent().is_some_and(|folder| is_test(&stem(folder)))
}

/// The files and folders of modules that a file declares for tests alone.
fn test_files(file: &Path, text: &str) -> Vec<PathBuf> {
    let folder = file.parent().unwrap();
    let stem = file.file_stem().unwrap();
    let below = match stem.to_str() {
        Some("lib" | "main" | "mod") => folder.to_owned(),
        _ => folder.join(stem),
    };
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let declared = lines.windows(2).filter(|pair| is_test_attribute(pair[0]));
    let names = declared.filter_map(|pair| pair[1].strip_prefix("mod ")?.split_once(';'));
    names
        .flat_map(|(name, _)| [below.join(name), below.join(name).with_extension("rs")])
        .collect()
}

fn is_test_attribute(line: &str) -> bool {
    line.starts_with("#[cfg(test") || line.starts_with("#[cfg(all(test")
}

/// Lines outside of items under `#[cfg(test)]`. Sources are formatted, so that an item ends with a line that is indented as it is.
fn lines_without_tests(text: &str) -> usize {
    let mut count = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let item = line.trim_start();
        if !is_test_attribute(item) {
            count += 1;
            continue;
        }
        let indent = line.len() - item.len();
        let ends = |line: &str| {
            let item = line.trim_start();
            line.len() - item.len() == indent
                && !item.starts_with("#[")
                && item.ends_with(['}', ';'])
        };
        // The remaining lines of the item, its last one included.
        lines.find(|line| ends(line));
    }
    count
}

fn before() -> BTreeMap<String, Sizes> {
    let text = read(BEFORE);
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let (name, figures) = line.split_once('\t')?;
        let figures: Vec<usize> = figures.split('\t').filter_map(|f| f.parse().ok()).collect();
        Some((name.to_owned(), Sizes::from_figures(&figures)?))
    };
    lines.map(|line| row(line).unwrap()).collect()
}

fn document(now: &BTreeMap<&str, Sizes>, before: &BTreeMap<String, Sizes>) -> String {
    let mut text = format!(
        "# Sizes\n\n<!-- Generated from the sources and {BEFORE}. To write it anew: WARPLOOM_BLESS=1 {BLESS} -->\n\n\
         The files in `src/` of each crate, at commit 5414a89 and now: lines that are not of tests, the longest file, files with more than {LONG} lines, and \
         modules in import circles (modules that name one another, directly or through others). Numbers of lines may have changed by a {TOLERANCE}th since this \
         page was written; the others are compared exactly.\n\n\
         | crate | lines | longest file | files over {LONG} lines | modules in circles |\n|---|---|---|---|---|\n"
    );
    let row = |name: &str, was: Option<&Sizes>, is: &Sizes| {
        let was = was.map(Sizes::figures);
        let cells = is.figures().into_iter().enumerate().map(|(i, is)| {
            let was = was.map_or("–".to_owned(), |was| was[i].to_string());
            format!("{was} → {is}")
        });
        format!("| {name} | {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    for (name, is) in now {
        text.push_str(&row(&format!("`{name}`"), before.get(*name), is));
    }
    let sum = |all: &mut dyn Iterator<Item = &Sizes>| {
        all.fold(Sizes::default(), |sum, one| Sizes {
            lines: sum.lines + one.lines,
            longest: sum.longest.max(one.longest),
            long: sum.long + one.long,
            in_circles: sum.in_circles + one.in_circles,
        })
    };
    let was = sum(&mut before.values());
    text.push_str(&row("all", Some(&was), &sum(&mut now.values())));
    text
}

/// What a document says of the crates now.
fn documented(document: &str) -> BTreeMap<String, Sizes> {
    let rows = document
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    let figures = |cells: &str| -> Vec<usize> {
        let now = cells.split('|').filter_map(|cell| cell.split("→").nth(1));
        now.filter_map(|figure| figure.trim().parse().ok())
            .collect()
    };
    rows.filter_map(|(name, cells)| Some((name.to_owned(), Sizes::from_figures(&figures(cells))?)))
        .collect()
}

#[test]
fn the_page_of_sizes_is_near_to_the_sources() {
    if let Some(folder) = std::env::var_os(MEASURE) {
        for (name, sizes) in crates(Path::new(&folder)) {
            println!(
                "{name}\t{}",
                sizes.figures().map(|f| f.to_string()).join("\t")
            );
        }
    }
    let now = crates(root());
    let committed = fs::read_to_string(root().join(DOCUMENT)).unwrap_or_default();
    let documented = documented(&committed);
    // The same page with the figures that it has, if these are near enough.
    let shown = now.iter().map(|(name, sizes)| {
        let old = documented.get(*name).filter(|old| sizes.is_near(old));
        (*name, old.unwrap_or(sizes).clone())
    });
    let expected = document(&shown.collect(), &before());
    assert_current(root(), DOCUMENT, &expected, BLESS);
}

#[test]
fn lines_of_tests_are_left_out() {
    let text = "use a;\n#[cfg(test)]\nuse b;\nfn f() {}\nimpl A {\n    #[cfg(test)]\n    fn g() {\n        h();\n    }\n}\n\
                #[cfg(all(test, not(loom)))]\n#[path = \"x_tests.rs\"]\nmod tests;\n#[cfg(test)]\nmod more {\n    fn i() {}\n}\n";
    assert_eq!(lines_without_tests(text), 4);
    let file = Path::new("src/a.rs");
    let declared = test_files(file, "#[cfg(test)]\nmod fuzzing;\nmod other;\n");
    assert_eq!(
        declared,
        [Path::new("src/a/fuzzing"), Path::new("src/a/fuzzing.rs")]
    );
    assert!(is_of_tests(Path::new("src/a_tests.rs")) && is_of_tests(Path::new("src/tests/b.rs")));
    assert!(!is_of_tests(file));
}

#[test]
fn a_page_is_written_anew_where_it_is_far_from_the_sources() {
    let written = Sizes::from_figures(&[1000, 300, 2, 5]).unwrap();
    let near = |figures: &[usize]| Sizes::from_figures(figures).unwrap().is_near(&written);
    assert!(near(&[1050, 285, 2, 5]));
    assert!(!near(&[1051, 300, 2, 5]) && !near(&[1000, 300, 3, 5]) && !near(&[1000, 300, 2, 6]));
    let page = document(
        &BTreeMap::from([("warploom", written.clone())]),
        &BTreeMap::new(),
    );
    assert_eq!(
        documented(&page),
        BTreeMap::from([("warploom".to_owned(), written)])
    );
}
