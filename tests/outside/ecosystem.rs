//! Popular crates of the registry in kernels: each computes what it computes on the host, and ptxas takes its PTX.
//!
//! `tests/outside/crates/` is one program with a kernel per crate. `crates.tsv` lists the crates, `results.tsv` what came of them;
//! `docs/crates.md` shows both. `benches/results/crates-gpu.txt`, if it is there, is what the program printed on a GPU.

use crate::support::{Outside, repository, target_folder};
use object::{Object as _, ObjectSection as _};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use warploom_manifest::container::{self, SECTION};

const FOLDER: &str = "tests/outside/crates";
const GPU: &str = "benches/results/crates-gpu.txt";
const ARCHS: [&str; 2] = ["sm_75", "sm_90"];
const OK: &str = "ok";

fn read(path: &str) -> String {
    let path = repository().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rows of a table, without its head.
fn table(name: &str) -> Vec<Vec<String>> {
    let text = read(&format!("{FOLDER}/{name}"));
    let rows = text.lines().skip(1);
    rows.map(|l| l.split('\t').map(str::to_owned).collect())
        .collect()
}

fn is_blessing() -> bool {
    std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1")
}

#[track_caller]
fn assert_committed(path: &str, text: &str) {
    if is_blessing() {
        std::fs::write(repository().join(path), text).unwrap();
    }
    let committed = std::fs::read_to_string(repository().join(path)).unwrap_or_default();
    assert!(
        committed == text,
        "{path} is stale: run WARPLOOM_BLESS=1 cargo test --test outside ecosystem"
    );
}

#[test]
fn the_table_lists_the_crates_and_versions_of_the_program() {
    let lock = read(&format!("{FOLDER}/Cargo.lock"));
    let manifest = read(&format!("{FOLDER}/Cargo.toml"));
    let folder = repository().join(FOLDER).join("src");
    let sources = std::fs::read_dir(folder).unwrap();
    let sources = sources.map(|s| std::fs::read_to_string(s.unwrap().path()).unwrap());
    let sources: String = sources.collect();
    let rows = table("crates.tsv");
    assert!(rows.len() >= 60, "{}", rows.len());
    assert_eq!(sources.matches("\ncase!(").count(), rows.len());
    for row in &rows {
        let [name, version, _] = &row[..] else {
            panic!("not three columns: {row:?}");
        };
        assert!(
            sources.contains(&format!(", \"{name}\", |x| {{")),
            "{name} has no kernel"
        );
        let locked = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        assert!(
            lock.contains(&locked),
            "{name} {version} is not in Cargo.lock"
        );
        assert!(
            manifest.contains(&format!("\n{name} = ")),
            "{name} is no dependency"
        );
    }
}

#[test]
fn the_document_shows_the_recorded_results() {
    let results: BTreeMap<String, Vec<String>> = table("results.tsv")
        .into_iter()
        .map(|row| (row[0].clone(), row[1..].to_vec()))
        .collect();
    let gpu = std::fs::read_to_string(repository().join(GPU)).unwrap_or_default();
    let on_gpu: BTreeMap<&str, &str> = gpu.lines().filter_map(|l| l.split_once(' ')).collect();
    let mut text = read(&format!("{FOLDER}/introduction.txt"));
    let rows = table("crates.tsv");
    let equal = results.values().filter(|r| r.iter().all(|c| c == OK));
    let _ = write!(
        text,
        "\n{} of {} crates compute in kernels what they compute on the host, and ptxas accepts their PTX.\n\n| crate | version | category | emulator | ptxas, sm_75 and sm_90 | GPU |\n|---|---|---|---|---|---|\n",
        equal.count(),
        rows.len()
    );
    for row in rows {
        let result = &results[&row[0]];
        let gpu = on_gpu.get(row[0].as_str()).copied().unwrap_or("not run");
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {gpu} |",
            row[0], row[1], row[2], result[0], result[1]
        );
    }
    assert_committed("docs/crates.md", &text);
}

/// The PTX of each image of a program, with the names of its kernels.
fn images(program: &Path) -> Vec<(Vec<String>, String)> {
    let bytes = std::fs::read(program).unwrap();
    let parsed = object::File::parse(&*bytes).unwrap();
    let section = parsed.section_by_name(SECTION).unwrap();
    let containers = container::unpack(section.data().unwrap()).unwrap();
    let of = |c: &container::Container<'_>| -> Vec<(Vec<String>, String)> {
        let names: Vec<String> = c.manifest.kernels.iter().map(|k| k.name.clone()).collect();
        let images = c.manifest.images.iter();
        images
            .map(|i| {
                (
                    names.clone(),
                    String::from_utf8_lossy(c.ptx(i).unwrap()).into_owned(),
                )
            })
            .collect()
    };
    containers.iter().flat_map(of).collect()
}

/// Names of kernels whose PTX ptxas refuses; `None` without ptxas.
fn refused_by_ptxas(program: &Path) -> Option<BTreeSet<String>> {
    let ptxas = std::env::var_os("WARPLOOM_PTXAS")?;
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("crates.ptx");
    let mut refused = BTreeSet::new();
    for (names, ptx) in images(program) {
        std::fs::write(&file, ptx).unwrap();
        for arch in ARCHS {
            let output = Command::new(&ptxas)
                .args(["-o", "/dev/null", "-arch", arch])
                .arg(&file)
                .output()
                .unwrap();
            if !output.status.success() {
                eprintln!("{names:?}: {}", String::from_utf8_lossy(&output.stderr));
                refused.extend(names.clone());
            }
        }
    }
    Some(refused)
}

#[test]
fn crates_in_kernels_compute_what_they_compute_on_the_host() {
    let program = Outside::copy("crates", "crates-in-kernels")
        .env("CARGO_NET_OFFLINE", "false")
        .env("WARPLOOM_EMULATOR", "checked");
    program.works(&["build", "--release", "--locked"]);
    let executable = target_folder().join("release/crates-in-kernels");
    let said = program.run(&executable, &[]).text;
    let lines: BTreeMap<&str, &str> = said.lines().filter_map(|l| l.split_once(' ')).collect();
    let refused = refused_by_ptxas(&executable);
    let mut text = "crate\temulator\tptxas\n".to_owned();
    let recorded = table("results.tsv");
    for (row, before) in table("crates.tsv").iter().zip(recorded) {
        let name = &row[0];
        let result = lines.get(name.as_str()).copied().unwrap_or("no result");
        let module = format!("::{}::run", name.replace('-', "_"));
        let ptxas = match &refused {
            Some(refused) if refused.iter().any(|k| k.ends_with(&module)) => "refused",
            Some(_) => OK,
            None => &before[2],
        };
        let _ = writeln!(text, "{name}\t{result}\t{ptxas}");
    }
    assert_committed(&format!("{FOLDER}/results.tsv"), &text);
}
