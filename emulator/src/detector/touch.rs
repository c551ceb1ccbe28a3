//! What a launch has done with a piece of memory.

use super::slot::AccessKind;

/// A write and a read, where there was one; a plain one rather than an atomic.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Touch {
    write: Option<AccessKind>,
    read: Option<AccessKind>,
}

impl Touch {
    pub(super) fn add(&mut self, what: AccessKind) {
        let place = match what.is(AccessKind::WRITE) {
            true => &mut self.write,
            false => &mut self.read,
        };
        if place.is_none_or(|known| known.is(AccessKind::ATOMIC)) {
            *place = Some(what);
        }
    }

    /// The one that a read of the host, or a write, races with, if nothing orders them.
    pub(super) fn races_with_host(self, writes: bool) -> Option<AccessKind> {
        match writes {
            true => self.write.or(self.read),
            false => self.write,
        }
    }

    /// Two accesses that race, if nothing orders what has left these.
    pub(super) fn conflict(self, other: Touch) -> Option<[AccessKind; 2]> {
        let pairs = [
            (self.write, other.write),
            (self.write, other.read),
            (self.read, other.write),
        ];
        pairs.into_iter().find_map(|(a, b)| {
            let pair = [a?, b?];
            let atomics = pair.iter().all(|what| what.is(AccessKind::ATOMIC));
            (!atomics).then_some(pair)
        })
    }
}

/// Whether a granule's time says that this run has accessed it.
pub(super) fn is_of_run(t: u32, t0: u32) -> bool {
    t != 0 && t >= t0
}

#[cfg(all(test, not(loom)))]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn touch(kinds: &[u32]) -> Touch {
        let mut touch = Touch::default();
        for kind in kinds {
            touch.add(AccessKind::new(*kind, 1));
        }
        touch
    }

    #[test]
    fn two_launches_race_where_one_writes_and_not_both_are_atomic() {
        let (read, write, atomic) = (AccessKind::READ, AccessKind::WRITE, AccessKind::ATOMIC);
        let change = read | write | atomic;
        for (a, b, race) in [
            (&[read][..], &[read][..], false),
            (&[read], &[write], true),
            (&[write], &[read], true),
            (&[write], &[write], true),
            (&[change], &[change], false),
            (&[change], &[read | atomic], false),
            (&[change], &[read], true),
            (&[change, read], &[change], true),
            (&[change], &[change, write], true),
        ] {
            assert_eq!(touch(a).conflict(touch(b)).is_some(), race, "{a:?} {b:?}");
        }
    }
}
