//! Which test proves which row of the requirements: the sources say it, docs/generated/coverage.md shows it.
//!
//! `docs/requirements.tsv` has a line per row: id, title, the columns that need a test (`E` emulator, `P` PTX, `G` GPU, `C` does not
//! compile, `H` host), and why the other columns are empty. A line `//@ rows: WS-1, WS-2` above a test names the rows that it proves. The
//! test's place tells the column:
//!
//! | place | columns |
//! |---|---|
//! | `ptx*.rs` of `testing/conformance/tests/`, `tests/ptx/` | P |
//! | the rest of `testing/conformance/tests/`, `tests/` | E, and G if the last GPU run passed it; a test that names the emulator is E alone |
//! | `tests/ui/`, `tests/outside/`, items of `src/` and `device-std/src/` with examples that must not compile | C |
//! | `emulator/`, `device-std/tests/` | E |
//! | `runtime/` | H; E too if the test opens an emulator, G if the last GPU run passed it |
//! | `manifest/`, `testing/harness/` | H |
//! | `gallery/`: a program, named after its file | E: `.ci/run gallery` runs each, and it checks its results |
//! | `testing/corpus/src/`: a case, whose origin names the pitfall (`case!(name, "P-14 reduce", …)`) | E: the bug is found, its twin gives no report |
//!
//! Two more letters are for [`host_coverage`](crate::host_coverage) alone: `W`, written for GPUs and not yet passed there, and `F`, against
//! the fake driver.
//!
//! `benches/results/gpu-tests.txt` lists what passed on a GPU: program and test. Takes texts, gives text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

/// A row of the requirements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// Its id, as tests name it.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// The letters of the columns that need a test.
    pub needs: String,
    /// Why the others are empty.
    pub why: String,
}

/// A test that says which rows it proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// The file, from the workspace's root.
    pub file: String,
    /// The test, or the file's name where there is none.
    pub test: String,
    /// The rows.
    pub rows: Vec<String>,
    /// The columns that it counts for.
    pub columns: String,
}

/// What stands between the columns of the table.
const COLUMNS: [(char, &str); 5] = [
    ('E', "emulator"),
    ('P', "PTX"),
    ('G', "GPU"),
    ('C', "does not compile"),
    ('H', "host"),
];

/// Reads docs/requirements.tsv.
///
/// # Errors
/// A line that has not four cells, or an unknown column, by its number.
pub fn requirements(text: &str) -> Result<Vec<Requirement>, String> {
    let mut all = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let cells: Vec<&str> = line.split('\t').collect();
        let [id, title, needs, why] = cells[..] else {
            return Err(format!("line {}: not four cells: {line}", number + 1));
        };
        if let Some(unknown) = needs.chars().find(|c| COLUMNS.iter().all(|k| k.0 != *c)) {
            return Err(format!("line {}: no column {unknown}", number + 1));
        }
        if needs.is_empty() && why.is_empty() {
            return Err(format!(
                "line {}: {id} needs no test and says not why",
                number + 1
            ));
        }
        let own = str::to_owned;
        let (id, title, needs, why) = (own(id), own(title), own(needs), own(why));
        all.push(Requirement {
            id,
            title,
            needs,
            why,
        });
    }
    Ok(all)
}

/// All proofs under `root`. `passed` are the tests that a GPU has passed, as `program test`.
///
/// # Errors
/// When a file cannot be read.
pub fn proofs(root: &Path, passed: &BTreeSet<String>) -> io::Result<Vec<Proof>> {
    let mut found = Vec::new();
    for folder in [
        "testing/conformance/tests",
        "tests",
        "src",
        "device-std",
        "emulator",
        "runtime",
        "manifest",
        "testing/harness",
        "kernel-macros",
        "kernel-build",
        "testing/fake-driver",
        "gallery",
        "testing/corpus/src",
    ] {
        let mut files = Vec::new();
        let folder = root.join(folder);
        if folder.exists() {
            collect(&folder, &mut files)?;
        }
        files.sort();
        for file in files {
            let name = file.strip_prefix(root).unwrap_or(&file);
            let name = name.to_string_lossy().replace('\\', "/");
            found.extend(proofs_of(&name, &fs::read_to_string(&file)?, passed));
        }
    }
    Ok(found)
}

