//! Which package is being built, which of its targets may hold kernels, and where a nested cargo can build it again.
//!
//! Two cases. A *member* of the workspace that is being built is built from its own manifest and lock file, with all its targets. A
//! *dependency* (from a registry, vendored, a path elsewhere, or unpacked by `cargo package`) may lie in a read-only folder without
//! lock file: a throw-away package in `OUT_DIR` depends on it, and only its library is built.

use crate::cargo::clean;
use crate::graph::{Pin, Profile};
use crate::{outer, shim, sources};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The package as the nested build needs it.
#[derive(Debug, Clone)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) out_dir: PathBuf,
    pub(crate) cargo: PathBuf,
    pub(crate) host: String,
    pub(crate) target: String,
    /// `name@version`.
    pub(crate) spec: String,
    pub(crate) profile: String,
    pub(crate) features: Vec<String>,
    pub(crate) outer_cfgs: Vec<String>,
    pub(crate) outer_is_offline: bool,
    pub(crate) is_member: bool,
    pub(crate) nested_manifest: PathBuf,
    /// The root of the nested build's workspace.
    pub(crate) nested_root: PathBuf,
    pub(crate) nested_target_dir: PathBuf,
    pub(crate) targets: Vec<Target>,
    /// The checks of its profile, where the nested build cannot take them from the workspace.
    pub(crate) checks: Option<Profile>,
    /// The root of the workspace that is built, if the package is one of its members.
    outer_workspace: Option<PathBuf>,
}

/// A crate target of the package.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    /// Its root file.
    pub(crate) root: PathBuf,
    /// Whether its sources may hold or launch kernels.
    pub(crate) has_kernels: bool,
    /// Whether `#[kernel]` is expanded in it.
    pub(crate) has_attribute: bool,
    /// Whether its unit tests may do so.
    pub(crate) has_test_kernels: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Lib,
    Bin,
    Example,
    Test,
    Bench,
}

impl Kind {
    pub(crate) fn is_dev(self) -> bool {
        matches!(self, Kind::Example | Kind::Test | Kind::Bench)
    }

    pub(crate) fn of(kind: &str) -> Option<Kind> {
        match kind {
            "lib" | "rlib" | "dylib" | "cdylib" | "staticlib" => Some(Kind::Lib),
            "bin" => Some(Kind::Bin),
            "example" => Some(Kind::Example),
            "test" => Some(Kind::Test),
            "bench" => Some(Kind::Bench),
            _ => None,
        }
    }
}

/// Why the package cannot be understood.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PackageError {
    #[error("cargo did not set `{0}`; `warploom_build::compile()` works in build scripts only")]
    NotInBuildScript(&'static str),
    #[error("`OUT_DIR` ({}) is not where cargo puts it", .0.display())]
    StrangeOutDir(PathBuf),
    #[error("cannot prepare {}: {source}", path.display())]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("`cargo metadata` failed: {0}")]
    Metadata(String),
}

impl Package {
    /// Reads cargo's environment and the package's manifest.
    pub(crate) fn discover() -> Result<Package, PackageError> {
        let var =
            |key: &'static str| std::env::var(key).map_err(|_| PackageError::NotInBuildScript(key));
        let folder = PathBuf::from(var("CARGO_MANIFEST_DIR")?);
        let out_dir = PathBuf::from(var("OUT_DIR")?);
        let cargo = PathBuf::from(var("CARGO")?);
        let name = var("CARGO_PKG_NAME")?;
        let version = var("CARGO_PKG_VERSION")?;
        let profile_dir =
            profile_dir(&out_dir).ok_or_else(|| PackageError::StrangeOutDir(out_dir.clone()))?;
        let metadata = metadata(&cargo, &folder.join("Cargo.toml"));
        let member = metadata
            .as_ref()
            .ok()
            .filter(|m| m.builds_into(&cargo, &out_dir) && !in_cargo_home(&folder));
        let is_member = member.is_some();
        let nested_manifest = if is_member {
            folder.join("Cargo.toml")
        } else {
            out_dir.join("device-pass").join("Cargo.toml")
        };
        let nested_root = match member {
            Some(member) => member.workspace_root.clone(),
            None => out_dir.join("device-pass"),
        };
        let profile = match profile_dir.file_name().and_then(|n| n.to_str()) {
            Some(custom) if is_member && custom != "debug" => custom.to_owned(),
            _ if var("PROFILE")? == "release" => "release".to_owned(),
            _ => "dev".to_owned(),
        };
        let mut package = Package {
            spec: format!("{name}@{version}"),
            name,
            host: var("HOST")?,
            target: var("TARGET")?,
            profile,
            features: vec![],
            outer_cfgs: outer_cfgs(),
            outer_is_offline: outer::is_offline(),
            is_member,
            nested_target_dir: profile_dir.join("warploom"),
            nested_manifest,
            nested_root,
            targets: vec![],
            checks: None,
            outer_workspace: member.map(|m| m.workspace_root.clone()),
            folder,
            out_dir,
            cargo,
        };
        let metadata = match metadata {
            Ok(metadata) => metadata,
            Err(_) => {
                // Unpacked inside another workspace: cargo answers for it only as a dependency.
                package.write_shim_package()?;
                self::metadata(&package.cargo, &package.nested_manifest)?
            }
        };
        package.read(&metadata);
        if !is_member {
            package.write_shim_package()?;
        }
        Ok(package)
    }

