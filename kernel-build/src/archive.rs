//! Where bitcode is found: objects and rlibs of a link line, by symbol.
//!
//! An rlib of the device pass holds bitcode as it is; std's rlibs hold host objects that embed theirs in `.llvmbc`.

use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSection as _};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Why an input cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    #[error("cannot read {}: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{} is not an archive that can be read: {reason}", path.display())]
    Malformed { path: PathBuf, reason: String },
}

/// All archives of a link line.
#[derive(Default)]
pub(crate) struct Archives {
    files: Vec<Vec<u8>>,
    symbols: HashMap<Vec<u8>, MemberId>,
}

/// A member of one of the archives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct MemberId {
    archive: usize,
    offset: u64,
}

impl Archives {
    /// Reads an archive's list of symbols. Of two definitions the first one wins, as with any linker.
    pub(crate) fn add(&mut self, path: &Path) -> Result<(), ArchiveError> {
        let malformed = |reason: object::Error| ArchiveError::Malformed {
            path: path.into(),
            reason: reason.to_string(),
        };
        let data = std::fs::read(path).map_err(|source| ArchiveError::Read {
            path: path.into(),
            source,
        })?;
        let archive = self.files.len();
        let file = ArchiveFile::parse(&*data).map_err(malformed)?;
        if let Some(symbols) = file.symbols().map_err(malformed)? {
            for symbol in symbols {
                let symbol = symbol.map_err(malformed)?;
                let offset = symbol.offset().0;
                self.symbols
                    .entry(symbol.name().to_owned())
                    .or_insert(MemberId { archive, offset });
            }
        }
        self.files.push(data);
        Ok(())
    }

    /// The member that defines a symbol.
    pub(crate) fn find(&self, symbol: &str) -> Option<MemberId> {
        self.symbols.get(symbol.as_bytes()).copied()
    }

    /// Whether a member is of the standard library, whose objects embed their bitcode.
    pub(crate) fn is_of_std(&self, member: MemberId) -> bool {
        let at = usize::try_from(member.offset).unwrap_or(usize::MAX);
        let header = 60; // of an archive member
        let start = self
            .files
            .get(member.archive)
            .and_then(|f| f.get(at.saturating_add(header)..));
        start.is_some_and(|data| data.starts_with(b"\x7fELF"))
    }

    /// The bitcode of a member; `None` if it has none (compiler-builtins, C code).
    pub(crate) fn bitcode(&self, member: MemberId) -> Option<&[u8]> {
        let data: &[u8] = self.files.get(member.archive)?;
        let file = ArchiveFile::parse(data).ok()?;
        let found = file
            .member(object::read::archive::ArchiveOffset(member.offset))
            .ok()?;
        embedded_bitcode(found.data(data).ok()?)
    }
}

/// The bitcode in a file that is bitcode, or that embeds some.
pub(crate) fn embedded_bitcode(data: &[u8]) -> Option<&[u8]> {
    if data.starts_with(b"BC\xc0\xde") || data.starts_with(b"\xde\xc0\x17\x0b") {
        return Some(data);
    }
    let object = object::File::parse(data).ok()?;
    let section = object.section_by_name(".llvmbc")?;
    section.data().ok().filter(|d| !d.is_empty())
}
