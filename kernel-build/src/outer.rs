//! The build that runs this build script: its cargo process, command line, folder, environment, and the graph of what it compiles.

mod process; // where it is, and how it was started

use crate::graph::UnitGraph;
pub(crate) use process::{PROCESS, cargo_above, cwd, identity, identity_of};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Commands of cargo that build the graph that they print with `--unit-graph`.
const COMMANDS: &[&str] = &[
    "bench", "build", "check", "doc", "run", "rustc", "rustdoc", "test", "b", "c", "d", "r", "t",
];

/// Commands of cargo that run build scripts, and of which cargo prints no graph.
const OTHER_COMMANDS: &[&str] = &["fix", "install", "package", "publish"];

/// Flags in front of the command and after it that take a value.
const VALUED: &[&str] = &[
    "--config",
    "--color",
    "-Z",
    "-C",
    "--package",
    "-p",
    "--exclude",
    "--features",
    "-F",
    "--manifest-path",
    "--lockfile-path",
    "--bin",
    "--example",
    "--test",
    "--bench",
    "--profile",
    "--target",
    "--target-dir",
    "--jobs",
    "-j",
    "--message-format",
    "--artifact-dir",
    "--build-dir",
    "--crate-type",
    "--print",
];

/// Flags that choose packages, features and settings, and thereby what is compiled of dependencies.
const SELECTING: &[&str] = &[
    "--config",
    "--package",
    "-p",
    "--exclude",
    "--features",
    "-F",
    "--manifest-path",
    "--lockfile-path",
    "--workspace",
    "--all",
    "--all-features",
    "--no-default-features",
];

/// The outer cargo's arguments, without the program, and with aliases of commands replaced by what they stand for.
fn args() -> &'static [String] {
    static ARGS: OnceLock<Vec<String>> = OnceLock::new();
    ARGS.get_or_init(|| without_alias(process::arguments(), alias))
}

/// Replaces the command while it is an alias; commands of cargo itself take precedence.
fn without_alias(
    mut args: Vec<String>,
    expand: impl Fn(&[String], &str) -> Option<Vec<String>>,
) -> Vec<String> {
    // An alias may stand for another one; cargo refuses circles.
    for _ in 0..8 {
        let Some(at) = command_at(&args) else { break };
        let is_known = COMMANDS.contains(&&*args[at]) || OTHER_COMMANDS.contains(&&*args[at]);
        let Some(words) = (!is_known)
            .then(|| expand(&args[..at], &args[at]))
            .flatten()
        else {
            break;
        };
        args.splice(at..=at, words);
    }
    args
}

/// What cargo's configuration gives for an alias.
fn alias(options: &[String], name: &str) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Words {
        One(String),
        Many(Vec<String>),
    }
    #[derive(Deserialize)]
    struct Found {
        alias: BTreeMap<String, Words>,
    }
    let key = format!("alias.{name}");
    let get = ["config", "get", "-Zunstable-options", "--format=json", &key];
    let mut command = in_outer_environment(Path::new(&std::env::var_os("CARGO")?)).ok()?;
    let output = command
        .args(options)
        .args(get)
        .env("RUSTC_BOOTSTRAP", "1")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let mut found: Found = serde_json::from_slice(&output.stdout).ok()?;
    Some(match found.alias.remove(name)? {
        Words::One(text) => text.split_whitespace().map(str::to_owned).collect(),
        Words::Many(words) => words,
    })
}

pub(crate) fn is_offline() -> bool {
    let set = std::env::var("CARGO_NET_OFFLINE").is_ok_and(|v| v == "true");
    set || args().iter().any(|a| a == "--offline" || a == "--frozen")
}

/// The folder of the package that the outer cargo was started for.
pub(crate) fn folder() -> Option<PathBuf> {
    let cwd = cwd()?;
    let args = args();
    let mut manifest = None;
    for (arg, next) in args.iter().zip(args.iter().skip(1)) {
        if arg == "--manifest-path" {
            manifest = Some(next.as_str());
        }
        manifest = arg.strip_prefix("--manifest-path=").or(manifest);
    }
    let installed = args
        .iter()
        .zip(args.iter().skip(1))
        .find(|(arg, _)| *arg == "--path");
    if let Some((_, path)) = installed.filter(|_| manifest.is_none()) {
        return cwd.join(path).canonicalize().ok();
    }
    match manifest {
        Some(manifest) => cwd
            .join(manifest)
            .canonicalize()
            .ok()?
            .parent()
            .map(Path::to_owned),
        None => Some(cwd),
    }
}

