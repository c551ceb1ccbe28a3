//! How many threads change the same atomic.

use super::barriers::Map;

/// A worker keeps so many pairs of address and warp; beyond, threads are no longer told apart.
const MOST_PAIRS: usize = 1 << 18;

/// A worker keeps so many addresses; beyond, operations on new ones are only summed.
const MOST_ADDRESSES: usize = 1 << 16;

/// Operations on atomics at one place of the program, by address.
#[derive(Debug, Default)]
pub(crate) struct Contention {
    addresses: Map<u64, Hot>,
    /// Lanes by address and warp of the grid.
    lanes: Map<(u64, u64), u32>,
    /// Operations on addresses that there was no room for.
    rest: u64,
    /// Threads were not told apart any more.
    uncounted: bool,
}

/// What one address has seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Hot {
    pub(crate) operations: u64,
    pub(crate) threads: u64,
}

/// What one place did to all its addresses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Top {
    /// Operations in all.
    pub(crate) operations: u64,
    /// Addresses. In shared memory those of each block count for themselves.
    pub(crate) addresses: u64,
    /// The address with most operations. In shared memory an offset.
    pub(crate) address: u64,
    pub(crate) hottest: Hot,
    /// There may have been more threads.
    pub(crate) at_least: bool,
}

impl Contention {
    /// `warp`: of the grid.
    pub(crate) fn add(&mut self, address: u64, warp: u64, lane: u32) {
        if self.addresses.len() >= MOST_ADDRESSES && !self.addresses.contains_key(&address) {
            self.rest += 1;
            return;
        }
        let hot = self.addresses.entry(address).or_default();
        hot.operations += 1;
        if self.lanes.len() >= MOST_PAIRS {
            self.uncounted = true;
            return;
        }
        let lanes = self.lanes.entry((address, warp)).or_default();
        let new = *lanes & 1 << lane == 0;
        *lanes |= 1 << lane;
        hot.threads += u64::from(new);
    }

    /// Adds what another worker saw, whose blocks are others.
    pub(crate) fn merge(&mut self, other: Self) {
        for (address, theirs) in other.addresses {
            let hot = self.addresses.entry(address).or_default();
            hot.operations += theirs.operations;
            hot.threads += theirs.threads;
        }
        self.rest += other.rest;
        self.uncounted |= other.uncounted;
    }

    /// The sum, and the address with most operations; of several the lowest.
    pub(crate) fn top(&self) -> Top {
        let mut top = Top {
            operations: self.rest,
            addresses: self.addresses.len() as u64,
            at_least: self.uncounted,
            ..Top::default()
        };
        for (address, hot) in &self.addresses {
            top.operations += hot.operations;
            let order = |hot: &Hot, address: u64| (hot.operations, std::cmp::Reverse(address));
            if order(hot, *address) > order(&top.hottest, top.address) {
                (top.address, top.hottest) = (*address, *hot);
            }
        }
        top
    }

    /// What it saw, and forgets it: the block is over.
    pub(crate) fn drain(&mut self) -> Top {
        let top = self.top();
        *self = Self::default();
        top
    }
}

impl Top {
    /// Together with what was seen at other addresses.
    pub(crate) fn merge(&mut self, other: Self) {
        let order = |top: &Self| (top.hottest.operations, std::cmp::Reverse(top.address));
        if order(&other) > order(self) {
            (self.address, self.hottest) = (other.address, other.hottest);
        }
        self.operations += other.operations;
        self.addresses += other.addresses;
        self.at_least |= other.at_least;
    }
}
