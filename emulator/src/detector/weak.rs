//! Which stores an atomic load may read, and which place a store takes, in a run under control: a view-based operational semantics of the memory model.
//!
//! Each location, a piece of memory that atomics of one size access, has its stores in modification order. Each thread has a *view*: for each location the oldest store
//! that it may still read. A load reads any store that is not older, and a store takes a place behind any that is not older: right behind it, so perhaps before stores that
//! were made earlier, of which the thread does not know. Both raise the view, so that the thread's later loads read nothing older and its later stores come behind (coherence).
//! A change reads the store that it comes right behind. A store that releases carries the view of its thread, and a load that
//! acquires joins what the store carries to its own. README 16 to 22 say the rest.

mod access; // what the detector's atomics tell of themselves
mod message; // views that stores carry, and how far they reach
mod stores; // locations and their stores

pub(super) use access::{How, put, weak_blocks_met};
pub(super) use message::Place;

use std::collections::HashMap;

use super::atomic::Does;
use crate::control::ReadableStore;
use crate::engine::pending::MadeWeakly;
use message::{EVERYTHING, Message, Reach, View};
use stores::{Locations, Store};

const SEQ_CST: u32 = 4;

/// An atomic access that a thread makes next.
#[derive(Debug, Clone, Copy)]
pub(super) struct WeakAccess {
    pub(super) who: u32,
    pub(super) address: usize,
    pub(super) bytes: usize,
    pub(super) does: Does,
    pub(super) order: u32,
    pub(super) scope: u32,
    /// Which access of the launch it is.
    pub(super) number: u64,
    /// What the detector has at the address (`order.rs`), before the access.
    pub(super) graph: Option<u32>,
}

/// An older store than the newest, which a load reads or a write comes right behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OldStore {
    pub(super) value: u64,
    /// What the detector had at the address then.
    pub(super) graph: Option<u32>,
}

/// Where threads gather what they know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Meeting {
    /// A barrier of so many threads: block, number, count.
    Part(u32, u32, u32),
    /// A barrier in memory.
    Phase(usize),
    /// What is not followed one by one: it orders all.
    Everything,
}

/// What a thread knows.
#[derive(Debug, Default)]
struct Thread {
    current: View,
    /// What its relaxed loads read: an acquire fence joins it.
    unacquired: Message,
    /// What its release fences release.
    fences: Message,
}

/// The access that is being made.
#[derive(Debug, Default)]
enum UnderWay {
    #[default]
    None,
    /// A store or a change, whose value is known when it has been made.
    Writes(Write),
    /// A load of an older store: memory holds that meanwhile, instead of `newest`.
    ReadsOld {
        address: usize,
        bytes: usize,
        newest: u64,
    },
}

/// A store or a change that is being made.
#[derive(Debug)]
struct Write {
    access: WeakAccess,
    /// The number of its location.
    number: usize,
    /// The time of the store that it comes right behind.
    behind: u64,
    /// What memory has to hold afterwards, if that is not the newest one.
    newest: Option<u64>,
    /// What the detector has of it then.
    graph: Option<u32>,
}

/// All locations and threads of a run.
#[derive(Debug)]
pub(super) struct Weak {
    /// Bits of a lane's number inside its block.
    shift: u32,
    /// Blocks of a cluster.
    cluster: u32,
    locations: Locations,
    threads: HashMap<u32, Thread>,
    /// What sequentially consistent fences have published.
    seq_cst: Message,
    gathered: HashMap<Meeting, View>,
    under_way: UnderWay,
    /// Location and time of the access that was made last, if it is a write that came behind an older store.
    early: Option<(usize, u64)>,
    made: MadeWeakly,
}

impl Weak {
    pub(super) fn new(shift: u32, cluster: u32) -> Weak {
        Weak {
            shift,
            cluster,
            locations: Locations::default(),
            threads: HashMap::new(),
            seq_cst: Message::default(),
            gathered: HashMap::new(),
            under_way: UnderWay::None,
            early: None,
            made: MadeWeakly::default(),
        }
    }

