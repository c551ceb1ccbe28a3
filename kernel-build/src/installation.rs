//! What the device pass finds on this machine, for programs that show it: `cargo warploom doctor`. No part of the stable interface.

use crate::llvm::{Library, Search};
use crate::toolchain::{self, Toolchain, Version};
use crate::{platform, self_test, sources, versions};
use std::path::{Path, PathBuf};

/// A rustc.
#[derive(Debug, Clone)]
pub struct Rustc {
    program: PathBuf,
    version: Version,
    sysroot: PathBuf,
}

/// A library of LLVM that can be used with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Llvm {
    /// The file.
    pub path: PathBuf,
    /// Its major version.
    pub major: u32,
}

/// A row of the self-test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What was checked.
    pub name: String,
    /// What is wrong; `None` if it passed.
    pub problem: Option<String>,
}

impl Rustc {
    /// Asks a rustc about itself.
    ///
    /// # Errors
    /// It cannot be run, or was built without LLVM; a text that says so.
    pub fn of(program: &Path) -> Result<Rustc, String> {
        Ok(Rustc {
            program: program.to_owned(),
            version: Version::of(program)?,
            sysroot: toolchain::sysroot(program)?,
        })
    }

    /// `1.95.0`
    #[must_use]
    pub fn release(&self) -> &str {
        &self.version.release
    }

    /// Its host's triple.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.version.host
    }

    /// The major version of its LLVM, whose bitcode is to be read.
    #[must_use]
    pub fn llvm_major(&self) -> u32 {
        self.version.llvm
    }

    /// Whether builds on its host, for its host, get device code.
    #[must_use]
    pub fn makes_device_code(&self) -> bool {
        platform::refusal(&self.version.host, &self.version.host).is_none()
    }

    /// The LLVM that the device pass takes, or why there is none: what was tried, and the command that installs one.
    ///
    /// # Errors
    /// The text for the user.
    pub fn llvm(&self) -> Result<Llvm, String> {
        let search = Search::new(
            toolchain::named()?,
            &self.sysroot,
            &self.version.host,
            self.version.llvm,
        );
        let found = search.find().map_err(|error| error.to_string())?;
        let Library { path, major } = found;
        Ok(Llvm { path, major })
    }

    /// What of rustc and LLVM was not tested with this version of the crate; `None` if all was.
    #[must_use]
    pub fn untested(&self, llvm: &Llvm) -> Option<String> {
        versions::untested(&self.version.release, llvm.major)
    }

    /// Checks all rows of the self-test, in a process of its own, which is this program again; nothing is kept.
    ///
    /// # Errors
    /// The process cannot be started.
    pub fn self_test(&self, llvm: &Llvm, folder: &Path) -> Result<Vec<Row>, String> {
        let toolchain = Toolchain {
            rustc: self.program.clone(),
            version: self.version.clone(),
            sysroot: self.sysroot.clone(),
            llvm: Library {
                path: llvm.path.clone(),
                major: llvm.major,
            },
        };
        let rows = self_test::all_rows(&toolchain, folder)?.into_iter();
        Ok(rows.map(|(name, problem)| Row { name, problem }).collect())
    }
}

/// The toolchains that were tested.
#[must_use]
pub fn tested() -> String {
    versions::tested()
}

/// Whether the device pass compiles a target for the GPU, by the text of its root file and modules.
#[must_use]
pub fn may_have_kernels(root: &Path) -> bool {
    sources::scan(root).kernels
}
