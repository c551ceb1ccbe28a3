//! What the lanes of a warp do together.

use std::fmt;

pub(crate) const LANES: u32 = 32;

/// What the lanes of a warp do together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WarpOp {
    Sync,
    Ballot,
    Any,
    All,
    /// Whether the votes agree.
    Uni,
    Shuffle(Mode),
    Match(Match, Bits),
    Reduce(Reduction),
    /// The lanes see each other's registers. All 32 lanes, as `.sync.aligned` asks.
    Exchange(Exchange),
    /// Has no mask to wait for: answered by `Warp::converge` when no lane of the block can go on.
    ActiveMask,
}

/// Registers that a lane can hand in.
pub(crate) const REGISTERS: usize = 64;

/// What each lane of a warp handed in.
pub(crate) type Registers = [[u32; REGISTERS]; LANES as usize];

/// What the lanes of a warp compute from the registers of all of them.
pub(crate) trait Together: Sync {
    /// The name of the operation: lanes meet by it.
    fn name(&self) -> &'static str;

    /// Called once, when the last lane has arrived: replaces what lanes handed in by what they get.
    fn compute(&self, registers: &mut Registers);
}

/// An operation that is no part of the engine.
#[derive(Clone, Copy)]
pub(crate) struct Exchange(pub(crate) &'static dyn Together);

impl PartialEq for Exchange {
    fn eq(&self, other: &Self) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for Exchange {}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

/// The four modes of PTX `shfl.sync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Idx,
    Up,
    Down,
    Bfly,
}

/// What a match asks of the lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Match {
    Any,
    All,
}

/// The width of the values that a match compares; the halves are operands `value` and `b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bits {
    B32,
    B64,
}

/// The operations of PTX `redux.sync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduction {
    Add,
    MinU32,
    MaxU32,
    MinI32,
    MaxI32,
    And,
    Or,
    Xor,
}

impl Reduction {
    pub(super) fn combine(self, a: u32, b: u32) -> u32 {
        match self {
            Self::Add => a.wrapping_add(b),
            Self::MinU32 => a.min(b),
            Self::MaxU32 => a.max(b),
            Self::MinI32 => a.cast_signed().min(b.cast_signed()).cast_unsigned(),
            Self::MaxI32 => a.cast_signed().max(b.cast_signed()).cast_unsigned(),
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
        }
    }
}

impl WarpOp {
    /// Whether the lanes that meet know afterwards what each other did to memory. PTX says so of `bar.warp.sync` alone; `shfl.sync`,
    /// `vote.sync`, `match.sync` and `redux.sync` exchange registers.
    pub(crate) fn orders_memory(self) -> bool {
        self == Self::Sync
    }

    /// The name of the intrinsic, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sync => "warp_sync",
            Self::Ballot => "vote_ballot",
            Self::Any => "vote_any",
            Self::All => "vote_all",
            Self::Uni => "vote_uni",
            Self::Match(Match::Any, Bits::B32) => "match_any_u32",
            Self::Match(Match::Any, Bits::B64) => "match_any_u64",
            Self::Match(Match::All, Bits::B32) => "match_all_u32",
            Self::Match(Match::All, Bits::B64) => "match_all_u64",
            Self::Reduce(Reduction::Add) => "redux_add",
            Self::Reduce(Reduction::MinU32) => "redux_min_u32",
            Self::Reduce(Reduction::MaxU32) => "redux_max_u32",
            Self::Reduce(Reduction::MinI32) => "redux_min_i32",
            Self::Reduce(Reduction::MaxI32) => "redux_max_i32",
            Self::Reduce(Reduction::And) => "redux_and",
            Self::Reduce(Reduction::Or) => "redux_or",
            Self::Reduce(Reduction::Xor) => "redux_xor",
            Self::Shuffle(Mode::Idx) => "shuffle_idx",
            Self::Shuffle(Mode::Up) => "shuffle_up",
            Self::Shuffle(Mode::Down) => "shuffle_down",
            Self::Shuffle(Mode::Bfly) => "shuffle_bfly",
            Self::Exchange(exchange) => exchange.0.name(),
            Self::ActiveMask => "active_mask",
        }
    }
}

/// What one lane brings along. Votes: `value` is 0 or 1. Shuffles: PTX operands a, b and c. Matches: low and high half.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Operands {
    pub(crate) value: u32,
    pub(crate) b: u32,
    pub(crate) c: u32,
}
