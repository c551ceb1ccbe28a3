//! Both sides of a row: results compared, then timed in turn.

use std::cell::RefCell;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use warploom::Event;
use warploom::prelude::*;
use warploom_harness::benchmark::{Repetitions, interleave};
use warploom_harness::date;
use warploom_harness::linalg;
use warploom_harness::statistics::summarise;
use warploom_linalg::prelude::*;
use warploom_linalg::{Arithmetic, Candidate, Extents, Layout, Matmul, MatmulPlan, Output};

use crate::data::{Value, normal, operand};
use crate::nvml::Nvml;
use crate::peers::{Compute, CublasLt, DataType, Operand, PeerError, WORKSPACE};
use crate::rows::{Row, Size};

/// Runs before the first time counts, for both sides.
const WARM_UP: usize = 3;
/// Bytes that are filled before a time is taken: more than a cache has, and long enough for the host to queue a product meanwhile.
const AHEAD_BYTES: usize = 256 << 20;
/// Elements of the result that are compared with sums in `f64`.
const SAMPLES: usize = 64;

/// What the peer is told, and how exact results are.
#[derive(Clone, Copy)]
pub(crate) struct Side {
    pub(crate) compute: Compute,
    pub(crate) operands: DataType,
    pub(crate) results: DataType,
    pub(crate) rows_a: bool,
    pub(crate) rows_b: bool,
    /// The largest difference that is right, relative to the size of a usual result.
    pub(crate) tolerance: f64,
}

/// A run of the benchmark.
pub(crate) struct Bench {
    device: Device,
    stream: Stream,
    lt: Option<CublasLt>,
    repetitions: Repetitions,
    candidates: usize,
    start: Event,
    end: Event,
    ahead: RefCell<DeviceBuffer<u32>>,
    nvml: Option<Nvml>,
    rows: Vec<linalg::Row>,
}

type Done<T = ()> = Result<T, Box<dyn Error>>;

impl Bench {
    pub(crate) fn new(
        emulator: bool,
        cublaslt: Option<&Path>,
        runs: usize,
        candidates: usize,
    ) -> Done<Self> {
        let device = if emulator {
            Device::emulator()
        } else {
            Device::cuda(0)?
        };
        println!("{}", device.name());
        Ok(Self {
            stream: device.stream()?,
            start: device.event()?,
            ahead: RefCell::new(device.zeroed(if emulator { 0 } else { AHEAD_BYTES / 4 })?),
            end: device.event()?,
            lt: cublaslt.map(CublasLt::open).transpose()?,
            repetitions: Repetitions {
                warm_up: WARM_UP,
                measured: runs,
            },
            candidates,
            nvml: Nvml::open(),
            rows: Vec::new(),
            device,
        })
    }

