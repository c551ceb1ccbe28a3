//! Which schedules are explored, and how many were.

/// Which schedules are explored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Strategy {
    /// [`Exhaustive`](Strategy::Exhaustive) for half of the executions, unless that is complete or the body is not deterministic; then [`Priorities`](Strategy::Priorities) of depth
    /// 2, 3 and 4 and [`Random`](Strategy::Random) in turn.
    #[default]
    Automatic,
    /// All schedules but those that differ in the order of independent accesses only (dynamic partial-order reduction); the one without switches
    /// comes first. Accesses that leave memory as it was count as reads. A body that makes other
    /// accesses after the same choices is an error.
    Exhaustive,
    /// Random priorities of threads with `depth - 1` random changes (PCT): finds bugs that need few ordering constraints, among many threads.
    Priorities {
        /// Ordering constraints that a bug needs: 2 for most, 3 for some.
        depth: u32,
    },
    /// Each pending thread is as likely as any other, at each step; of the stores that an access may read or come behind, the newest is as likely as all others.
    Random,
}

/// What loads read, and in which order stores stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Memory {
    /// What the memory model of Rust allows: an atomic load may read an older value than the newest, a store or change may come before those of other threads
    /// that were made earlier, and a relaxed store right behind a relaxed load before that, unless orders, fences or barriers forbid it. The book's chapter on schedules has the limits.
    #[default]
    Weak,
    /// The newest store: all threads see one order of all accesses.
    SequentiallyConsistent,
}

/// What an exploration without a failure has run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explored {
    /// How often the body ran.
    pub executions: u64,
    /// Whether these are all schedules (see [`Strategy::Exhaustive`]).
    pub complete: bool,
    /// Atomic accesses of the longest execution.
    pub most_steps: usize,
}
