//! What cargo says of a project, and builds of it.

use serde::Deserialize;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Which programs are built, and how.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selection {
    pub(crate) manifest_path: Option<PathBuf>,
    pub(crate) package: Option<String>,
    /// Empty: as [`Programs`] has it.
    pub(crate) only: Vec<Only>,
    /// Options of cargo: profile, features.
    pub(crate) flags: Vec<String>,
}

/// A target that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Only {
    Lib,
    Bin(String),
    Example(String),
    Test(String),
    Bench(String),
}

/// What is built where no target was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Programs {
    /// Binaries; in a package without any, test programs.
    Binaries,
    /// Test programs.
    Tests,
}

/// A program that cargo built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// `saxpy (bin)`, `saxpy (unit tests)`
    pub(crate) name: String,
    /// The folder of its package: where cargo starts tests.
    pub(crate) folder: PathBuf,
    /// Whether it is a test program, with a harness.
    pub(crate) is_test: bool,
}

/// `cargo`, the one that started this program if one did.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// `rustc`, as cargo finds it.
pub(crate) fn rustc() -> OsString {
    std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

#[derive(Debug, Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    executable: Option<PathBuf>,
    #[serde(default)]
    manifest_path: PathBuf,
    #[serde(default)]
    target: MessageTarget,
    #[serde(default)]
    profile: MessageProfile,
}

#[derive(Debug, Default, Deserialize)]
struct MessageTarget {
    #[serde(default)]
    kind: Vec<String>,
    #[serde(default)]
    name: String,
}

#[derive(Debug, Default, Deserialize)]
struct MessageProfile {
    #[serde(default)]
    test: bool,
}

/// Builds what was selected. Cargo's progress and errors go to standard error. `settings`: variables for this build.
pub(crate) fn build(
    selection: &Selection,
    programs: Programs,
    settings: &[(&str, &str)],
) -> Result<Vec<Program>, String> {
    let is_test = |only: &Only| matches!(only, Only::Lib | Only::Test(_) | Only::Bench(_));
    let (tests, others): (Vec<&Only>, Vec<&Only>) =
        selection.only.iter().partition(|only| is_test(only));
    let mut built = Vec::new();
    if selection.only.is_empty() && programs == Programs::Binaries || !others.is_empty() {
        built.extend(run(&["build"], &others, selection, settings)?);
    }
    if selection.only.is_empty() && built.is_empty() || !tests.is_empty() {
        built.extend(run(&["test", "--no-run"], &tests, selection, settings)?);
    }
    if built.is_empty() {
        return Err("cargo built no program; name one with --bin, --example or --test".to_owned());
    }
    built.sort_by(|a, b| (&a.folder, &a.name).cmp(&(&b.folder, &b.name)));
    built.dedup();
    Ok(built)
}

fn run(
    command: &[&str],
    only: &[&Only],
    selection: &Selection,
    settings: &[(&str, &str)],
) -> Result<Vec<Program>, String> {
    let mut cargo = cargo();
    cargo
        .args(command)
        .arg("--message-format=json-render-diagnostics")
        .args(&selection.flags)
        .envs(settings.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if let Some(path) = &selection.manifest_path {
        cargo.arg("--manifest-path").arg(path);
    }
    if let Some(package) = &selection.package {
        cargo.args(["--package", package]);
    }
    for target in only {
        match target {
            Only::Lib => cargo.arg("--lib"),
            Only::Bin(name) => cargo.args(["--bin", name]),
            Only::Example(name) => cargo.args(["--example", name]),
            Only::Test(name) => cargo.args(["--test", name]),
            Only::Bench(name) => cargo.args(["--bench", name]),
        };
    }
    let mut child = cargo
        .spawn()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    let mut built = Vec::new();
    // A line that is none of cargo's messages is no program.
    for line in child
        .stdout
        .take()
        .into_iter()
        .flat_map(|out| BufReader::new(out).lines())
    {
        let line = line.map_err(|error| format!("cannot read what cargo says: {error}"))?;
        built.extend(program(&line));
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    match status.success() {
        true => Ok(built),
        false => Err(format!("`cargo {}` failed, see above", command[0])),
    }
}

/// The program that a line of cargo's messages tells of.
fn program(line: &str) -> Option<Program> {
    let message: Message = serde_json::from_str(line).ok()?;
    if message.reason != "compiler-artifact" {
        return None;
    }
    let kind = message.target.kind.first().map_or("bin", String::as_str);
    let is_test = message.profile.test;
    let what = match (is_test, kind) {
        (true, "test") => "test",
        (true, "bench") => "bench",
        (true, _) => "unit tests",
        (false, kind) => kind,
    };
    Some(Program {
        path: message.executable?,
        name: format!("{} ({what})", message.target.name),
        folder: message
            .manifest_path
            .parent()
            .map_or_else(PathBuf::new, Path::to_owned),
        is_test,
    })
}

/// A command that runs a program as cargo does: in the folder of its package for tests, with the libraries that it may need.
pub(crate) fn start(runner: &[OsString], program: &Program, arguments: &[OsString]) -> Command {
    let own = program.path.as_os_str().to_owned();
    let mut words = runner.iter().cloned().chain([own]);
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).args(arguments);
    command.env("CARGO_MANIFEST_DIR", &program.folder);
    if program.is_test {
        command.current_dir(&program.folder);
    }
    if cfg!(unix) {
        // Test programs of procedural macros, and dynamic libraries of Rust.
        let beside = program.path.parent().map(Path::to_owned);
        let deps = beside.iter().map(|folder| folder.join("deps"));
        let before = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let before = std::env::split_paths(&before);
        let all = deps.chain(beside.clone()).chain(of_rustc()).chain(before);
        if let Ok(all) = std::env::join_paths(all) {
            command.env("LD_LIBRARY_PATH", all);
        }
    }
    command
}

/// The folder of rustc's own libraries.
fn of_rustc() -> Option<PathBuf> {
    static FOLDER: std::sync::OnceLock<Option<PathBuf>> = std::sync::OnceLock::new();
    FOLDER
        .get_or_init(|| folder_of_rustc("target-libdir"))
        .clone()
}

/// A folder that `rustc --print` names; `None` if it cannot be asked.
pub(crate) fn folder_of_rustc(what: &str) -> Option<PathBuf> {
    let said = Command::new(rustc()).args(["--print", what]).output();
    let said = said.ok().filter(|said| said.status.success())?;
    let folder = String::from_utf8_lossy(&said.stdout);
    Some(PathBuf::from(folder.trim().to_owned()))
}

/// What `cargo metadata` says.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_members: Vec<String>,
    pub(crate) workspace_root: PathBuf,
    pub(crate) target_directory: PathBuf,
}

