//! The nested cargo: its command line, its clean environment, and what it says.
//!
//! This is the one place that starts cargo. It removes what the outer cargo put into the environment of build scripts, or the nested
//! build would lock the outer one's folders, lint with clippy, or see its flags.

use crate::environment::{
    DEVICE_CFG, LINKER_STAMP, LLVM, OPTIONS, PATHS_FROM, ROLE, TARGET_FOLDER,
};
use crate::graph::UnitGraph;
use crate::outer;
use crate::package::Package;
use crate::{reuse, wrapper};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the nested build made of one target.
#[derive(Debug, Clone)]
pub(crate) struct Built {
    /// cargo's kind: `lib`, `bin`, `example`, `test`.
    pub(crate) kind: String,
    pub(crate) name: String,
    /// Whether it is a test harness.
    pub(crate) test: bool,
    /// The device linker's output; `None` if rustc failed.
    pub(crate) output: Option<PathBuf>,
    /// rustc's errors.
    pub(crate) errors: Vec<String>,
}

/// The messages of the nested build.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) built: Vec<Built>,
    pub(crate) succeeded: bool,
    /// What cargo itself printed.
    pub(crate) log: String,
    /// Errors of crates that this package depends on.
    pub(crate) foreign_errors: Vec<String>,
    /// The source files of this package and of its path dependencies.
    pub(crate) sources: BTreeSet<PathBuf>,
}

/// The targets that one run of cargo builds.
///
/// A library is built apart from the rest: packages that depend on it compile it too, in the same folder, as an ordinary `lib`. As a
/// `staticlib` cargo keeps the two apart (or only the first of them would have device code), and it waits for the dependencies'
/// bitcode, which their metadata does not have.
#[derive(Debug, Clone)]
pub(crate) enum BuildTargets {
    Library,
    /// The flags that name the targets.
    Others(Vec<String>),
}

/// The nested build of one package.
pub(crate) struct Nested<'a> {
    pub(crate) package: &'a Package,
    pub(crate) what: &'a BuildTargets,
    /// The outer build's flags that select packages and features; `None` for this package alone.
    pub(crate) selection: Option<&'a [String]>,
    /// Further flags that name a target.
    pub(crate) for_features: &'a [String],
    pub(crate) options_json: &'a str,
    pub(crate) llvm: &'a Path,
}

impl Outcome {
    /// The messages of two runs of cargo.
    pub(crate) fn and(mut self, other: Outcome) -> Outcome {
        self.built.extend(other.built);
        self.succeeded &= other.succeeded;
        self.log.push_str(&other.log);
        self.foreign_errors.extend(other.foreign_errors);
        self.sources.extend(other.sources);
        self
    }

    /// Whether cargo gave up before any compiler ran.
    pub(crate) fn never_started(&self) -> bool {
        !self.succeeded && self.built.is_empty() && self.foreign_errors.is_empty()
    }
}

