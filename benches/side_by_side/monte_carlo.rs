//! The payoff of a call over random prices: Philox 4x32-10 for the bits, Box and Muller for the normal numbers, one sum per block.

use core::f32::consts::TAU;
use core::f64::consts;

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{ARITHMETIC, Run};

/// What the price follows: `spot * exp(drift + spread * normal)`.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Asset {
    spot: f32,
    strike: f32,
    drift: f32,
    spread: f32,
}

#[kernel(fma, block(256))]
fn monte_carlo(
    i: Index1D,
    block: Block,
    warp: Warp,
    rounds: u32,
    asset: Asset,
    mut tile: SharedTile<f32, 256>,
    mut partial: DisjointSlice<f32, PerBlock>,
) {
    let mut sum = 0.0;
    for round in 0..rounds {
        let [a, b, c, d] = philox([i.get() as u32, round, 0, 0], KEY);
        sum += payoffs(a, b, asset);
        sum += payoffs(c, d, asset);
    }
    for flip in [16, 8, 4, 2, 1] {
        sum += warp.shuffle_xor(sum, flip);
    }
    tile.set_own(0, sum);
    let sums = tile.publish(&block);
    if let Some(leader) = block.leader()
        && let Some(partial) = partial.get_mut(leader)
    {
        *partial = (0..8).map(|warp| sums[warp * 32]).sum();
    }
}

const KEY: [u32; 2] = [2026, 11];

/// Ten rounds of Philox.
fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let low = 0xd251_1f53u64 * u64::from(counter[0]);
        let high = 0xcd9e_8d57u64 * u64::from(counter[2]);
        counter = [
            (high >> 32) as u32 ^ counter[1] ^ key[0],
            high as u32,
            (low >> 32) as u32 ^ counter[3] ^ key[1],
            low as u32,
        ];
        key = [
            key[0].wrapping_add(0x9e37_79b9),
            key[1].wrapping_add(0xbb67_ae85),
        ];
    }
    counter
}

/// A number between 0 and 1, and neither of them.
fn uniform(bits: u32) -> f32 {
    ((bits >> 8) as f32 + 0.5) / 16_777_216.0
}

/// Of two prices.
fn payoffs(first: u32, second: u32, asset: Asset) -> f32 {
    let radius = (-2.0 * uniform(first).ln()).sqrt();
    let (sine, cosine) = (TAU * uniform(second)).sin_cos();
    let payoff = |normal: f32| {
        let price = asset.spot * (asset.drift + asset.spread * normal).exp();
        (price - asset.strike).max(0.0)
    };
    payoff(radius * sine) + payoff(radius * cosine)
}

/// A year at a rate of 2 % and a volatility of 30 %: the drift is 0.02 - 0.3² / 2.
const ASSET: Asset = Asset {
    spot: 100.0,
    strike: 105.0,
    drift: -0.025,
    spread: 0.3,
};

pub(crate) struct MonteCarlo {
    rounds: u32,
    partial: DeviceBuffer<f32>,
}

impl Sides for MonteCarlo {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "monte_carlo",
        group: ARITHMETIC,
        twin: Twin::cuda("monte_carlo"),
        unit: "prices per thread",
        sizes: &[512],
        small: 8,
        traffic: |_| Traffic::None,
        bound: Bound::Compute("random numbers and exponentials, and next to no memory"),
        prediction: "0.97: no memory and no checks; the functions of both sides differ by a few instructions",
        run: run::<Self>,
    };
    const TOLERANCE: f64 = 1e-4;
    const SAMPLES: usize = 4;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        // Sixteen blocks for each of the H200's 132 multiprocessors; few on the emulator.
        let blocks = if size < 64 { 4 } else { 16 * 132 };
        Ok(Self {
            rounds: (size / 4) as u32,
            partial: session.device.alloc_uninit(blocks)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.partial.fill(f32::NAN, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::new(self.partial.len() as u32, 256);
        Ok(monte_carlo::launch(
            stream,
            shape,
            self.rounds,
            ASSET,
            &mut self.partial,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        let Asset {
            spot,
            strike,
            drift,
            spread,
        } = ASSET;
        let arguments = arguments![self.rounds, spot, strike, drift, spread, &self.partial];
        // SAFETY: the twin takes a number of rounds, four floats and room for a sum per block.
        vec![unsafe { Call::new("monte_carlo", self.partial.len() as u32, 256, arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.partial.to_vec(stream)?)
    }

    fn reference(&self, block: usize) -> Reference {
        let mut sum = 0.0;
        for thread in block * 256..(block + 1) * 256 {
            for round in 0..self.rounds {
                let bits = philox([thread as u32, round, 0, 0], KEY);
                for [first, second] in [[bits[0], bits[1]], [bits[2], bits[3]]] {
                    let radius = (-2.0 * f64::from(uniform(first)).ln()).sqrt();
                    let (sine, cosine) = (consts::TAU * f64::from(uniform(second))).sin_cos();
                    for normal in [radius * sine, radius * cosine] {
                        let rise = f64::from(ASSET.drift) + f64::from(ASSET.spread) * normal;
                        let price = f64::from(ASSET.spot) * rise.exp();
                        sum += f64::max(price - f64::from(ASSET.strike), 0.0);
                    }
                }
            }
        }
        Reference::of(sum)
    }
}