/// Where the command stands in cargo's arguments (without the program).
fn command_at(args: &[String]) -> Option<usize> {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if !arg.starts_with(['-', '+']) {
            return Some(at);
        }
        at += if VALUED.contains(&&**arg) { 2 } else { 1 };
    }
    None
}

/// The outer cargo's command: `build`, `test`.
pub(crate) fn command() -> Option<String> {
    let args = args();
    Some(args[command_at(args)?].clone())
}

/// The arguments that print the graph of the same build: the flags go in front, because what follows may be meant for a program.
fn graph_args(args: &[String]) -> Result<Vec<String>, String> {
    let unknown = |what: &str| {
        format!(
            "cargo's command `{what}` does not print what it compiles; run `cargo build`, `check`, `run`, `test`, `bench` or `doc`"
        )
    };
    let at = command_at(args).ok_or_else(|| unknown(&args.join(" ")))?;
    if args[at] == "install" {
        return installed(&args[at + 1..]);
    }
    if !COMMANDS.contains(&&*args[at]) {
        return Err(unknown(&args[at]));
    }
    let flags = ["--unit-graph", "-Zunstable-options"].map(str::to_owned);
    if matches!(&*args[at], "run" | "r") {
        // `cargo run` panics when there is nothing to run; `build` compiles the same, and takes no arguments for a program.
        let command = ["build".to_owned()];
        return Ok([
            &args[..at],
            &command,
            &flags,
            options_of_run(&args[at + 1..]),
        ]
        .concat());
    }
    Ok([&args[..=at], &flags, &args[at + 1..]].concat())
}

/// What stands before the arguments for the program.
fn options_of_run(args: &[String]) -> &[String] {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if arg == "--" || !arg.starts_with('-') {
            break;
        }
        at += if VALUED.contains(&&**arg) { 2 } else { 1 };
    }
    &args[..at.min(args.len())]
}

/// `cargo install` of a folder with its lock file builds what `cargo build` does there; otherwise it takes versions that no other command knows.
fn installed(args: &[String]) -> Result<Vec<String>, String> {
    let mut path = None;
    let mut kept: Vec<String> = ["build", "--unit-graph", "-Zunstable-options"]
        .map(str::to_owned)
        .to_vec();
    let mut is_locked = false;
    let mut profile = Some("--release");
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let name = arg.split('=').next().unwrap_or_default();
        let own = [
            "--path",
            "--root",
            "--version",
            "--vers",
            "--index",
            "--registry",
        ];
        let end = (at
            + if VALUED.contains(&&**arg) || own.contains(&&**arg) {
                2
            } else {
                1
            })
        .min(args.len());
        match name {
            "--path" => {
                path = arg
                    .split_once('=')
                    .map(|(_, p)| p.to_owned())
                    .or_else(|| args.get(at + 1).cloned())
            }
            "--debug" => profile = None,
            _ => {
                is_locked |= name == "--locked" || name == "--frozen";
                profile = profile.filter(|_| name != "--profile");
                let settings = [
                    "--locked",
                    "--frozen",
                    "--profile",
                    "--target",
                    "--bin",
                    "--bins",
                    "--example",
                ];
                if SELECTING.contains(&name) || settings.contains(&name) {
                    kept.extend_from_slice(&args[at..end]);
                }
            }
        }
        at = end;
    }
    let Some(path) = path.filter(|_| is_locked) else {
        return Err("`cargo install` may choose other versions than the lock file; run `cargo install --locked --path <folder>`".into());
    };
    kept.extend(profile.map(str::to_owned));
    kept.extend(["--manifest-path".to_owned(), format!("{path}/Cargo.toml")]);
    Ok(kept)
}

/// The flags of the outer build that decide about versions and features.
pub(crate) fn selection() -> Vec<String> {
    selected(args())
}

