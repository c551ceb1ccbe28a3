//! The result of the last link of a crate target, which is taken again while the linked IR and all else that decides it are the same.
//!
//! Cargo starts the device linker after each change of the crate or of a dependency; most of them change host code only, which the stage of
//! linking drops. Must not know: passes.

use super::images::Part;
use super::{Compiled, Input};
use crate::llvm::Module;
use crate::roots::Root;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// The file that keeps the result of one crate target.
#[derive(Debug)]
pub(crate) struct LastResult {
    pub(crate) path: PathBuf,
    /// The compiler: device linker and LLVM.
    pub(crate) compiler: String,
}

/// The file, and what decides the result of this link.
pub(super) struct Keyed<'a> {
    path: &'a Path,
    key: Key,
}

/// A hash of 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Key([u64; 2]);

#[derive(Deserialize)]
struct Head {
    key: Key,
    parts: Vec<Part>,
    /// Bytes of the object file behind it.
    instrumented: usize,
}

#[derive(Serialize)]
struct HeadRef<'a> {
    key: Key,
    parts: &'a [Part],
    instrumented: usize,
}

impl LastResult {
    /// `module`: host IR after linking; `owned`: the statics of the crate itself.
    pub(super) fn keyed(
        &self,
        module: &Module<'_>,
        roots: &[Root<'_>],
        owned: &[String],
        input: &Input<'_>,
    ) -> Keyed<'_> {
        let code = module.to_bitcode();
        let facts: Vec<String> = roots.iter().map(Root::facts).collect();
        let options = format!("{:?}", input.options);
        let hash = |seed: u64| {
            let mut hasher = DefaultHasher::new();
            (seed, &self.compiler, &options, input.target).hash(&mut hasher);
            (&facts, owned, &code).hash(&mut hasher);
            hasher.finish()
        };
        Keyed {
            path: &self.path,
            key: Key([hash(0), hash(1)]),
        }
    }
}

impl Keyed<'_> {
    /// The last result, if it has this key; a file that is missing or damaged is no result.
    pub(super) fn load(&self) -> Option<Compiled> {
        let content = std::fs::read(self.path).ok()?;
        let (len, rest) = content.split_first_chunk::<8>()?;
        let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
        let (head, instrumented) = rest.split_at_checked(len)?;
        let head: Head = serde_json::from_slice(head).ok()?;
        let whole = head.key == self.key && head.instrumented == instrumented.len();
        whole.then(|| Compiled {
            parts: head.parts,
            instrumented: instrumented.to_vec(),
        })
    }

    /// Replaces the result. Without it the next link takes longer, and nothing else: so a failure to write is not reported.
    pub(super) fn store(&self, compiled: &Compiled) {
        let head = HeadRef {
            key: self.key,
            parts: &compiled.parts,
            instrumented: compiled.instrumented.len(),
        };
        let Ok(head) = serde_json::to_vec(&head) else {
            return;
        };
        let mut content = (head.len() as u64).to_le_bytes().to_vec();
        content.extend(head);
        content.extend(&compiled.instrumented);
        // In one step: an interrupted link leaves no part of a file.
        let written = self.path.with_extension("new");
        if std::fs::write(&written, content).is_ok() {
            drop(std::fs::rename(&written, self.path));
        }
    }
}
