//! Locations and their stores.

use std::collections::BTreeMap;
use std::collections::VecDeque;

use super::message::{EVERYTHING, Message, Place, Reach, View};
use crate::control::ReadableStore;

/// Stores that are kept of a location: older ones are not read, and no store takes a place before them.
pub(super) const MOST_STORES: usize = 8;

/// From a store that was the newest to the next one: room for those that take a place in between.
const STEP: u64 = 1 << 24;

/// Bytes of an atomic, at most.
const WIDEST: usize = 16;

/// One store.
#[derive(Debug, Clone)]
pub(super) struct Store {
    /// Its place in the modification order.
    pub(super) time: u64,
    pub(super) value: u64,
    pub(super) message: Message,
    /// Which access of the launch it was; `None`: it is what memory held before atomics accessed it.
    pub(super) access: Option<u64>,
    /// From where it was made, in which scope; `None` likewise.
    pub(super) reach: Option<Reach>,
    /// It is a change, which read the store before it: nothing comes between the two.
    pub(super) is_change: bool,
    /// What the detector had at the address before the next store. Of the newest it is not known.
    pub(super) graph: Option<u32>,
}

impl Store {
    pub(super) fn as_readable(&self) -> ReadableStore {
        ReadableStore {
            access: self.access,
            value: self.value,
        }
    }
}

#[derive(Debug)]
struct Location {
    /// At least one, in modification order; the newest last.
    stores: VecDeque<Store>,
}

/// All that atomics have accessed.
#[derive(Debug, Default)]
pub(super) struct Locations {
    all: Vec<Location>,
    /// By address: how many bytes, and the number in `all`.
    at: BTreeMap<usize, (usize, usize)>,
}

impl Locations {
    /// The number of the location that an access goes to, whose memory holds this value.
    pub(super) fn find(&mut self, address: usize, bytes: usize, memory: u64) -> usize {
        if let Some((width, number)) = self.at.get(&address).copied()
            && width == bytes
        {
            if self.newest(number).value != memory {
                // Something else than an atomic has written there, which is a race unless it was ordered before.
                let message = self.everything();
                let time = self.newest(number).time + STEP;
                let stores = &mut self.all[number].stores;
                stores.clear();
                stores.push_back(written_before(time, memory, message));
            }
            return number;
        }
        // Accesses of another size were made: all that they may have ordered is ordered.
        let message = match self.forget(address, bytes) {
            true => self.everything(),
            false => Message::default(),
        };
        let number = self.all.len();
        self.all.push(Location {
            stores: VecDeque::from([written_before(0, memory, message)]),
        });
        self.at.insert(address, (bytes, number));
        number
    }

    /// What overlaps these bytes is no location any longer; whether there was one. Its number is not given to another.
    pub(super) fn forget(&mut self, address: usize, bytes: usize) -> bool {
        let first = address.saturating_sub(WIDEST - 1);
        let near = self.at.range(first..address + bytes);
        let overlapping: Vec<usize> = near
            .filter(|(at, (width, _))| **at + width > address)
            .map(|(at, _)| *at)
            .collect();
        for at in &overlapping {
            self.at.remove(at);
        }
        !overlapping.is_empty()
    }

    pub(super) fn newest(&self, number: usize) -> &Store {
        let stores = &self.all[number].stores;
        &stores[stores.len() - 1]
    }

    pub(super) fn newest_mut(&mut self, number: usize) -> &mut Store {
        let stores = &mut self.all[number].stores;
        let last = stores.len() - 1;
        &mut stores[last]
    }

    /// The store of this time, which is there.
    pub(super) fn of_time(&mut self, number: usize, time: u64) -> &mut Store {
        let at = self.place_of(number, time);
        &mut self.all[number].stores[at]
    }

    fn place_of(&self, number: usize, time: u64) -> usize {
        let stores = &self.all[number].stores;
        let later = stores.partition_point(|store| store.time <= time);
        later.saturating_sub(1)
    }

    /// The time of a store that comes right behind the one of time `behind`.
    pub(super) fn time_behind(&self, number: usize, behind: u64) -> u64 {
        let next = self.all[number]
            .stores
            .get(self.place_of(number, behind) + 1);
        next.map_or(behind + STEP, |next| behind.midpoint(next.time))
    }

    /// Adds a store at the place that its time says.
    pub(super) fn add(&mut self, number: usize, store: Store) {
        let at = self.place_of(number, store.time) + 1;
        let stores = &mut self.all[number].stores;
        stores.insert(at, store);
        if stores.len() > MOST_STORES {
            stores.pop_front();
        }
    }

    /// The stores from the newest to that of time `known` that a load may read, or that a write may come right behind; the newest alone if the scope of one does not
    /// include the thread `at`, or the other way round: that is a finding.
    pub(super) fn choices(
        &self,
        number: usize,
        known: u64,
        at: Reach,
        writes: bool,
    ) -> Vec<&Store> {
        let stores = &self.all[number].stores;
        let recent = || stores.iter().rev().take_while(|store| store.time >= known);
        let reaches = |store: &Store| store.reach.is_none_or(|reach| reach.is_mutual(at));
        if !recent().all(reaches) {
            return vec![self.newest(number)];
        }
        let mut next: Option<&Store> = None;
        let choices = recent().filter(|store| {
            let is_open = next.is_none_or(|next| !next.is_change && next.time - store.time > 1);
            next = Some(store);
            !writes || is_open
        });
        choices.collect()
    }

    /// All stores there are.
    fn everything(&self) -> Message {
        let mut view = View::default();
        for number in 0..self.all.len() {
            view.raise(number, self.newest(number).time);
        }
        let mut message = Message::default();
        let from = Place {
            block: 0,
            cluster: 0,
        };
        let reach = Reach {
            scope: EVERYTHING,
            from,
        };
        message.add_view(reach, &view);
        message
    }
}

/// What memory holds before atomics have accessed it.
fn written_before(time: u64, value: u64, message: Message) -> Store {
    Store {
        time,
        value,
        message,
        access: None,
        reach: None,
        is_change: false,
        graph: None,
    }
}