    fn read(&mut self, metadata: &Metadata) {
        let Some(described) = metadata
            .packages
            .iter()
            .find(|p| self.is_manifest(&p.manifest_path))
        else {
            self.features = feature_variables()
                .into_iter()
                .map(|f| f.to_lowercase().replace('_', "-"))
                .collect();
            let root = self.folder.join("src/lib.rs");
            self.targets = vec![Target {
                kind: Kind::Lib,
                name: self.name.clone(),
                has_kernels: sources::scan(&root).kernels,
                has_attribute: sources::scan(&root).attribute,
                has_test_kernels: false,
                root,
            }];
            return;
        };
        let active = feature_variables();
        self.features = described
            .features
            .keys()
            .filter(|f| active.contains(&f.to_uppercase().replace('-', "_")))
            .cloned()
            .collect();
        for target in &described.targets {
            let Some(kind) = target.kind.first().and_then(|k| Kind::of(k)) else {
                continue;
            };
            let mentions = sources::scan(&target.src_path);
            self.targets.push(Target {
                kind,
                name: target.name.clone(),
                root: target.src_path.clone(),
                has_kernels: mentions.kernels,
                has_attribute: mentions.attribute,
                has_test_kernels: matches!(kind, Kind::Lib | Kind::Bin) && mentions.test_kernels,
            });
        }
    }

    /// Writes the throw-away package that depends on this one.
    fn write_shim_package(&self) -> Result<(), PackageError> {
        let folder = self.out_dir.join("device-pass");
        shim::write(self, &folder, &BTreeSet::new(), self.outer_lock_file())
    }

    /// This package as a dependency that is compiled with exactly these packages.
    pub(crate) fn pinned(
        &self,
        pins: &BTreeSet<Pin>,
        checks: &Profile,
    ) -> Result<Package, PackageError> {
        let folder = self.out_dir.join("device-pass");
        let package = Package {
            is_member: false,
            nested_manifest: folder.join("Cargo.toml"),
            nested_root: folder.clone(),
            checks: Some(checks.clone()),
            ..self.clone()
        };
        let lock = self.outer_root().map(|root| root.join("Cargo.lock"));
        let lock = lock.filter(|lock| lock.is_file());
        shim::write(&package, &folder, pins, lock)?;
        Ok(package)
    }

    /// The lock file of the workspace that is being built, so that the nested build takes the same versions.
    fn outer_lock_file(&self) -> Option<PathBuf> {
        let cwd = outer::folder();
        let near_target = self.out_dir.ancestors().skip(1);
        let near_cwd = cwd.iter().flat_map(|c| c.ancestors());
        near_cwd
            .chain(near_target)
            .map(|folder| folder.join("Cargo.lock"))
            .find(|lock| lock.is_file() && lock.parent() != Some(&self.folder))
    }

    /// The folder with lock file and workspace manifest of the outer build.
    pub(crate) fn outer_root(&self) -> Option<PathBuf> {
        if let Some(root) = &self.outer_workspace {
            return Some(root.clone());
        }
        self.outer_lock_file()?.parent().map(Path::to_owned)
    }

    /// The root of the workspace that is built, if the package is one of its members.
    pub(crate) fn outer_workspace(&self) -> Option<&Path> {
        self.outer_workspace.as_deref()
    }

    /// The folder whose `.cargo/config.toml` the outer build follows.
    pub(crate) fn configured_from(&self) -> PathBuf {
        outer::cwd().unwrap_or_else(|| self.folder.clone())
    }

    /// Whether this is the package's manifest, whichever way leads there.
    pub(crate) fn is_manifest(&self, path: &Path) -> bool {
        let own = self.folder.join("Cargo.toml");
        let same = || Some(own.canonicalize().ok()? == path.canonicalize().ok()?);
        own == path || same().unwrap_or(false)
    }

