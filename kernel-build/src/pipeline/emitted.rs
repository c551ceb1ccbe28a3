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

/// What becomes of kernels that were compiled together.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Images {
    /// Whether their loops are treated before O3.
    pub(super) is_early: bool,
    /// With the number of each group.
    pub(super) emitted: Vec<(usize, Emitted)>,
}

/// All of a unit, as bytes. The texts are large, and stand as they are behind the rest.
pub(super) fn pack(mut all: Vec<Images>) -> Option<Pieces> {
    let mut texts = Vec::new();
    for text in all.iter_mut().flat_map(Images::texts) {
        texts.push(std::mem::take(text).into_bytes());
    }
    let head = serde_json::to_vec(&all).ok()?;
    Some([head].into_iter().chain(texts).collect())
}

/// The same from bytes; `None` if they are no images.
pub(super) fn unpack(pieces: Pieces) -> Option<Vec<Images>> {
    let mut pieces = pieces.into_iter();
    let mut all: Vec<Images> = serde_json::from_slice(&pieces.next()?).ok()?;
    for text in all.iter_mut().flat_map(Images::texts) {
        *text = String::from_utf8(pieces.next()?).ok()?;
    }
    Some(all)
}

/// [`pack`], of a part of what is compiled together.
pub(super) fn pack_part(emitted: Vec<Emitted>) -> Option<Pieces> {
    let emitted = (0..).zip(emitted).collect();
    let is_early = false;
    pack(vec![Images { is_early, emitted }])
}

/// [`unpack`], of such a part.
pub(super) fn unpack_part(pieces: Pieces) -> Option<Vec<Emitted>> {
    let images = unpack(pieces)?.pop()?;
    Some(images.emitted.into_iter().map(|(_, image)| image).collect())
}

impl Images {
    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        self.emitted
            .iter_mut()
            .filter_map(|(_, image)| match image {
                Emitted::Ptx(text, ..) => Some(text),
                Emitted::Needs(_) | Emitted::MayNeed(_) | Emitted::Unclear => None,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::{Emitted, Images, pack, unpack};
    use crate::options::Arch;

    #[test]
    fn images_are_those_that_were_packed() {
        let images = || {
            let ptx = |text: &str| Emitted::Ptx(text.to_owned(), vec![], Arch::sm(75));
            let late = vec![(4, ptx("late")), (7, Emitted::Needs(Arch::exactly(90)))];
            let early = vec![(2, ptx("")), (9, ptx("\u{e9}arly"))];
            [(false, late), (true, early)].map(|(is_early, emitted)| Images { is_early, emitted })
        };
        let pieces = pack(images().into()).unwrap();
        assert_eq!(unpack(pieces.clone()).unwrap(), images());
        assert_eq!(unpack(pieces[..3].to_vec()), None);
        assert_eq!(unpack(vec![]), None);
    }
}