    /// Other blocks begin.
    pub(super) fn clear(&mut self) {
        *self = Weak::new(self.shift, self.cluster);
    }

    fn place(&self, who: u32) -> Place {
        let block = who >> self.shift;
        let cluster = block / self.cluster;
        Place { block, cluster }
    }

    /// A thread makes an access next, of memory that holds `memory` now (`None`: it has another size than those that are followed). `Some`: it reads
    /// an older store, or comes behind it, which `choose` chose, if `may_be_old`.
    pub(super) fn access(
        &mut self,
        access: WeakAccess,
        memory: Option<u64>,
        may_be_old: bool,
        choose: impl FnOnce(&[ReadableStore]) -> usize,
    ) -> Option<OldStore> {
        let WeakAccess { who, scope, .. } = access;
        if access.order == SEQ_CST {
            self.seq_cst_fence(who, scope);
        }
        let Some(memory) = memory else {
            self.locations.forget(access.address, access.bytes);
            self.gather(Meeting::Everything, who);
            self.learn(Meeting::Everything, who);
            return None;
        };
        let number = self.locations.find(access.address, access.bytes, memory);
        let at = Reach {
            scope,
            from: self.place(who),
        };
        let known = self.threads.entry(who).or_default().current.of(number);
        let writes = access.does != Does::Loads;
        let choices = match may_be_old {
            true => self.locations.choices(number, known, at, writes),
            false => vec![self.locations.newest(number)],
        };
        let chosen = match choices.len() {
            0 | 1 => 0,
            most => {
                let stores: Vec<_> = choices.iter().map(|store| store.as_readable()).collect();
                choose(&stores).min(most - 1)
            }
        };
        let store = choices[chosen].clone();
        let newest = (chosen != 0).then_some(memory);
        if access.does != Does::Stores {
            self.reads(access, number, &store);
        }
        self.early = None;
        if newest.is_some() {
            self.made.newest = newest;
        }
        if writes {
            self.locations.newest_mut(number).graph = access.graph;
            self.under_way = UnderWay::Writes(Write {
                access,
                number,
                behind: store.time,
                newest,
                graph: None,
            });
        } else if let Some(newest) = newest {
            let WeakAccess { address, bytes, .. } = access;
            self.under_way = UnderWay::ReadsOld {
                address,
                bytes,
                newest,
            };
        }
        let (value, graph) = (store.value, store.graph);
        newest.map(|_| OldStore { value, graph })
    }

    /// What a thread learns by reading a store.
    fn reads(&mut self, access: WeakAccess, number: usize, store: &Store) {
        let at = Reach {
            scope: access.scope,
            from: self.place(access.who),
        };
        let thread = self.threads.entry(access.who).or_default();
        thread.current.raise(number, store.time);
        if acquires(access.order) {
            store.message.join_to(&mut thread.current, at);
        } else {
            thread.unacquired.add(&store.message, EVERYTHING);
        }
    }

    /// The access that was under way has been made; `memory` is what `address` and so many bytes hold now. Gives what memory has to hold from now on, if it held an older store.
    pub(super) fn settle(
        &mut self,
        memory: impl FnOnce(usize, usize) -> Option<u64>,
    ) -> Option<(usize, usize, u64)> {
        match std::mem::take(&mut self.under_way) {
            UnderWay::None => None,
            UnderWay::ReadsOld {
                address,
                bytes,
                newest,
            } => Some((address, bytes, newest)),
            UnderWay::Writes(write) => {
                let WeakAccess { address, bytes, .. } = write.access;
                let newest = write.newest;
                if let Some(value) = memory(address, bytes) {
                    self.writes(write, value);
                }
                newest.map(|newest| (address, bytes, newest))
            }
        }
    }

