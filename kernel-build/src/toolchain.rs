//! The toolchain of a build: rustc, and the LLVM that reads its bitcode.

use crate::inputs;
use crate::instructions::instruct;
use crate::llvm::{self, Library, Search, SearchError};
use crate::package::Package;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};

/// rustc, and an LLVM that can be used with it.
#[derive(Debug, Clone)]
pub(crate) struct Toolchain {
    pub(crate) rustc: PathBuf,
    pub(crate) version: Version,
    pub(crate) sysroot: PathBuf,
    pub(crate) llvm: Library,
}

impl Toolchain {
    /// `rustc 1.95.0 with LLVM 22 (/usr/lib/libLLVM.so.22.1)`
    pub(crate) fn name(&self) -> String {
        let Library { path, major } = &self.llvm;
        let release = &self.version.release;
        format!("rustc {release} with LLVM {major} ({})", path.display())
    }
}

/// Why there is no device code.
#[derive(Debug)]
pub(crate) enum Unusable {
    /// The build goes on without.
    Lacking(String),
    /// The user's choice cannot be used.
    Refused(String),
}

/// What `rustc -vV` prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) text: String,
    /// `1.95.0`, `1.97.0-nightly`
    pub(crate) release: String,
    pub(crate) host: String,
    /// The major version of its LLVM.
    pub(crate) llvm: u32,
}

/// The toolchain of this build. Where there is none, the script runs again once there may be one.
pub(crate) fn choose(package: &Package) -> Result<Toolchain, Unusable> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let rustc = PathBuf::from(rustc);
    // Each takes as long as rustc takes to start, which is a part of what an edit of a kernel costs.
    let facts = std::thread::scope(|scope| {
        let sysroot = scope.spawn(|| sysroot(&rustc));
        let version = Version::of(&rustc)?;
        let sysroot = sysroot.join().unwrap_or_else(|panic| resume_unwind(panic));
        Ok((version, sysroot?))
    });
    let (version, sysroot) = facts.map_err(|reason| {
        instruct(&inputs::always(package));
        Unusable::Lacking(reason)
    })?;
    let named = named().map_err(Unusable::Refused)?;
    let search = Search::new(named, &sysroot, &version.host, version.llvm);
    match search.find() {
        Ok(llvm) => {
            watch_found(&llvm.path, &sysroot);
            Ok(Toolchain {
                rustc,
                version,
                sysroot,
                llvm,
            })
        }
        Err(error @ SearchError::Named(_)) => Err(Unusable::Refused(error.to_string())),
        Err(error) => {
            watch_missing(package, &search, &sysroot);
            let rustc = format!(
                "rustc {} was built with LLVM {}",
                version.release, version.llvm
            );
            Err(Unusable::Lacking(format!("{rustc}; {error}")))
        }
    }
}

/// The file or folder that the user has named.
pub(crate) fn named() -> Result<Option<PathBuf>, String> {
    let named = std::env::var_os(llvm::NAMED).filter(|value| !value.is_empty());
    match named.map(PathBuf::from) {
        Some(relative) if relative.is_relative() => Err(format!(
            "{}={} is no absolute path",
            llvm::NAMED,
            relative.display()
        )),
        named => Ok(named),
    }
}

/// The cache of the dynamic linker, which every installation of a shared library writes anew. The libraries themselves keep the time at which
/// their package was made.
const LINKER_CACHE: &str = "/etc/ld.so.cache";

/// Another toolchain has other build folders; a library outside of it is another one after an update.
fn watch_found(library: &Path, sysroot: &Path) {
    if library.starts_with(sysroot) && sysroot != Path::new("/usr") {
        return;
    }
    for path in [library, Path::new(LINKER_CACHE)] {
        if path.exists() {
            instruct(&format!("rerun-if-changed={}", path.display()));
        }
    }
}

/// What shows that a library has come: the names that are awaited, the cache, and the folder of the toolchain's libraries.
fn watch_missing(package: &Package, search: &Search, sysroot: &Path) {
    const FEW: usize = 100; // `/usr/lib`, through which cargo would go at each build, has thousands
    if let Err(error) = inputs::watch_libraries(package, &search.awaited()) {
        instruct(&format!(
            "warning=a library that is installed later goes unnoticed: {error}"
        ));
    }
    let lib = sysroot.join("lib");
    let entries = std::fs::read_dir(&lib).map_or(FEW, |entries| entries.take(FEW).count());
    let lib = Some(lib).filter(|_| entries < FEW);
    let cache = Some(PathBuf::from(LINKER_CACHE)).filter(|cache| cache.exists());
    for path in [lib, cache].into_iter().flatten() {
        instruct(&format!("rerun-if-changed={}", path.display()));
    }
}

impl Version {
    pub(crate) fn of(rustc: &Path) -> Result<Version, String> {
        Version::parse(&printed(rustc, &["-vV"])?)
    }

    /// Reads what `rustc -vV` prints.
    fn parse(text: &str) -> Result<Version, String> {
        let field = |name: &str| {
            let mut lines = text.lines();
            let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            value.ok_or_else(|| format!("`rustc -vV` does not say `{name}`: {text}"))
        };
        let llvm = field("LLVM version")?;
        let major = llvm.split('.').next().and_then(|major| major.parse().ok());
        Ok(Version {
            release: field("release")?.to_owned(),
            host: field("host")?.to_owned(),
            text: text.to_owned(),
            llvm: major.ok_or_else(|| format!("`rustc -vV` says `LLVM version: {llvm}`"))?,
        })
    }
}

pub(crate) fn sysroot(rustc: &Path) -> Result<PathBuf, String> {
    let text = printed(rustc, &["--print", "sysroot"])?;
    Ok(PathBuf::from(text.trim()))
}

fn printed(rustc: &Path, args: &[&str]) -> Result<String, String> {
    match crate::cargo::clean(rustc).args(args).output() {
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Ok(output) => Err(format!(
            "`rustc {}` failed: {}",
            args.join(" "),
            String::from_utf8_lossy(&output.stderr)
        )),
        Err(error) => Err(format!("cannot run rustc: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_and_the_version_of_llvm_are_read() {
        let text = "rustc 1.97.0-nightly (e50aa6fba 2026-05-19)\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nrelease: 1.97.0-nightly\nLLVM version: 22.1.4\n";
        let version = Version::parse(text).unwrap();
        assert_eq!(version.release, "1.97.0-nightly");
        assert_eq!(version.host, "x86_64-unknown-linux-gnu");
        assert_eq!(version.llvm, 22);
    }

    /// As with Cranelift.
    #[test]
    fn a_rustc_without_llvm_is_an_error() {
        let text = "rustc 1.97.0-dev\nhost: x86_64-unknown-linux-gnu\nrelease: 1.97.0-dev\n";
        let reason = Version::parse(text).unwrap_err();
        assert!(
            reason.starts_with("`rustc -vV` does not say `LLVM version`"),
            "{reason}"
        );
    }
}
