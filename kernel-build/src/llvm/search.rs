//! Where LLVM is sought: in what the user names, in rustc's own folders, in the system's.
//!
//! A newer LLVM reads the bitcode of an older one, so a library of rustc's major version or of a newer one will do. The lowest is taken: it is the
//! closest to the one that rustc was built with.

use super::library::{Library, LoadError};
use crate::versions;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The user's variable that names a library, or a folder with one.
pub(crate) const NAMED: &str = "WARPLOOM_LLVM";

/// The places of one search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Search {
    /// The value of [`NAMED`].
    pub(crate) named: Option<PathBuf>,
    /// The folders of rustc's own libraries.
    pub(crate) of_rustc: Vec<PathBuf>,
    /// The folders of the system's libraries.
    pub(crate) of_system: Vec<PathBuf>,
    /// The major version of rustc's LLVM.
    pub(crate) least: u32,
    /// `/etc/os-release`, which names the package manager.
    pub(crate) os_release: String,
}

/// Why no library can be used. Each line of the texts stands for itself.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SearchError {
    #[error("{NAMED} names no LLVM that can be used{}", list(.0))]
    Named(Vec<String>),
    #[error(
        "no LLVM can be used; LLVM {least} or newer with the target NVPTX is needed{}\n  {remedy}",
        list(tried)
    )]
    NotFound {
        least: u32,
        tried: Vec<String>,
        remedy: String,
    },
}

fn list(tried: &[String]) -> String {
    tried.iter().fold(String::new(), |mut text, line| {
        // Writing to a text cannot fail.
        let _ = write!(text, "\n  {line}");
        text
    })
}

impl Search {
    /// The places for a toolchain. `host`: its triple; `least`: the major version of its LLVM.
    pub(crate) fn new(named: Option<PathBuf>, sysroot: &Path, host: &str, least: u32) -> Search {
        let multiarch = multiarch(host);
        let lib = sysroot.join("lib");
        Search {
            named,
            of_rustc: vec![
                lib.join(&multiarch),
                sysroot.join("lib64"),
                lib.clone(),
                // Where rustup's component `llvm-tools` has one.
                lib.join("rustlib").join(host).join("lib"),
            ],
            of_system: system_folders(Path::new("/"), &multiarch),
            least: least.max(versions::OLDEST_LLVM),
            os_release: std::fs::read_to_string("/etc/os-release").unwrap_or_default(),
        }
    }

    /// The first library that can be used, which is loaded for that.
    pub(crate) fn find(&self) -> Result<Library, SearchError> {
        let mut tried = Vec::new();
        if let Some(named) = &self.named {
            let files = match named.is_dir() {
                true => libraries(named, true).into_iter().map(|f| f.1).collect(),
                false => vec![named.clone()],
            };
            if files.is_empty() {
                tried.push(format!("no libLLVM in {}", named.display()));
            }
            return self
                .first(files.into_iter().map(|file| (None, file)), &mut tried)
                .ok_or(SearchError::Named(tried));
        }
        for folders in [&self.of_rustc, &self.of_system] {
            let mut files: Vec<_> = folders.iter().flat_map(|f| libraries(f, false)).collect();
            // A stable sort: of the same version, the first folder's is first.
            files.sort_by_key(|(major, _)| *major);
            if let Some(found) = self.first(files.into_iter(), &mut tried) {
                return Ok(found);
            }
        }
        let folders = self.of_rustc.iter().chain(&self.of_system);
        let empty: Vec<String> = folders
            .filter(|folder| libraries(folder, false).is_empty())
            .map(|folder| folder.display().to_string())
            .collect();
        if !empty.is_empty() {
            tried.push(format!("no libLLVM in {}", empty.join(", ")));
        }
        Err(SearchError::NotFound {
            least: self.least,
            tried,
            remedy: remedy(&self.os_release, self.least),
        })
    }

    /// The first of these files that can be used; the others' reasons go to `tried`. What is too old by its name is not loaded.
    fn first(
        &self,
        files: impl Iterator<Item = (Option<u32>, PathBuf)>,
        tried: &mut Vec<String>,
    ) -> Option<Library> {
        let mut seen = BTreeSet::new();
        for (major, path) in files {
            // Links are other names of a library.
            if !seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
                continue;
            }
            let least = self.least;
            let opened = match major.filter(|major| *major < least) {
                Some(found) => Err(LoadError::TooOld { path, found, least }),
                None => Library::open(&path, least),
            };
            match opened {
                Ok(library) => return Some(library),
                Err(error) => tried.push(error.to_string()),
            }
        }
        None
    }

    /// Files and folders that would be found if they were there, of those whose names are known.
    pub(crate) fn awaited(&self) -> Vec<PathBuf> {
        let majors = || self.least..=versions::NEWEST_LLVM.max(self.least);
        let folders = self.of_rustc.iter().chain(&self.of_system);
        let files = folders.flat_map(|folder| {
            let names =
                majors().flat_map(|m| [format!("libLLVM.so.{m}.1"), format!("libLLVM-{m}.so")]);
            match folder.is_dir() {
                true => names.map(|name| folder.join(name)).collect(),
                false => vec![folder.clone()],
            }
        });
        let of_packages = majors().map(|m| PathBuf::from(format!("/usr/lib/llvm-{m}/lib")));
        let all = files.chain(of_packages);
        all.filter(|path| !path.exists()).collect()
    }
}

