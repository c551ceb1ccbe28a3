//! Linear inequalities of integers: whether some can hold together.
//!
//! The elimination of Fourier and Motzkin, over the rationals: what it refutes holds for no integers either.

use std::collections::BTreeMap;

/// A sum of numbers with constant factors, and a constant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Linear {
    /// The factors by number; none is zero.
    pub(super) factors: BTreeMap<usize, i128>,
    pub(super) constant: i128,
}

/// More inequalities are not combined.
const MOST: usize = 256;

/// Larger factors are not combined.
const LARGEST: i128 = 1 << 100;

impl Linear {
    pub(super) fn constant(constant: i128) -> Linear {
        let factors = BTreeMap::new();
        Linear { factors, constant }
    }

    pub(super) fn number(number: usize) -> Linear {
        Linear {
            factors: BTreeMap::from([(number, 1)]),
            constant: 0,
        }
    }

    pub(super) fn plus(&self, other: &Linear) -> Linear {
        self.plus_times(other, 1)
    }

    pub(super) fn minus(&self, other: &Linear) -> Linear {
        self.plus_times(other, -1)
    }

    pub(super) fn times(&self, by: i128) -> Linear {
        Linear::default().plus_times(self, by)
    }

    pub(super) fn plus_constant(&self, more: i128) -> Linear {
        Linear {
            factors: self.factors.clone(),
            constant: self.constant + more,
        }
    }

    fn plus_times(&self, other: &Linear, by: i128) -> Linear {
        let mut sum = self.clone();
        sum.constant += by * other.constant;
        for (number, factor) in &other.factors {
            *sum.factors.entry(*number).or_default() += by * factor;
        }
        sum.factors.retain(|_, factor| *factor != 0);
        sum
    }

    fn factor(&self, number: usize) -> i128 {
        self.factors.get(&number).copied().unwrap_or(0)
    }

    fn is_small(&self) -> bool {
        let mut all = self.factors.values().chain([&self.constant]);
        all.all(|factor| factor.abs() < LARGEST)
    }
}

/// Whether no numbers make all of these at least 0; `false` too if that takes too long to find out.
pub(super) fn contradict(inequalities: &[Linear]) -> bool {
    let mut all = inequalities.to_vec();
    loop {
        if all.iter().any(|i| i.factors.is_empty() && i.constant < 0) {
            return true;
        }
        all.retain(|i| !i.factors.is_empty());
        // The number that the fewest pairs have in common.
        let mut numbers: Vec<usize> = all.iter().flat_map(|i| i.factors.keys().copied()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let pairs = |number: &usize| {
            let positive = all.iter().filter(|i| i.factor(*number) > 0).count();
            let negative = all.iter().filter(|i| i.factor(*number) < 0).count();
            positive * negative
        };
        let Some(number) = numbers.into_iter().min_by_key(pairs) else {
            return false;
        };
        let (with, mut without): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|i| i.factor(number) != 0);
        for above in with.iter().filter(|i| i.factor(number) > 0) {
            for below in with.iter().filter(|i| i.factor(number) < 0) {
                let (up, down) = (above.factor(number), -below.factor(number));
                let combined = above.times(down).plus(&below.times(up));
                if !combined.is_small() {
                    return false;
                }
                if !without.contains(&combined) {
                    without.push(combined);
                }
            }
        }
        if without.len() > MOST {
            return false;
        }
        all = without;
    }
}

#[cfg(test)]
mod tests {
    use super::{Linear, contradict};

    fn of(factors: &[(usize, i128)], constant: i128) -> Linear {
        Linear {
            factors: factors.iter().copied().collect(),
            constant,
        }
    }

    #[test]
    fn an_order_in_a_circle_is_refuted() {
        // a < b, b < c, c < a
        let circle = [
            of(&[(0, -1), (1, 1)], -1),
            of(&[(1, -1), (2, 1)], -1),
            of(&[(2, -1), (0, 1)], -1),
        ];
        assert!(contradict(&circle));
        assert!(!contradict(&circle[..2]));
    }

    #[test]
    fn factors_count() {
        // 2a >= 7, a <= 3
        assert!(contradict(&[of(&[(0, 2)], -7), of(&[(0, -1)], 3)]));
        assert!(!contradict(&[of(&[(0, 2)], -6), of(&[(0, -1)], 3)]));
    }
}
