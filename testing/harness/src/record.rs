//! One measured row. Files in `benches/results` hold lists of them.

use serde::{Deserialize, Serialize};

use crate::benchmark::{Benchmark, Times};
use crate::statistics::summarise;

/// One kernel at one size against one peer on one GPU.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Name of the benchmark.
    pub kernel: String,
    /// Its kind.
    #[serde(default)]
    pub group: String,
    /// What it is compared with.
    pub peer: String,
    /// Size, in `unit`s.
    pub size: u64,
    /// What `size` counts.
    pub unit: String,
    /// Median time of the Rust kernel in milliseconds.
    pub ours_ms: f64,
    /// Median time of the peer in milliseconds.
    pub peer_ms: f64,
    /// `peer_ms / ours_ms`: above 1 the Rust kernel is the faster one.
    pub ratio: f64,
    /// Interquartile range of ours by its median.
    pub ours_spread: f64,
    /// Interquartile range of the peer by its median.
    pub peer_spread: f64,
    /// Median time in milliseconds of the Rust kernel written with `unsafe`, where there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unchecked_ms: Option<f64>,
    /// Interquartile range of that by its median.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unchecked_spread: Option<f64>,
    /// Measured runs of each side.
    pub runs: usize,
    /// Bytes of device memory that one run must move.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bytes: Option<u64>,
    /// Floating-point operations of one run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub flops: Option<u64>,
    /// Device-to-device copy in the same run: bytes read and written per second, in 10^9.
    pub copy_gb_s: f64,
    /// Largest relative error against the CPU reference in the same run.
    pub max_error: f64,
    /// What keeps both sides from being faster ([`Bound::name`](crate::benchmark::Bound::name)); older files do not say.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bound: Option<String>,
    /// Why that is not bandwidth.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bound_why: Option<String>,
    /// What was expected before the measurement.
    pub prediction: String,
    /// Name of the GPU.
    pub gpu: String,
    /// Version of its driver.
    pub driver: String,
    /// Compiler of the peer.
    pub compiler: String,
    /// Day of the measurement, `2026-01-31`.
    pub date: String,
}

/// What all rows of one run have in common.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Name of the GPU.
    pub gpu: String,
    /// Version of its driver.
    pub driver: String,
    /// Compiler of the peer.
    pub compiler: String,
    /// Measured copy bandwidth in 10^9 bytes per second.
    pub copy_gb_s: f64,
    /// Day of the run.
    pub date: String,
}

/// What one benchmark brings home.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Times of both sides.
    pub times: Times,
    /// Largest relative error against the CPU reference.
    pub max_error: f64,
}

/// Why a record could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A side has no times.
    #[error(
        "`{kernel}` was timed {ours} times against {peer} times of the peer; both need at least one time that is a number"
    )]
    NoTimes {
        /// Name of the benchmark.
        kernel: &'static str,
        /// Times of ours.
        ours: usize,
        /// Times of the peer.
        peer: usize,
    },
}

impl Record {
    /// Makes the row of `benchmark` at `size`.
    ///
    /// # Errors
    /// [`RecordError::NoTimes`] if a side has no times, or one that is not a number.
    pub fn new<R>(
        benchmark: &Benchmark<R>,
        size: u64,
        measured: &Measured,
        machine: &Machine,
    ) -> Result<Self, RecordError> {
        let times = &measured.times;
        let (Some(ours), Some(peer)) = (summarise(&times.ours_ms), summarise(&times.peer_ms))
        else {
            return Err(RecordError::NoTimes {
                kernel: benchmark.name,
                ours: times.ours_ms.len(),
                peer: times.peer_ms.len(),
            });
        };
        let unchecked = summarise(&times.unchecked_ms);
        let traffic = (benchmark.traffic)(size);
        Ok(Self {
            kernel: benchmark.name.to_owned(),
            group: benchmark.group.to_owned(),
            peer: benchmark.twin.peer.to_owned(),
            size,
            unit: benchmark.unit.to_owned(),
            ours_ms: ours.median,
            peer_ms: peer.median,
            ratio: peer.median / ours.median,
            ours_spread: ours.spread,
            peer_spread: peer.spread,
            unchecked_ms: unchecked.map(|summary| summary.median),
            unchecked_spread: unchecked.map(|summary| summary.spread),
            runs: times.ours_ms.len(),
            bytes: traffic.bytes(),
            flops: traffic.flops(),
            copy_gb_s: machine.copy_gb_s,
            max_error: measured.max_error,
            bound: Some(benchmark.bound.name().to_owned()),
            bound_why: benchmark.bound.why().map(str::to_owned),
            prediction: benchmark.prediction.to_owned(),
            gpu: machine.gpu.clone(),
            driver: machine.driver.clone(),
            compiler: machine.compiler.clone(),
            date: machine.date.clone(),
        })
    }
}

impl Record {
    /// `unchecked_ms / ours_ms`: what is left of the speed of our own `unsafe` variant, where there is one.
    #[must_use]
    pub fn safe_ratio(&self) -> Option<f64> {
        self.unchecked_ms.map(|unchecked| unchecked / self.ours_ms)
    }

    /// Bytes per second by those of a copy in the same run.
    #[must_use]
    pub fn share_of_copy(&self) -> Option<f64> {
        let bytes = self.bytes? as f64;
        Some(bytes / (self.ours_ms / 1e3) / 1e9 / self.copy_gb_s)
    }
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
