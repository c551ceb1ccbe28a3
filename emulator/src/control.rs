//! Decides from outside of the engine which thread goes on at each atomic access: what an exploration of schedules implements.
//!
//! In a run under control one worker runs all blocks of a small grid together. A thread runs until its next atomic or volatile access, and is
//! *pending* there until the [`Controller`] chooses it; a thread that waits at a barrier or warp operation, or polls, is not. Threads run to their
//! next atomic access, wait or exit in a fixed order before each choice: what they do on the way is ordered by what they synchronised with,
//! or it is a data race, which is found in any order. So the sequence of choices is the schedule.
//!
//! A thread that makes an atomic access of the same memory from the same place for the third time, without having changed memory, is taken
//! for one that polls. It goes on when another thread has changed memory by an atomic, or when no thread is pending.
//!
//! With weak memory the controller chooses, too, which store an atomic load reads, and which one a write comes right behind in the modification order, among those that the
//! memory model allows (`detector/weak.rs`), and sequentially consistent fences are accesses of no bytes. So is the choice whether a store comes before the load that stands before it
//! (`detector/early.rs`).

use std::fmt;
use std::sync::Arc;

use crate::site::SiteId;

/// A thread of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId {
    /// The number of its block in the grid; x runs fastest.
    pub block: u64,
    /// Its number in the block; x runs fastest.
    pub thread: u32,
}

/// An atomic or volatile access that a thread makes when it is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingAccess {
    /// Which thread.
    pub thread: ThreadId,
    /// The first byte; 0 of a fence, and of a choice.
    pub address: usize,
    /// How many; none of a fence, and of the choice whether a store comes before a load.
    pub bytes: u32,
    /// Whether it may change them.
    pub writes: bool,
    /// Whether its order among all others of the kind matters: a sequentially consistent access or fence, with weak memory.
    pub seq_cst: bool,
    /// Where in the source.
    pub site: SiteId,
}

/// What the chosen access did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MadeAccess {
    /// The value before, which is that of an older store if `newest` says so; `None`: it has more than 64 bits.
    pub before: Option<u64>,
    /// The value afterwards.
    pub after: Option<u64>,
    /// Whether memory has another value now.
    pub changed: bool,
    /// Whether other accesses of the memory can tell that it was made: it changed memory, or, with weak memory, it is a store.
    pub is_store: bool,
    /// What memory holds, if a load read an older store, or a write came behind one.
    pub newest: Option<u64>,
    /// What reports call the memory; only for a controller that [names memory](Controller::names_memory).
    pub memory: Option<String>,
}

/// A store that a load may read, or that a write may come right behind in the modification order: a change reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadableStore {
    /// Which access of the launch it was, counted from 0 in the order in which they were chosen; `None`: none of them.
    pub access: Option<u64>,
    /// What it wrote.
    pub value: u64,
}

/// The launch that begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlledLaunch {
    /// The kernel, as reports name it.
    pub kernel: &'static str,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Whether all its blocks run together. The grid is too large otherwise: then blocks (or clusters) run one after the other.
    pub is_together: bool,
}

/// Makes the choices of runs.
pub trait Controller: Send + Sync {
    /// A launch begins.
    fn begin(&self, launch: ControlledLaunch);

    /// Which of these accesses is made next: an index. The list is not empty, and sorted by block and thread.
    fn choose(&self, pending: &[PendingAccess]) -> usize;

    /// Whether loads may read older stores, and writes come behind older ones, as far as the memory model allows it.
    fn has_weak_memory(&self) -> bool {
        false
    }

    /// Which of these stores the access reads, or comes right behind, that was chosen last: an index. They are at least two, the newest first.
    fn choose_store(&self, stores: &[ReadableStore]) -> usize {
        let _ = stores;
        0
    }

    /// Whether the store behind the next load of the thread that was chosen last comes before that load. Asked when a choice, an access of no bytes, was chosen.
    fn stores_early(&self) -> bool {
        false
    }

    /// What came of the access that was chosen last.
    fn made(&self, access: MadeAccess);

    /// These threads have synchronised at a barrier or warp operation.
    fn met(&self, threads: &[ThreadId]);

    /// The variables that make another run take the same schedule, as reports name them.
    fn replay(&self) -> String;

    /// Whether the names of memory are asked for, which takes time.
    fn names_memory(&self) -> bool {
        false
    }
}

/// A controller, shared by the launches that it controls.
#[derive(Clone)]
pub struct Control(pub Arc<dyn Controller>);

impl Control {
    /// Most threads of a grid whose blocks run together. Each has a stack.
    pub const MOST_THREADS: u64 = 2048;
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Control")
    }
}

impl PartialEq for Control {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Control {}