fn selected(args: &[String]) -> Vec<String> {
    let command = command_at(args);
    let mut chosen = Vec::new();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let is_other = !arg.starts_with('-') && command.is_some_and(|c| at > c);
        if arg == "--" || is_other {
            break;
        }
        let has_value = VALUED.contains(&&**arg);
        let name = arg.split('=').next().unwrap_or_default();
        let short = ["-p", "-F"].iter().any(|f| arg.starts_with(f));
        if SELECTING.contains(&name) || short {
            let end = (at + if has_value { 2 } else { 1 }).min(args.len());
            chosen.extend_from_slice(&args[at..end]);
        }
        at += if has_value { 2 } else { 1 };
    }
    chosen
}

/// Asks cargo what the outer build compiles.
///
/// # Errors
/// Says why that cannot be learnt.
pub(crate) fn graph(cargo: &Path) -> Result<UnitGraph, String> {
    let args = graph_args(args())?;
    let mut command = in_outer_environment(cargo)?;
    // Everything is downloaded by now.
    command.env("CARGO_NET_OFFLINE", "true");
    run(command.args(args))
}

/// A command in the folder and the environment of the outer cargo.
fn in_outer_environment(program: &Path) -> Result<Command, String> {
    let folder = cwd().ok_or("the folder of the outer cargo cannot be read from /proc")?;
    let mut command = Command::new(program);
    command.env_clear().current_dir(folder);
    command.envs(process::environment()?);
    Ok(command)
}

/// Runs a cargo that prints its graph.
pub(crate) fn run(command: &mut Command) -> Result<UnitGraph, String> {
    // The flag is unstable; cargo of a stable toolchain knows it nevertheless.
    let output = command
        .env("RUSTC_BOOTSTRAP", "1")
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("cargo's graph is not as expected: {e}"))
}

/// Variables of a build script that the device pass needs when it runs again for a compilation.
pub(crate) fn script_variables() -> Vec<(OsString, OsString)> {
    let names = [
        "CARGO",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_MANIFEST_DIR",
        "CARGO_PKG_NAME",
        "CARGO_PKG_VERSION",
        "HOST",
        "OUT_DIR",
        "PROFILE",
        "RUSTC",
        "TARGET",
    ];
    let all = std::env::vars_os();
    all.filter(|(key, _)| {
        let key = key.to_string_lossy();
        names.contains(&&*key) || key.starts_with("CARGO_FEATURE_")
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_graph_is_asked_for_in_front_of_the_programs_arguments() {
        let of = |text: &str| graph_args(&words(text)).map(|a| a.join(" "));
        let flags = "--unit-graph -Zunstable-options";
        assert_eq!(of("run game --level 3"), Ok(format!("build {flags}")));
        assert_eq!(
            of("--locked run --release --example photo -- --fast"),
            Ok(format!("--locked build {flags} --release --example photo"))
        );
        assert_eq!(
            of("--config a.toml --locked test -p x -- --nocapture"),
            Ok(format!(
                "--config a.toml --locked test {flags} -p x -- --nocapture"
            ))
        );
        assert!(of("make game").unwrap_err().contains("`make`"));
        assert!(of("install game").unwrap_err().contains("--locked --path"));
        assert_eq!(
            of("install --locked --path . --root /x --features low"),
            Ok(format!(
                "build {flags} --locked --features low --release --manifest-path ./Cargo.toml"
            ))
        );
    }

    #[test]
    fn an_alias_is_replaced_by_the_command_that_it_stands_for() {
        let alias = |_: &[String], name: &str| match name {
            "make" => Some(words("fast -p x")),
            "fast" => Some(words("build --release")),
            "loop" => Some(words("loop")),
            _ => None,
        };
        let of = |text: &str| without_alias(words(text), alias).join(" ");
        assert_eq!(
            of("--locked make --bin y"),
            "--locked build --release -p x --bin y"
        );
        assert_eq!(of("build make"), "build make");
        assert_eq!(of("clippy"), "clippy");
        assert_eq!(of("loop"), "loop");
    }

    #[test]
    fn what_chooses_packages_and_features_is_kept() {
        let of = |text: &str| selected(&words(text)).join(" ");
        assert_eq!(
            of(
                "--config k=1 build --release -p a --package=b -Ffast --bin x --features low --workspace"
            ),
            "--config k=1 -p a --package=b -Ffast --features low --workspace"
        );
        assert_eq!(of("run --all-features game -p 8080"), "--all-features");
        assert_eq!(
            of("test --no-default-features -- -p 3"),
            "--no-default-features"
        );
    }
}