impl Nested<'_> {
    /// Runs it without the network first; if cargo then lacks a download, and the outer build is not offline, once more with it.
    pub(crate) fn run(&self) -> std::io::Result<Outcome> {
        let outcome = self.attempt(true)?;
        let lacks_download = !outcome.succeeded
            && outcome.built.is_empty()
            && (outcome.log.contains("--offline") || outcome.log.contains("offline mode"));
        if lacks_download && !self.package.outer_is_offline {
            return self.attempt(false);
        }
        Ok(outcome)
    }

    fn attempt(&self, offline: bool) -> std::io::Result<Outcome> {
        let mut command = self.command(offline)?;
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let output = child.wait_with_output()?;
        let mut outcome = self.read_messages(&String::from_utf8_lossy(&output.stdout));
        outcome.succeeded = output.status.success();
        outcome.log = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(outcome)
    }

    /// What this build would compile.
    pub(crate) fn graph(&self) -> Result<UnitGraph, String> {
        let ask = |offline| {
            let mut command = self.command(offline).map_err(|e| e.to_string())?;
            outer::run(command.args(["--unit-graph", "-Zunstable-options"]))
        };
        let graph = ask(true);
        if graph.is_err() && !self.package.outer_is_offline {
            return ask(false);
        }
        graph
    }

    fn command(&self, offline: bool) -> std::io::Result<Command> {
        let package = self.package;
        let mut command = clean(&package.cargo);
        match self.what {
            BuildTargets::Library => {
                command.args(["rustc", "--lib", "--crate-type", wrapper::LIBRARY]);
            }
            BuildTargets::Others(targets) => {
                command.arg("build").args(targets).args(self.for_features);
            }
        }
        match self.selection {
            Some(selection) => command.args(selection),
            None => command
                .arg("--manifest-path")
                .arg(&package.nested_manifest)
                .args(["--package", &package.spec]),
        };
        command
            .args(["--profile", &package.profile, "--target", &package.target])
            .arg("--target-dir")
            .arg(&package.nested_target_dir)
            .args(["--message-format=json", "--keep-going"]);
        if package.is_member && self.selection.is_none() {
            let features = package.features.join(",");
            command.args(["--no-default-features", "--features", &features]);
        }
        if offline {
            command.arg("--offline");
        }
        // cargo reads its configuration (sources, patches) from where it is started.
        command.current_dir(package.configured_from());
        let this = std::env::current_exe()?;
        let mut flags = vec!["--cfg".to_owned(), DEVICE_CFG.to_owned()];
        // Compilations with other flags are others: after an update of this crate nothing old is taken.
        flags.extend(["--cfg".to_owned(), wrapper::flags_cfg()]);
        flags.extend(
            package
                .outer_cfgs
                .iter()
                .flat_map(|c| ["--cfg".to_owned(), c.clone()]),
        );
        command
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
            .env(
                LINKER_STAMP,
                format!("{} {}", stamp(&this), version(self.llvm)),
            )
            .env("RUSTC_WRAPPER", this)
            .env(ROLE, "nested")
            .env(OPTIONS, self.options_json)
            .env(LLVM, self.llvm)
            .env(TARGET_FOLDER, &package.nested_target_dir)
            .env("CARGO_TERM_COLOR", "never");
        if let Some(root) = package.outer_workspace().filter(|_| !package.is_member) {
            command.env(PATHS_FROM, root);
        }
        let outer = reuse::Outer::of_this_process();
        if let Some(json) = outer.and_then(|outer| serde_json::to_string(&outer).ok()) {
            command.env(reuse::OUTER, json);
        }
        let profile = package.profile_variable();
        for (key, value) in [
            ("LTO", "off"),
            ("DEBUG", "line-tables-only"),
            ("SPLIT_DEBUGINFO", "off"),
            ("STRIP", "none"),
        ] {
            command.env(format!("CARGO_PROFILE_{profile}_{key}"), value);
        }
        Ok(command)
    }

    fn read_messages(&self, stdout: &str) -> Outcome {
        let mut outcome = Outcome::default();
        for line in stdout.lines() {
            let Ok(message) = serde_json::from_str::<Message>(line) else {
                continue;
            };
            let Some(target) = message.target else {
                continue;
            };
            let manifest = message.manifest_path.as_deref().map(Path::new);
            let ours = manifest.is_some_and(|path| self.package.is_manifest(path));
            let kind = target.kind.first().cloned().unwrap_or_default();
            let local = message
                .package_id
                .as_deref()
                .is_some_and(|id| id.starts_with("path+"));
            if local {
                let mut bases: Vec<&Path> = manifest.and_then(Path::parent).into_iter().collect();
                bases.push(&self.package.nested_root);
                let lists = message.filenames.iter().filter_map(|f| dep_info(f));
                outcome
                    .sources
                    .extend(lists.flat_map(|list| sources(&list, &bases)));
            }
            if kind == "custom-build" || kind == "proc-macro" {
                continue;
            }
            match (message.reason.as_str(), message.message) {
                ("compiler-artifact", _) if ours => {
                    let test = message.profile.is_some_and(|p| p.test);
                    // A library's is in the file that cargo takes for a `staticlib`.
                    let output = message
                        .executable
                        .or_else(|| message.filenames.first().cloned());
                    outcome.built.push(Built {
                        kind,
                        name: target.name,
                        test,
                        output,
                        errors: vec![],
                    });
                }
                ("compiler-message", Some(diagnostic)) if diagnostic.level.starts_with("error") => {
                    let text = diagnostic.rendered.unwrap_or(diagnostic.message);
                    if ours {
                        outcome.built.push(Built {
                            kind,
                            name: target.name,
                            test: false,
                            output: None,
                            errors: vec![text],
                        });
                    } else {
                        outcome.foreign_errors.push(text);
                    }
                }
                // rustc says apart from the error which instance of a generic function it is about, and where that is called.
                ("compiler-message", Some(note)) if note.message.contains(INSTANTIATING) => {
                    // Messages of targets that are compiled at a time are mixed.
                    let mut latest = outcome.built.iter_mut().rev();
                    let of_target = latest
                        .find(|b| (&b.name, &b.kind) == (&target.name, &kind))
                        .filter(|_| ours);
                    if let Some(error) = of_target.and_then(|b| b.errors.last_mut()) {
                        error.push_str(&note.rendered.unwrap_or(note.message));
                    }
                }
                _ => {}
            }
        }
        outcome
    }
}