fn collect(folder: &Path, files: &mut Vec<std::path::PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if path.file_name().is_none_or(|n| n != "target") {
                collect(&path, files)?;
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// The proofs of one file.
fn proofs_of(file: &str, source: &str, passed: &BTreeSet<String>) -> Vec<Proof> {
    if file.starts_with("testing/corpus/") {
        return cases_of(file, source);
    }
    let lines: Vec<&str> = source.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(rows) = line.trim_start().strip_prefix("//@ rows:") else {
            continue;
        };
        let rows: Vec<String> = rows.split(',').map(|r| r.trim().to_owned()).collect();
        let below = lines.get(at + 1..).unwrap_or_default();
        let whole_file = || {
            let stem = file.rsplit('/').next().unwrap_or(file);
            (stem.trim_end_matches(".rs").to_owned(), String::new())
        };
        let item = item(below).filter(|_| !file.starts_with("gallery/"));
        let (test, body) = item.unwrap_or_else(whole_file);
        let place = Place {
            file,
            source,
            test: &test,
            body: &body,
        };
        let columns = place.columns(passed);
        let file = file.to_owned();
        found.push(Proof {
            file,
            test,
            rows,
            columns,
        });
    }
    found
}

/// The cases of the corpus in one file whose origin names pitfalls.
fn cases_of(file: &str, source: &str) -> Vec<Proof> {
    let cases = source.lines().filter_map(|line| {
        let (name, rest) = line.trim_start().strip_prefix("case!(")?.split_once(',')?;
        let origin = rest.split('"').nth(1)?;
        let rows = origin.split(' ').filter(|word| word.starts_with("P-"));
        Some((name, rows.map(str::to_owned).collect::<Vec<_>>()))
    });
    let named = cases.filter(|(_, rows)| !rows.is_empty());
    let proof = |(test, rows): (&str, Vec<String>)| Proof {
        file: file.to_owned(),
        test: test.to_owned(),
        rows,
        columns: "E".into(),
    };
    named.map(proof).collect()
}

/// The name of the next item and its text, up to the brace that ends it.
fn item(lines: &[&str]) -> Option<(String, String)> {
    let words = [
        "fn ",
        "struct ",
        "trait ",
        "macro_rules! ",
        "enum ",
        "type ",
    ];
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim_start();
        if line.starts_with("//") && !line.starts_with("///") {
            continue;
        }
        let found = words.iter().find_map(|w| {
            let start = line.find(w)?;
            let before = &line[..start];
            let plain = before
                .chars()
                .all(|c| c.is_ascii_lowercase() || " ()".contains(c));
            plain.then(|| &line[start + w.len()..])
        });
        if let Some(rest) = found {
            let name: String = rest
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect();
            let end = lines[at..]
                .iter()
                .position(|l| *l == "}" || l.trim_end() == "    }");
            let end = end.map_or(lines.len(), |n| at + n);
            return Some((name, lines[..end].join("\n")));
        }
    }
    None
}

/// Where a test stands.
struct Place<'a> {
    file: &'a str,
    source: &'a str,
    test: &'a str,
    body: &'a str,
}

/// What tests call that is the emulator, or a GPU, or one after the other.
const EMULATOR: [&str; 3] = ["Device::emulator", "Emulator::", "warploom_emulator::"];
const GPU: [&str; 4] = ["Device::cuda(", "gpu()", "gpu!()", "gpu_or_skip()"];
const EACH: [&str; 4] = [
    "on_each_",
    "devices(",
    "device_test::",
    "assert_gpu_matches_emulator!",
];

