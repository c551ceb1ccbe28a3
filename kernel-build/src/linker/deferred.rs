//! Links that wait for the end of the nested cargo: LLVM takes minutes, and nested builds of other packages wait for cargo's lock of the target folder.
//!
//! As linker, this executable keeps what rustc gives it in a folder of its own, and leaves the name of that folder as its output. The build script runs the
//! links when cargo has ended. If it is killed before, cargo takes the output for finished, and the next build script links.

use super::line::LinkLine;
use super::supervision::{self, Unlinked};
use crate::environment::{
    DEVICE_PASS, DUMP, LINKER_STAMP, LLVM, OPTIONS, PATHS_FROM, ROLE, TARGET, TARGET_FOLDER,
};
use crate::jobs;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The first line of the output of a link that was deferred; the second is its folder, relative to the nested build's target folder.
const MARK: &str = "warploom deferred link\n";

/// Variables that the link depends on.
const VARIABLES: [&str; 8] = [
    DEVICE_PASS,
    DUMP,
    LINKER_STAMP,
    LLVM,
    OPTIONS,
    PATHS_FROM,
    ROLE,
    TARGET,
];

/// A link as rustc asked for it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) arguments: Vec<OsString>,
    pub(super) variables: Vec<(OsString, OsString)>,
    /// The folder that rustc ran in: names of sources are relative to it.
    pub(super) current_folder: OsString,
    /// What the crate target is called in errors.
    pub(super) target: String,
    /// How many bytes of its own objects there are: large ones are linked first.
    bytes: u64,
}

/// The folder of one link.
struct Folder(PathBuf);

impl Folder {
    fn lock(&self) -> io::Result<File> {
        let file = File::create(self.0.join("lock"))?;
        file.lock()?;
        Ok(file)
    }

    fn request(&self) -> PathBuf {
        self.0.join("request.json")
    }

    /// The link that was asked for, if it has not run.
    fn pending(&self) -> Option<Request> {
        let request = std::fs::read(self.request()).ok()?;
        serde_json::from_slice(&request).ok()
    }

    /// The same, if what it makes is missing. No other process is at the folder meanwhile.
    fn missing(&self) -> Option<Request> {
        let _lock = self.lock().ok()?;
        self.pending().filter(|_| !self.container().exists())
    }

    fn inputs(&self) -> PathBuf {
        self.0.join("inputs")
    }

    fn container(&self) -> PathBuf {
        self.0.join("container")
    }
}

/// Keeps the inputs of a link, and writes the output that names it.
pub(super) fn defer(line: &LinkLine) -> io::Result<()> {
    let root = std::env::var_os(TARGET_FOLDER).map(PathBuf::from);
    let root = root.ok_or_else(|| io::Error::other(format!("{TARGET_FOLDER} is not set")))?;
    keep(line, &root)
}

/// [`defer`], in this target folder.
fn keep(line: &LinkLine, root: &Path) -> io::Result<()> {
    let name = name(line.output.strip_prefix(root).unwrap_or(&line.output));
    let folder = Folder(root.join(&name));
    std::fs::create_dir_all(&folder.0)?;
    // Another process may be linking what was kept here before; it removes the inputs.
    let _lock = folder.lock()?;
    for old in [folder.container(), folder.request()] {
        remove(&old)?;
    }
    match std::fs::remove_dir_all(folder.inputs()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => std::fs::create_dir(folder.inputs())?,
    }
    let mut arguments = vec![OsString::from("-o"), line.output.clone().into_os_string()];
    let mut bytes = 0;
    for (number, object) in line.objects.iter().enumerate() {
        // rustc removes it after the link.
        let kept = folder.inputs().join(format!("{number}.o"));
        if std::fs::hard_link(object, &kept).is_err() {
            std::fs::copy(object, &kept)?;
        }
        bytes += kept.metadata()?.len();
        arguments.push(kept.into_os_string());
    }
    for (number, archive) in line.archives.iter().enumerate() {
        // Another nested build may compile this dependency again from changed sources. Those of the standard library are elsewhere, and stay.
        let kept = folder.inputs().join(format!("{number}.rlib"));
        let is_kept = std::fs::hard_link(archive, &kept).is_ok();
        arguments.push(if is_kept { kept } else { archive.clone() }.into_os_string());
    }
    let variables = VARIABLES.iter();
    let variables = variables.filter_map(|v| Some((v.into(), std::env::var_os(v)?)));
    let request = Request {
        arguments,
        variables: variables.collect(),
        current_folder: std::env::current_dir()?.into_os_string(),
        target: super::target_name(),
        bytes,
    };
    std::fs::write(folder.request(), serde_json::to_vec(&request)?)?;
    std::fs::write(&line.output, format!("{MARK}{name}"))
}