    fn writes(&mut self, write: Write, value: u64) {
        let Write { access, number, .. } = write;
        let reach = Reach {
            scope: access.scope,
            from: self.place(access.who),
        };
        let behind = self.locations.time_behind(number, write.behind);
        let is_change = access.does == Does::Changes;
        let before = self.locations.of_time(number, write.behind);
        let leaves_value = is_change && before.value == value;
        let time = if leaves_value { before.time } else { behind };
        let thread = self.threads.entry(access.who).or_default();
        thread.current.raise(number, time);
        let mut message = Message::default();
        if releases(access.order) {
            message.add_view(reach, &thread.current);
        }
        message.add(&thread.fences, access.scope);
        if is_change {
            // It continues the release sequence.
            message.add(&before.message, EVERYTHING);
        }
        if write.newest.is_some() {
            self.early = Some((number, time));
            self.made.written = Some(value);
        }
        if leaves_value {
            (before.message, before.graph) = (message, write.graph);
            return;
        }
        self.made.is_store = true;
        let store = Store {
            time,
            value,
            message,
            access: Some(access.number),
            reach: Some(reach),
            is_change,
            graph: write.graph,
        };
        self.locations.add(number, store);
    }

    /// What the detector has of the write that is made now, or was made last, if that came behind an older store.
    pub(super) fn set_graph(&mut self, graph: Option<u32>) {
        if let UnderWay::Writes(write) = &mut self.under_way {
            write.graph = graph;
        } else if let Some((number, time)) = self.early {
            self.locations.of_time(number, time).graph = graph;
        }
    }

    /// What the access that was chosen last did.
    pub(super) fn take_made(&mut self) -> MadeWeakly {
        std::mem::take(&mut self.made)
    }

    /// A fence of a thread.
    pub(super) fn fence(&mut self, who: u32, order: u32, scope: u32) {
        let from = self.place(who);
        let reach = Reach { scope, from };
        if acquires(order) {
            let thread = self.threads.entry(who).or_default();
            thread.unacquired.take_to(&mut thread.current, reach);
        }
        if order == SEQ_CST {
            self.seq_cst_fence(who, scope);
        }
        if releases(order) {
            let thread = self.threads.entry(who).or_default();
            thread.fences.set(reach, &thread.current);
        }
    }

    fn seq_cst_fence(&mut self, who: u32, scope: u32) {
        let from = self.place(who);
        let reach = Reach { scope, from };
        let thread = self.threads.entry(who).or_default();
        self.seq_cst.join_to(&mut thread.current, reach);
        self.seq_cst.add_view(reach, &thread.current);
    }

    /// These threads synchronise.
    pub(super) fn meet(&mut self, threads: &[u32]) {
        let mut all = View::default();
        for who in threads {
            all.join(&self.threads.entry(*who).or_default().current);
        }
        for who in threads {
            self.threads.entry(*who).or_default().current.join(&all);
        }
    }

    /// A thread arrives there.
    pub(super) fn gather(&mut self, meeting: Meeting, who: u32) {
        let thread = self.threads.entry(who).or_default();
        let gathered = self.gathered.entry(meeting).or_default();
        gathered.join(&thread.current);
    }

    /// A thread goes on from there.
    pub(super) fn learn(&mut self, meeting: Meeting, who: u32) {
        if let Some(gathered) = self.gathered.get(&meeting) {
            self.threads.entry(who).or_default().current.join(gathered);
        }
    }

    /// No other thread goes on from there.
    pub(super) fn is_over(&mut self, meeting: Meeting) {
        self.gathered.remove(&meeting);
    }

    /// This memory is freed.
    pub(super) fn forget(&mut self, address: usize, bytes: usize) {
        self.locations.forget(address, bytes);
    }
}

fn acquires(order: u32) -> bool {
    order & 1 != 0 || order == SEQ_CST
}

fn releases(order: u32) -> bool {
    order >= 2
}

#[cfg(all(test, not(loom)))]
#[path = "weak/tests.rs"]
mod tests;
