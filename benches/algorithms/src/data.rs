//! Inputs: pseudo-random words, the same in each run, of which fewer bits are set the less entropy they are to have.

use std::fmt;

use warploom::device_std::Plain;

use super::rows::Size;

/// How many words are combined by *and*, as CUB's own benchmarks do it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Entropy {
    /// One word; the algorithm takes the same time for all inputs.
    Any,
    /// One word: 1 bit for each bit.
    Full,
    /// Three words: 0.544 bits for each bit.
    Half,
    /// Five words: 0.201 bits for each bit.
    Fifth,
}

impl Entropy {
    /// For algorithms whose time does not depend on the values.
    pub(crate) const ONE: &'static [Entropy] = &[Entropy::Any];
    /// For all others.
    pub(crate) const ALL: &'static [Entropy] = &[Entropy::Full, Entropy::Half, Entropy::Fifth];

    fn words(self) -> u64 {
        match self {
            Entropy::Any | Entropy::Full => 1,
            Entropy::Half => 3,
            Entropy::Fifth => 5,
        }
    }
}

impl fmt::Display for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Entropy::Any => "-",
            Entropy::Full => "1",
            Entropy::Half => "0.544",
            Entropy::Fifth => "0.201",
        })
    }
}

/// A type of elements.
pub(crate) trait Element: Plain + Send {
    /// As the peers' names have it.
    const NAME: &'static str;

    /// From random bits.
    fn from_bits(bits: u64) -> Self;
}

impl Element for u8 {
    const NAME: &'static str = "u8";

    fn from_bits(bits: u64) -> Self {
        (bits >> 56) as u8
    }
}

impl Element for u32 {
    const NAME: &'static str = "u32";

    fn from_bits(bits: u64) -> Self {
        (bits >> 32) as u32
    }
}

impl Element for u64 {
    const NAME: &'static str = "u64";

    fn from_bits(bits: u64) -> Self {
        bits
    }
}

/// Multiples of 2^-24 in 0..1, so that sums have few rounding errors, no result depends on the order of two zeros, and bins of a histogram are equally wide.
impl Element for f32 {
    const NAME: &'static str = "f32";

    fn from_bits(bits: u64) -> Self {
        (bits >> 40) as f32 * (1.0 / 16_777_216.0)
    }
}

/// The input `seed` of a row.
pub(crate) fn elements<T: Element>(size: Size, seed: u64) -> Vec<T> {
    let words = size.entropy.words();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let part = size.n.div_ceil(threads).max(1);
    let of = |i: usize| {
        let word = |k: u64| mix((seed * 8 + k) << 40 | i as u64);
        T::from_bits((0..words).map(word).fold(u64::MAX, |a, b| a & b))
    };
    let mut elements = vec![T::from_bits(0); size.n];
    std::thread::scope(|scope| {
        for (first, part) in (0..).step_by(part).zip(elements.chunks_mut(part)) {
            scope.spawn(move || {
                for (i, element) in part.iter_mut().enumerate() {
                    *element = of(first + i);
                }
            });
        }
    });
    elements
}

/// A word without a pattern for each number: the last steps of SplitMix64.
fn mix(number: u64) -> u64 {
    let x = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of bits that are set.
    fn set(entropy: Entropy) -> f64 {
        let n = 10_000;
        let words = elements::<u64>(Size { n, entropy }, 1);
        let set: u32 = words.iter().map(|word| word.count_ones()).sum();
        f64::from(set) / (64 * n) as f64
    }

    #[test]
    fn each_word_more_halves_the_bits() {
        for (entropy, part) in [
            (Entropy::Any, 0.5),
            (Entropy::Full, 0.5),
            (Entropy::Half, 0.125),
            (Entropy::Fifth, 0.031_25),
        ] {
            let found = set(entropy);
            assert!((found - part).abs() < 0.002, "{entropy}: {found}");
        }
    }

    #[test]
    fn seeds_are_different_inputs() {
        let size = Size {
            n: 100,
            entropy: Entropy::Full,
        };
        assert_ne!(elements::<u32>(size, 0), elements::<u32>(size, 1));
    }

    #[test]
    fn floats_are_below_one() {
        assert_eq!(f32::from_bits(0), 0.0);
        assert_eq!(
            <f32 as Element>::from_bits(u64::MAX),
            1.0 - 1.0 / 16_777_216.0
        );
    }
}