    /// Compares ours with sums of the host and with the peer, and times both, on a GPU.
    pub(crate) fn compare<A, O, LA, LB>(
        &mut self,
        row: &Row,
        size: Size,
        side: Side,
        product: impl for<'a> Fn(
            &'a Stream,
            &'a DeviceBuffer<A::Element>,
            &'a DeviceBuffer<A::Element>,
        ) -> Matmul<'a, A, LA, LB>,
    ) -> Done
    where
        A: Arithmetic,
        A::Element: Value,
        O: Output<A::Sum> + Value,
        LA: Layout,
        LB: Layout,
    {
        let Size { m, n, k } = size;
        let stream = self.stream.clone();
        let a = operand::<A::Element>(&stream, m * k, 1)?;
        let b = operand::<A::Element>(&stream, k * n, 2)?;
        let mut c = self.device.zeroed::<O>(m * n)?;
        let extents = Extents {
            m,
            n,
            k,
            batches: 1,
        };
        let mut plan = self.plan::<A, O, LA, LB>(extents, (&a, &b), &product, &mut c)?;
        let run = |plan: &mut MatmulPlan<A>, c: &mut DeviceBuffer<O>| -> Done {
            let product = product(&stream, &a, &b).plan(plan);
            Ok(product.into(MatrixMut::row_major(c, m, n))?)
        };
        let started = Instant::now();
        run(&mut plan, &mut c)?;
        let found = c.to_vec(&stream)?;
        let first = started.elapsed();
        let kernel = plan.ran().ok_or("a product without elements")?.kernel;
        let mut ours = |c: &mut DeviceBuffer<O>| run(&mut plan, c);
        let error = self.sample::<A, O>(size, side, &found)?;
        let (Some(lt), true) = (&self.lt, self.device.is_gpu()) else {
            println!(
                "{} {m}x{n}x{k}: right, in {:.2} s; {}",
                row.kind,
                first.as_secs_f64(),
                describe(kernel)
            );
            return Ok(());
        };
        let theirs = self.device.zeroed::<O>(m * n)?;
        let workspace = self.device.zeroed::<u8>(WORKSPACE)?;
        let operands = operands(size, side, [a.raw_ptr(), b.raw_ptr(), theirs.raw_ptr()]);
        // SAFETY: all are in memory of this device, and stay until the last time is taken.
        let peer = unsafe { lt.product(side.compute, operands, workspace.raw_ptr(), stream.raw()) };
        let peer = match peer {
            Err(PeerError::NoAlgorithm) => {
                println!("{} {m}x{n}x{k}: right; cuBLASLt has no algorithm", row.kind);
                return Ok(());
            }
            peer => peer?,
        };
        peer.queue()?;
        let expected = theirs.to_vec(&stream)?;
        compare_all(&found, &expected, side.tolerance * usual(side, k))?;
        let times = interleave(
            self.repetitions,
            || self.time(|| ours(&mut c)),
            || self.time(|| Ok(peer.queue()?)),
        )?;
        let (clock_mhz, power_w) = self.nvml.as_ref().map_or((0, 0), Nvml::read);
        let summaries = summarise(&times.ours_ms).zip(summarise(&times.peer_ms));
        let (ours, peer) = summaries.ok_or("`--runs` must be at least 1")?;
        let measured = linalg::Row {
            kind: row.kind.to_owned(),
            of: row.of.to_owned(),
            m: m as u64,
            n: n as u64,
            k: k as u64,
            kernel: describe(kernel),
            ours,
            peer,
            clock_mhz,
            power_w,
            error,
        };
        println!(
            "{} {m}x{n}x{k}: {:.1} T/s, cuBLASLt {:.1}, ratio {:.3}; {}; {clock_mhz} MHz, {power_w} W, error {error:.1e}",
            row.kind,
            measured.rate(ours),
            measured.rate(peer),
            measured.ratio(),
            measured.kernel,
        );
        self.rows.push(measured);
        Ok(())
    }

    /// The plan of the estimate, or of the fastest candidate if some are to be timed.
    fn plan<A, O, LA, LB>(
        &self,
        extents: Extents,
        (a, b): (&DeviceBuffer<A::Element>, &DeviceBuffer<A::Element>),
        product: &impl for<'a> Fn(
            &'a Stream,
            &'a DeviceBuffer<A::Element>,
            &'a DeviceBuffer<A::Element>,
        ) -> Matmul<'a, A, LA, LB>,
        c: &mut DeviceBuffer<O>,
    ) -> Done<MatmulPlan<A>>
    where
        A: Arithmetic,
        O: Output<A::Sum>,
        LA: Layout,
        LB: Layout,
    {
        let Extents { m, n, k, .. } = extents;
        if self.candidates == 0 {
            return Ok(MatmulPlan::new(&self.device, extents)?);
        }
        let stream = &self.stream;
        for candidate in MatmulPlan::<A>::candidates(&self.device, extents)
            .into_iter()
            .take(self.candidates)
        {
            let mut plan = MatmulPlan::<A>::with(&self.device, extents, candidate)?;
            let mut times = Vec::new();
            for _ in 0..5 {
                times.push(self.time(|| {
                    Ok(product(stream, a, b)
                        .plan(&mut plan)
                        .into(MatrixMut::row_major(&mut *c, m, n))?)
                })?);
            }
            let median = summarise(&times).map_or(f64::NAN, |summary| summary.median);
            println!(
                "    {median:.4} ms, {:.1} T/s: {}",
                flops(Size { m, n, k }, median),
                describe(candidate)
            );
        }
        let tuned =
            product(stream, a, b).autotune(self.candidates, MatrixMut::row_major(c, m, n))?;
        println!("    autotune: {}", describe(tuned.candidate()));
        Ok(tuned)
    }

    /// The largest difference of some elements from their sums in `f64`, relative to a usual result.
    fn sample<A: Arithmetic, O: Value>(&self, size: Size, side: Side, found: &[O]) -> Done<f64>
    where
        A::Element: Value,
    {
        let Size { m, n, k } = size;
        let mut largest = 0.0f64;
        for i in 0..SAMPLES {
            let (row, column) = (i * 7919 % m, (i * 104_729 + 17 * i * i) % n);
            let element = |seed, at: usize| A::Element::of(normal(seed, at as u32)).to_f64();
            let sum: f64 = (0..k)
                .map(|k_at| {
                    let in_a = if side.rows_a {
                        row * k + k_at
                    } else {
                        k_at * m + row
                    };
                    let in_b = if side.rows_b {
                        k_at * n + column
                    } else {
                        column * k + k_at
                    };
                    element(1, in_a) * element(2, in_b)
                })
                .sum();
            let value = found[row * n + column].to_f64();
            let error = (value - sum).abs() / usual(side, k);
            // A rounded result is as exact as its last bit.
            let limit = side.tolerance * (1.0 + sum.abs() / usual(side, k));
            if error.is_nan() || error > limit {
                return Err(format!("[{row}, {column}] is {value}, expected {sum}").into());
            }
            largest = largest.max(error);
        }
        Ok(largest)
    }

    /// Milliseconds between before and after `work`, which is queued while the device fills memory.
    fn time(&self, work: impl FnOnce() -> Done) -> Done<f64> {
        self.ahead.borrow_mut().fill(0, &self.stream)?;
        self.stream.record(&self.start)?;
        work()?;
        self.stream.record(&self.end)?;
        Ok(self.start.elapsed_ms(&self.end)?)
    }

    /// Writes the results to a file that is named as the GPU.
    pub(crate) fn write(self, folder: &Path) -> Done {
        let (major, minor) = self.device.driver_version().unwrap_or_default();
        let driver = std::env::var("WARPLOOM_BENCH_DRIVER");
        let results = linalg::Results {
            gpu: self.device.name().to_owned(),
            driver: driver.unwrap_or_else(|_| format!("for CUDA {major}.{minor}")),
            peer: self.lt.as_ref().map_or_else(String::new, CublasLt::version),
            date: date::today(),
            rows: self.rows,
        };
        Ok(linalg::write(
            &folder.join(linalg::file_name(&results.gpu)),
            &results,
        )?)
    }
}

