//! The nested cargo: its command line, its clean environment, and what it says.
//!
//! This is the one place that starts cargo. It removes what the outer cargo put into the environment of build scripts, or the nested
//! build would lock the outer one's folders, lint with clippy, or see its flags.

use crate::package::Package;
use crate::wrapper::DEVICE_CFG;
use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Tells a re-entered build script that it is the nested build's compiler wrapper or linker.
pub(crate) const ROLE: &str = "WARPLOOM_ROLE";
/// Options for the device linker, as JSON.
pub(crate) const OPTIONS: &str = "WARPLOOM_OPTIONS";
/// Path of rustc's LLVM.
pub(crate) const LLVM: &str = "WARPLOOM_LLVM";

/// What became of one target in the nested build.
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

/// What the nested build said.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) built: Vec<Built>,
    pub(crate) succeeded: bool,
    /// What cargo itself printed.
    pub(crate) log: String,
    /// Errors of crates that this package depends on.
    pub(crate) foreign_errors: Vec<String>,
    /// rustc's lists of the source files that it read, for crates that are not from a registry.
    pub(crate) dep_infos: Vec<PathBuf>,
}

/// The nested build of one package.
pub(crate) struct Nested<'a> {
    pub(crate) package: &'a Package,
    pub(crate) target_args: Vec<String>,
    pub(crate) options_json: String,
    pub(crate) llvm: &'a Path,
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

    fn command(&self, offline: bool) -> std::io::Result<Command> {
        let package = self.package;
        let mut command = clean(&package.cargo);
        command
            .arg("build")
            .arg("--manifest-path")
            .arg(&package.nested_manifest)
            .args(["--package", &package.spec])
            .args(["--profile", &package.profile, "--target", &package.host])
            .arg("--target-dir")
            .arg(&package.nested_target_dir)
            .args(["--message-format=json", "--keep-going"])
            .args([
                "--no-default-features",
                "--features",
                &package.features.join(","),
            ])
            .args(&self.target_args);
        if offline {
            command.arg("--offline");
        }
        if package.is_member {
            command.current_dir(&package.folder);
        } else if let Some(folder) = package.nested_manifest.parent() {
            command.current_dir(folder);
        }
        let this = std::env::current_exe()?;
        let mut flags = vec!["--cfg".to_owned(), DEVICE_CFG.to_owned()];
        flags.extend(
            package
                .outer_cfgs
                .iter()
                .flat_map(|c| ["--cfg".to_owned(), c.clone()]),
        );
        command
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
            .env("RUSTC_WRAPPER", this)
            .env(ROLE, "nested")
            .env(OPTIONS, &self.options_json)
            .env(LLVM, self.llvm)
            .env("CARGO_TERM_COLOR", "never");
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
            let ours =
                message.manifest_path.as_deref() == Some(self.package.manifest_text().as_str());
            let kind = target.kind.first().cloned().unwrap_or_default();
            let local = message
                .package_id
                .as_deref()
                .is_some_and(|id| id.starts_with("path+"));
            if local {
                outcome
                    .dep_infos
                    .extend(message.filenames.iter().filter_map(|f| dep_info(f)));
            }
            if kind == "custom-build" || kind == "proc-macro" {
                continue;
            }
            match (message.reason.as_str(), message.message) {
                ("compiler-artifact", _) if ours => {
                    let test = message.profile.is_some_and(|p| p.test);
                    let output = linked_output(&kind, test, &message.filenames, message.executable);
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
                _ => {}
            }
        }
        outcome
    }
}

/// Where the device linker put its result. A library's is the extra `cdylib` beside the files that cargo knows of.
fn linked_output(
    kind: &str,
    test: bool,
    files: &[PathBuf],
    executable: Option<PathBuf>,
) -> Option<PathBuf> {
    if let Some(executable) = executable {
        return Some(executable);
    }
    if test || matches!(kind, "bin" | "example" | "test" | "bench") {
        return files.first().cloned();
    }
    let metadata = files.iter().find(|f| {
        f.extension().is_some_and(|e| e == "rmeta")
            || f.parent().is_some_and(|p| p.ends_with("deps"))
    })?;
    let shared = metadata.with_extension("so");
    shared.exists().then_some(shared)
}

/// The `.d` file beside an artifact: `deps/libname-hash.rmeta` has `deps/name-hash.d`.
fn dep_info(artifact: &Path) -> Option<PathBuf> {
    let stem = artifact.file_stem()?.to_str()?;
    let found = [stem.strip_prefix("lib").unwrap_or(stem), stem]
        .map(|s| artifact.with_file_name(format!("{s}.d")));
    found.into_iter().find(|d| d.exists())
}

/// A command in the environment of the user's shell rather than of a build script.
pub(crate) fn clean(program: &Path) -> Command {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that builds cargo commands"
    )]
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
        || ["CARGO_REGISTR", "CARGO_SOURCE", "CARGO_NET_", "CARGO_HTTP_"]
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