impl Place<'_> {
    fn columns(&self, passed: &BTreeSet<String>) -> String {
        let Place { file, body, .. } = *self;
        let parts: Vec<&str> = file.split('/').collect();
        let stem = parts.last().copied().unwrap_or_default();
        if file.starts_with("tests/ui/") || file.starts_with("tests/outside/") {
            return "C".into();
        }
        if file.starts_with("tests/ptx/") || (stem.starts_with("ptx") && file.contains("tests/")) {
            return "P".into();
        }
        if file.starts_with("testing/fake-driver/") || body.contains("fake_driver") {
            return "F".into();
        }
        let program = match parts[..] {
            ["testing", "conformance", "tests", area, _, ..] => Some(area),
            ["tests", area, _, ..] => Some(area),
            ["tests", file] => Some(file.trim_end_matches(".rs")),
            _ => None,
        };
        if let Some(program) = program {
            let emulator_only =
                body.contains("Device::emulator") || body.contains("warploom_emulator::");
            if emulator_only {
                return "E".into();
            }
            let gpu = self.gpu(program, passed);
            let gpu_only = body.contains("gpu_or_skip()") && !EACH.iter().any(|w| body.contains(w));
            return if gpu_only {
                gpu.into()
            } else {
                format!("E{gpu}")
            };
        }
        if parts[0] == "runtime" {
            return self.runtime(&parts, passed);
        }
        if ["src/", "device-std/src/", "kernel-macros/"]
            .iter()
            .any(|folder| file.starts_with(folder))
        {
            return if body.contains("compile_fail") || file.starts_with("kernel-macros/") {
                "C".into()
            } else {
                "E".into()
            };
        }
        let emulated = ["emulator/", "device-std/", "gallery/"];
        if emulated.iter().any(|folder| file.starts_with(folder)) {
            return "E".into();
        }
        "H".into()
    }

    fn gpu(&self, program: &str, passed: &BTreeSet<String>) -> &'static str {
        if passed.contains(&format!("{program} {}", self.test)) {
            "G"
        } else {
            "W"
        }
    }

    /// A test of the runtime says in its body which devices it opens; where it does not, its helpers do, which stand in the same file.
    fn runtime(&self, parts: &[&str], passed: &BTreeSet<String>) -> String {
        let Place { source, body, .. } = *self;
        let in_tests = parts[1] == "tests";
        let file = parts.last().copied().unwrap_or_default();
        if file == "gpu.rs" && in_tests {
            return self.gpu("gpu", passed).into();
        }
        if body.contains("compile_fail") {
            return "C".into();
        }
        let has = |text: &str, words: &[&str]| words.iter().any(|w| text.contains(w));
        let says = has(body, &EMULATOR) || has(body, &GPU) || has(body, &EACH);
        let text = if says || !in_tests { body } else { source };
        let mut columns = String::from("H");
        if has(text, &EMULATOR) || has(text, &EACH) {
            columns.push('E');
        }
        if has(text, &GPU) || has(text, &EACH) {
            // The parts of a program stand in a folder of its name.
            let program = match in_tests {
                true => parts[2].trim_end_matches(".rs"),
                false => "warploom_runtime",
            };
            columns.push_str(self.gpu(program, passed));
        }
        columns
    }
}

/// What passed on a GPU: `program test` without the modules between, and the lines in front that say which GPU it was.
#[must_use]
pub fn gpu_record(text: &str) -> (Vec<String>, BTreeSet<String>) {
    let (head, tests): (Vec<&str>, Vec<&str>) = text
        .lines()
        .filter(|l| !l.trim().is_empty())
        .partition(|l| l.starts_with('#'));
    let head = head.iter().map(|l| l.trim_start_matches("# ").to_owned());
    let tests = tests.iter().filter_map(|line| {
        let (program, test) = line.split_once(' ')?;
        Some(format!("{program} {}", test.rsplit("::").next()?))
    });
    (head.collect(), tests.collect())
}

