//! Macros, build scripts and the libraries below them, which the outer build has compiled for the host: the nested build takes them instead of compiling
//! them again, where they are the same.
//!
//! Cargo gives the two builds other file names, since only one of them has `--target`; rustc goes by what is in the files. What cargo keeps of each
//! compilation beside the build (`.fingerprint`) says of which features, compiler and dependencies it was made. Where anything is not as expected,
//! such as another layout of cargo's folders, the nested build compiles.

use crate::call::Call;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

/// For the compiler wrapper: the [`Outer`] build as JSON.
pub(crate) const OUTER: &str = "WARPLOOM_OUTER_BUILD";

/// The extension of a file beside an artifact that was taken: the outer build's fingerprint of it.
const TAKEN: &str = "outer";

/// What the wrapper has to know of the outer build.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outer {
    /// Where artifacts for the host are: `target/debug`.
    folder: PathBuf,
    /// Name and hash of this build script: `saxpy-0123456789abcdef`.
    script: String,
    rustc: PathBuf,
    /// Cargo's hash of that compiler.
    rustc_hash: u64,
}

/// Cargo's record of a compilation, as far as it matters here.
#[derive(Debug, Deserialize)]
struct Fingerprint {
    rustc: u64,
    /// A list as Rust writes it, which is JSON for names of features.
    features: String,
    /// Each with its package's hash, name, whether it is public, and fingerprint.
    deps: Vec<(u64, String, bool, u64)>,
    /// 0: for the host, or without `--target`.
    compile_kind: u64,
}

/// A finished compilation of the outer build.
#[derive(Debug)]
struct Artifact {
    package: String,
    /// Name and hash of the compilation.
    unit: String,
    /// The fingerprint, as cargo writes it and as dependents name it.
    fingerprint: String,
    record: Fingerprint,
    started: SystemTime,
    /// rustc's list of sources.
    dep_info: PathBuf,
    files: Vec<PathBuf>,
}

impl Outer {
    /// The build that runs this build script; `None` if its folders are not laid out as known here.
    pub(crate) fn of_this_process() -> Option<Outer> {
        let rustc = PathBuf::from(std::env::var_os("RUSTC")?);
        // target/debug/build/saxpy-0123456789abcdef/build-script-build
        let this = std::env::current_exe().ok()?;
        let unit = this.parent()?;
        let folder = unit.parent()?.parent()?;
        let script = unit.file_name()?.to_str()?.to_owned();
        let record = folder
            .join(".fingerprint")
            .join(&script)
            .join("build-script-build-script-build.json");
        let record: Fingerprint = read(&record)?;
        Some(Outer {
            folder: folder.to_owned(),
            script,
            rustc,
            rustc_hash: record.rustc,
        })
    }

    /// Takes the result of this compilation for the host from the outer build; whether it has. `out_dir`: of the package's build script here.
    pub(crate) fn take(&self, rustc: &OsStr, call: &Call<'_>, out_dir: Option<&Path>) -> bool {
        let Some(place) = Place::of(call) else {
            return false;
        };
        let _ = fs::remove_file(&place.taken);
        // They may be the outer build's own files, and what is compiled here must not be written into these.
        for name in place.file_names(&place.suffix) {
            let _ = fs::remove_file(place.folder.join(name));
        }
        if Path::new(rustc) != self.rustc {
            return false;
        }
        let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
        let mut artifacts = self.artifacts(&package, &place);
        artifacts.retain(|artifact| self.is_same(artifact, call, out_dir));
        artifacts.sort_by_key(|artifact| std::cmp::Reverse(artifact.started));
        // Several if the outer build ran with different settings of the profile: the latest is its own.
        artifacts.first().is_some_and(|a| a.copy(&place).is_ok())
    }

    /// All finished compilations of a crate.
    fn artifacts(&self, package: &str, place: &Place) -> Vec<Artifact> {
        let units = self.units(package);
        units
            .filter_map(|name| self.artifact(package, &name, place))
            .collect()
    }

    /// Name and hash of all that cargo compiled or ran of a package.
    fn units(&self, package: &str) -> impl Iterator<Item = String> {
        let entries = fs::read_dir(self.folder.join(".fingerprint"));
        let entries = entries.into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(move |name| name.rsplit_once('-').is_some_and(|(n, _)| n == package))
    }