/// What the peer multiplies, at the addresses of A, B and C. Its matrices are column-major: it computes the transposed result.
fn operands(Size { m, n, k }: Size, side: Side, [a, b, c]: [u64; 3]) -> [Operand; 3] {
    let operand = |address, (rows, columns), of, transposed| Operand {
        address,
        of,
        rows,
        columns,
        transposed,
    };
    let memory_a = if side.rows_a { (k, m) } else { (m, k) };
    let memory_b = if side.rows_b { (n, k) } else { (k, n) };
    [
        operand(b, memory_b, side.operands, !side.rows_b),
        operand(a, memory_a, side.operands, !side.rows_a),
        operand(c, (n, m), side.results, false),
    ]
}

/// The standard deviation of a sum of `k` products.
fn usual(side: Side, k: usize) -> f64 {
    let of_product = if side.operands == DataType::I8 {
        24.0 * 24.0
    } else {
        1.0
    };
    of_product * (k as f64).sqrt()
}

/// 10^12 operations for each second.
fn flops(size: Size, ms: f64) -> f64 {
    2.0 * size.m as f64 * size.n as f64 * size.k as f64 / ms / 1e9
}

fn describe(kernel: Candidate) -> String {
    let Candidate {
        family,
        rows,
        columns,
        splits,
        group,
        ..
    } = kernel;
    format!("{family:?} {rows}x{columns}, {splits} parts, groups of {group}")
}

fn compare_all<O: Value>(found: &[O], expected: &[O], limit: f64) -> Done {
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let (found, expected) = (found.to_f64(), expected.to_f64());
        let difference = (found - expected).abs();
        if difference.is_nan()
            || difference > limit.max(expected.abs() * 0.01 * f64::from(limit > 0.0))
        {
            return Err(format!("element {i} is {found}, the peer's is {expected}").into());
        }
    }
    Ok(())
}