/// Rows that are named by tests and do not exist: `known` are the ids of all rows.
#[must_use]
pub fn unknown(known: &BTreeSet<&str>, proofs: &[Proof]) -> Vec<String> {
    let mut unknown = Vec::new();
    for proof in proofs {
        for row in proof.rows.iter().filter(|r| !known.contains(r.as_str())) {
            unknown.push(format!(
                "{}: {} names the row {row}, which is neither in docs/requirements.tsv nor in docs/host-requirements.tsv",
                proof.file, proof.test
            ));
        }
    }
    unknown
}

/// Cells that need a test and have none.
#[must_use]
pub fn gaps(requirements: &[Requirement], proofs: &[Proof]) -> Vec<String> {
    let mut gaps = Vec::new();
    for requirement in requirements {
        for column in requirement.needs.chars() {
            if tests_of(proofs, &requirement.id, column).is_empty() {
                let name = COLUMNS.iter().find(|c| c.0 == column).map_or("", |c| c.1);
                gaps.push(format!(
                    "{} ({}) has no test in the column `{name}`",
                    requirement.id, requirement.title
                ));
            }
        }
    }
    gaps
}

pub(crate) fn tests_of<'a>(proofs: &'a [Proof], row: &str, column: char) -> Vec<&'a str> {
    let proves = |p: &&Proof| p.columns.contains(column) && p.rows.iter().any(|r| r == row);
    proofs
        .iter()
        .filter(proves)
        .map(|p| p.test.as_str())
        .collect()
}

/// docs/generated/coverage.md.
#[must_use]
pub fn document(requirements: &[Requirement], proofs: &[Proof], gpu: &[String]) -> String {
    let mut text = format!(
        "# Coverage\n\n<!-- Generated from the tests and docs/requirements.tsv. To write it anew: WARPLOOM_BLESS=1 cargo test -p warploom-harness --test coverage_doc -->\n\n\
         What of the CUDA programming guide's device language works where: a row per feature, with the tests that prove it on the emulator, in\n\
         the PTX, on a GPU, by not compiling, and on the host. A dash has its reason in the last column. `{}` rows.\n\n\
         GPU: {}\n\n",
        requirements.len(),
        gpu.join(" · ")
    );
    let mut per: BTreeMap<&str, Vec<&Requirement>> = BTreeMap::new();
    for requirement in requirements {
        per.entry(group(&requirement.id))
            .or_default()
            .push(requirement);
    }
    text.push_str("| row | what | emulator | PTX | GPU | does not compile | host | why empty |\n|---|---|---|---|---|---|---|---|\n");
    for requirement in per.values().flatten() {
        let cells: Vec<String> = COLUMNS
            .iter()
            .map(|(column, _)| cell(&tests_of(proofs, &requirement.id, *column)))
            .collect();
        text.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            requirement.id,
            requirement.title,
            cells.join(" | "),
            requirement.why
        ));
    }
    text
}

/// The first two tests, and how many more.
pub(crate) fn cell(tests: &[&str]) -> String {
    let shown: Vec<String> = tests.iter().take(2).map(|t| format!("`{t}`")).collect();
    match tests.len() {
        0 => "–".into(),
        1 | 2 => shown.join(", "),
        more => format!("{} and {} more", shown.join(", "), more - 2),
    }
}

