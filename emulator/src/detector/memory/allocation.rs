//! One piece of memory: where it is, what it holds, where it comes from, and which of its bytes have a value.

use std::backtrace::Backtrace;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::finding::Who;
use crate::memory_kind::{Birth, Kind};
use crate::site::{Origin, SiteId};

/// A piece of memory that kernels may have addresses of. Shared by the registry and by the snapshots of runs; only its state changes.
#[derive(Debug)]
pub(crate) struct Allocation {
    /// Address of the first byte.
    pub(crate) start: usize,
    /// Length; not 0.
    pub(crate) bytes: usize,
    /// Bytes of an element; 1 if that is not known. Not 0.
    pub(crate) element: usize,
    /// What an element is aligned to.
    pub(crate) align: usize,
    /// 2 to this power is the number of bytes that the race checks treat as one granule: 1, 2 or 4, the alignment of an element at most.
    pub(crate) granule_shift: u32,
    pub(crate) kind: Kind,
    /// Bytes on each side that are used for nothing else.
    pub(crate) zone: usize,
    /// What reports call it unless the launch says more: the static's name, the buffer's type; may be empty.
    pub(crate) label: Box<str>,
    /// Different in all allocations of the process, and larger in those made later.
    pub(crate) serial: u64,
    /// Where it was made.
    pub(crate) made: Origin,
    init: Option<Init>,
    freed: AtomicBool,
    end: OnceLock<End>,
}

/// How an allocation ended.
#[derive(Debug, Default)]
pub(crate) struct End {
    /// Where the host freed it, as far as that is known; resolved when it is asked for.
    pub(crate) trace: Option<Backtrace>,
    /// The lane that freed it, and where, if a kernel did.
    pub(crate) by: Option<(Who, SiteId)>,
}

/// What an allocation is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) start: usize,
    pub(crate) bytes: usize,
    pub(crate) element: usize,
    pub(crate) align: usize,
    pub(crate) zone: usize,
}

impl Allocation {
    pub(crate) fn new(
        extent: Extent,
        (kind, birth): (Kind, Birth),
        label: &str,
        (serial, made): (u64, Origin),
    ) -> Self {
        let align = if extent.align.is_power_of_two() {
            extent.align
        } else {
            1
        };
        // An element that starts somewhere in the middle of a granule would share it with its neighbour.
        let granule = align.min(4).min(1 << extent.start.trailing_zeros().min(2));
        Self {
            start: extent.start,
            bytes: extent.bytes,
            element: extent.element.max(1),
            align,
            granule_shift: granule.trailing_zeros(),
            kind,
            zone: extent.zone,
            label: label.into(),
            serial,
            made,
            init: (birth == Birth::Uninitialised).then(|| Init::none(extent.bytes)),
            freed: AtomicBool::new(false),
            end: OnceLock::new(),
        }
    }

    /// The address behind the last byte.
    #[inline(always)]
    pub(crate) fn end(&self) -> usize {
        self.start + self.bytes
    }

    /// Whether an address lies in it, freed or not.
    #[inline(always)]
    pub(crate) fn contains(&self, address: usize) -> bool {
        address.wrapping_sub(self.start) < self.bytes
    }

    /// Whether an access of `bytes` bytes at `address`, which it contains, lies in it to its end.
    #[inline(always)]
    pub(crate) fn holds(&self, address: usize, bytes: usize) -> bool {
        let offset = address.wrapping_sub(self.start);
        offset < self.bytes && bytes <= self.bytes - offset
    }

    /// Elements, rounded up.
    pub(crate) fn len(&self) -> usize {
        self.bytes.div_ceil(self.element)
    }

    /// Whether it was freed. Who keeps a reference from one access to the next asks before each.
    #[inline(always)]
    pub(crate) fn is_freed(&self) -> bool {
        self.freed.load(Relaxed)
    }

    /// Whether kernels only read it.
    #[inline(always)]
    pub(crate) fn is_read_only(&self) -> bool {
        matches!(self.kind, Kind::Constant | Kind::Parameter)
    }

    /// Whether races on it and its bytes are checked.
    #[inline(always)]
    pub(crate) fn is_checked(&self) -> bool {
        self.kind != Kind::Internal
    }

    /// Whether some of its bytes may have no value. If not, [`Allocation::missing`] finds nothing, and marking is not needed.
    #[inline(always)]
    pub(crate) fn tracks_init(&self) -> bool {
        self.init.as_ref().is_some_and(|init| !init.is_full())
    }

    /// How far from the start the first byte without a value lies, of `bytes` bytes at `address`.
    #[inline]
    pub(crate) fn missing(&self, address: usize, bytes: usize) -> Option<usize> {
        let init = self.init.as_ref().filter(|init| !init.is_full())?;
        let offset = address.wrapping_sub(self.start);
        init.first_missing(offset, bytes.min(self.bytes.saturating_sub(offset)))
    }

    /// The bytes have a value now. What lies outside is left out.
    #[inline]
    pub(crate) fn mark(&self, address: usize, bytes: usize) {
        if let Some(init) = self.init.as_ref().filter(|init| !init.is_full()) {
            let offset = address.wrapping_sub(self.start);
            init.mark(offset, bytes.min(self.bytes.saturating_sub(offset)));
        }
    }

    /// All bytes have a value, or that is not known any more.
    pub(crate) fn mark_all(&self) {
        self.mark(self.start, self.bytes);
    }

