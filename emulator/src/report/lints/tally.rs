//! What is counted at one place of the program, over all warps of a run.

use super::request::{Passes, Request, SECTOR_BYTES, Sectors};
use super::{AccessClass, Space};
use crate::engine::warp::LANES;
use crate::site::SiteId;

/// What is counted at one place, for one kind of memory.
#[derive(Debug, Clone)]
pub(crate) struct Tally {
    pub(crate) site: SiteId,
    /// `None`: the place accesses no memory that is profiled.
    pub(crate) space: Option<Space>,
    pub(crate) kind: AccessClass,
    /// Executions by single lanes.
    pub(crate) executions: u64,
    /// Executions by warps.
    pub(crate) requests: u64,
    /// Instructions that these are: more than one each for what is too wide for one.
    pub(crate) instructions: u64,
    /// Lanes that could have taken part in them, summed.
    pub(crate) present: u64,
    /// Bytes that single lanes asked for.
    pub(crate) bytes: u64,
    /// Requests by how many lanes took part: `active[n]` with `n` lanes.
    pub(crate) active: [u64; LANES as usize + 1],
    /// Requests in which fewer lanes took part than could have.
    pub(crate) split: u64,
    /// In global memory, over all requests.
    pub(crate) sectors: Sectors,
    /// In shared memory, over all requests.
    pub(crate) passes: Passes,
    /// Lanes that access the address that most lanes of their request access, over all requests.
    pub(crate) together: u64,
    /// The request that costs most beyond what it has to.
    pub(crate) worst: Option<Example>,
    /// Which lanes took part where not all did that could have: the sets that leave out most lanes in all.
    pub(crate) sparse: Vec<Sparse>,
    /// What the latest request costs that was not a moved one.
    known: Option<Box<Known>>,
}

/// A request, and what it and those that are moved ones of it cost.
#[derive(Debug, Clone)]
struct Known {
    request: Request,
    /// By what it may be moved.
    step: u64,
    sectors: Sectors,
    passes: Passes,
    instructions: u64,
}

/// A request, and who made it.
#[derive(Debug, Clone)]
pub(crate) struct Example {
    /// What it costs, in sectors or passes, and what it could cost at best.
    pub(crate) cost: (u64, u64),
    /// Block, in linear order, and warp.
    pub(crate) who: (u64, u32),
    pub(crate) request: Request,
}

/// Lanes of a warp that took part, of those that could have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sparse {
    pub(crate) active: u32,
    pub(crate) present: u32,
    pub(crate) times: u64,
    /// The first: block and warp.
    pub(crate) who: (u64, u32),
}

/// Of each place, so many different sets of lanes are kept.
const MOST_SETS: usize = 16;

impl Tally {
    pub(crate) fn new(site: SiteId, space: Option<Space>, kind: AccessClass) -> Self {
        Self {
            site,
            space,
            kind,
            executions: 0,
            requests: 0,
            instructions: 0,
            present: 0,
            bytes: 0,
            active: [0; LANES as usize + 1],
            split: 0,
            sectors: Sectors::default(),
            passes: Passes::default(),
            together: 0,
            worst: None,
            sparse: Vec::new(),
            known: None,
        }
    }

    /// Counts what a warp did here between two synchronisations: executions by lane, the first of them put together.
    pub(crate) fn add(
        &mut self,
        counts: &[u32; LANES as usize],
        kept: &[Request],
        present: u32,
        who: (u64, u32),
    ) {
        let requests = u64::from(counts.iter().copied().max().unwrap_or(0));
        let lanes = |k: u64| {
            (0..LANES)
                .filter(|lane| u64::from(counts[*lane as usize]) > k)
                .fold(0_u32, |mask, lane| mask | 1 << lane)
        };
        let mut k = 0;
        while k < requests {
            // All executions up to the next lane's last one have the same lanes.
            let mask = lanes(k);
            let until = counts.iter().map(|n| u64::from(*n)).filter(|n| *n > k);
            let until = until.min().unwrap_or(requests);
            self.add_lanes(mask, present | mask, until - k, who);
            k = until;
        }
        if kept.is_empty() {
            return;
        }
        let (mut sectors, mut passes) = (Sectors::default(), Passes::default());
        let (mut together, mut instructions) = (0, 0);
        for request in kept {
            // Loops walk along rows: most requests are those of the iteration or the warp before, moved.
            let is_known = |known: &Known| request.is_moved(&known.request, known.step);
            if !self.known.as_deref().is_some_and(is_known) {
                self.known = Some(Box::new(self.costs_of(request)));
            }
            let Some(known) = self.known.as_deref() else {
                continue;
            };
            let (here, there) = (known.sectors, known.passes);
            (sectors, passes) = (sectors + here, passes + there);
            instructions += known.instructions;
            match self.space {
                Some(Space::Global | Space::Texture) => {
                    self.show((here.touched, here.ideal), who, request)
                }
                Some(Space::Shared) => self.show((there.made, there.ideal), who, request),
                None => {}
            }
            if self.kind == AccessClass::Atomic {
                together += most_together(request);
            }
        }
        let each = kept.iter().map(|request| u64::from(request.bytes));
        let lanes: u64 = counts.iter().map(|n| u64::from(*n)).sum();
        self.bytes += lanes * each.max().unwrap_or(0);
        // Beyond those that were kept, the rest is taken to be like them.
        let scale = |n: u64| match kept.len() as u64 {
            n_kept if n_kept == requests => n,
            n_kept => (u128::from(n) * u128::from(requests) / u128::from(n_kept)) as u64,
        };
        self.sectors = self.sectors
            + Sectors {
                touched: scale(sectors.touched),
                ideal: scale(sectors.ideal),
                wanted: scale(sectors.wanted),
            };
        self.passes = self.passes
            + Passes {
                made: scale(passes.made),
                ideal: scale(passes.ideal),
                ways: passes.ways,
            };
        self.together += scale(together);
        self.instructions += scale(instructions);
    }

