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
    /// Which of its track's segments was executed last.
    latest_segment: usize,
}

/// A segment of a track, as long as none is settled.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spot {
    slot: u32,
    segment: usize,
    interval: u32,
}

/// What a warp did at one place in one interval.
#[derive(Debug)]
pub(crate) struct Segment {
    interval: u32,
    /// Executions by each lane.
    counts: [u32; LANES as usize],
    /// The first of them, put together: their lanes when it is settled, from the counts. Empty if the place accesses no memory that is profiled.
    requests: Vec<Request>,
    /// Bytes of each access so far; 0: of none, or different ones.
    bytes: u32,
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
            latest_segment: 0,
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
        self.latest_segment = at;
        let segment = &mut track[at];
        let before = match access {
            Some((address, bytes)) => {
                let is_like_others = segment.requests.is_empty() || segment.bytes == bytes;
                segment.bytes = if is_like_others { bytes } else { 0 };
                let before = segment.execute(lane, address, bytes);
                if let Some(request) = segment.requests.get_mut(before as usize) {
                    request.bytes = request.bytes.max(bytes);
                }
                before
            }
            None => segment.count(lane),
        };
        Counted {
            slot,
            interval,
            before,
        }
    }

    /// Where the latest execution was counted.
    pub(crate) fn latest_spot(&self, counted: Counted) -> Spot {
        Spot {
            slot: counted.slot,
            segment: self.latest_segment,
            interval: counted.interval,
        }
    }

    /// Where accesses of so many bytes count that a lane makes at a place where the warp was counted since it settled last. `None`: it is in another interval, or they count in another way.
    #[inline(always)]
    pub(crate) fn again(&mut self, spot: Spot, lane: u32, bytes: u32) -> Option<&mut Segment> {
        if self.intervals[lane as usize] != spot.interval {
            return None;
        }
        let track = self.tracks.get_mut(spot.slot as usize)?;
        let segment = track.get_mut(spot.segment)?;
        if segment.bytes != bytes {
            return None;
        }
        // A write that changes nothing would make the next access wait.
        if self.worked >> lane & 1 == 0 {
            self.worked |= 1 << lane;
        }
        Some(segment)
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
        segment.bytes = 0;
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
                segment.join();
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
            bytes: 0,
        }
    }

    /// A lane executes the place; gives how often it had before.
    #[inline(always)]
    fn count(&mut self, lane: u32) -> u32 {
        let before = self.counts[lane as usize];
        self.counts[lane as usize] = before.saturating_add(1);
        before
    }

    /// The same, with what it accesses.
    #[inline(always)]
    pub(crate) fn execute(&mut self, lane: u32, address: u64, bytes: u32) -> u32 {
        let before = self.count(lane);
        if before < MOST_KEPT {
            // A lane has executed the place `before` times, so there are as many requests.
            if self.requests.len() == before as usize {
                self.requests.push(Request::new(bytes));
            }
            self.requests[before as usize].at[lane as usize] = address;
        }
        before
    }

    /// The same, `count` times: each access `step` bytes behind the one before, modulo 2^64.
    #[inline(always)]
    pub(crate) fn execute_row(&mut self, lane: u32, (mut address, step): (u64, u64), count: u32) {
        let before = self.counts[lane as usize];
        let known = self.requests.get_mut(before as usize..);
        let known = known.and_then(|behind| behind.get_mut(..count as usize));
        let Some(known) = known else {
            // A lane has executed the place `before` times, and the segment has accesses of one length only.
            for _ in 0..count {
                self.execute(lane, address, self.bytes);
                address = address.wrapping_add(step);
            }
            return;
        };
        self.counts[lane as usize] = before.saturating_add(count);
        for request in known {
            request.at[lane as usize] = address;
            address = address.wrapping_add(step);
        }
    }

    /// Tells the requests their lanes.
    fn join(&mut self) {
        let (mut mask, mut until) = (0, 0);
        for (k, request) in (0..).zip(&mut self.requests) {
            if k == until {
                let those = (0..LANES).filter(|lane| self.counts[*lane as usize] > k);
                mask = those.clone().fold(0, |mask, lane| mask | 1 << lane);
                // Up to the next lane's last one all have the same lanes.
                let last = those.map(|lane| self.counts[lane as usize]).min();
                until = last.unwrap_or(u32::MAX);
            }
            request.mask = mask;
        }
    }

    fn clear(&mut self) {
        self.counts = [0; LANES as usize];
        self.requests.clear();
        self.bytes = 0;
    }
}
