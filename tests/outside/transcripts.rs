//! `cargo warploom` in a project that it has made, and what it prints, without what differs between machines and builds.

use crate::support::{CommandOutput, Outside, repository, target_folder};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The program, built as `cargo install --path` does, but in the repository's own target folder.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| build("cargo-warploom", "cargo-warploom"))
}

/// Builds a package of the repository, and gives the path of this file of it.
pub(crate) fn build(package: &str, file: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let status = Command::new(std::env::var_os("CARGO").unwrap())
        .args(["build", "--package", package, "--target-dir"])
        .arg(target)
        .current_dir(repository())
        .status();
    assert!(status.unwrap().success(), "{package} does not build");
    target.join("debug").join(file)
}

/// A project that `cargo warploom new` has made, with this repository's lock file.
pub(crate) fn new_project(name: &str) -> Outside {
    let cargo = std::env::var("CARGO").unwrap();
    let place = Outside::empty(name, name).env("CARGO", cargo);
    let path = repository().display().to_string();
    let said = place.run(program(), &["warploom", "new", name, "--path", &path]);
    assert!(said.ok, "{}", said.text);
    let made = format!("made the project `{name}` in {name}; to run it: cd {name} && cargo run\n");
    assert_eq!(said.printed, made);
    fs::rename(
        place.folder.join("Cargo.lock"),
        place.folder.join(name).join("Cargo.lock"),
    )
    .unwrap();
    place.within(name)
}

pub(crate) fn warploom(project: &Outside, line: &str) -> CommandOutput {
    let words: Vec<&str> = std::iter::once("warploom").chain(line.split(' ')).collect();
    let said = project.run(program(), &words);
    eprintln!("$ cargo warploom {line}\n{}", said.text);
    said
}

/// What a command printed, without what differs between machines and builds.
pub(crate) fn transcript(line: &str, said: &CommandOutput, project: &Outside) -> String {
    let mut text = said.printed.clone();
    let target = target_folder().display().to_string();
    let folder = project.folder.display().to_string();
    for (path, shown) in [(target, "target"), (folder, "."), (home(), "~")] {
        text = text.replace(&path, shown);
    }
    for (before, is_part) in [
        // Crates have hashes in their names. Constants have, too, and a number behind it that
        // depends on which other constants rustc puts into the same codegen unit.
        (
            "anon_",
            (|c| c.is_ascii_hexdigit() || c == '_') as fn(char) -> bool,
        ),
        ("anon.", |c| c.is_ascii_hexdigit() || c == '.'),
        ("Cs", |c| c.is_ascii_alphanumeric()),
    ] {
        text = without(&text, before, is_part);
    }
    let code = match said.code {
        Some(0) => String::new(),
        code => format!("(exit code {})\n", code.unwrap_or(-1)),
    };
    let text = text
        .lines()
        .map(|line| without_places(line.trim_end()) + "\n");
    format!(
        "$ cargo warploom {line}\n{}{code}",
        text.collect::<String>()
    )
}

/// The file alone of a line of source that is not the project's: others change with each version.
fn without_places(line: &str) -> String {
    let is_comment = ["// ", "; "].iter().any(|start| line.starts_with(start));
    let is_own = line.contains("src/") && !line.contains("/src/");
    match line.split_once(".rs:").filter(|_| is_comment && !is_own) {
        Some((file, _)) => format!("{file}.rs"),
        None => line.to_owned(),
    }
}

fn home() -> String {
    std::env::home_dir().unwrap().display().to_string()
}

/// Replaces names of at least eight such characters behind a prefix, up to the next one that is none.
fn without(text: &str, before: &str, is_part: fn(char) -> bool) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(before) {
        let start = at + before.len();
        let end = rest[start..]
            .find(|c| !is_part(c))
            .map_or(rest.len(), |end| start + end);
        out.push_str(&rest[..start]);
        match end - start >= 8 {
            true => out.push('…'),
            false => out.push_str(&rest[start..end]),
        }
        rest = &rest[end..];
    }
    out + rest
}

/// Compares a transcript with the one that is kept, or writes it.
#[track_caller]
pub(crate) fn compare(name: &str, text: &str) {
    let path = repository()
        .join("docs/generated/cargo-warploom")
        .join(name);
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        return;
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        text,
        kept,
        "{} has another text; WARPLOOM_BLESS=1 writes it",
        path.display()
    );
}

#[test]
fn hashes_and_numbers_in_names_are_left_out() {
    let part: fn(char) -> bool = |c| c.is_ascii_hexdigit() || c == '_';
    assert_eq!(
        without("[anon_0123456789abcdef_22]", "anon_", part),
        "[anon_…]"
    );
    assert_eq!(
        without("anon_12 and anon_", "anon_", part),
        "anon_12 and anon_"
    );
}
