//! Crates of random numbers, in the categories algorithms and no-std.

use crate::case::case;

case!(fastrand, "fastrand", |x| {
    let mut rng = ::fastrand::Rng::with_seed(x);
    let mut list = [1u64, 2, 3, 4, 5, 6, 7];
    rng.shuffle(&mut list);
    [
        rng.u64(..),
        u64::from(rng.u32(10..99)),
        rng.f64().to_bits(),
        list.iter().fold(0, |a, v| a * 8 + v),
    ]
});

case!(oorandom, "oorandom", |x| {
    let mut a = ::oorandom::Rand32::new(x);
    let mut b = ::oorandom::Rand64::new(u128::from(x) << 17);
    [
        u64::from(a.rand_u32()),
        u64::from(a.rand_float().to_bits()),
        b.rand_u64(),
        b.rand_range(5..1000),
    ]
});

case!(rand, "rand", |x| {
    use ::rand::rngs::SmallRng;
    use ::rand::seq::SliceRandom;
    use ::rand::{Rng, SeedableRng};
    let mut rng = SmallRng::seed_from_u64(x);
    let mut list = [1u64, 2, 3, 4, 5, 6];
    list.shuffle(&mut rng);
    [
        rng.random(),
        rng.random_range(3..1_000_003),
        rng.random::<f64>().to_bits(),
        list.iter().fold(0, |a, v| a * 7 + v),
    ]
});

case!(rand_chacha, "rand_chacha", |x| {
    use ::rand_chacha::rand_core::{RngCore, SeedableRng};
    use ::rand_chacha::{ChaCha8Rng, ChaCha20Rng};
    let mut a = ChaCha8Rng::seed_from_u64(x);
    let mut b = ChaCha20Rng::from_seed(bytes(x));
    b.set_word_pos(37);
    let mut text = [0; 40];
    a.fill_bytes(&mut text);
    [
        a.next_u64(),
        digest(&text),
        b.next_u64(),
        u64::from(b.next_u32()),
    ]
});

case!(rand_core, "rand_core", |x| {
    use ::rand_core::block::{BlockRng, BlockRngCore};
    use ::rand_core::{RngCore, impls};
    struct Counter(u64);
    impl BlockRngCore for Counter {
        type Item = u32;
        type Results = [u32; 8];
        fn generate(&mut self, results: &mut [u32; 8]) {
            for word in results {
                self.0 = self
                    .0
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                *word = (self.0 >> 33) as u32;
            }
        }
    }
    impl RngCore for Counter {
        fn next_u32(&mut self) -> u32 {
            self.next_u64() as u32
        }
        fn next_u64(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9);
            self.0
        }
        fn fill_bytes(&mut self, text: &mut [u8]) {
            impls::fill_bytes_via_next(self, text);
        }
    }
    let mut rng = BlockRng::new(Counter(x));
    let mut text = [0; 21];
    rng.fill_bytes(&mut text);
    let mut plain = [0; 11];
    Counter(x).fill_bytes(&mut plain);
    [
        rng.next_u64(),
        digest(&text),
        u64::from(rng.next_u32()),
        digest(&plain),
    ]
});

case!(rand_distr, "rand_distr", |x| {
    use ::rand_distr::{Binomial, Distribution, Exp, Normal, StandardNormal, Uniform};
    use ::rand_pcg::Pcg64;
    use ::rand_pcg::rand_core::SeedableRng;
    let mut rng = Pcg64::seed_from_u64(x);
    let normal: f64 = sure(Normal::new(2.0, 0.5)).sample(&mut rng);
    let standard: f64 = StandardNormal.sample(&mut rng);
    let exponential: f64 = sure(Exp::new(1.5)).sample(&mut rng);
    let count = sure(Binomial::new(20, 0.3)).sample(&mut rng);
    let uniform: u64 = sure(Uniform::new(0, 1_000_000_007)).sample(&mut rng);
    [
        near(normal),
        near(standard),
        near(exponential),
        count ^ uniform << 8,
    ]
});

case!(rand_pcg, "rand_pcg", |x| {
    use ::rand_pcg::rand_core::{RngCore, SeedableRng};
    use ::rand_pcg::{Pcg32, Pcg64, Pcg64Mcg};
    let mut a = Pcg32::seed_from_u64(x);
    let mut b = Pcg64::seed_from_u64(x);
    b.advance(1000);
    let mut c = Pcg64Mcg::new(u128::from(x) << 64 | 9);
    [
        a.next_u64(),
        b.next_u64(),
        c.next_u64(),
        u64::from(a.next_u32()),
    ]
});

case!(rand_xorshift, "rand_xorshift", |x| {
    use ::rand_core::{RngCore, SeedableRng};
    use ::rand_xorshift::XorShiftRng;
    let mut a = XorShiftRng::seed_from_u64(x);
    let mut b = XorShiftRng::from_seed(bytes(x));
    let mut text = [0; 13];
    b.fill_bytes(&mut text);
    [
        a.next_u64(),
        u64::from(a.next_u32()),
        b.next_u64(),
        digest(&text),
    ]
});

case!(rand_xoshiro, "rand_xoshiro", |x| {
    use ::rand_xoshiro::rand_core::{RngCore, SeedableRng};
    use ::rand_xoshiro::{SplitMix64, Xoroshiro128PlusPlus, Xoshiro256StarStar, Xoshiro512Plus};
    let mut a = Xoshiro256StarStar::seed_from_u64(x);
    a.jump();
    let mut b = Xoroshiro128PlusPlus::seed_from_u64(x);
    let mut c = Xoshiro512Plus::seed_from_u64(x);
    [
        a.next_u64(),
        b.next_u64(),
        c.next_u64(),
        SplitMix64::seed_from_u64(x).next_u64(),
    ]
});