    /// What a request here costs: sectors in global memory and arrays, passes in shared memory.
    fn costs_of(&self, request: &Request) -> Known {
        let (mut sectors, mut passes) = (Sectors::default(), Passes::default());
        let mut step = SECTOR_BYTES;
        match self.space {
            Some(Space::Global | Space::Texture) => sectors = request.sectors(),
            Some(Space::Shared) => {
                passes = request.passes();
                step = request.step_of_banks();
            }
            None => {}
        }
        Known {
            request: request.clone(),
            step,
            sectors,
            passes,
            instructions: request.instructions(),
        }
    }

    fn add_lanes(&mut self, active: u32, present: u32, times: u64, who: (u64, u32)) {
        let n_active = active.count_ones();
        self.requests += times;
        self.executions += times * u64::from(n_active);
        self.present += times * u64::from(present.count_ones());
        self.active[n_active as usize] += times;
        if active != present {
            self.split += times;
            self.add_set(Sparse {
                active,
                present,
                times,
                who,
            });
        }
    }

    fn add_set(&mut self, set: Sparse) {
        let same = |known: &&mut Sparse| (known.active, known.present) == (set.active, set.present);
        if let Some(known) = self.sparse.iter_mut().find(same) {
            known.times += set.times;
            known.who = known.who.min(set.who);
            return;
        }
        if self.sparse.len() < MOST_SETS {
            self.sparse.push(set);
        } else if let Some(least) = self.sparse.iter_mut().min_by_key(|known| known.lost())
            && least.lost() < set.lost()
        {
            *least = set;
        }
    }

    fn show(&mut self, cost: (u64, u64), who: (u64, u32), request: &Request) {
        if cost.0 > cost.1 && Example::is_worse(cost, who, self.worst.as_ref()) {
            self.worst = Some(Example {
                cost,
                who,
                request: request.clone(),
            });
        }
    }

    /// Adds what another worker counted at the same place, or at another place of the same line.
    pub(crate) fn merge(&mut self, other: Self) {
        self.executions += other.executions;
        self.requests += other.requests;
        self.instructions += other.instructions;
        self.present += other.present;
        self.bytes += other.bytes;
        for (own, other) in self.active.iter_mut().zip(other.active) {
            *own += other;
        }
        self.split += other.split;
        self.sectors = self.sectors + other.sectors;
        self.passes = self.passes + other.passes;
        self.together += other.together;
        if let Some(theirs) = other.worst
            && Example::is_worse(theirs.cost, theirs.who, self.worst.as_ref())
        {
            self.worst = Some(theirs);
        }
        other.sparse.into_iter().for_each(|set| self.add_set(set));
    }
}

impl Example {
    /// Whether one of this cost comes before `known`: more too much, then more in all, then the lower block and warp.
    fn is_worse(cost: (u64, u64), who: (u64, u32), known: Option<&Self>) -> bool {
        let order = |cost: (u64, u64), who| (cost.0 - cost.1, cost.0, std::cmp::Reverse(who));
        known.is_none_or(|known| order(cost, who) > order(known.cost, known.who))
    }
}

impl Sparse {
    /// Lanes that were left out, over all times.
    pub(crate) fn lost(&self) -> u64 {
        self.times * u64::from((self.present & !self.active).count_ones())
    }
}

/// The most lanes of a request that access one address.
fn most_together(request: &Request) -> u64 {
    let mut at = [0; LANES as usize];
    let mut n = 0;
    for (_, address) in request.lanes() {
        at[n] = address;
        n += 1;
    }
    let at = &mut at[..n];
    at.sort_unstable();
    let equal = at.chunk_by(|a, b| a == b);
    equal.map(<[u64]>::len).max().unwrap_or(0) as u64
}
