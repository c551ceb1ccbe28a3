//! Parts of memory: what a launch passes as slices has bounds of its own, where nothing else that it passes leads to the rest.

use super::allocation::Allocation;
use super::snapshot::Fixed;

/// The pointers through which a run reaches memory: slices, and whatever else the launch passes.
#[derive(Debug, Default)]
pub(super) struct Ways {
    /// Slices: where each begins, and where it ends.
    slices: Vec<(usize, usize)>,
    /// Words that may be addresses.
    words: Vec<usize>,
    /// Something may have any address in it.
    anywhere: bool,
}

/// The part of an allocation that a run gets at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// The address of its first byte, and the one behind its last.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Ways {
    pub(super) const fn new() -> Self {
        Self {
            slices: Vec::new(),
            words: Vec::new(),
            anywhere: false,
        }
    }

    pub(super) fn add_slice(&mut self, start: usize, bytes: usize) {
        if bytes != 0 {
            self.slices.push((start, start.saturating_add(bytes)));
        }
    }

    /// `None`: a value that may have any address in it.
    pub(super) fn add_word(&mut self, word: Option<usize>) {
        match word {
            Some(word) => self.words.push(word),
            None => self.anywhere = true,
        }
    }

    /// The parts that are less than their allocations: from the first byte of any slice to the last. By the start of the allocation.
    pub(super) fn parts(&self, there: &Fixed) -> Vec<(usize, Part)> {
        let mut all: Vec<(usize, Part)> = Vec::new();
        if self.anywhere {
            return all;
        }
        for &(start, end) in &self.slices {
            let Some(of) = there.find(start) else {
                continue;
            };
            if self.words.iter().any(|word| leads_to(*word, of)) {
                continue;
            }
            match all.iter_mut().find(|(known, _)| *known == of.start) {
                Some((_, part)) => {
                    part.start = part.start.min(start);
                    part.end = part.end.max(end);
                }
                None => all.push((of.start, Part { start, end })),
            }
        }
        all.retain(|(at, part)| {
            there
                .find(*at)
                .is_some_and(|of| (part.start, part.end) != (of.start, of.end()))
        });
        all
    }
}

/// Whether an address may be meant for an allocation: also the one behind its last byte.
fn leads_to(word: usize, of: &Allocation) -> bool {
    (of.start..=of.end()).contains(&word)
}

impl Part {
    /// Whether an access of `bytes` bytes lies in it.
    #[inline]
    pub(crate) fn holds(self, address: usize, bytes: usize) -> bool {
        let (offset, length) = (address.wrapping_sub(self.start), self.end - self.start);
        offset < length && bytes <= length - offset
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::detector::memory::allocation::Extent;
    use crate::memory_kind::{Birth, Kind};
    use crate::site::Origin;

    /// 100 bytes at 1000, and 100 at 2000.
    fn two() -> Fixed {
        let made = |start| {
            let extent = Extent {
                start,
                bytes: 100,
                element: 1,
                align: 1,
                zone: 0,
            };
            let what = (Kind::Global, Birth::Initialised);
            Arc::new(Allocation::new(extent, what, "", (1, Origin::default())))
        };
        let both = [made(1000), made(2000)];
        Fixed::new(both.iter())
    }

    fn parts(slices: &[(usize, usize)], words: &[Option<usize>]) -> Vec<(usize, Part)> {
        let mut ways = Ways::new();
        slices
            .iter()
            .for_each(|(start, bytes)| ways.add_slice(*start, *bytes));
        words.iter().for_each(|word| ways.add_word(*word));
        ways.parts(&two())
    }

    #[test]
    fn slices_of_one_allocation_span_a_part() {
        let part = |start, end| Part { start, end };
        assert_eq!(parts(&[(1010, 20)], &[]), [(1000, part(1010, 1030))]);
        let both = [(1060, 10), (1010, 20), (2000, 50)];
        let spans = [(1000, part(1010, 1070)), (2000, part(2000, 2050))];
        assert_eq!(parts(&both, &[]), spans);
        assert_eq!(parts(&[(1000, 60), (1040, 60)], &[]), []);
        assert_eq!(parts(&[(1010, 0), (5000, 10)], &[]), []);
    }

    #[test]
    fn an_address_leads_to_all_of_its_allocation() {
        for word in [1000, 1050, 1100] {
            assert_eq!(parts(&[(1010, 20)], &[Some(word)]), []);
        }
        for word in [0, 999, 1101, 2050] {
            assert_eq!(parts(&[(1010, 20)], &[Some(word)]).len(), 1);
        }
        assert_eq!(parts(&[(1010, 20)], &[None]), []);
    }

    #[test]
    fn a_part_holds_what_lies_in_it_to_the_last_byte() {
        let part = Part {
            start: 1010,
            end: 1030,
        };
        assert!(part.holds(1010, 20) && part.holds(1029, 1));
        assert!(!part.holds(1009, 1) && !part.holds(1029, 2) && !part.holds(1030, 1));
    }
}
