//! What an observer of a checked run is told: each access, rendezvous and exit of a lane. The lints are one.

use std::fmt;

use super::slot::AccessKind;
use crate::site::Site;

/// Which memory an access goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Global,
    /// The shared memory of the lane's own block.
    OwnShared,
    /// That of another block of its cluster.
    OtherShared,
    /// Constants, parameters, the lane's stack, memory that is not checked.
    Other,
}

/// Reads of one site, aligned to their length, in the order of the code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadRow {
    pub(crate) target: Target,
    /// The address of the first.
    pub(crate) first: usize,
    /// From each to the next, modulo 2^64.
    pub(crate) step: usize,
    /// How many.
    pub(crate) count: u32,
    /// The length of each.
    pub(crate) bytes: u32,
    pub(crate) site: u32,
}

/// Observes the lanes of one block after the other. While there is one, no site caches its memory where the fast path looks, so every access comes to `observed.rs` or
/// to the slow path, which report it here, and the fast path is as fast as without.
pub(crate) trait Observer: fmt::Debug {
    /// The block at this place of the grid begins.
    fn begins(&self, block: [u32; 3]);
    /// A thread accesses memory: an address, so many bytes, and the alignment that the code promises.
    fn accesses(&self, thread: u32, target: Target, range: (usize, usize, usize), what: AccessKind);
    /// [`accesses`](Self::accesses), if that can be told quickly: a read or write of so many bytes, aligned to as many, like one that the thread's warp has just made from there.
    /// False: it was not told.
    fn accesses_again(
        &self,
        thread: u32,
        target: Target,
        range: (usize, usize),
        what: AccessKind,
    ) -> bool;
    /// A thread reads these rows next, of one site each. False: each read will be told on its own, and none was told here.
    fn reads_rows(&self, thread: u32, rows: &[ReadRow]) -> bool;
    /// A thread begins an asynchronous copy to shared memory.
    fn copies(&self, thread: u32, to: usize, bytes: usize, site: u32);
    /// A thread is about to call an intrinsic from there.
    fn executes(&self, thread: u32, site: u32);
    /// A thread made a fence.
    fn fences(&self);
    /// A thread reads an array through a texture: the first element, by an address in tiles.
    fn fetches(&self, thread: u32, site: u32, address: usize, bytes: usize);
    /// What a thread accesses from now on is a barrier in memory or was told otherwise, and is not data; until the next call, with `false`.
    fn is_at_mbarrier(&self, thread: u32, is_there: bool);
    /// All threads of the block have met; `answers`: and learn something by it.
    fn block_met(&self, place: Site, answers: bool);
    /// Lanes of a warp have met.
    fn warp_met(&self, warp: u32, lanes: u32);
    /// Threads of the block have met: by warp, their lanes.
    fn part_met(&self, place: Site, waiting: &[u32]);
    /// The blocks of a cluster, or all of the grid, have met.
    fn blocks_met(&self);
    /// A thread is over.
    fn exits(&self, thread: u32);
}
