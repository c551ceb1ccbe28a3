//! What code generation makes of kernels, and the form in which a copy of the process hands it over.

use crate::fork::Pieces;
use crate::options::Arch;
use serde::{Deserialize, Serialize};
use warploom_manifest::Symbol;

/// What becomes of a group of kernels.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Emitted {
    /// With the least architecture for the code.
    Ptx(String, Vec<Symbol>, Arch),
    /// It uses instructions that the architecture lacks.
    Needs(Arch),
    /// It does, as far as can be told before it is optimised.
    MayNeed(Arch),
    /// It needed this architecture as far as could be told, and cannot be compiled for it.
    Unclear,
}

/// What becomes of several groups, as bytes. The texts are large, and stand as they are behind the rest.
pub(super) fn pack(mut all: Vec<Emitted>) -> Option<Pieces> {
    let mut texts = Vec::new();
    for text in all.iter_mut().filter_map(Emitted::text) {
        texts.push(std::mem::take(text).into_bytes());
    }
    let head = serde_json::to_vec(&all).ok()?;
    Some([head].into_iter().chain(texts).collect())
}

/// The same from bytes; `None` if they are no images.
pub(super) fn unpack(pieces: Pieces) -> Option<Vec<Emitted>> {
    let mut pieces = pieces.into_iter();
    let mut all: Vec<Emitted> = serde_json::from_slice(&pieces.next()?).ok()?;
    for text in all.iter_mut().filter_map(Emitted::text) {
        *text = String::from_utf8(pieces.next()?).ok()?;
    }
    Some(all)
}

impl Emitted {
    fn text(&mut self) -> Option<&mut String> {
        match self {
            Emitted::Ptx(text, ..) => Some(text),
            Emitted::Needs(_) | Emitted::MayNeed(_) | Emitted::Unclear => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Emitted, pack, unpack};
    use crate::options::Arch;

    #[test]
    fn images_are_those_that_were_packed() {
        let images = || {
            let ptx = |text: &str| Emitted::Ptx(text.to_owned(), vec![], Arch::sm(75));
            let exact = Emitted::Needs(Arch::exactly(90));
            [
                ptx("first"),
                exact,
                ptx(""),
                ptx("\u{e9}arly"),
                Emitted::Unclear,
            ]
        };
        let pieces = pack(images().into()).unwrap();
        assert_eq!(unpack(pieces.clone()).unwrap(), images());
        assert_eq!(unpack(pieces[..3].to_vec()), None);
        assert_eq!(unpack(vec![]), None);
    }
}
