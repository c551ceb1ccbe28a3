//! One warp: which lanes wait for which operation, and what the operation gives each of them.
//!
//! Lanes meet by operation and mask, not by their place in the program: the operation is carried out once all lanes of the mask that
//! have not exited have arrived with the same operation and the same mask. In a ragged last warp the missing lanes count as exited.

use crate::block::{Post, Remark, Remarks};
use crate::place::Place;

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
    fn combine(self, a: u32, b: u32) -> u32 {
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

/// Lanes that have arrived at the same operation with the same mask.
#[derive(Debug, Clone, Copy)]
struct Group {
    op: WarpOp,
    mask: u32,
    site: Place,
    arrived: u32,
    /// Lanes of the mask that have exited and are waited for all the same (README 10).
    missed: u32,
}

/// The latest operation of a lane.
#[derive(Debug, Clone, Copy)]
struct Latest {
    op: WarpOp,
    mask: u32,
    site: Place,
    /// How many operations the lane has made, this one included.
    number: u32,
}

#[derive(Debug)]
pub(crate) struct Warp {
    number: u32,
    /// Lanes that there are.
    exist: u32,
    /// Lanes that have not exited.
    pub(crate) live: u32,
    /// Lanes that have been suspended and may go on.
    pub(crate) ready: u32,
    groups: Vec<Group>,
    operands: [Operands; LANES as usize],
    results: [u32; LANES as usize],
    latest: [Option<Latest>; LANES as usize],
}

impl Warp {
    /// A warp whose lowest `n_lanes` lanes exist.
    pub(crate) fn new(number: u32, n_lanes: u32) -> Self {
        Self {
            number,
            exist: mask_below(n_lanes),
            live: mask_below(n_lanes),
            ready: 0,
            groups: Vec::new(),
            operands: [Operands::default(); LANES as usize],
            results: [0; LANES as usize],
            latest: [None; LANES as usize],
        }
    }

    /// All lanes are fresh again.
    #[inline]
    pub(crate) fn reset(&mut self) {
        self.live = self.exist;
        self.ready = 0;
    }

    /// Forgets the operations of the block before.
    pub(crate) fn forget(&mut self) {
        self.groups.clear();
        self.latest = [None; LANES as usize];
    }

    /// `lane`, which is in `mask`, arrives. `Some`: the operation is done, this is the lane's result, and the others are ready.
    pub(crate) fn arrive(
        &mut self,
        lane: u32,
        (op, mask): (WarpOp, u32),
        operands: Operands,
        site: Place,
        remarks: &mut Remarks,
    ) -> Option<u32> {
        self.operands[lane as usize] = operands;
        let latest = &mut self.latest[lane as usize];
        let number = 1 + latest.map_or(0, |latest| latest.number);
        *latest = Some(Latest {
            op,
            mask,
            site,
            number,
        });
        let group = self.join(lane, op, mask, site);
        if op == WarpOp::ActiveMask || !self.is_complete(&self.groups[group]) {
            return None;
        }
        self.complete(group, remarks);
        self.ready &= !(1 << lane);
        Some(self.results[lane as usize])
    }

    fn join(&mut self, lane: u32, op: WarpOp, mask: u32, site: Place) -> usize {
        // Lanes at two `active_mask()` of the source are in two branches: they have not converged.
        let found = self.groups.iter().position(|group| {
            group.op == op && group.mask == mask && (op != WarpOp::ActiveMask || group.site == site)
        });
        let index = found.unwrap_or_else(|| {
            self.groups.push(Group {
                op,
                mask,
                site,
                arrived: 0,
                missed: 0,
            });
            self.groups.len() - 1
        });
        self.groups[index].arrived |= 1 << lane;
        for exited in lanes(mask & !self.live) {
            self.miss(index, exited);
        }
        index
    }

    /// The lane whose place in the mask is taken by nobody: `exited` made its own call here with another mask (README 10).
    fn miss(&mut self, index: usize, exited: u32) {
        let group = &mut self.groups[index];
        let (Some(latest), Some(waiting)) = (
            &self.latest[exited as usize],
            &self.latest[group.arrived.trailing_zeros() as usize],
        ) else {
            return;
        };
        let same_call = latest.op == group.op && latest.site == group.site;
        if same_call && latest.mask != group.mask && latest.number == waiting.number {
            group.missed |= 1 << exited;
        }
    }

    fn is_complete(&self, group: &Group) -> bool {
        group.arrived == group.mask & (self.live | group.missed)
    }

    /// `lane` exits. Operations that waited only for it are carried out.
    pub(crate) fn exit(&mut self, lane: u32, remarks: &mut Remarks) {
        self.live &= !(1 << lane);
        let mut index = 0;
        while index < self.groups.len() {
            if self.groups[index].mask >> lane & 1 == 1 {
                self.miss(index, lane);
            }
            let group = self.groups[index];
            if group.op != WarpOp::ActiveMask && self.is_complete(&group) {
                self.complete(index, remarks); // moves another group to this index
            } else {
                index += 1;
            }
        }
    }

    /// Answers all waiting `active_mask()`; false if there is none. To be called only when no lane of the block can go on.
    pub(crate) fn converge(&mut self, remarks: &mut Remarks) -> bool {
        let mut any = false;
        while let Some(index) = self
            .groups
            .iter()
            .position(|group| group.op == WarpOp::ActiveMask)
        {
            self.complete(index, remarks);
            any = true;
        }
        any
    }

    /// What something other than an operation of the warp gives `lane`, which waits for it: the lane is ready.
    pub(crate) fn give(&mut self, lane: u32, result: u32) {
        self.results[lane as usize] = result;
        self.ready |= 1 << lane;
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

    fn complete(&mut self, index: usize, remarks: &mut Remarks) {
        let group = self.groups.swap_remove(index);
        let Group { op, arrived, .. } = group;
        self.ready |= arrived;
        if group.mask & self.exist & !arrived != 0 {
            self.remark_exited(&group, remarks);
        }
        match op {
            WarpOp::Sync => {}
            WarpOp::ActiveMask => self.answer(arrived, |_, _| arrived),
            WarpOp::Shuffle(mode) => {
                let mut readers = 0;
                self.answer(arrived, |operands, lane| {
                    let own = &operands[lane as usize];
                    let source = shuffle_source(mode, lane, own.b, own.c);
                    if arrived >> source & 1 == 1 {
                        operands[source as usize].value
                    } else {
                        readers |= 1 << lane;
                        own.value
                    }
                });
                if readers != 0 {
                    self.remark_source(&group, mode, readers, remarks);
                }
            }
            WarpOp::Match(of, _) => self.answer(arrived, |operands, lane| {
                let own = &operands[lane as usize];
                let same = lanes(arrived)
                    .filter(|other| {
                        let other = &operands[*other as usize];
                        (other.value, other.b) == (own.value, own.b)
                    })
                    .fold(0, |mask, other| mask | 1 << other);
                match of {
                    Match::Any => same,
                    Match::All if same == arrived => arrived,
                    Match::All => 0,
                }
            }),
            WarpOp::Reduce(with) => {
                let result = lanes(arrived)
                    .map(|lane| self.operands[lane as usize].value)
                    .reduce(|a, b| with.combine(a, b))
                    .unwrap_or(0);
                self.answer(arrived, |_, _| result);
            }
            WarpOp::Ballot | WarpOp::Any | WarpOp::All | WarpOp::Uni => {
                let mut ballot = 0;
                for lane in lanes(arrived) {
                    ballot |= self.operands[lane as usize].value << lane;
                }
                let result = match op {
                    WarpOp::Any => u32::from(ballot != 0),
                    WarpOp::All => u32::from(ballot == arrived),
                    WarpOp::Uni => u32::from(ballot == 0 || ballot == arrived),
                    _ => ballot,
                };
                self.answer(arrived, |_, _| result);
            }
        }
    }

    fn answer(
        &mut self,
        arrived: u32,
        mut of: impl FnMut(&[Operands; LANES as usize], u32) -> u32,
    ) {
        for lane in lanes(arrived) {
            self.results[lane as usize] = of(&self.operands, lane);
        }
    }
}

/// What is odd about operations that are carried out.
impl Warp {
    #[cold]
    fn remark_exited(&self, group: &Group, remarks: &mut Remarks) {
        let Group {
            op, mask, arrived, ..
        } = *group;
        let at = self.post(arrived.trailing_zeros());
        let same = |remark: &Remark| matches!(remark, Remark::LanesExited { at: known, .. } if known.place.is_same(at.place));
        if !remarks.again(same) {
            remarks.push(Remark::LanesExited {
                op,
                mask,
                arrived,
                at,
                exited: self.post((mask & self.exist & !arrived).trailing_zeros()),
            });
        }
    }

    #[cold]
    fn remark_source(&self, group: &Group, mode: Mode, readers: u32, remarks: &mut Remarks) {
        let Group {
            op, mask, arrived, ..
        } = *group;
        let reader = readers.trailing_zeros();
        let at = self.post(reader);
        let same = |remark: &Remark| matches!(remark, Remark::InactiveSource { at: known, .. } if known.place.is_same(at.place));
        if !remarks.again(same) {
            let own = self.operands[reader as usize];
            let source = shuffle_source(mode, reader, own.b, own.c);
            remarks.push(Remark::InactiveSource {
                op,
                mask,
                arrived,
                readers,
                at,
                source: (self.post(source), self.live >> source & 1 == 0),
            });
        }
    }

    fn post(&self, lane: u32) -> Post {
        let latest = self.latest[lane as usize];
        Post {
            thread: self.number * LANES + lane,
            place: latest.map_or(Place::NOWHERE, |latest| latest.site),
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
