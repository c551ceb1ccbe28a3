//! What to check, in which order threads run, and as which GPU.

use crate::model::Model;

/// How much a run looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mode {
    /// Barriers, warp operations and panics only: the kernel as rustc compiled it for the host.
    #[default]
    Fast,
    /// Every access to memory as well: the instrumented kernel.
    Checked,
}

/// Which of the threads that can run runs next, and which block starts next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Schedule {
    /// Lowest block, warp and lane first; the same warp as long as it can run.
    #[default]
    Forward,
    /// Highest block, warp and lane first.
    Reverse,
    /// Lowest block first; in it the last warp first.
    LastWarpFirst,
    /// A lane runs as far as it can before any other of its warp starts; lanes in turn across warps.
    OneLane,
    /// Any, as the seed decides: blocks, warps and lanes.
    Random(u64),
}

/// What a run is asked for beyond its shape.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Options {
    /// How much the run looks at.
    pub mode: Mode,
    /// The order.
    pub schedule: Schedule,
    /// Whether performance is looked at as well; only in [`Mode::Checked`].
    pub lints: bool,
    /// The GPU whose limits hold.
    pub model: Model,
}