/// A name for the folder of the link with this output.
fn name(output: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    output.hash(&mut hasher);
    let file = output.file_name().unwrap_or_default().to_string_lossy();
    format!("links/{file}-{:016x}", hasher.finish())
}

fn remove(file: &Path) -> io::Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The folder that an output names; `None` if its link was not deferred.
fn folder_of(content: &[u8], root: &Path) -> Option<Folder> {
    let name = content.strip_prefix(MARK.as_bytes())?;
    Some(Folder(root.join(str::from_utf8(name).ok()?)))
}

/// The container that the deferred link of this output has made; `None` if its link was not deferred.
pub(super) fn container(content: &[u8], root: &Path) -> Option<Result<Vec<u8>, String>> {
    let folder = folder_of(content, root)?;
    let path = folder.container();
    // Another nested build may have asked for the link again since it ran here.
    if let Some(request) = folder.missing()
        && let Err(problem) = link(&folder, &request)
    {
        return Some(Err(problem));
    }
    Some(std::fs::read(&path).map_err(|error| {
        let (path, root) = (path.display(), root.display());
        format!("cannot read the device code {path}: {error}; remove {root}, and build again")
    }))
}

/// Runs the links of these outputs that were deferred and have not run, several at a time as cargo's job server allows; returns why some could not.
pub(crate) fn run(outputs: &[&Path], root: &Path) -> Vec<String> {
    let pending = |output: &&Path| {
        let folder = folder_of(&std::fs::read(output).ok()?, root)?;
        let request = folder.pending()?;
        Some((folder, request))
    };
    let mut links: Vec<(Folder, Request)> = outputs.iter().filter_map(pending).collect();
    links.sort_by_key(|(_, request)| std::cmp::Reverse(request.bytes));
    let problems = Mutex::new(Vec::new());
    jobs::run(links, &|(folder, request)| {
        if let Err(problem) = link(&folder, &request) {
            let problems = problems.lock();
            problems
                .unwrap_or_else(PoisonError::into_inner)
                .push(problem);
        }
    });
    problems
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Runs one, unless another process has done so meanwhile.
fn link(folder: &Folder, request: &Request) -> Result<(), String> {
    let cannot = |error: io::Error| {
        let (target, folder) = (&request.target, folder.0.display());
        format!("cannot link the device code of `{target}` in {folder}: {error}")
    };
    let _lock = folder.lock().map_err(cannot)?;
    if !folder.request().exists() {
        return Ok(());
    }
    match supervision::link(request, &folder.container()) {
        Ok(()) => {}
        Err(Unlinked { problem, repeats }) if repeats => {
            let content = super::problems_file(&[problem]);
            super::write(&folder.container(), &content).map_err(cannot)?;
        }
        Err(Unlinked { problem, .. }) => return Err(problem),
    }
    // Without the request, the link counts as done.
    remove(&folder.request()).map_err(cannot)?;
    std::fs::remove_dir_all(folder.inputs()).map_err(cannot)
}

#[cfg(test)]
#[path = "deferred_tests.rs"]
mod tests;
