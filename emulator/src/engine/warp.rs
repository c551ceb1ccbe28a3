//! One warp: which lanes wait for which operation, and what the operation gives each of them.
//!
//! Lanes meet by operation and mask, not by their place in the program: the operation is carried out once all lanes of the mask that
//! have not exited have arrived with the same operation and the same mask. In a ragged last warp the missing lanes count as exited.

use crate::engine::remarks::{Remark, Remarks, ThreadSite};
use crate::model::ModelLimits;
use crate::site::Site;

pub(crate) use crate::engine::warp_op::{
    Bits, Exchange, LANES, Match, Mode, Operands, REGISTERS, Reduction, Registers, Together, WarpOp,
};

/// Warps of a block, at most.
pub(crate) const MOST_WARPS: usize = (ModelLimits::THREADS_PER_BLOCK / LANES) as usize;

/// Lanes that have arrived at the same operation with the same mask.
#[derive(Debug, Clone, Copy)]
struct Group {
    op: WarpOp,
    mask: u32,
    site: Site,
    arrived: u32,
    /// Lanes of the mask that have exited and are waited for all the same (README 10).
    missed: u32,
    /// Whether a lane came from another place than `site`.
    mixed: bool,
}

/// The latest operation of a lane.
#[derive(Debug, Clone, Copy)]
struct Latest {
    op: WarpOp,
    mask: u32,
    site: Site,
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
    /// What lanes handed in to an [`Exchange`], then what they get; made by the first.
    registers: Option<Box<Registers>>,
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
            registers: None,
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
        site: Site,
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

    /// What `lane`, which is about to arrive at an [`Exchange`] or has just left one, hands in or gets.
    pub(crate) fn registers(&mut self, lane: u32) -> &mut [u32; REGISTERS] {
        let none = || Box::new([[0; REGISTERS]; LANES as usize]);
        &mut self.registers.get_or_insert_with(none)[lane as usize]
    }

    fn join(&mut self, lane: u32, op: WarpOp, mask: u32, site: Site) -> usize {
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
                mixed: false,
            });
            self.groups.len() - 1
        });
        let group = &mut self.groups[index];
        group.arrived |= 1 << lane;
        group.mixed |= !group.site.is_same(site);
        for exited in lanes(mask & !self.live) {
            self.miss(index, exited);
        }
        index
    }

    /// The lane whose place in the mask no lane takes: `exited` made its own call here with another mask (README 10).
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

    /// `lane` exits. Operations that waited only for it are carried out: these, with the lanes that arrived.
    pub(crate) fn exit(&mut self, lane: u32, remarks: &mut Remarks) -> Vec<(WarpOp, u32)> {
        self.live &= !(1 << lane);
        let mut met = Vec::new();
        let mut index = 0;
        while index < self.groups.len() {
            if self.groups[index].mask >> lane & 1 == 1 {
                self.miss(index, lane);
            }
            let group = self.groups[index];
            if group.op != WarpOp::ActiveMask && self.is_complete(&group) {
                self.complete(index, remarks); // moves another group to this index
                met.push((group.op, group.arrived));
            } else {
                index += 1;
            }
        }
        met
    }

    /// Whether lanes wait in an `active_mask()`.
    pub(crate) fn waits_to_converge(&self) -> bool {
        let mut groups = self.groups.iter();
        groups.any(|group| group.op == WarpOp::ActiveMask)
    }

    /// Answers all waiting `active_mask()`; false if there is none. To be called only when no lane of the block can go on. Those of `apart` get an answer of their own.
    pub(crate) fn converge(&mut self, apart: u32, remarks: &mut Remarks) -> bool {
        let mut any = false;
        while let Some(index) = self
            .groups
            .iter()
            .position(|group| group.op == WarpOp::ActiveMask)
        {
            let group = &mut self.groups[index];
            let rest = group.arrived & !apart;
            if rest != 0 && rest != group.arrived {
                let others = Group {
                    arrived: group.arrived & apart,
                    ..*group
                };
                group.arrived = rest;
                self.groups.push(others);
            }
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
        // A barrier of lanes by name is for branches that know of each other, as a barrier with a count is.
        let is_by_name = op == WarpOp::Sync && self.exist & !group.mask != 0;
        if group.mixed && !is_by_name {
            self.remark_places(&group, remarks);
        }
        match op {
            WarpOp::Sync => {}
            WarpOp::ActiveMask => self.answer(arrived, |_, _| arrived),
            WarpOp::Exchange(exchange) => {
                if let Some(registers) = &mut self.registers {
                    exchange.0.compute(registers);
                }
            }
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
        let at = self.thread_site(arrived.trailing_zeros());
        let same = |remark: &Remark| matches!(remark, Remark::LanesExited { at: known, .. } if known.place.is_same(at.place));
        if !remarks.again(same) {
            remarks.push(Remark::LanesExited {
                op,
                mask,
                arrived,
                at,
                exited: self.thread_site((mask & self.exist & !arrived).trailing_zeros()),
            });
        }
    }

    #[cold]
    fn remark_places(&self, group: &Group, remarks: &mut Remarks) {
        let Group { op, arrived, .. } = *group;
        let one = self.thread_site(arrived.trailing_zeros());
        let from_there = |place: Site| {
            lanes(arrived)
                .filter(|lane| self.thread_site(*lane).place == place)
                .fold(0, |mask, lane| mask | 1 << lane)
        };
        let here = from_there(one.place);
        if here == arrived {
            return; // one place after all, under two names
        }
        let other = self.thread_site((arrived & !here).trailing_zeros());
        let same = |remark: &Remark| {
            matches!(remark, Remark::WarpPlaces { one: (a, _), other: (b, _), .. }
                if a.place.is_same(one.place) && b.place.is_same(other.place))
        };
        if !remarks.again(same) {
            remarks.push(Remark::WarpPlaces {
                op,
                one: (one, here),
                other: (other, from_there(other.place)),
            });
        }
    }

    #[cold]
    fn remark_source(&self, group: &Group, mode: Mode, readers: u32, remarks: &mut Remarks) {
        let Group {
            op, mask, arrived, ..
        } = *group;
        let reader = readers.trailing_zeros();
        let at = self.thread_site(reader);
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
                source: (self.thread_site(source), self.live >> source & 1 == 0),
            });
        }
    }

    fn thread_site(&self, lane: u32) -> ThreadSite {
        let latest = self.latest[lane as usize];
        ThreadSite {
            thread: self.number * LANES + lane,
            place: latest.map_or(Site::NOWHERE, |latest| latest.site),
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
