//! Places that count their accesses quickly: lanes of a warp run one after the other, and nearly all do at a place what the lane before did.

use std::array;

use super::warp::{Segment, Spot};
use super::{Access, AccessClass, Lints, Space};
use crate::engine::warp::LANES;

/// Places that are remembered, by the lower bits of their numbers.
const KEPT: usize = 64;

/// Of each place where its warp counts. All are forgotten when a segment is settled or a block ends.
#[derive(Debug)]
pub(crate) struct Recorders {
    all: Box<[Recorder; KEPT]>,
    /// Those of other generations are over.
    generation: u64,
}

/// Where the accesses of one place by one warp count.
#[derive(Debug, Clone, Copy, Default)]
struct Recorder {
    generation: u64,
    block: u64,
    site: u32,
    warp: u32,
    /// The access's kind and memory; `None`: nothing is remembered.
    what: Option<(AccessClass, Space)>,
    /// Where the watcher of the block is.
    at: usize,
    spot: Spot,
}

impl Default for Recorders {
    fn default() -> Self {
        Self {
            all: Box::new(array::from_fn(|_| Recorder::default())),
            generation: 0,
        }
    }
}

impl Recorders {
    /// What is remembered is over.
    #[inline]
    pub(crate) fn forget(&mut self) {
        self.generation += 1;
    }

    /// An access was counted there by the watcher at `at`, and others like it by the same warp count for nothing else.
    pub(crate) fn keep(&mut self, access: &Access, at: usize, spot: Spot) {
        let plain = matches!(access.kind, AccessClass::Load | AccessClass::Store);
        let Some(space) = access.space.filter(|_| plain) else {
            return;
        };
        self.all[access.site.0 as usize % KEPT] = Recorder {
            generation: self.generation,
            block: access.block,
            site: access.site.0,
            warp: access.thread / LANES,
            what: Some((access.kind, space)),
            at,
            spot,
        };
    }
}

impl Lints {
    /// [`access`](Self::access), if it is a read or write like one that the lane's warp has just made there. False: nothing is counted.
    #[inline]
    pub(crate) fn access_again(&mut self, access: &Access) -> bool {
        let segment = self.again(access);
        let lane = access.thread % LANES;
        segment.is_some_and(|segment| {
            segment.execute(lane, access.address, access.bytes);
            true
        })
    }

    /// The same of rows of accesses, of one place each: with each first access, how far behind one the next is, modulo 2^64, and how many they are.
    pub(crate) fn rows_again(
        &mut self,
        rows: impl Iterator<Item = (Access, u64, u32)> + Clone,
    ) -> bool {
        if !rows.clone().all(|(first, ..)| self.again(&first).is_some()) {
            return false;
        }
        for (first, step, count) in rows {
            if let Some(segment) = self.again(&first) {
                segment.execute_row(first.thread % LANES, (first.address, step), count);
            }
        }
        true
    }

    /// Where an access counts that is a read or write like one that the lane's warp has just made there.
    #[inline(always)]
    fn again(&mut self, access: &Access) -> Option<&mut Segment> {
        let recorder = &self.recorders.all[access.site.0 as usize % KEPT];
        let (warp, lane) = (access.thread / LANES, access.thread % LANES);
        let is_like_it = recorder.generation == self.recorders.generation
            && (recorder.site, recorder.warp) == (access.site.0, warp)
            && recorder.block == access.block
            && recorder.what.map(|(kind, _)| kind) == Some(access.kind)
            && recorder.what.map(|(_, space)| space) == access.space
            // An access that begins or continues a vector counts in another way.
            && access.align <= access.bytes
            && !self.vectors.is_any_open();
        if !is_like_it {
            return None;
        }
        let (spot, at) = (recorder.spot, recorder.at);
        let of = self.blocks.get_mut(at)?.warps.get_mut(warp as usize)?;
        of.again(spot, lane, access.bytes)
    }
}
