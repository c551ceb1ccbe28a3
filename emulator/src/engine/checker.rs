//! What the engine tells the checks of a run, and asks them. The detector implements both traits; the engine knows no other part of it.

use std::any::Any;
use std::fmt;
use std::rc::Rc;

use crate::engine::pending::MadeWeakly;
use crate::engine::warp_op::WarpOp;
use crate::site::{Site, SiteId};

/// The checks of a run, shared by its workers.
pub(crate) trait RunChecker: fmt::Debug + Send + Sync {
    /// The checks of the blocks that run on one place of a worker, one after the other.
    ///
    /// # Safety
    /// The run outlives the result.
    unsafe fn block_checker(&self) -> Rc<dyn BlockChecker>;

    /// What reports call the element of global memory at an address.
    fn name_of(&self, address: usize) -> Option<String>;

    /// All lanes of these blocks have met: those of a cluster, or of the grid.
    fn blocks_met(&self, blocks: &[Rc<dyn BlockChecker>], grid: bool);

    /// All lanes of these blocks, which ran together, have exited.
    fn blocks_over(&self, blocks: &[Rc<dyn BlockChecker>]);
}

/// The checks of one block.
pub(crate) trait BlockChecker: fmt::Debug + Any {
    /// A new block begins: that at this index of the grid. All times of the set are below `start`.
    fn restart(&self, block: [u32; 3], start: u32);

    /// The highest time of its lanes.
    fn high(&self) -> u32;

    /// From now on its lanes run on this OS thread, as those of the `Running` at this address. Ends with [`super::tls::CHECKER`] being reset.
    fn runs_here(&self, running: *const ());

    /// All lanes of the block that have not exited, which are `live` by warp, have met at `site`. `answers`: and learn something by it.
    fn block_met(&self, site: Site, answers: bool, live: &[u32]);

    /// Lanes of a warp have met at `op`: all of it that have not exited, if `whole`.
    fn warp_met(&self, warp: u32, op: WarpOp, lanes: u32, whole: bool);

    /// A lane arrives at a barrier of so many threads, for those that will wait there.
    fn arrives_at_part(&self, thread: u32, id: u32, count: u32);

    /// That barrier opened: by warp, the lanes that waited.
    fn part_met(&self, site: Site, barrier: (u32, u32), waiting: &[u32]);

    /// The site of the latest call of instrumented code that lane number `thread` has not returned from; 0: none.
    fn latest_call(&self, thread: u32) -> u32;

    /// The place to name of what lane number `thread` does at `at`: the innermost of the user's code among it and the calls that it is in.
    fn users_site(&self, thread: u32, at: SiteId) -> SiteId;

    /// Under control: the lane that was chosen has made its access, and waits or has exited.
    fn access_made(&self) -> MadeWeakly;

    /// A copy of the lane that runs has been waited for and takes place now.
    fn copy_ends(&self, to: *mut u8, bytes: usize);
}
