//! Prices of European options by the formula of Black and Scholes: logarithm, exponential, error function, square root, divisions.

use core::f32::consts::FRAC_1_SQRT_2;
use core::f64::consts;

use warploom::device_std::math::{double, single};
use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::mixed;
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{ARITHMETIC, Run};

#[kernel(fma, block(256))]
fn black_scholes(
    i: Index1D,
    rate: f32,
    volatility: f32,
    spot: &[f32],
    strike: &[f32],
    years: &[f32],
    mut call: DisjointSlice<f32>,
    mut put: DisjointSlice<f32>,
) {
    if let (Some(call), Some(put)) = (call.get_mut(i), put.get_mut(i)) {
        let i = i.get();
        let (spot, strike, years) = (spot[i], strike[i], years[i]);
        let spread = volatility * years.sqrt();
        let d1 = ((spot / strike).ln() + (rate + 0.5 * volatility * volatility) * years) / spread;
        let d2 = d1 - spread;
        let discounted = strike * (-rate * years).exp();
        *call = spot * normal(d1) - discounted * normal(d2);
        *put = discounted * normal(-d2) - spot * normal(-d1);
    }
}

/// The distribution function of the normal distribution.
fn normal(d: f32) -> f32 {
    0.5 * single::erfc(-d * FRAC_1_SQRT_2)
}

const RATE: f32 = 0.02;
const VOLATILITY: f32 = 0.3;

/// Number `i` of the series `seed` in `from..to`.
fn between(i: usize, seed: u32, from: f32, to: f32) -> f32 {
    from + (to - from) * ((mixed(i, seed) >> 8) as f32 / 16_777_216.0)
}

#[kernel]
fn fill_between(i: Index1D, seed: u32, from: f32, to: f32, mut x: DisjointSlice<f32>) {
    if let Some(x) = x.get_mut(i) {
        *x = between(i.get(), seed, from, to);
    }
}

pub(crate) struct BlackScholes {
    spot: DeviceBuffer<f32>,
    strike: DeviceBuffer<f32>,
    years: DeviceBuffer<f32>,
    call: DeviceBuffer<f32>,
    put: DeviceBuffer<f32>,
}

/// Series, least and greatest value of spot, strike and years.
const SPOT: (u32, f32, f32) = (1, 20.0, 120.0);
const STRIKE: (u32, f32, f32) = (2, 20.0, 120.0);
const YEARS: (u32, f32, f32) = (3, 0.25, 5.0);

impl Sides for BlackScholes {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "black_scholes",
        group: ARITHMETIC,
        twin: Twin::cuda("black_scholes"),
        unit: "options",
        sizes: &[1 << 26],
        small: 2000,
        traffic: |n| Traffic::Bytes(20 * n),
        bound: Bound::Compute(
            "two exponentials, a logarithm, a square root and divisions for 20 bytes",
        ),
        prediction: "1.00: the functions of both sides have about as many instructions, and there are many more of these than of checks",
        run: run::<Self>,
    };
    const TOLERANCE: f64 = 1e-6;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        let series = |(seed, from, to): (u32, f32, f32)| -> Result<_, BenchError> {
            let mut x = session.device.alloc_uninit(n)?;
            fill_between::launch(&session.stream, Launch::covering(n), seed, from, to, &mut x)?;
            Ok(x)
        };
        Ok(Self {
            spot: series(SPOT)?,
            strike: series(STRIKE)?,
            years: series(YEARS)?,
            call: session.device.alloc_uninit(n)?,
            put: session.device.alloc_uninit(n)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        self.call.fill(f32::NAN, stream)?;
        Ok(self.put.fill(f32::NAN, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::covering(self.call.len());
        Ok(black_scholes::launch(
            stream,
            shape,
            RATE,
            VOLATILITY,
            &self.spot,
            &self.strike,
            &self.years,
            &mut self.call,
            &mut self.put,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        let Self {
            spot,
            strike,
            years,
            call,
            put,
        } = self;
        let n = call.len();
        let arguments = arguments![RATE, VOLATILITY, spot, strike, years, call, put, n as u64];
        // SAFETY: the twin takes two floats, five pointers to `n` floats and `n`; it touches nothing beyond.
        vec![unsafe { Call::new("black_scholes", n.div_ceil(256) as u32, 256, arguments) }]
    }

    /// The calls, then the puts.
    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        let mut result = self.call.to_vec(stream)?;
        result.extend(self.put.to_vec(stream)?);
        Ok(result)
    }

    fn reference(&self, i: usize) -> Reference {
        let n = self.call.len();
        let value = |(seed, from, to)| f64::from(between(i % n, seed, from, to));
        let (spot, strike, years) = (value(SPOT), value(STRIKE), value(YEARS));
        let (rate, volatility) = (f64::from(RATE), f64::from(VOLATILITY));
        let spread = volatility * years.sqrt();
        let d1 = ((spot / strike).ln() + (rate + 0.5 * volatility * volatility) * years) / spread;
        let d2 = d1 - spread;
        let discounted = strike * (-rate * years).exp();
        let normal = |d: f64| 0.5 * double::erfc(-d * consts::FRAC_1_SQRT_2);
        let price = if i < n {
            spot * normal(d1) - discounted * normal(d2)
        } else {
            discounted * normal(-d2) - spot * normal(-d1)
        };
        // A price is what is left of two larger ones.
        Reference::scaled(price, spot + strike)
    }
}