    /// How many bytes have no value.
    pub(crate) fn n_missing(&self) -> usize {
        let missing = |init: &Init| init.missing.load(Relaxed);
        self.init.as_ref().map_or(0, missing)
    }

    /// It is not there any more.
    pub(crate) fn finish(&self, end: End) {
        // First what a reader of the flag reads next.
        let _ = self.end.set(end);
        self.freed.store(true, std::sync::atomic::Ordering::Release);
    }

    /// How it ended; `None`: it has not, or that is not known.
    pub(crate) fn ending(&self) -> Option<&End> {
        self.end.get()
    }
}

/// Which bytes have a value: one bit for each.
#[derive(Debug)]
struct Init {
    /// Bytes without a value.
    missing: AtomicUsize,
    words: Box<[AtomicU64]>,
}

impl Init {
    fn none(bytes: usize) -> Self {
        let words = || AtomicU64::new(0);
        Self {
            missing: AtomicUsize::new(bytes),
            words: std::iter::repeat_with(words)
                .take(bytes.div_ceil(64))
                .collect(),
        }
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.missing.load(Relaxed) == 0
    }

    fn first_missing(&self, offset: usize, bytes: usize) -> Option<usize> {
        pieces(offset, bytes).find_map(|(word, mask)| {
            let without = !self.words[word].load(Relaxed) & mask;
            (without != 0).then(|| word * 64 + without.trailing_zeros() as usize)
        })
    }

    fn mark(&self, offset: usize, bytes: usize) {
        for (word, mask) in pieces(offset, bytes) {
            let cell = &self.words[word];
            if cell.load(Relaxed) & mask == mask {
                continue;
            }
            // Lanes on several OS threads mark at a time: each bit is counted by who sets it.
            let new = mask & !cell.fetch_or(mask, Relaxed);
            self.missing.fetch_sub(new.count_ones() as usize, Relaxed);
        }
    }
}

/// The words that hold bits `offset..offset + bytes`, and which of their bits.
fn pieces(offset: usize, bytes: usize) -> impl Iterator<Item = (usize, u64)> {
    let end = offset + bytes;
    let words = if bytes == 0 {
        0..0
    } else {
        offset / 64..end.div_ceil(64)
    };
    words.map(move |word| {
        let low = offset.saturating_sub(word * 64);
        let high = (end - word * 64).min(64);
        (word, (u64::MAX >> (64 - (high - low))) << low)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::Location;

    fn uninitialised(start: usize, bytes: usize) -> Allocation {
        let extent = Extent {
            start,
            bytes,
            element: 1,
            align: 1,
            zone: 0,
        };
        let made = Origin::from(Location::caller());
        Allocation::new(extent, (Kind::Global, Birth::Uninitialised), "", (1, made))
    }

    #[test]
    fn each_byte_is_marked_alone() {
        for bytes in [1, 3, 63, 64, 65, 127, 128, 200] {
            for at in 0..bytes {
                let memory = uninitialised(4096, bytes);
                memory.mark(4096 + at, 1);
                assert_eq!(memory.missing(4096 + at, 1), None);
                let first = if at == 0 { 1 } else { 0 };
                assert_eq!(memory.missing(4096, bytes), (bytes > 1).then_some(first));
                assert_eq!(memory.n_missing(), bytes - 1);
            }
        }
    }

    #[test]
    fn ranges_that_cross_words_are_marked_whole() {
        for (from, to) in [(0, 200), (1, 64), (63, 65), (60, 130), (128, 192), (5, 5)] {
            let memory = uninitialised(64, 200);
            memory.mark(64 + from, to - from);
            for at in 0..200 {
                let inside = (from..to).contains(&at);
                assert_eq!(
                    memory.missing(64 + at, 1).is_none(),
                    inside,
                    "{at} of {from}..{to}"
                );
            }
        }
    }

    #[test]
    fn when_all_bytes_have_a_value_nothing_is_tracked() {
        let memory = uninitialised(64, 100);
        memory.mark(64, 99);
        memory.mark(64, 99);
        assert!(memory.tracks_init());
        memory.mark(64, 100);
        assert!(!memory.tracks_init());
    }

    #[test]
    fn what_lies_outside_is_neither_marked_nor_missed() {
        let memory = uninitialised(64, 10);
        memory.mark(64 + 8, 100);
        assert_eq!(memory.n_missing(), 8);
        assert_eq!(memory.missing(64 + 8, 100), None);
    }

    #[test]
    fn several_threads_count_each_byte_once() {
        let memory = uninitialised(64, 1000);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|at| memory.mark(64 + at, 3)));
            }
        });
        assert_eq!(memory.n_missing(), 0);
    }

    #[test]
    fn the_granule_is_the_elements_alignment_up_to_four() {
        for (start, align, granule) in [
            (64, 1, 1),
            (64, 2, 2),
            (64, 4, 4),
            (64, 16, 4),
            (66, 8, 2),
            (63, 4, 1),
        ] {
            let extent = Extent {
                start,
                bytes: 64,
                element: 16,
                align,
                zone: 0,
            };
            let made = Origin::from(Location::caller());
            let memory = Allocation::new(extent, (Kind::Global, Birth::Initialised), "", (1, made));
            assert_eq!(1 << memory.granule_shift, granule);
        }
    }
}
