//! Who has released what, and who has acquired it: order by atomics and fences, across blocks and OS threads.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher};

use super::pending_acquires::MAX_PENDING;
use crate::engine::warp::LANES;
use crate::sync::{Mutex, MutexGuard, lock};

/// All releases of a run.
#[derive(Debug, Default)]
pub(super) struct Graph(Mutex<Inner>);

#[derive(Debug, Default)]
pub(super) struct Inner {
    releases: Vec<Release>,
    messages: Vec<Message>,
    /// The newest message at each address.
    at: HashMap<usize, u32>,
}

/// What a lane knew when it released: all that it did before, and all that it knew then.
#[derive(Debug)]
pub(super) struct Release {
    pub(super) who: u32,
    pub(super) t: u32,
    /// Bits of a lane's number inside its block.
    pub(super) shift: u32,
    /// All lanes of its block before this time, and of its warp, and of its cluster (first lane, lanes, bound).
    pub(super) bound: u32,
    pub(super) warp_bound: u32,
    pub(super) cluster: (u32, u32, u32),
    /// Each lane of its block before these times.
    pub(super) row: Option<Box<[u32]>>,
    pub(super) roots: Box<[Root]>,
}

/// A release that a reader of an address may acquire, with those before it that it continues.
#[derive(Debug, Clone, Copy)]
struct Message {
    release: u32,
    scope: u32,
    /// `NONE`: none.
    before: u32,
}

const NONE: u32 = u32::MAX;

/// A message that a lane acquired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Root {
    pub(super) message: u32,
    /// The lane that acquired it.
    pub(super) reader: u32,
    pub(super) scope: u32,
}

impl Graph {
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.0)
    }
}

impl Inner {
    /// Adds a release; gives a message that stands for it alone.
    pub(super) fn release(&mut self, release: Release, scope: u32) -> u32 {
        self.releases.push(release);
        self.message(self.releases.len() as u32 - 1, scope, NONE)
    }

    fn message(&mut self, release: u32, scope: u32, before: u32) -> u32 {
        self.messages.push(Message {
            release,
            scope,
            before,
        });
        self.messages.len() as u32 - 1
    }

    /// The release of `message` is written to `address`; `continues`: as a read and write, which keeps what was there.
    pub(super) fn write(&mut self, address: usize, message: u32, scope: u32, continues: bool) {
        let Message {
            release,
            scope: own,
            ..
        } = self.messages[message as usize];
        let before = self
            .at
            .get(&address)
            .copied()
            .filter(|_| continues)
            .unwrap_or(NONE);
        if before != NONE {
            let newest = self.messages[before as usize];
            if newest.release == release && newest.scope == own.min(scope) {
                return;
            }
        }
        let new = self.message(release, own.min(scope), before);
        self.at.insert(address, new);
    }

    /// The newest message at an address.
    pub(super) fn read(&self, address: usize) -> Option<u32> {
        self.at.get(&address).copied()
    }

    /// Puts this message at an address; gives what was there.
    pub(super) fn replace(&mut self, address: usize, message: Option<u32>) -> Option<u32> {
        match message {
            Some(message) => self.at.insert(address, message),
            None => self.at.remove(&address),
        }
    }

    /// The lane and the time of the latest release of a message, and in which scope it was written.
    pub(super) fn release_of(&self, message: u32) -> (u32, u32, u32) {
        let message = self.messages[message as usize];
        let release = &self.releases[message.release as usize];
        (release.who, release.t, message.scope)
    }

    /// Something was written to an address that is no release.
    pub(super) fn overwrite(&mut self, address: usize) {
        self.at.remove(&address);
    }
}

/// What a lane, or all lanes of a block, know by acquiring. Looked into only when bounds and rows do not say that an access is ordered.
#[derive(Debug, Default)]
pub(super) struct Acquired {
    roots: Vec<Root>,
    /// Acquired, and not yet joined.
    frontier: Vec<Root>,
    seen: HashSet<u64, FastHash>,
    /// By the number of the block.
    blocks: HashMap<u32, OfBlock, FastHash>,
    /// Seen by relaxed reads: an acquire fence acquires them.
    pending: Vec<Root>,
    /// Reads that the processor makes after it told: address, reader, scope, and whether they acquire.
    announced: Vec<(usize, u32, u32, bool)>,
    /// The latest release fence: its message.
    pub(super) fence: Option<u32>,
}

/// What is known of one block.
#[derive(Debug, Default)]
struct OfBlock {
    /// All of its lanes before this time.
    bound: u32,
    /// First lane, number of lanes, and the time before which they are known.
    lanes: Vec<(u32, u32, u32)>,
}

impl OfBlock {
    fn raise(&mut self, first: u32, lanes: u32, until: u32) {
        if until <= self.bound {
            return;
        }
        let known = self
            .lanes
            .iter_mut()
            .find(|one| (one.0, one.1) == (first, lanes));
        match known {
            Some(known) => known.2 = until.max(known.2),
            None => self.lanes.push((first, lanes, until)),
        }
    }
}

impl Root {
    fn key(self) -> u64 {
        u64::from(self.message) << 32 | u64::from(self.reader)
    }
}

impl Acquired {
    pub(super) fn roots(&self) -> impl Iterator<Item = Root> {
        self.roots.iter().copied()
    }

