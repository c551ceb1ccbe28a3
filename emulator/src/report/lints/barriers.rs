//! Which barriers a block would not have needed.
//!
//! A barrier orders the interval before it and the interval after it; all earlier and later ones are ordered by other barriers. So it
//! is needed if a thread after it accesses what another thread accessed before it, and one of them wrote. It may also be needed for what
//! this cannot see: an atomic, a fence, a copy or a barrier in memory on one side, through which other blocks or the copy unit are told.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use super::AccessClass;
use crate::site::SiteId;

/// Bytes that are told apart.
const GRANULE: u64 = 4;

/// A block that touches more than this between two barriers is not analysed any more: all its barriers count as needed.
const MOST_GRANULES: usize = 1 << 20;

const NONE: u16 = u16::MAX;
const MANY: u16 = u16::MAX - 1;

/// A map from small integers, without protection against chosen keys.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// What is known of one barrier of the source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// How often blocks came through it.
    pub(crate) passed: u64,
    /// How often something needed it, or could not be seen.
    pub(crate) needed: u64,
}

/// The intervals of one block.
#[derive(Debug, Default)]
pub(crate) struct Intervals {
    before: Map<u64, Touch>,
    now: Map<u64, Touch>,
    /// Whether anything was accessed before the barrier, and since.
    any: [bool; 2],
    /// Whether something could order other memory, before the barrier and since.
    orders: [bool; 2],
    /// The barrier between them.
    barrier: Option<Barrier>,
    /// From here on everything counts as needed.
    blind: bool,
    /// Nothing is written down: all barriers of the kernel are known to be needed.
    pub(crate) off: bool,
}

#[derive(Debug, Clone, Copy)]
struct Barrier {
    site: SiteId,
    needed: bool,
}

/// Threads of the block that accessed a granule in one interval: one, or `MANY`.
#[derive(Debug, Clone, Copy)]
struct Touch {
    read: u16,
    written: u16,
    changed: u16,
}

impl Intervals {
    /// A thread accesses memory.
    pub(crate) fn access(&mut self, thread: u32, at: u64, bytes: u32, kind: AccessClass) {
        if self.is_closed() {
            return;
        }
        self.any[1] = true;
        self.orders[1] |= matches!(kind, AccessClass::Atomic | AccessClass::Volatile);
        let thread = thread as u16; // below 1024
        let last = (at + u64::from(bytes.max(1)) - 1) / GRANULE;
        for granule in at / GRANULE..=last {
            match self.now.entry(granule) {
                Entry::Occupied(mut known) => known.get_mut().add(thread, kind),
                Entry::Vacant(place) => place.insert(Touch::NONE_YET).add(thread, kind),
            }
            if let Some(barrier) = &mut self.barrier
                && !barrier.needed
                && let Some(before) = self.before.get(&granule)
            {
                barrier.needed = before.conflicts(thread, kind);
            }
        }
        if self.now.len() > MOST_GRANULES {
            self.give_up();
        }
    }

    /// Whether accesses are not written down any more.
    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        self.off || self.blind
    }

    /// Something happens that may order memory in a way that is not seen here.
    pub(crate) fn order(&mut self) {
        self.orders[1] = true;
    }

    /// From here on every barrier of the block counts as needed.
    pub(crate) fn give_up(&mut self) {
        self.blind = true;
        self.before = Map::default();
        self.now = Map::default();
        if let Some(barrier) = &mut self.barrier {
            barrier.needed = true;
        }
    }

    /// The block comes through a barrier; `answers`: one that gives its threads a result.
    pub(crate) fn barrier(&mut self, site: SiteId, answers: bool, sum: &mut Map<u32, Counts>) {
        self.close(sum);
        self.barrier = Some(Barrier {
            site,
            needed: answers || self.blind || self.off,
        });
        std::mem::swap(&mut self.before, &mut self.now);
        self.now.clear();
        self.any = [self.any[1], false];
        self.orders = [self.orders[1], false];
    }

    /// The block is over, or orders itself in another way: what follows has no barrier before it.
    pub(crate) fn end(&mut self, sum: &mut Map<u32, Counts>) {
        self.close(sum);
        self.before.clear();
        self.now.clear();
        self.any = [false; 2];
        self.orders = [false; 2];
    }

    fn close(&mut self, sum: &mut Map<u32, Counts>) {
        let Some(barrier) = self.barrier.take() else {
            return;
        };
        let told = (self.orders[0] && self.any[1]) || (self.orders[1] && self.any[0]);
        let counts = sum.entry(barrier.site.0).or_default();
        counts.passed += 1;
        counts.needed += u64::from(barrier.needed || told || (self.orders[0] && self.orders[1]));
    }
}

impl Touch {
    const NONE_YET: Self = Self {
        read: NONE,
        written: NONE,
        changed: NONE,
    };

    fn add(&mut self, thread: u16, kind: AccessClass) {
        let who = match kind {
            AccessClass::Load => &mut self.read,
            AccessClass::Store => &mut self.written,
            AccessClass::Atomic | AccessClass::Volatile => &mut self.changed,
        };
        *who = match *who {
            NONE => thread,
            known if known == thread => thread,
            _ => MANY,
        };
    }

    /// Whether this access needs an order with those.
    fn conflicts(&self, thread: u16, kind: AccessClass) -> bool {
        let other = |who: u16| who != NONE && who != thread;
        match kind {
            AccessClass::Load => other(self.written) || other(self.changed),
            AccessClass::Store => other(self.read) || other(self.written) || other(self.changed),
            AccessClass::Atomic | AccessClass::Volatile => other(self.read) || other(self.written),
        }
    }
}

/// Spreads the bits of integers.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        // The table uses the upper bits and at the lower ones.
        let spread = (self.0.rotate_left(5) ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = spread ^ spread >> 32;
    }
}