    /// The profile's name in `CARGO_PROFILE_*` variables.
    pub(crate) fn profile_variable(&self) -> String {
        self.profile.to_uppercase().replace('-', "_")
    }
}

/// Writes only what differs, so that timestamps tell the truth.
pub(crate) fn write_if_changed(path: &Path, content: &[u8]) -> Result<(), PackageError> {
    if std::fs::read(path).ok().as_deref() == Some(content) {
        return Ok(());
    }
    std::fs::write(path, content).map_err(|source| PackageError::Io {
        path: path.into(),
        source,
    })
}

/// `<target>/<profile>` of an `OUT_DIR`: what stands above the folder `build`.
fn profile_dir(out_dir: &Path) -> Option<PathBuf> {
    let build = out_dir
        .ancestors()
        .find(|a| a.file_name().is_some_and(|n| n == "build"))?;
    build.parent().map(Path::to_owned)
}

fn in_cargo_home(folder: &Path) -> bool {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".cargo")));
    home.is_some_and(|home| {
        folder.starts_with(home.join("registry")) || folder.starts_with(home.join("git"))
    })
}

/// The upper-case names of the active features.
fn feature_variables() -> Vec<String> {
    std::env::vars()
        .filter_map(|(key, _)| key.strip_prefix("CARGO_FEATURE_").map(str::to_owned))
        .collect()
}

/// `--cfg` values of the outer build's flags.
fn outer_cfgs() -> Vec<String> {
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let flags: Vec<&str> = flags.split('\x1f').collect();
    flags
        .windows(2)
        .filter(|w| w[0] == "--cfg")
        .map(|w| w[1].to_owned())
        .collect()
}

fn metadata(cargo: &Path, manifest: &Path) -> Result<Metadata, PackageError> {
    let mut command = clean(cargo);
    let args: [OsString; 6] = [
        "metadata".into(),
        "--no-deps".into(),
        "--offline".into(),
        "--format-version=1".into(),
        "--manifest-path".into(),
        manifest.into(),
    ];
    if let Some(folder) = outer::cwd() {
        // Registries are configured where cargo was started.
        command.current_dir(folder);
    }
    let output = command
        .args(args)
        .output()
        .map_err(|e| PackageError::Metadata(e.to_string()))?;
    if !output.status.success() {
        return Err(PackageError::Metadata(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        ));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| PackageError::Metadata(e.to_string()))
}

/// The manifest that a cargo started in `folder` takes.
fn manifest_above(folder: &Path) -> Option<PathBuf> {
    let mut manifests = folder.ancestors().map(|f| f.join("Cargo.toml"));
    manifests.find(|m| m.is_file())
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Described>,
    target_directory: PathBuf,
    workspace_root: PathBuf,
}

impl Metadata {
    /// Whether the build that runs this script is this workspace's own.
    fn builds_into(&self, cargo: &Path, out_dir: &Path) -> bool {
        // Another workspace may keep its target folder in here (trybuild does): what counts is where the outer cargo works.
        let outer = outer::folder()
            .and_then(|folder| manifest_above(&folder))
            .and_then(|manifest| self.workspace_of(cargo, manifest));
        let own = match outer {
            Some(outer) => outer == self.workspace_root,
            None => out_dir.starts_with(&self.target_directory),
        };
        let lock = self.workspace_root.join("Cargo.lock").is_file();
        lock && own
    }

    /// The root of the workspace to which a manifest belongs. Cargo is asked only if it is not this workspace's root, which it mostly is.
    fn workspace_of(&self, cargo: &Path, manifest: PathBuf) -> Option<PathBuf> {
        if manifest.parent() == Some(&self.workspace_root) {
            return Some(self.workspace_root.clone());
        }
        let args: [OsString; 6] = [
            "locate-project".into(),
            "--workspace".into(),
            "--message-format".into(),
            "plain".into(),
            "--manifest-path".into(),
            manifest.into(),
        ];
        let output = clean(cargo)
            .args(args)
            .output()
            .ok()
            .filter(|o| o.status.success())?;
        let root = String::from_utf8(output.stdout).ok()?;
        Path::new(root.trim()).parent().map(Path::to_owned)
    }
}

#[derive(Deserialize)]
struct Described {
    manifest_path: PathBuf,
    targets: Vec<DescribedTarget>,
    features: std::collections::BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct DescribedTarget {
    kind: Vec<String>,
    name: String,
    src_path: PathBuf,
}
