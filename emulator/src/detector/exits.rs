//! Lanes that returned after a write: a barrier that they did not reach orders nothing that they did. Rule 2 of `README.md`.

use super::clock::{Clocks, Gathered, MOST_LANES};
use crate::engine::warp::{LANES, lanes};
use crate::site::Site;

impl Clocks {
    /// Lane number `thread` of the block writes; gives its time. Read again behind the write to `wrote`, 4096 bytes away, it would be taken for what was written, by the
    /// lower bits of the address, and wait for it.
    #[inline(always)]
    pub(super) fn note_write(&self, thread: u32) -> u32 {
        let thread = thread as usize % MOST_LANES;
        let t = self.all_times[thread].get();
        self.wrote[thread].set(t);
        t
    }

    /// Whether a lane of the warp that is not in `live` wrote since the latest barrier of the warp.
    pub(super) fn has_returned_after_write(&self, warp: u32, live: u32) -> bool {
        let bound = self.warp_bound(self.base.get() + warp * LANES);
        self.any_exited_wrote(warp, live, bound)
    }

    /// Whether a lane of the warp that is not in `live` wrote at or after `since`.
    fn any_exited_wrote(&self, warp: u32, live: u32, since: u32) -> bool {
        self.exited(warp, live)
            .any(|thread| self.wrote_since(thread, since))
    }

    /// Whether the lane wrote at or after `since` and after the latest barrier that it reached.
    fn wrote_since(&self, thread: u32, since: u32) -> bool {
        let thread = thread as usize % MOST_LANES;
        self.wrote[thread].get() >= since.max(self.met[thread].get())
    }

    /// The lanes of the warp that are not in `live`, by their numbers in the block.
    fn exited(&self, warp: u32, live: u32) -> impl Iterator<Item = u32> {
        let n_threads = self.times().len() as u32;
        let numbers = lanes(!live).map(move |lane| warp * LANES + lane);
        numbers.filter(move |thread| *thread < n_threads)
    }

    /// All lanes that have not exited have met at `place`; `live` are these, by warp. `false`, and nothing happened, if no other wrote since
    /// the block's latest barrier: then this is as a barrier of all lanes.
    pub(super) fn live_met(&self, live: &[u32], place: Site) -> bool {
        let since = self.bound.get();
        let by_warp = || (0..).zip(live.iter().copied());
        if !by_warp().any(|(warp, live)| self.any_exited_wrote(warp, live, since)) {
            return false;
        }
        let (interval, _) = self.interval.get();
        self.interval.set((interval + 1, Some(place)));
        let mut left_out = self.left_out.borrow_mut();
        for thread in by_warp().flat_map(|(warp, live)| self.exited(warp, live)) {
            let is_new = !left_out.iter().any(|(known, _)| *known == thread);
            if is_new && self.wrote_since(thread, since) {
                left_out.push((thread, place));
            }
        }
        // A barrier of a part of the block: rule 4. Lanes that returned without a write since the one before are as those that arrive.
        let is_in = |thread: &u32| !self.wrote_since(*thread, since);
        let returned = by_warp().flat_map(|(warp, live)| self.exited(warp, live));
        let returned: Vec<u32> = returned.filter(is_in).collect();
        let arrived =
            || by_warp().flat_map(|(warp, live)| lanes(live).map(move |lane| warp * LANES + lane));
        let mut gathered = Gathered::default();
        for thread in arrived().chain(returned) {
            self.gather(thread as usize, &mut gathered);
        }
        for thread in arrived() {
            self.learn(thread as usize, &gathered);
            let thread = thread as usize % MOST_LANES;
            self.met[thread].set(self.all_times[thread].get());
        }
        true
    }

    /// The first barrier of the block that lane `who` did not reach, if it had returned after a write.
    pub(super) fn missed_barrier(&self, who: u32) -> Option<Site> {
        let thread = who.wrapping_sub(self.base.get());
        let left_out = self.left_out.borrow();
        let (_, place) = left_out.iter().find(|(known, _)| *known == thread)?;
        Some(*place)
    }
}
