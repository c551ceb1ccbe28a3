//! Puts the lanes of a warp together again: which of their accesses a GPU would make as one.
//!
//! Lanes run one after the other here. Between two synchronisations of a lane, its k-th execution of a place belongs with the k-th
//! execution of that place by the other lanes of its warp between the same synchronisations. That is a *request*. A lane that executes
//! the place less often is not in it.

use super::request::Request;
use super::tally::Tally;
use super::vector::Counted;
use crate::engine::warp::{LANES, lanes};

/// Of so many executions of one place by one warp between two synchronisations, the addresses are analysed; of the rest, the number.
pub(crate) const MOST_KEPT: u32 = 512;

const NEVER: u32 = u32::MAX;

/// One warp of a block that runs.
#[derive(Debug)]
pub(crate) struct Warp {
    /// Lanes that exist.
    existing: u32,
    exited: u32,
    /// Lanes that executed anything, or waited for others.
    worked: u32,
    /// Synchronisations of each lane so far. Lanes that synchronise with each other have the same number afterwards.
    intervals: [u32; LANES as usize],
    /// In which interval each lane exited.
    exits: [u32; LANES as usize],
    /// What was executed, by the number of the place, and by interval.
    tracks: Vec<Vec<Segment>>,
    /// Places with segments.
    busy: Vec<u32>,
    /// Emptied segments.
    spare: Vec<Segment>,
}

/// What a warp did at one place in one interval.
#[derive(Debug)]
struct Segment {
    interval: u32,
    /// Executions by each lane.
    counts: [u32; LANES as usize],
    /// The first of them, put together. Empty if the place accesses no memory that is profiled.
    requests: Vec<Request>,
}

impl Warp {
    /// Warp number `warp` of a block of `n_threads`.
    pub(crate) fn new(n_threads: u32, warp: u32) -> Self {
        let n_lanes = (n_threads - warp * LANES).min(LANES);
        Self {
            existing: u32::MAX >> (LANES - n_lanes),
            exited: 0,
            worked: 0,
            intervals: [0; LANES as usize],
            exits: [NEVER; LANES as usize],
            tracks: Vec::new(),
            busy: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Begins the next block, of the same size.
    pub(crate) fn restart(&mut self) {
        self.exited = 0;
        self.worked = 0;
        self.intervals = [0; LANES as usize];
        self.exits = [NEVER; LANES as usize];
    }

    /// A lane executes a place; `access`: the address and the bytes that it accesses there.
    #[inline]
    pub(crate) fn execute(&mut self, slot: u32, lane: u32, access: Option<(u64, u32)>) -> Counted {
        self.worked |= 1 << lane;
        let interval = self.intervals[lane as usize];
        if self.tracks.len() <= slot as usize {
            self.tracks.resize_with(slot as usize + 1, Vec::new);
        }
        let track = &mut self.tracks[slot as usize];
        let at = track
            .iter()
            .position(|segment| segment.interval == interval);
        let at = at.unwrap_or_else(|| {
            if track.is_empty() {
                self.busy.push(slot);
            }
            let segment = self.spare.pop().unwrap_or_else(Segment::new);
            track.push(Segment {
                interval,
                ..segment
            });
            track.len() - 1
        });
        let segment = &mut track[at];
        let before = segment.counts[lane as usize];
        segment.counts[lane as usize] = before.saturating_add(1);
        if let Some((address, bytes)) = access
            && before < MOST_KEPT
        {
            // A lane has executed the place `before` times, so there are as many requests.
            if segment.requests.len() == before as usize {
                segment.requests.push(Request::new(bytes));
            }
            let request = &mut segment.requests[before as usize];
            request.bytes = request.bytes.max(bytes);
            request.add(lane, address);
        }
        Counted {
            slot,
            interval,
            before,
        }
    }

    /// What a lane counted there accesses `bytes` bytes. False: the lane has synchronised since.
    pub(crate) fn widen(&mut self, counted: Counted, lane: u32, bytes: u32) -> bool {
        if self.intervals[lane as usize] != counted.interval {
            return false;
        }
        let track = &mut self.tracks[counted.slot as usize];
        let mut segments = track.iter_mut();
        let Some(segment) = segments.find(|segment| segment.interval == counted.interval) else {
            return false;
        };
        // Beyond those that are kept, executions are only counted.
        if let Some(request) = segment.requests.get_mut(counted.before as usize) {
            request.bytes = request.bytes.max(bytes);
        }
        true
    }

    /// The lanes of `mask` wait for each other.
    pub(crate) fn join(&mut self, mask: u32) {
        let mask = mask & self.existing & !self.exited;
        let latest = lanes(mask).map(|lane| self.intervals[lane as usize]).max();
        self.enter(mask, latest.map_or(0, |latest| latest + 1));
    }

    /// The latest interval of the lanes that have not exited.
    pub(crate) fn latest(&self) -> u32 {
        let live = lanes(self.existing & !self.exited);
        live.map(|lane| self.intervals[lane as usize])
            .max()
            .unwrap_or(0)
    }

    /// The lanes of `mask` begin this interval.
    pub(crate) fn enter(&mut self, mask: u32, interval: u32) {
        for lane in lanes(mask & self.existing & !self.exited) {
            self.intervals[lane as usize] = interval;
        }
    }

    /// A lane exits. True: it was the last one.
    pub(crate) fn exit(&mut self, lane: u32) -> bool {
        self.exited |= 1 << lane & self.existing;
        self.exits[lane as usize] = self.intervals[lane as usize];
        if self.intervals[lane as usize] > 0 {
            self.worked |= 1 << lane;
        }
        self.exited == self.existing
    }

    /// Lanes that exist, and those of them that executed anything.
    pub(crate) fn workers(&self) -> (u32, u32) {
        (self.existing, self.worked)
    }

    /// Gives `take` what no lane can add to any more. `tallies`: by the number of the place.
    pub(crate) fn settle(&mut self, who: (u64, u32), tallies: &mut [Tally]) {
        let live = lanes(self.existing & !self.exited);
        let earliest = live.map(|lane| self.intervals[lane as usize]).min();
        let over = |segment: &Segment| earliest.is_none_or(|earliest| segment.interval < earliest);
        let mut busy = std::mem::take(&mut self.busy);
        busy.retain(|slot| {
            let mut track = std::mem::take(&mut self.tracks[*slot as usize]);
            let mut at = 0;
            while at < track.len() {
                if !over(&track[at]) {
                    at += 1;
                    continue;
                }
                let mut segment = track.swap_remove(at);
                let present = self.present(segment.interval);
                let tally = &mut tallies[*slot as usize];
                tally.add(&segment.counts, &segment.requests, present, who);
                segment.clear();
                self.spare.push(segment);
            }
            self.tracks[*slot as usize] = track;
            !self.tracks[*slot as usize].is_empty()
        });
        self.busy = busy;
    }

    /// Lanes that could have taken part in this interval: not those that had exited, nor those that never did anything.
    fn present(&self, interval: u32) -> u32 {
        let gone = |lane: &u32| {
            let bit = 1 << lane;
            self.exited & bit != 0
                && (self.exits[*lane as usize] < interval || self.worked & bit == 0)
        };
        lanes(self.existing)
            .filter(|lane| !gone(lane))
            .fold(0, |mask, lane| mask | 1 << lane)
    }
}

impl Segment {
    fn new() -> Self {
        Self {
            interval: 0,
            counts: [0; LANES as usize],
            requests: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.counts = [0; LANES as usize];
        self.requests.clear();
    }
}