/// What rustc's note behind an error in a generic function says.
pub(crate) const INSTANTIATING: &str = "error was encountered while instantiating";

/// Changes when this executable, which is also the device linker, is built anew.
pub(crate) fn stamp(this: &Path) -> String {
    format!("{} {}", env!("CARGO_PKG_VERSION"), version(this))
}

/// A text that is another one for another file, also where that has the same name.
pub(crate) fn version(file: &Path) -> String {
    let built = std::fs::metadata(file).and_then(|m| Ok((m.len(), m.modified()?)));
    format!("{} {built:?}", file.display())
}

/// The `.d` file beside an artifact: `deps/libname-hash.rmeta` has `deps/name-hash.d`.
fn dep_info(artifact: &Path) -> Option<PathBuf> {
    let stem = artifact.file_stem()?.to_str()?;
    let found = [stem.strip_prefix("lib").unwrap_or(stem), stem]
        .map(|s| artifact.with_file_name(format!("{s}.d")));
    found.into_iter().find(|d| d.exists())
}

/// The files that a `.d` file names; rustc writes them as seen from where cargo started it.
fn sources(list: &Path, bases: &[&Path]) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(list).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let names = lines
        .filter_map(|line| line.split_once(": "))
        .flat_map(|(_, names)| {
            let names = names.replace("\\ ", "\0");
            let names: Vec<String> = names.split(' ').map(|n| n.replace('\0', " ")).collect();
            names
        });
    names
        .filter(|name| !name.is_empty())
        .flat_map(|name| bases.iter().map(move |base| base.join(&name)))
        .filter(|path| path.is_file())
        .collect()
}

/// A command in the environment of the user's shell rather than of a build script.
pub(crate) fn clean(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (key, _) in std::env::vars_os() {
        if is_outer_build_variable(&key) {
            command.env_remove(key);
        }
    }
    command
}

fn is_outer_build_variable(key: &OsString) -> bool {
    let Some(key) = key.to_str() else {
        return false;
    };
    // What users set for cargo itself stays; what cargo sets for build scripts, and what steers rustc, goes.
    let keep = [
        "CARGO_HOME",
        "CARGO_NET_OFFLINE",
        "CARGO_HTTP_PROXY",
        "CARGO_HTTP_CAINFO",
    ];
    let keep = keep.contains(&key)
        || [
            "CARGO_REGISTR",
            "CARGO_SOURCE",
            "CARGO_NET_",
            "CARGO_HTTP_",
            "CARGO_PROFILE_",
        ]
        .iter()
        .any(|p| key.starts_with(p));
    let drop = [
        "RUSTC",
        "RUSTDOC",
        "RUSTFLAGS",
        "TARGET",
        "HOST",
        "OUT_DIR",
        "OPT_LEVEL",
        "PROFILE",
        "DEBUG",
        "NUM_JOBS",
        "MAKEFLAGS",
        "RUSTC_LINKER",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTC_BOOTSTRAP",
        "CLIPPY_ARGS",
        "CLIPPY_CONF_DIR",
        "LD_PRELOAD",
    ];
    !keep && (key.starts_with("CARGO") || key.starts_with("DEP_") || drop.contains(&key))
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    manifest_path: Option<String>,
    package_id: Option<String>,
    target: Option<Target>,
    profile: Option<Profile>,
    #[serde(default)]
    filenames: Vec<PathBuf>,
    executable: Option<PathBuf>,
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    message: String,
    rendered: Option<String>,
}
