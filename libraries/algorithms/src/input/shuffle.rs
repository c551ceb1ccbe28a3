//! Elements in a random order, without memory for the order.
//!
//! The number of an element is permuted by a Feistel network: of the two halves of its bits one after the other is changed by a function of the other, which can be
//! undone whatever the function is. The network permutes a power of two numbers; a number that is not below the length goes through it again until it
//! is, which leads each number to another one, as on the cycles of a permutation.

use warploom::device_std::KernelArg;
use warploom::device_std::hint::unroll_all;

use super::{Fetch, Input, Memory};

/// Rounds of the network: of each half the same number.
const ROUNDS: usize = 8;
/// Bits that are permuted at least: a network over fewer has too few permutations.
const LEAST_BITS: u32 = 6;

/// Elements in a random order; see [`Input::shuffled`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Shuffled<F> {
    fetch: F,
    len: usize,
    keys: [u32; ROUNDS],
    /// Bits of the two halves of a number, at most 32 each.
    low_bits: u32,
    high_bits: u32,
}

// SAFETY: a rule and numbers.
unsafe impl<F: KernelArg> KernelArg for Shuffled<F> {}

impl<F> Shuffled<F> {
    fn new(fetch: F, len: usize, seed: u64) -> Self {
        let bits = len
            .checked_next_power_of_two()
            .map_or(usize::BITS, usize::trailing_zeros)
            .max(LEAST_BITS);
        let mut state = seed;
        let keys = [(); ROUNDS].map(|()| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            (mix_64(state) >> 32) as u32
        });
        Shuffled {
            fetch,
            len,
            keys,
            low_bits: bits / 2,
            high_bits: bits - bits / 2,
        }
    }

    /// Which element is at place `i`, which is below the length.
    #[inline(always)]
    fn place(&self, i: usize) -> usize {
        let mut i = i;
        loop {
            i = self.network(i);
            if i < self.len {
                return i;
            }
        }
    }

    #[inline(always)]
    fn network(&self, i: usize) -> usize {
        let mask = |bits: u32| u32::MAX >> (32 - bits);
        let (mut low, mut high) = (
            i as u32 & mask(self.low_bits),
            (i >> self.low_bits) as u32 & mask(self.high_bits),
        );
        unroll_all::<{ ROUNDS / 2 }>(|round| {
            low ^= mix_32(high ^ self.keys[2 * round]) & mask(self.low_bits);
            high ^= mix_32(low ^ self.keys[2 * round + 1]) & mask(self.high_bits);
        });
        ((high as usize) << self.low_bits) | low as usize
    }
}

impl<'a, M: Memory, F: Fetch<M>> Input<'a, M, F> {
    /// The elements in a random order, which depends on `seed` and the number of elements alone. The order needs no memory: each place is computed when it is read.
    /// Not for secrets, and of the orders of many elements at most 2^64 are reached. CUDA: `thrust::shuffle_iterator`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// use warploom_algorithms::counting;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let sum = stream.reduce(counting(100).shuffled(7), 0, |a, b| a + b).to_host()?;
    /// assert_eq!(sum, 4950); // each number once
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    pub fn shuffled(self, seed: u64) -> Input<'a, M, Shuffled<F>> {
        let shuffled = Shuffled::new(self.fetch, self.len, seed);
        Input::new(self.slices, self.len, shuffled)
    }
}

/// A bijection of 32 bits in which every bit depends on every other.
#[inline(always)]
fn mix_32(x: u32) -> u32 {
    let x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    let x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// The same for 64 bits.
fn mix_64(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl<M: Memory, F: Fetch<M>> Fetch<M> for Shuffled<F> {
    type Item = F::Item;

    #[inline(always)]
    fn get(self, view: M::View<'_>, i: usize) -> F::Item {
        self.fetch.get(view, self.place(i))
    }

    #[inline(always)]
    fn part<'v>(
        self,
        view: M::View<'v>,
        base: usize,
        _: usize,
    ) -> impl Fn(usize) -> F::Item + Copy + 'v {
        let part = self.fetch.part(view, 0, self.len);
        move |k| part(self.place(base + k))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::input::Counting;

    fn order(n: usize, seed: u64) -> Vec<usize> {
        let shuffled = Shuffled::new(Counting, n, seed);
        (0..n).map(|i| shuffled.get((), i)).collect()
    }

    #[test]
    fn each_element_once() {
        for n in (0..70).chain([127, 128, 129, 4096, 4097, 100_003]) {
            let mut order = order(n, n as u64);
            order.sort_unstable();
            assert!(order.into_iter().eq(0..n), "{n} elements");
        }
    }

    #[test]
    fn numbers_of_64_bits() {
        let shuffled = Shuffled::new(Counting, usize::MAX, 5);
        let places = [0, 1, usize::MAX - 1].map(|i| shuffled.get((), i));
        assert!(places[0] != places[1] && places[1] != places[2]);
        assert!(places.iter().any(|place| place >> 32 != 0));
    }

    #[test]
    fn each_order_of_five_elements_is_about_as_frequent() {
        let mut orders = HashMap::new();
        for seed in 0..12_000 {
            *orders.entry(order(5, seed)).or_insert(0) += 1;
        }
        assert_eq!(orders.len(), 120);
        // 100 are expected of each, with a deviation of 10.
        assert!(
            orders.values().all(|count| (50..=150).contains(count)),
            "{orders:?}"
        );
    }

    #[test]
    fn neighbours_do_not_stay_neighbours() {
        let order = order(10_000, 1);
        let near = order
            .windows(2)
            .filter(|pair| pair[0].abs_diff(pair[1]) < 50)
            .count();
        // 1 % are expected.
        assert!((50..150).contains(&near), "{near}");
    }
}
