//! Which file is an LLVM that can be used, and why others are refused.

use super::ffi;
use crate::versions;
use std::path::{Path, PathBuf};

/// Why a library cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum LoadError {
    #[error("cannot load {}: {reason}", path.display())]
    CannotLoad { path: PathBuf, reason: String },
    #[error("{} is not LLVM: it lacks LLVMGetVersion", path.display())]
    NotLlvm { path: PathBuf },
    #[error("{} is LLVM {found}, but LLVM {least} or newer is needed", path.display())]
    TooOld {
        path: PathBuf,
        found: u32,
        least: u32,
    },
    #[error("{} is LLVM {found} without the target NVPTX", path.display())]
    NoNvptx { path: PathBuf, found: u32 },
    #[error("{} is LLVM {found}, but lacks {}", path.display(), names.join(", "))]
    FunctionsMissing {
        path: PathBuf,
        found: u32,
        names: Vec<&'static str>,
    },
}

/// A library that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Library {
    pub(crate) path: PathBuf,
    pub(crate) major: u32,
}

impl Library {
    /// Loads a library, to see whether it can be used. `least`: the major version of the bitcode that it has to read.
    pub(crate) fn open(path: &Path, least: u32) -> Result<Library, LoadError> {
        let least = least.max(versions::OLDEST_LLVM);
        load(path, least).map(|(major, _)| Library {
            path: path.into(),
            major,
        })
    }
}

/// Loads a library; asks for its version before anything else.
pub(super) fn load(path: &Path, least: u32) -> Result<(u32, ffi::Functions), LoadError> {
    let path = path.to_owned();
    let library = match ffi::open(&path) {
        Ok(library) => library,
        Err(error) => {
            let reason = error.to_string();
            return Err(LoadError::CannotLoad { path, reason });
        }
    };
    let Some(found) = ffi::version(library) else {
        return Err(LoadError::NotLlvm { path });
    };
    if found < least {
        return Err(LoadError::TooOld { path, found, least });
    }
    if !ffi::has_nvptx(library) {
        return Err(LoadError::NoNvptx { path, found });
    }
    match ffi::Functions::find(library) {
        Ok(functions) => Ok((found, functions)),
        Err(names) => Err(LoadError::FunctionsMissing { path, found, names }),
    }
}

#[cfg(test)]
#[path = "library_tests.rs"]
pub(super) mod tests;
