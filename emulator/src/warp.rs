//! One warp: which lanes wait for which operation, and what the operation gives each of them.
//!
//! Lanes meet by operation and mask, not by their place in the program: the operation is carried out once all lanes of the mask that
//! have not exited have arrived with the same operation and the same mask. In a ragged last warp the missing lanes count as exited.

use std::panic::Location;

pub(crate) const LANES: u32 = 32;

/// What the lanes of a warp do together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WarpOp {
    Sync,
    Ballot,
    Any,
    All,
    Shuffle(Mode),
    /// Has no mask to wait for: answered by `Warp::converge` when no lane of the block can go on.
    ActiveMask,
}

/// The four modes of PTX `shfl.sync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Idx,
    Up,
    Down,
    Bfly,
}

impl WarpOp {
    /// The name of the intrinsic, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sync => "warp_sync",
            Self::Ballot => "vote_ballot",
            Self::Any => "vote_any",
            Self::All => "vote_all",
            Self::Shuffle(Mode::Idx) => "shuffle_idx",
            Self::Shuffle(Mode::Up) => "shuffle_up",
            Self::Shuffle(Mode::Down) => "shuffle_down",
            Self::Shuffle(Mode::Bfly) => "shuffle_bfly",
            Self::ActiveMask => "active_mask",
        }
    }
}

/// What one lane brings along. Votes: `value` is 0 or 1. Shuffles: PTX operands a, b and c.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Operands {
    pub(crate) value: u32,
    pub(crate) b: u32,
    pub(crate) c: u32,
}

/// Lanes that have arrived at the same operation with the same mask.
#[derive(Debug, Clone, Copy)]
struct Group {
    op: WarpOp,
    mask: u32,
    site: &'static Location<'static>,
    arrived: u32,
}

#[derive(Debug)]
pub(crate) struct Warp {
    /// Lanes that have not exited.
    pub(crate) live: u32,
    /// Lanes that have been suspended and may go on.
    pub(crate) ready: u32,
    groups: Vec<Group>,
    operands: [Operands; LANES as usize],
    results: [u32; LANES as usize],
}

impl Warp {
    /// A warp whose lowest `n_lanes` lanes exist.
    pub(crate) fn new(n_lanes: u32) -> Self {
        Self {
            live: mask_below(n_lanes),
            ready: 0,
            groups: Vec::new(),
            operands: [Operands::default(); LANES as usize],
            results: [0; LANES as usize],
        }
    }

    pub(crate) fn reset(&mut self, n_lanes: u32) {
        self.live = mask_below(n_lanes);
        self.ready = 0;
        self.groups.clear();
    }

    /// `lane`, which is in `mask`, arrives. `Some`: the operation is done, this is the lane's result, and the others are ready.
    pub(crate) fn arrive(
        &mut self,
        lane: u32,
        op: WarpOp,
        mask: u32,
        operands: Operands,
        site: &'static Location<'static>,
    ) -> Option<u32> {
        self.operands[lane as usize] = operands;
        let group = self.join(lane, op, mask, site);
        if op == WarpOp::ActiveMask || self.groups[group].arrived != mask & self.live {
            return None;
        }
        self.complete(group);
        self.ready &= !(1 << lane);
        Some(self.results[lane as usize])
    }

    fn join(
        &mut self,
        lane: u32,
        op: WarpOp,
        mask: u32,
        site: &'static Location<'static>,
    ) -> usize {
        // Lanes at two `active_mask()` of the source are in two branches: they have not converged.
        let found = self.groups.iter().position(|group| {
            group.op == op && group.mask == mask && (op != WarpOp::ActiveMask || group.site == site)
        });
        let index = found.unwrap_or_else(|| {
            let arrived = 0;
            self.groups.push(Group {
                op,
                mask,
                site,
                arrived,
            });
            self.groups.len() - 1
        });
        self.groups[index].arrived |= 1 << lane;
        index
    }

    /// `lane` exits. Operations that waited only for it are carried out.
    pub(crate) fn exit(&mut self, lane: u32) {
        self.live &= !(1 << lane);
        let mut index = 0;
        while index < self.groups.len() {
            let group = self.groups[index];
            if group.op != WarpOp::ActiveMask && group.arrived == group.mask & self.live {
                self.complete(index); // moves another group to this index
            } else {
                index += 1;
            }
        }
    }

    /// Answers all waiting `active_mask()`; false if there is none. To be called only when no lane of the block can go on.
    pub(crate) fn converge(&mut self) -> bool {
        let mut any = false;
        while let Some(index) = self
            .groups
            .iter()
            .position(|group| group.op == WarpOp::ActiveMask)
        {
            self.complete(index);
            any = true;
        }
        any
    }

    pub(crate) fn result(&self, lane: u32) -> u32 {
        self.results[lane as usize]
    }

    /// Each distinct operation that lanes wait for, with its mask, the lanes that wait and where the first of them came in.
    pub(crate) fn waits(&self) -> impl Iterator<Item = (WarpOp, u32, u32)> {
        self.groups
            .iter()
            .map(|group| (group.op, group.mask, group.arrived))
    }

    fn complete(&mut self, index: usize) {
        let Group { op, arrived, .. } = self.groups.swap_remove(index);
        self.ready |= arrived;
        match op {
            WarpOp::Sync => {}
            WarpOp::ActiveMask => self.answer(arrived, |_, _| arrived),
            WarpOp::Shuffle(mode) => self.answer(arrived, |operands, lane| {
                let own = &operands[lane as usize];
                let source = shuffle_source(mode, lane, own.b, own.c);
                if arrived >> source & 1 == 1 {
                    operands[source as usize].value
                } else {
                    own.value
                }
            }),
            WarpOp::Ballot | WarpOp::Any | WarpOp::All => {
                let mut ballot = 0;
                for lane in lanes(arrived) {
                    ballot |= self.operands[lane as usize].value << lane;
                }
                let result = match op {
                    WarpOp::Any => u32::from(ballot != 0),
                    WarpOp::All => u32::from(ballot == arrived),
                    _ => ballot,
                };
                self.answer(arrived, |_, _| result);
            }
        }
    }

    fn answer(&mut self, arrived: u32, of: impl Fn(&[Operands; LANES as usize], u32) -> u32) {
        for lane in lanes(arrived) {
            self.results[lane as usize] = of(&self.operands, lane);
        }
    }
}

/// The lane whose value `lane` receives, by the text of PTX `shfl.sync`: operand c holds the clamp in bits 0..5 and the segment
/// mask in bits 8..13. A source outside the segment is replaced by the lane itself.
fn shuffle_source(mode: Mode, lane: u32, b: u32, c: u32) -> u32 {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let lowest = lane & segment;
    let bound = lowest | (clamp & !segment);
    let (source, inside) = match mode {
        Mode::Up => (lane.wrapping_sub(b), lane >= bound + b),
        Mode::Down => (lane + b, lane + b <= bound),
        Mode::Bfly => (lane ^ b, lane ^ b <= bound),
        Mode::Idx => {
            let source = lowest | (b & !segment);
            (source, source <= bound)
        }
    };
    if inside { source } else { lane }
}

/// The set bits of `mask`, lowest first.
pub(crate) fn lanes(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

fn mask_below(n_lanes: u32) -> u32 {
    if n_lanes >= LANES {
        u32::MAX
    } else {
        (1 << n_lanes) - 1
    }
}
