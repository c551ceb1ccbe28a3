//! Threads of a block that wait for other blocks: `co_resident.rs` decides for how long.

use super::Block;
use crate::engine::warp::LANES;
use crate::site::Site;

impl Block {
    /// `thread`, which is running, waits for other blocks.
    pub(crate) fn wait_outside(&mut self, thread: u32, site: Site) {
        self.sites[thread as usize] = site;
        self.n_waiting += 1;
    }

    /// The threads of these masks, one for each warp, waited for other blocks and are ready now. Leaves the masks empty.
    pub(crate) fn release_from_outside(&mut self, waiting: &mut [u32]) {
        for (warp, waiting) in self.warps.iter_mut().zip(waiting) {
            let released = std::mem::take(waiting);
            warp.ready |= released;
            self.n_waiting -= released.count_ones();
        }
    }

    /// Whether each thread that has not exited is in these masks, one for each warp.
    pub(crate) fn are_live_among(&self, masks: &[u32]) -> bool {
        let missing = |(index, live): (usize, u32)| live & !masks.get(index).unwrap_or(&0) != 0;
        let live = self.warps.iter().map(|warp| warp.live);
        !live.enumerate().any(missing)
    }

    /// Where `thread` waits or last waited.
    pub(crate) fn site(&self, thread: u32) -> Site {
        debug_assert!(thread < self.warps.len() as u32 * LANES);
        self.sites[thread as usize]
    }
}
