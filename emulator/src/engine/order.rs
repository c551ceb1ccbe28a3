//! In which order the blocks of a grid start.

use crate::options::Schedule;
use crate::random::Random;

/// A permutation of the sets of blocks of a grid.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BlockOrder {
    Forward,
    /// The number of the last.
    Reverse(u64),
    Random(Shuffle),
}

impl BlockOrder {
    pub(crate) fn new(schedule: Schedule, n_sets: u64) -> Self {
        match schedule {
            Schedule::Forward | Schedule::LastWarpFirst | Schedule::OneLane => Self::Forward,
            Schedule::Reverse => Self::Reverse(n_sets - 1),
            Schedule::Random(seed) => Self::Random(Shuffle::new(seed, n_sets)),
        }
    }

    /// The set that starts as number `position`.
    pub(crate) fn set(self, position: u64) -> u64 {
        match self {
            Self::Forward => position,
            Self::Reverse(last) => last - position,
            Self::Random(shuffle) => shuffle.at(position),
        }
    }
}

/// A permutation of the numbers below some end, without a list of them: a Feistel network over the next power of four, walked until it
/// comes back below the end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shuffle {
    end: u64,
    /// Bits of each half of a number.
    half_bits: u32,
    keys: [u64; 4],
}

impl Shuffle {
    fn new(seed: u64, end: u64) -> Self {
        let mut random = Random::new(seed, u64::MAX);
        Self {
            end,
            half_bits: (u64::BITS - end.saturating_sub(1).leading_zeros())
                .div_ceil(2)
                .max(1),
            keys: std::array::from_fn(|_| random.number()),
        }
    }

    fn at(self, position: u64) -> u64 {
        let mut number = position;
        loop {
            number = self.encrypt(number);
            if number < self.end {
                return number;
            }
        }
    }

    fn encrypt(self, number: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (number >> self.half_bits, number & mask);
        for key in self.keys {
            let round = Random::new(key, right).number() & mask;
            (left, right) = (right, left ^ round);
        }
        left << self.half_bits | right
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn all(schedule: Schedule, n_sets: u64) -> Vec<u64> {
        let order = BlockOrder::new(schedule, n_sets);
        (0..n_sets).map(|position| order.set(position)).collect()
    }

    #[test]
    fn each_block_has_one_position() {
        for n_sets in [1, 2, 3, 4, 5, 64, 1000, 1025] {
            let mut blocks = all(Schedule::Random(n_sets), n_sets);
            blocks.sort_unstable();
            assert_eq!(blocks, (0..n_sets).collect::<Vec<_>>());
        }
    }

    #[test]
    fn seeds_give_different_orders_and_each_the_same_again() {
        let order = |seed| all(Schedule::Random(seed), 50);
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
        assert_ne!(order(7), all(Schedule::Forward, 50));
    }

    #[test]
    fn reverse_starts_with_the_last() {
        assert_eq!(all(Schedule::Reverse, 4), [3, 2, 1, 0]);
    }

    #[test]
    fn the_largest_grid_has_an_order() {
        let end = (1 << 31) * 65535 * 65535;
        let order = BlockOrder::new(Schedule::Random(1), end);
        assert!(order.set(end - 1) < end);
    }
}
