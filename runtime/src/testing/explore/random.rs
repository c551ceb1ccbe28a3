//! Choices by chance: a random walk, and priorities with few changes (PCT: probabilistic concurrency testing).

use std::collections::HashMap;

use warploom_emulator::check::{Random, ThreadId};

use super::execution::{Choose, Decision, Place};

/// Numbers that look random.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers(Random);

impl Numbers {
    pub(super) fn new(seed: u64) -> Numbers {
        Numbers(Random::of_seed(seed))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0.number()
    }

    /// A number below `end`, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// The newest store as often as not, else any other.
    fn store(&mut self, at: Place) -> usize {
        match self.below(2) {
            0 => 0,
            _ => 1 + self.below(at.stores - 1),
        }
    }
}

/// Every pending thread is as likely as any other.
pub(super) struct RandomWalk(Numbers);

impl RandomWalk {
    pub(super) fn new(seed: u64) -> RandomWalk {
        RandomWalk(Numbers::new(seed))
    }
}

impl Choose for RandomWalk {
    fn choose(&mut self, at: Decision<'_>) -> usize {
        self.0.below(at.pending.len())
    }

    fn choose_store(&mut self, at: Place) -> usize {
        self.0.store(at)
    }
}

/// Each thread has a priority, and the pending one with the highest runs. At `depth - 1` random steps the thread that runs gets a priority below all others. A bug
/// that needs `d` ordering constraints is found with a probability of at least 1 / (threads * steps ^ (d - 1)) by depth `d`.
/// (Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs, ASPLOS 2010.)
pub(super) struct Priorities {
    numbers: Numbers,
    of_threads: HashMap<(u32, ThreadId), u64>,
    /// Steps at which the priority changes, and the new ones: below [`Self::INITIAL`].
    changes: Vec<(usize, u64)>,
}

impl Priorities {
    const INITIAL: u64 = 1 << 32;

    /// `steps`: how many an execution has, or more.
    pub(super) fn new(seed: u64, depth: u32, steps: usize) -> Priorities {
        let mut numbers = Numbers::new(seed);
        let changes = (1..depth).rev();
        let changes = changes.map(|new| (numbers.below(steps.max(1)), u64::from(new)));
        Priorities {
            changes: changes.collect(),
            numbers,
            of_threads: HashMap::new(),
        }
    }
}

impl Choose for Priorities {
    fn choose(&mut self, at: Decision<'_>) -> usize {
        let now = at.steps.len();
        if let Some(last) = at.last() {
            for (_, new) in self.changes.iter().filter(|(step, _)| step + 1 == now) {
                self.of_threads
                    .insert((at.launch, last.access.thread), *new);
            }
        }
        let mut best = (0, 0);
        for (index, access) in at.pending.iter().enumerate() {
            let numbers = &mut self.numbers;
            let priority = *self
                .of_threads
                .entry((at.launch, access.thread))
                .or_insert_with(|| Self::INITIAL + (numbers.next() >> 32));
            if priority > best.0 {
                best = (priority, index);
            }
        }
        best.1
    }

    fn choose_store(&mut self, at: Place) -> usize {
        self.numbers.store(at)
    }
}