/// The chapter that an id belongs to.
fn group(id: &str) -> &str {
    id.split_once('-').map_or(id, |(group, _)| group)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns_of(file: &str, source: &str) -> Vec<(String, String)> {
        let passed = BTreeSet::from(["warp shuffles".to_owned()]);
        let all = proofs_of(file, source, &passed);
        all.into_iter().map(|p| (p.test, p.columns)).collect()
    }

    #[test]
    fn a_test_counts_for_the_gpu_once_it_passed_there() {
        let source = "//@ rows: WS-1, WS-2\n#[test]\nfn shuffles() {\n    check(1);\n}\n//@ rows: WS-3\n#[test]\nfn others() {\n}\n";
        let found = columns_of("testing/conformance/tests/warp/shuffle.rs", source);
        assert_eq!(
            found,
            [
                ("shuffles".into(), "EG".into()),
                ("others".into(), "EW".into())
            ]
        );
    }

    #[test]
    fn a_test_of_the_emulator_counts_for_it_alone() {
        let source =
            "//@ rows: WS-1\n#[test]\nfn shuffles() {\n    let device = Device::emulator();\n}\n";
        assert_eq!(
            columns_of("testing/conformance/tests/warp/shuffle.rs", source)[0].1,
            "E"
        );
    }

    #[test]
    fn a_test_that_needs_a_gpu_does_not_count_for_the_emulator() {
        let source = "//@ rows: WS-1\n#[test]\nfn shuffles() {\n    let gpu = gpu_or_skip();\n}\n";
        assert_eq!(
            columns_of("testing/conformance/tests/warp/shuffle.rs", source)[0].1,
            "G"
        );
    }

    #[test]
    fn the_folder_tells_the_column() {
        let source = "//@ rows: WS-1\n#[test]\nfn a() {\n}\n";
        for (file, column) in [
            ("testing/conformance/tests/warp/ptx_votes.rs", "P"),
            ("tests/ui/no_self.rs", "C"),
            ("runtime/tests/launch.rs", "H"),
            ("emulator/tests/warp.rs", "E"),
        ] {
            assert_eq!(columns_of(file, source)[0].1, column, "{file}");
        }
    }

    #[test]
    fn programs_of_the_gallery_are_named_after_their_files() {
        let source = "//! Words.\n//@ rows: P-06\nfn f() {\n}\n";
        let found = columns_of("gallery/cooperation/atomic_order.rs", source);
        assert_eq!(found, [("atomic_order".into(), "E".into())]);
    }

    #[test]
    fn cases_of_the_corpus_name_pitfalls_in_their_origin() {
        let source = "cases![\n    case!(told_by_lane_0, \"P-16 P-03\", |run| {\n    case!(other, \"reduce\", |run| {\n];\n";
        let file = "testing/corpus/src/races/warp.rs";
        let found = proofs_of(file, source, &BTreeSet::new());
        let [proof] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(
            (&*proof.test, &proof.rows[..], &*proof.columns),
            (
                "told_by_lane_0",
                &["P-16".to_owned(), "P-03".to_owned()][..],
                "E"
            )
        );
    }

    #[test]
    fn a_test_of_the_runtime_counts_for_the_devices_that_it_opens() {
        let helper =
            "fn both() {\n    Device::emulator();\n    Device::cuda(0);\n}\n//@ rows: WS-1\n";
        for (body, columns) in [
            ("let device = Device::emulator();", "HE"),
            ("let device = Device::cuda(0);", "HW"),
            ("let device = gpu!();", "HW"),
            ("let Some(device) = gpu_or_skip() else { return };", "HW"),
            ("on_each_device(|_, _| Ok(()));", "HEW"),
            ("both();", "HEW"),
        ] {
            let source = format!("{helper}fn a() {{\n    {body}\n}}\n");
            let file = "runtime/tests/copies.rs";
            assert_eq!(columns_of(file, &source)[0].1, columns, "{body}");
        }
    }

    #[test]
    fn unknown_rows_and_empty_cells_are_gaps() {
        let requirements = requirements("WS-1\tshuffle\tEP\t\n").unwrap_or_default();
        let proofs = proofs_of(
            "emulator/tests/a.rs",
            "//@ rows: WS-1, WS-9\nfn a() {\n}\n",
            &BTreeSet::new(),
        );
        let unknown = unknown(&BTreeSet::from(["WS-1"]), &proofs);
        assert!(
            unknown.len() == 1 && unknown[0].contains("WS-9"),
            "{unknown:?}"
        );
        let gaps = gaps(&requirements, &proofs);
        assert!(gaps.len() == 1 && gaps[0].contains("PTX"), "{gaps:?}");
    }
}
