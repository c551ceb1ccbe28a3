//! What the device pass depends on besides the package's own files: lock file, manifests, configuration and environment of cargo.
//!
//! Cargo follows all of these for its own build, but a build script runs again only for what it names itself. A file that does not exist
//! cannot be named: cargo takes it for changed in every build. Such files are links in a folder that is named instead: cargo follows links
//! in it, and leaves out those that lead nowhere.

use crate::instructions::instruct;
use crate::package::{Package, PackageError};
use std::collections::BTreeSet;
#[cfg(unix)]
use std::fs::FileTimes;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::time::{Duration, UNIX_EPOCH};

/// Variables that choose other sources, flags or settings. The toolchain is not among them: another one has other build folders.
const VARIABLES: &[&str] = &[
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_HOME",
    "RUSTFLAGS",
];

/// Cargo's instructions for everything that may change what the nested build compiles.
pub(crate) fn instructions(package: &Package) -> Result<Vec<String>, PackageError> {
    let mut candidates: BTreeSet<PathBuf> = BTreeSet::new();
    let mut folders: Vec<PathBuf> = vec![package.configured_from()];
    folders.extend(package.outer_root());
    let above = folders.iter().flat_map(|f| f.ancestors());
    candidates.extend(above.flat_map(|folder| configurations(&folder.join(".cargo"))));
    candidates.extend(cargo_home().iter().flat_map(|home| configurations(home)));
    for folder in [
        package.outer_root(),
        Some(package.folder.clone()),
        package.is_member.then(|| package.nested_root.clone()),
    ]
    .into_iter()
    .flatten()
    {
        candidates.insert(folder.join("Cargo.toml"));
        // A lock file in a dependency's folder has no effect.
        if package.is_member || folder != package.folder {
            candidates.insert(folder.join("Cargo.lock"));
        }
    }
    let (present, absent): (Vec<PathBuf>, Vec<PathBuf>) =
        candidates.into_iter().partition(|path| path.exists());
    let mut lines: Vec<String> = VARIABLES
        .iter()
        .map(|v| format!("rerun-if-env-changed={v}"))
        .collect();
    let folder = package.out_dir.join("warploom-absent");
    watch_absent(&folder, &absent)?;
    let paths = present.iter().chain(std::iter::once(&folder));
    lines.extend(paths.map(|path| format!("rerun-if-changed={}", path.display())));
    Ok(lines)
}

/// Libraries that are not there, one of which may be installed: the script runs again once one is.
pub(crate) fn watch_libraries(package: &Package, absent: &[PathBuf]) -> Result<(), PackageError> {
    let folder = package.out_dir.join("warploom-absent-libraries");
    watch_absent(&folder, absent)?;
    instruct(&format!("rerun-if-changed={}", folder.display()));
    Ok(())
}

/// The instruction after a failure whose cause may lie anywhere: the script runs again in the next build.
pub(crate) fn always(package: &Package) -> String {
    let never_there = package.out_dir.join("warploom-failed");
    format!("rerun-if-changed={}", never_there.display())
}

/// Folders in which new targets may appear, and those of targets elsewhere: what has no kernels yet, or does not compile for the device, is not
/// among the sources that the nested cargo names.
pub(crate) fn watch_folders(package: &Package) {
    let usual = ["Cargo.toml", "src", "examples", "tests", "benches"];
    let mut paths: BTreeSet<PathBuf> = usual.iter().map(|n| package.folder.join(n)).collect();
    for target in &package.targets {
        let inside =
            |folder: &&Path| *folder != package.folder && folder.starts_with(&package.folder);
        let place = target.root.parent().filter(inside).unwrap_or(&target.root);
        if !paths.iter().any(|path| place.starts_with(path)) {
            paths.insert(place.to_owned());
        }
    }
    for path in paths.iter().filter(|path| path.exists()) {
        instruct(&format!("rerun-if-changed={}", path.display()));
    }
}

fn configurations(folder: &Path) -> [PathBuf; 2] {
    ["config.toml", "config"].map(|name| folder.join(name))
}

fn cargo_home() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    std::env::var_os("CARGO_HOME").map(PathBuf::from).or(home)
}

/// Fills a folder with links to files that do not exist.
fn watch_absent(folder: &Path, files: &[PathBuf]) -> Result<(), PackageError> {
    fill_with_links(folder, files).map_err(|source| PackageError::Io {
        path: folder.to_owned(),
        source,
    })
}

#[cfg(unix)]
fn fill_with_links(folder: &Path, files: &[PathBuf]) -> std::io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::fs::create_dir_all(folder)?;
    for (number, file) in files.iter().enumerate() {
        std::os::unix::fs::symlink(file, folder.join(number.to_string()))?;
    }
    // It was made after the script started, which cargo would take for a change.
    let long_ago = UNIX_EPOCH + Duration::from_secs(1);
    std::fs::File::open(folder)?.set_times(FileTimes::new().set_modified(long_ago))
}

/// There is no device code that could be stale, and Windows neither opens folders nor lets every user make links.
#[cfg(not(unix))]
fn fill_with_links(folder: &Path, _files: &[PathBuf]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)
}