    fn artifact(&self, package: &str, name: &str, place: &Place) -> Option<Artifact> {
        let (_, hash) = name.rsplit_once('-')?;
        let unit = self.folder.join(".fingerprint").join(name);
        let krate = &place.crate_name;
        let (key, folder) = match place.kind {
            "bin" => (
                format!("build-script-{}", krate.replace('_', "-")),
                self.folder.join("build").join(name),
            ),
            _ => (format!("lib-{krate}"), self.folder.join("deps")),
        };
        // Empty while it is being compiled.
        let fingerprint = fs::read_to_string(unit.join(&key)).ok()?;
        let files: Vec<PathBuf> = place
            .file_names(&format!("-{hash}"))
            .map(|file| folder.join(file))
            .collect();
        let is_complete = fingerprint.len() == 16 && files.iter().all(|file| file.is_file());
        let started = fs::metadata(unit.join("invoked.timestamp")).ok()?;
        is_complete.then_some(Artifact {
            package: package.to_owned(),
            unit: name.to_owned(),
            fingerprint,
            record: read(&unit.join(format!("{key}.json")))?,
            started: started.modified().ok()?,
            dep_info: folder.join(format!("{krate}-{hash}.d")),
            files,
        })
    }

    /// Whether a compilation was one of the same sources, features and dependencies, by the same compiler.
    fn is_same(&self, artifact: &Artifact, call: &Call<'_>, out_dir: Option<&Path>) -> bool {
        let record = &artifact.record;
        let features: Option<BTreeSet<String>> = serde_json::from_str(&record.features).ok();
        record.rustc == self.rustc_hash
            && record.compile_kind == 0
            && features.is_some_and(|features| features == call.features())
            && same_dependencies(record, &call.externs())
            && self.same_script(artifact, out_dir)
            && self.same_sources(artifact, call.root())
    }

    /// Whether the package's build script, if it has one, printed and generated the same in both builds: it may ask for variables that differ, and the
    /// outer build may be about to compile with a newer result.
    fn same_script(&self, artifact: &Artifact, out_dir: Option<&Path>) -> bool {
        let scripts = artifact.record.deps.iter().filter(|d| is_script(&d.1));
        let scripts: Vec<String> = scripts.map(|d| fingerprint(d.3)).collect();
        if scripts.is_empty() {
            return true;
        }
        let Some(here) = out_dir else {
            return false;
        };
        let runs = self.units(&artifact.package);
        let mut runs = runs.filter(|unit| self.is_run(unit, &scripts));
        runs.any(|unit| {
            let there = self.folder.join("build").join(unit).join("out");
            same_output(&there, here) && same_generated(&artifact.dep_info, &there, here)
        })
    }

    /// Whether a unit is the run of a build script with one of these fingerprints.
    fn is_run(&self, unit: &str, fingerprints: &[String]) -> bool {
        let entries = fs::read_dir(self.folder.join(".fingerprint").join(unit));
        let mut files = entries.into_iter().flatten().flatten();
        files.any(|file| {
            let is_run = file
                .file_name()
                .to_string_lossy()
                .starts_with("run-build-script-");
            let content = || fs::read_to_string(file.path()).unwrap_or_default();
            is_run && fingerprints.contains(&content())
        })
    }

    /// Whether the compilation began with this root, and no source changed since; variables that the sources name have the same values here.
    fn same_sources(&self, artifact: &Artifact, root: Option<&Path>) -> bool {
        let Ok(text) = fs::read_to_string(&artifact.dep_info) else {
            return false;
        };
        // Members of several workspaces may be built in one folder, and the list does not say which workspace a relative path belongs to.
        let may_be_relative = artifact.unit == self.script;
        let mut has_root = false;
        for source in sources(&text) {
            let Ok(changed) = fs::metadata(&source).and_then(|m| m.modified()) else {
                return false;
            };
            if changed > artifact.started || (source.is_relative() && !may_be_relative) {
                return false;
            }
            has_root |= Some(&*source) == root;
        }
        has_root && text.lines().all(same_variable)
    }
}

/// Whether all dependencies were taken from those that the outer compilation had.
fn same_dependencies(record: &Fingerprint, externs: &[(&str, &Path)]) -> bool {
    let deps = record.deps.iter().filter(|d| !is_script(&d.1));
    let deps: BTreeSet<(&str, String)> = deps
        .map(|(_, name, _, hash)| (&**name, fingerprint(*hash)))
        .collect();
    let taken = |path: &Path| fs::read_to_string(path.with_extension(TAKEN)).unwrap_or_default();
    let externs = externs.iter().map(|(name, path)| (*name, taken(path)));
    deps == externs.collect()
}

/// Whether a dependency is the run of a build script. Crates of such a name are compiled.
fn is_script(name: &str) -> bool {
    name.starts_with("build_script_")
}

