//! Who has released what, and who has acquired it: order by atomics and fences, across blocks and OS threads.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher};

use super::pending_acquires::MAX_PENDING;
use super::seq_cst::SeqCst;
use crate::engine::warp::LANES;
use crate::sync::{Mutex, MutexGuard, lock};

/// The number of the system's scope.
pub(super) const SYSTEM: u32 = 3;

/// All releases of a run.
#[derive(Debug, Default)]
pub(super) struct Graph(Mutex<Inner>);

#[derive(Debug, Default)]
pub(super) struct Inner {
    releases: Vec<Release>,
    messages: Vec<Message>,
    /// The newest message at each address.
    at: HashMap<usize, u32>,
    /// There is a release that is a sequentially consistent fence.
    has_any_seq_cst: bool,
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
    /// It is a sequentially consistent fence, or stands for several.
    pub(super) is_seq_cst: bool,
}

/// A release that a reader of an address may acquire, with those before it that it continues.
#[derive(Debug, Clone, Copy)]
struct Message {
    release: u32,
    scope: u32,
    /// `NONE`: none.
    before: u32,
    /// Other threads than the one that wrote it have made these fences: only sequentially consistent fences acquire it.
    by_others: bool,
    /// A sequentially consistent fence is among it and those before it.
    has_seq_cst: bool,
}

const NONE: u32 = u32::MAX;

/// A message that a lane acquired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Root {
    pub(super) message: u32,
    /// The lane that acquired it.
    pub(super) reader: u32,
    pub(super) scope: u32,
    /// By a sequentially consistent fence of a thread that need not have read it: such fences alone are acquired.
    pub(super) by_seq_cst: bool,
}

impl Graph {
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.0)
    }
}

impl Inner {
    /// Adds a release; gives a message that stands for it alone.
    pub(super) fn release(&mut self, release: Release, scope: u32) -> u32 {
        self.has_any_seq_cst |= release.is_seq_cst;
        self.releases.push(release);
        self.message(self.releases.len() as u32 - 1, scope, (NONE, false))
    }

    fn message(&mut self, release: u32, scope: u32, (before, by_others): (u32, bool)) -> u32 {
        let is_seq_cst = self.releases[release as usize].is_seq_cst;
        self.messages.push(Message {
            release,
            scope,
            before,
            by_others,
            has_seq_cst: is_seq_cst || before != NONE && self.has_seq_cst(before),
        });
        self.messages.len() as u32 - 1
    }

    /// Whether there has been a sequentially consistent fence.
    pub(super) fn has_any_seq_cst(&self) -> bool {
        self.has_any_seq_cst
    }

    /// Whether a sequentially consistent fence is among a message and those that it continues.
    pub(super) fn has_seq_cst(&self, message: u32) -> bool {
        self.messages[message as usize].has_seq_cst
    }

    /// Whether sequentially consistent fences alone acquire what comes latest there.
    pub(super) fn is_by_others(&self, message: u32) -> bool {
        self.messages[message as usize].by_others
    }

    /// The release of `message` is written to `address`; `continues`: as a read and write, which keeps what was there.
    pub(super) fn write(&mut self, address: usize, message: u32, scope: u32, continues: bool) {
        self.add(address, message, scope, (continues, false));
    }

    /// The same with the fences of other threads, behind what is there.
    pub(super) fn write_of_others(&mut self, address: usize, message: u32, scope: u32) {
        self.add(address, message, scope, (true, true));
    }

    fn add(
        &mut self,
        address: usize,
        message: u32,
        scope: u32,
        (continues, by_others): (bool, bool),
    ) {
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
        let new = self.message(release, own.min(scope), (before, by_others));
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

    /// The lane and the time of the latest release of a message that is its writer's, and in which scope it was written.
    pub(super) fn release_of(&self, message: u32) -> Option<(u32, u32, u32)> {
        let mut message = self.messages[message as usize];
        while message.by_others {
            message = *self.messages.get(message.before as usize)?;
        }
        let release = &self.releases[message.release as usize];
        Some((release.who, release.t, message.scope))
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
    /// The latest sequentially consistent fence for the device or the system: its message.
    pub(super) seq_cst_fence: Option<u32>,
    /// What acquiring reads saw that such fences alone acquire.
    by_others: Vec<Root>,
    /// How much of what the block's lanes have left at barriers such fences have acquired.
    met: usize,
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
        u64::from(self.message) << 33 | u64::from(self.by_seq_cst) << 32 | u64::from(self.reader)
    }

    /// What lane `who` has of a release that was no write.
    pub(super) fn of_release(message: u32, who: u32) -> Root {
        Root {
            message,
            reader: who,
            scope: SYSTEM,
            by_seq_cst: false,
        }
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
        *other = Acquired {
            pending: std::mem::take(&mut other.pending),
            fence: other.fence,
            seq_cst_fence: other.seq_cst_fence,
            met: other.met,
            ..Acquired::default()
        };
    }

    /// Lane number `lane` of a block has come to a barrier.
    pub(super) fn leaves(&mut self, graph: &Graph, lane: usize, to: &mut SeqCst) {
        self.settle(graph);
        to.gather(graph, (lane, self.seq_cst_fence), &self.pending);
        to.gather(graph, (lane, None), &std::mem::take(&mut self.by_others));
    }

    /// A sequentially consistent fence of lane `who`: what came before it in any way read fences of the kind, so it is behind those.
    pub(super) fn seq_cst_fence(&mut self, graph: &Graph, (who, scope): (u32, u32), met: &SeqCst) {
        self.settle(graph);
        let new = met.read(self.met);
        self.met += new.len();
        let own = self.pending.iter().chain(&self.by_others);
        let read: Vec<_> = own.chain(new).copied().collect();
        self.by_others.clear();
        if read.is_empty() {
            return;
        }
        let graph = graph.lock();
        for root in read
            .into_iter()
            .filter(|root| graph.has_seq_cst(root.message))
        {
            self.add(&[Root {
                message: root.message,
                reader: who,
                scope: root.scope.min(scope),
                by_seq_cst: true,
            }]);
        }
    }

    /// A read saw a message; `by_others`: sequentially consistent fences alone acquire what comes latest there.
    pub(super) fn reads(&mut self, root: Root, acquires: bool, by_others: bool) {
        if acquires {
            self.add(&[root]);
            if by_others && !self.by_others.contains(&root) {
                self.by_others.push(root);
            }
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
                let root = Root {
                    message,
                    reader,
                    scope,
                    by_seq_cst: false,
                };
                self.reads(root, acquires, graph.is_by_others(message));
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
        let counts = match root.by_seq_cst {
            true => release.is_seq_cst,
            false => !message.by_others,
        };
        if !counts || !release.reaches(message.scope.min(root.scope), root.reader) {
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
    /// Stands for fences of a block's lanes, those of `roots`; `who` writes it.
    pub(super) fn of_fences(who: u32, shift: u32, roots: Box<[Root]>) -> Release {
        Release {
            who,
            t: 0,
            shift,
            bound: 0,
            warp_bound: 0,
            cluster: (0, 0, 0),
            row: None,
            roots,
            is_seq_cst: true,
        }
    }

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