#[derive(Debug, Default, Clone, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) targets: Vec<Target>,
}

#[derive(Debug, Default, Clone, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None`, `build` or `dev`.
    pub(crate) kind: Option<String>,
}

#[derive(Debug, Default, Clone, Deserialize)]
pub(crate) struct Target {
    pub(crate) kind: Vec<String>,
    pub(crate) name: String,
    pub(crate) src_path: PathBuf,
}

/// Asks cargo about the project of the working folder, or of a manifest; with its dependencies if `with_dependencies`.
pub(crate) fn metadata(
    manifest_path: Option<&Path>,
    with_dependencies: bool,
) -> Result<Metadata, String> {
    let mut cargo = cargo();
    cargo.args(["metadata", "--format-version=1", "--quiet"]);
    if !with_dependencies {
        cargo.arg("--no-deps");
    }
    if let Some(path) = manifest_path {
        cargo.args([OsStr::new("--manifest-path"), path.as_os_str()]);
    }
    let said = cargo
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if !said.status.success() {
        let why = String::from_utf8_lossy(&said.stderr);
        let why = why.trim().trim_start_matches("error: ");
        return Err(why.to_owned());
    }
    serde_json::from_slice(&said.stdout)
        .map_err(|error| format!("cannot read what `cargo metadata` says: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_read_from_cargos_messages() {
        let of = |kind: &str, test: bool, executable: &str| {
            program(&format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/p/Cargo.toml","target":{{"kind":["{kind}"],"name":"x"}},"profile":{{"test":{test}}},"executable":{executable}}}"#
            ))
        };
        let bin = of("bin", false, "\"/p/target/debug/x\"").unwrap();
        assert_eq!(
            (&*bin.name, bin.is_test, bin.folder.to_str()),
            ("x (bin)", false, Some("/p"))
        );
        let tests = of("lib", true, "\"/p/x\"").unwrap();
        assert_eq!((&*tests.name, tests.is_test), ("x (unit tests)", true));
        assert_eq!(
            of("test", true, "\"/p/x\"").map(|p| p.name).as_deref(),
            Some("x (test)")
        );
        assert_eq!(of("lib", false, "null"), None);
        for line in [
            r#"{"reason":"build-finished","success":true}"#,
            "warning: x",
            "",
        ] {
            assert_eq!(program(line), None, "{line}");
        }
    }

    #[test]
    fn a_program_is_started_by_its_runner() {
        let tests = Program {
            path: "/p/target/debug/deps/x-1".into(),
            name: "x (test)".into(),
            folder: "/".into(),
            is_test: true,
        };
        let runner = ["compute-sanitizer", "--tool"].map(OsString::from);
        let command = start(&runner, &tests, &["--exact".into()]);
        assert_eq!(command.get_program(), "compute-sanitizer");
        let arguments: Vec<&OsStr> = command.get_args().collect();
        assert_eq!(
            arguments,
            ["--tool", "/p/target/debug/deps/x-1", "--exact"].map(OsStr::new)
        );
        assert_eq!(command.get_current_dir(), Some(Path::new("/")));
    }
}
