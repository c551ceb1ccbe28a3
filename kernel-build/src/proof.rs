//! The proof that device code was compiled from the same packages as the crate that carries it, made again by every other build.
//!
//! Cargo runs a build script again when its own inputs change, not when another command gives a dependency more features. So `#[kernel]` starts
//! this executable in each compilation of the host. In the build that ran the script nothing is left to do; in another one the graphs are
//! compared again, and where they differ the device pass runs again and replaces the objects, which rustc takes after its macros.

use crate::agreement::{Outer, Plan};
use crate::builder::Builder;
use crate::environment::ROLE;
use crate::graph::UnitGraph;
use crate::package::Package;
use crate::{outer, pass};
use serde::{Deserialize, Serialize};
use std::fs::{File, FileTimes};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// Roles of this executable when `#[kernel]` has started it: first in rustc's environment, then in that of the build script.
pub(crate) const COMPARE: &str = "compare";
pub(crate) const REPEAT: &str = "repeat";

/// Where `#[kernel]` finds this executable.
pub(crate) const PROGRAM: &str = "WARPLOOM_DEVICE_PASS_PROGRAM";

/// What the device code was compiled from, and by which build.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Proof {
    /// The cargo process whose build agrees; `None` if that was not known.
    build: Option<String>,
    graphs: Vec<UnitGraph>,
    /// Cargo's instructions for the linker.
    instructions: Vec<String>,
    variables: Vec<(String, String)>,
}

impl Proof {
    pub(crate) fn of_this_build() -> Proof {
        let variables = outer::script_variables().into_iter();
        Proof {
            build: outer::identity(),
            variables: variables
                .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
                .collect(),
            ..Proof::default()
        }
    }

    pub(crate) fn add(&mut self, plan: Plan) {
        self.graphs.extend(plan.graphs);
        if !plan.is_proved {
            self.build = None;
        }
    }

    pub(crate) fn path(out_dir: &Path) -> PathBuf {
        out_dir.join("warploom-proof.json")
    }

    /// Writes it, with a time before the script's own: cargo would take it for a change otherwise.
    pub(crate) fn write(
        &mut self,
        out_dir: &Path,
        instructions: Vec<String>,
    ) -> Result<(), String> {
        self.instructions = instructions;
        self.save(out_dir)
    }

    fn save(&self, out_dir: &Path) -> Result<(), String> {
        let path = Proof::path(out_dir);
        let write = || {
            std::fs::write(&path, serde_json::to_vec(self)?)?;
            let long_ago = UNIX_EPOCH + Duration::from_secs(1);
            File::options()
                .write(true)
                .open(&path)?
                .set_times(FileTimes::new().set_modified(long_ago))
        };
        write().map_err(|e: std::io::Error| format!("cannot write {}: {e}", path.display()))
    }

    fn read(out_dir: &Path) -> Result<Proof, String> {
        let path = Proof::path(out_dir);
        let content =
            std::fs::read(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        serde_json::from_slice(&content).map_err(|e| format!("cannot read {}: {e}", path.display()))
    }
}

/// The exit code of a role: 0 if device code and compilation agree.
fn code(done: Result<i32, String>) -> i32 {
    match done {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("{problem}");
            1
        }
    }
}

fn out_dir() -> Result<PathBuf, String> {
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo did not set `OUT_DIR`")?;
    Ok(PathBuf::from(folder))
}

/// In the environment of rustc; the exit code.
pub(crate) fn compare() -> i32 {
    code(compare_build())
}

/// In the environment of the build script; the exit code.
pub(crate) fn repeat(builder: &Builder) -> i32 {
    code(repeat_pass(builder))
}

/// Nothing is to be done in the build that ran the script.
fn compare_build() -> Result<i32, String> {
    let out_dir = out_dir()?;
    // Several targets of the package may be compiled at the same time.
    let lock = out_dir.join("warploom-proof.lock");
    let lock = File::create(&lock).map_err(|e| format!("cannot create {}: {e}", lock.display()))?;
    lock.lock()
        .map_err(|e| format!("cannot lock the device code's folder: {e}"))?;
    let proof = Proof::read(&out_dir)?;
    let cargo = outer::cargo_above().ok_or("it cannot be shown that GPU code and program are compiled from the same packages and features, because rustc was not started by cargo; build without a compiler wrapper that uses a server, or set WARPLOOM_DEVICE_CODE=0")?;
    if proof.build.is_some() && proof.build == outer::identity_of(cargo) {
        return Ok(0);
    }
    let this = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = crate::cargo::clean(&this);
    let status = command
        .envs(proof.variables)
        .env(ROLE, REPEAT)
        .env(outer::PROCESS, cargo.to_string())
        .status();
    let status = status.map_err(|e| format!("cannot run {}: {e}", this.display()))?;
    Ok(status.code().unwrap_or(1))
}

fn repeat_pass(builder: &Builder) -> Result<i32, String> {
    let out_dir = out_dir()?;
    let mut proof = Proof::read(&out_dir)?;
    let package = Package::discover().map_err(|e| e.to_string())?;
    let outer = Outer::discover(&package)?;
    let mut agree = true;
    for graph in &proof.graphs {
        let differences = outer
            .differences(&package, graph)
            .map_err(|lines| lines.join("\n"))?;
        agree &= differences.is_empty();
    }
    if agree || !outer.must_agree() {
        proof.build = outer.is_known().then(outer::identity).flatten();
        proof.save(&out_dir)?;
        return Ok(0);
    }
    let (instructions, problems) = pass::repeat(builder, &package);
    if problems.is_empty() && instructions == proof.instructions {
        return Ok(0);
    }
    // The script has named this file: it runs again in the next build.
    let _ = std::fs::remove_file(Proof::path(&out_dir));
    if problems.is_empty() {
        return Err(format!(
            "the GPU code of `{}` was compiled for another build, and now has other parts; run the same command once more",
            package.name
        ));
    }
    Err(problems.join("\n"))
}