    pub(super) fn add(&mut self, roots: &[Root]) {
        for root in roots {
            if !self.roots.contains(root) {
                self.roots.push(*root);
                self.frontier.push(*root);
            }
        }
    }

    /// What `other` acquired, all lanes know. It keeps its fences.
    pub(super) fn take_roots(&mut self, graph: &Graph, other: &mut Acquired) {
        other.settle(graph);
        let roots = std::mem::take(&mut other.roots);
        self.add(&roots);
        let (pending, fence) = (std::mem::take(&mut other.pending), other.fence.take());
        *other = Acquired {
            pending,
            fence,
            ..Acquired::default()
        };
    }

    /// A read saw a message.
    pub(super) fn reads(&mut self, root: Root, acquires: bool) {
        if acquires {
            self.add(&[root]);
        } else if !self.pending.contains(&root) {
            self.pending.push(root);
        }
    }

    /// A read comes next, of whatever is there then.
    pub(super) fn announce(&mut self, address: usize, reader: u32, scope: u32, acquires: bool) {
        let read = (address, reader, scope, acquires);
        if !self.announced.contains(&read) {
            // A lane that polls reads few addresses; what it read long ago was settled, or did not matter.
            if self.announced.len() == MAX_PENDING {
                self.announced.remove(0);
            }
            self.announced.push(read);
        }
    }

    /// What was announced has happened.
    pub(super) fn settle(&mut self, graph: &Graph) {
        if self.announced.is_empty() {
            return;
        }
        let graph = graph.lock();
        for (address, reader, scope, acquires) in std::mem::take(&mut self.announced) {
            if let Some(message) = graph.read(address) {
                self.reads(
                    Root {
                        message,
                        reader,
                        scope,
                    },
                    acquires,
                );
            }
        }
    }

    /// An acquire fence: what relaxed reads saw before it is acquired.
    pub(super) fn acquire_fence(&mut self, graph: &Graph, scope: u32) {
        self.settle(graph);
        for root in std::mem::take(&mut self.pending) {
            self.add(&[Root {
                scope: scope.min(root.scope),
                ..root
            }]);
        }
    }

    /// The lane released everything that it has acquired as `message`, which stands for all of it from now on.
    pub(super) fn stands_for_all(&mut self, root: Root) {
        self.roots.clear();
        self.roots.push(root);
        self.seen.insert(root.key());
    }

    /// Whether an access of lane `who` at time `t` is among it. `shift`: bits of a lane's number inside its block.
    pub(super) fn covers(&mut self, graph: &Graph, shift: u32, who: u32, t: u32) -> bool {
        self.settle(graph);
        if self.holds(shift, who, t) {
            return true;
        }
        if self.frontier.is_empty() {
            return false;
        }
        let graph = graph.lock();
        while let Some(root) = self.frontier.pop() {
            if self.open(&graph, root) && self.holds(shift, who, t) {
                return true;
            }
        }
        false
    }

    fn holds(&self, shift: u32, who: u32, t: u32) -> bool {
        self.blocks.get(&(who >> shift)).is_some_and(|block| {
            let mut lanes = block.lanes.iter();
            t < block.bound
                || lanes.any(|&(first, lanes, until)| t < until && who.wrapping_sub(first) < lanes)
        })
    }

    /// Learns what a message says; false: nothing new.
    fn open(&mut self, graph: &Inner, root: Root) -> bool {
        if !self.seen.insert(root.key()) {
            return false;
        }
        let message = graph.messages[root.message as usize];
        if message.before != NONE {
            self.frontier.push(Root {
                message: message.before,
                ..root
            });
        }
        let release = &graph.releases[message.release as usize];
        if !release.reaches(message.scope.min(root.scope), root.reader) {
            return true;
        }
        let number = release.who >> release.shift;
        let base = number << release.shift;
        let block = self.blocks.entry(number).or_default();
        block.bound = release.bound.max(block.bound);
        block.raise(release.who, 1, release.t + 1);
        let warp = base + (release.who - base) / LANES * LANES;
        block.raise(warp, LANES, release.warp_bound);
        if let Some(row) = &release.row {
            for (lane, known) in (base..).zip(row).filter(|(_, known)| **known != 0) {
                block.raise(lane, 1, *known);
            }
        }
        let (first, lanes, bound) = release.cluster;
        if lanes >> release.shift > 1 {
            let first = first >> release.shift;
            for number in first..first + (lanes >> release.shift) {
                let block = self.blocks.entry(number).or_default();
                block.bound = bound.max(block.bound);
            }
        }
        self.frontier.extend(release.roots.iter().copied());
        true
    }
}

impl Release {
    /// Whether a release of this scope is for `reader`.
    fn reaches(&self, scope: u32, reader: u32) -> bool {
        let same_block = (self.who ^ reader) >> self.shift == 0;
        let (first, lanes, _) = self.cluster;
        same_block || scope >= 2 || scope == 1 && reader.wrapping_sub(first) < lanes
    }
}

/// A hash for small numbers.
#[derive(Debug, Clone, Copy, Default)]
struct FastHash;

impl BuildHasher for FastHash {
    type Hasher = Multiply;

    fn build_hasher(&self) -> Multiply {
        Multiply(0)
    }
}

struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64((*byte).into());
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        // The golden ratio's bits: neighbours land far apart.
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