/// The name of a triple's folder of libraries: `x86_64-linux-gnu`.
fn multiarch(host: &str) -> String {
    let mut parts: Vec<&str> = host.split('-').collect();
    if parts.len() == 4 {
        parts.remove(1);
    }
    parts.join("-")
}

/// The libraries of a folder with the major version that the name tells, those with the lowest first. `unnamed`: also those whose name tells none.
fn libraries(folder: &Path, unnamed: bool) -> Vec<(Option<u32>, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let names = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with("libLLVM") && name.contains(".so"));
    let mut found: Vec<(Option<u32>, String)> = names
        .map(|name| (major(&name), name))
        .filter(|(major, _)| unnamed || major.is_some())
        .collect();
    // `libLLVM-22-rust-….so` of a toolchain is a script for linkers that names `libLLVM.so.22.1-rust-…`.
    found.sort_by_key(|(major, name)| (*major, !name.starts_with("libLLVM.so."), name.clone()));
    found
        .into_iter()
        .map(|(major, name)| (major, folder.join(name)))
        .collect()
}

/// The major version that a library's name tells: `libLLVM.so.22.1`, `libLLVM.so.22.1-rust-1.95.0-stable`, `libLLVM-22.so.1`.
fn major(name: &str) -> Option<u32> {
    let rest = name
        .strip_prefix("libLLVM.so.")
        .or_else(|| name.strip_prefix("libLLVM-"))?;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    rest[..end.unwrap_or(rest.len())].parse().ok()
}

/// The folders of the dynamic linker's configuration, its own, and those of LLVM's packages.
fn system_folders(root: &Path, multiarch: &str) -> Vec<PathBuf> {
    let mut folders = configured(root, &root.join("etc/ld.so.conf"), 0);
    let usual = ["usr/lib", "usr/lib64", "lib", "lib64", "usr/local/lib"];
    let of_arch = ["usr/lib", "lib"].map(|lib| format!("{lib}/{multiarch}"));
    let usual = usual.map(str::to_owned).into_iter();
    folders.extend(of_arch.into_iter().chain(usual).map(|f| root.join(f)));
    for parent in ["usr/lib", "usr/lib64"].map(|lib| root.join(lib)) {
        let entries = std::fs::read_dir(parent).into_iter().flatten();
        let of_llvm = entries.filter_map(Result::ok).filter(|entry| {
            let name = entry.file_name();
            let name = name.to_str().and_then(|n| n.strip_prefix("llvm"));
            name.is_some_and(|n| n.trim_start_matches('-').parse::<u32>().is_ok())
        });
        let mut of_llvm: Vec<PathBuf> = of_llvm.map(|entry| entry.path()).collect();
        of_llvm.sort();
        folders.extend(
            of_llvm
                .into_iter()
                .flat_map(|f| [f.join("lib"), f.join("lib64")]),
        );
    }
    let mut seen = BTreeSet::new();
    folders
        .into_iter()
        .filter(|folder| folder.is_dir())
        .filter(|folder| seen.insert(folder.canonicalize().unwrap_or_else(|_| folder.clone())))
        .collect()
}

/// The folders that a configuration file of the dynamic linker names, and those of the files that it includes.
fn configured(root: &Path, file: &Path, depth: usize) -> Vec<PathBuf> {
    const DEPTH: usize = 4; // a file may include itself
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim());
    let mut folders = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        let Some(included) = line.strip_prefix("include ") else {
            folders.push(root.join(line.trim_start_matches('/')));
            continue;
        };
        if depth == DEPTH {
            continue;
        }
        let included = Path::new(included.trim());
        let at = match included.strip_prefix("/") {
            Ok(absolute) => root.join(absolute),
            Err(_) => file.with_file_name("").join(included),
        };
        // The only pattern that is in use: all files of a folder with an extension.
        let all = at.file_name().is_some_and(|name| name == "*.conf");
        let mut files = match at.parent().filter(|_| all).map(std::fs::read_dir) {
            Some(entries) => entries
                .into_iter()
                .flatten()
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.extension().is_some_and(|e| e == "conf"))
                .collect(),
            None => vec![at],
        };
        files.sort();
        folders.extend(files.iter().flat_map(|f| configured(root, f, depth + 1)));
    }
    folders
}

/// The command that installs an LLVM, by the package manager that the system's `os-release` tells.
fn remedy(os_release: &str, major: u32) -> String {
    let mut words: Vec<&str> = Vec::new();
    for key in ["ID=", "ID_LIKE="] {
        let line = os_release.lines().find_map(|line| line.strip_prefix(key));
        words.extend(line.unwrap_or_default().trim_matches('"').split(' '));
    }
    let command = words.into_iter().find_map(|word| {
        Some(match word {
            "debian" | "ubuntu" => format!("apt install libllvm{major}"),
            "fedora" | "rhel" | "centos" => "dnf install llvm-libs".to_owned(),
            "arch" => "pacman -S llvm-libs".to_owned(),
            "alpine" => format!("apk add llvm{major}-libs"),
            "opensuse" | "suse" => format!("zypper install libLLVM{major}"),
            _ => return None,
        })
    });
    let install = match command {
        Some(command) => format!("`{command}` installs one"),
        None => format!("install the shared library of LLVM {major}"),
    };
    format!(
        "{install}; toolchains from rustup for Linux with glibc have one; {NAMED} names a library that is elsewhere, or its folder"
    )
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