/// Whether build scripts with these `OUT_DIR`s printed the same.
fn same_output(there: &Path, here: &Path) -> bool {
    let printed = |out: &Path| fs::read_to_string(out.with_file_name("output")).ok();
    let (Some(there_text), Some(here_text)) = (printed(there), printed(here)) else {
        return false;
    };
    let [there, here] = [there, here].map(|out| out.to_string_lossy().into_owned());
    there_text.replace(&there, &here) == here_text
}

/// Whether the sources that lie in one `OUT_DIR` are the same in the other.
fn same_generated(dep_info: &Path, there: &Path, here: &Path) -> bool {
    let text = fs::read_to_string(dep_info).unwrap_or_default();
    sources(&text).all(|source| match source.strip_prefix(there) {
        Ok(rest) => fs::read(&source).ok() == fs::read(here.join(rest)).ok(),
        Err(_) => true,
    })
}

/// The sources in rustc's list: each has a line of its own.
fn sources(dep_info: &str) -> impl Iterator<Item = PathBuf> {
    let lines = dep_info.lines().filter(|line| !line.starts_with('#'));
    let names = lines.filter_map(|line| line.strip_suffix(':'));
    names.map(|name| PathBuf::from(name.replace("\\ ", " ")))
}

/// As cargo writes it to files.
fn fingerprint(hash: u64) -> String {
    let bytes = hash.to_le_bytes();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Of a line `# env-dep:NAME=value`. What a build script wrote differs in its folder only.
fn same_variable(line: &str) -> bool {
    let Some(variable) = line.strip_prefix("# env-dep:") else {
        return true;
    };
    let (name, value) = match variable.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (variable, None),
    };
    let here = std::env::var(name).ok();
    let here = here.map(|value| value.replace('\\', "\\\\").replace('\n', "\\n"));
    name == "OUT_DIR" || here.as_deref() == value
}

impl Artifact {
    /// The dates of files tell cargo what is up to date: a result must not be older than what it depends on, of which the runs of build scripts are of
    /// this build. Of a library cargo takes the newer one of its two files, so that metadata are copied and the rest, which is larger, is the same
    /// file. So is a build script without dependencies. The note comes last.
    fn copy(&self, to: &Place) -> io::Result<()> {
        for (from, name) in self.files.iter().zip(to.file_names(&to.suffix)) {
            let may_be_old = match to.kind {
                "lib" => from.extension() == Some(OsStr::new("rlib")),
                "bin" => self.record.deps.is_empty(),
                _ => false,
            };
            let file = to.folder.join(name);
            // Not every file system has links.
            if !(may_be_old && fs::hard_link(from, &file).is_ok()) {
                fs::copy(from, file)?;
            }
        }
        let list = format!("{}{}.d", to.crate_name, to.suffix);
        fs::copy(&self.dep_info, to.folder.join(list))?;
        fs::write(&to.taken, &self.fingerprint)
    }
}

/// Where a compilation's results go.
#[derive(Debug)]
struct Place {
    crate_name: String,
    kind: &'static str,
    folder: PathBuf,
    /// The `-0123456789abcdef` of file names.
    suffix: String,
    taken: PathBuf,
}

impl Place {
    fn of(call: &Call<'_>) -> Option<Place> {
        let crate_name = call.value("--crate-name")?.to_owned();
        let kinds = ["lib", "proc-macro", "bin"];
        let kind = call.crate_type()?;
        let kind = kinds.into_iter().find(|known| *known == kind)?;
        let folder = PathBuf::from(call.value("--out-dir")?);
        let suffix = call.file_suffix().to_owned();
        let mut place = Place {
            crate_name,
            kind,
            folder,
            suffix,
            taken: PathBuf::new(),
        };
        let first = place.file_names(&place.suffix).next()?;
        place.taken = place.folder.join(first).with_extension(TAKEN);
        Some(place)
    }

    fn file_names(&self, suffix: &str) -> impl Iterator<Item = String> {
        let (prefix, extensions): (&str, &[&str]) = match self.kind {
            "lib" => ("lib", &[".rmeta", ".rlib"]),
            "proc-macro" => ("lib", &[std::env::consts::DLL_SUFFIX]),
            _ => ("", &[""]),
        };
        let stem = format!("{prefix}{}{suffix}", self.crate_name);
        extensions.iter().map(move |ext| format!("{stem}{ext}"))
    }
}

fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

#[cfg(test)]
#[path = "reuse_tests.rs"]
mod tests;
