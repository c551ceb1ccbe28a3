//! A sparse matrix in compressed rows by a vector: one thread per row, and one warp per row.

use warploom::device_std::atomic::Relaxed;
use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{mixed, noise, noise_on_device};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{IRREGULAR, Run};

#[kernel(fma, block(256))]
fn spmv_rows(
    row: Index1D,
    starts: &[u32],
    columns: &[u32],
    values: &[f32],
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    if let Some(y) = y.get_mut(row) {
        let row = row.get();
        let entries = starts[row] as usize..starts[row + 1] as usize;
        let mut sum = 0.0;
        for (&column, value) in columns[entries.clone()].iter().zip(&values[entries]) {
            sum += value * x[column as usize];
        }
        *y = sum;
    }
}

#[kernel(fma, block(256))]
fn spmv_rows_unchecked(
    row: Index1D,
    starts: &[u32],
    columns: &[u32],
    values: &[f32],
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    if let Some(y) = y.get_mut(row) {
        let row = row.get();
        // SAFETY: there is one start more than rows, and the last one is the number of entries.
        let start = unsafe { *starts.get_unchecked(row) };
        // SAFETY: as above.
        let end = unsafe { *starts.get_unchecked(row + 1) };
        let entries = start as usize..end as usize;
        // SAFETY: starts do not decrease, and the last one is the number of columns and values.
        let columns = unsafe { columns.get_unchecked(entries.clone()) };
        // SAFETY: as above.
        let values = unsafe { values.get_unchecked(entries) };
        let mut sum = 0.0;
        for (&column, value) in columns.iter().zip(values) {
            // SAFETY: a column of the matrix, which has as many as `x` has elements.
            sum += value * unsafe { x.get_unchecked(column as usize) };
        }
        *y = sum;
    }
}

/// One row per warp. The results are atomics, stored by lane 0; an output `DisjointSlice<f32, PerWarp>` would need none.
#[kernel(fma, block(256))]
fn spmv_warps(
    i: Index1D,
    warp: Warp,
    starts: &[u32],
    columns: &[u32],
    values: &[f32],
    x: &[f32],
    y: &[Atomic<f32>],
) {
    let row = i.get() / 32;
    if let Some(y) = y.get(row) {
        let end = starts[row + 1] as usize;
        let mut at = starts[row] as usize + warp.lane() as usize;
        let mut sum = 0.0;
        while at < end {
            sum += values[at] * x[columns[at] as usize];
            at += 32;
        }
        for flip in [16, 8, 4, 2, 1] {
            sum += warp.shuffle_xor(sum, flip);
        }
        if warp.lane() == 0 {
            y.store(sum, Relaxed);
        }
    }
}

/// Of entry `at`: near the diagonal, for rows have 32 entries on average.
fn column(at: usize, rows: u32) -> u32 {
    ((at / 32) as u32).wrapping_add(mixed(at, 5) % 8192) % rows
}

#[kernel]
fn fill_columns(i: Index1D, rows: u32, mut columns: DisjointSlice<u32, GridStride>) {
    for (at, entry) in columns.iter_mut(i) {
        *entry = column(at, rows);
    }
}

/// A matrix with 1 to 63 entries in each row.
struct Matrix {
    starts: Vec<u32>,
    starts_on_device: DeviceBuffer<u32>,
    columns: DeviceBuffer<u32>,
    values: DeviceBuffer<f32>,
    x: DeviceBuffer<f32>,
    y: DeviceBuffer<f32>,
}

impl Matrix {
    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let rows = size as usize;
        let mut starts = vec![0];
        let mut entries = 0;
        for row in 0..rows {
            entries += 1 + mixed(row, 6) % 63;
            starts.push(entries);
        }
        let mut columns = session.device.alloc_uninit(entries as usize)?;
        let shape = Launch::new(entries.div_ceil(256).min(4096), 256);
        fill_columns::launch(&session.stream, shape, rows as u32, &mut columns)?;
        Ok(Self {
            starts_on_device: session.device.upload(&starts)?,
            starts,
            columns,
            values: noise_on_device(session, entries as usize, 3)?,
            x: noise_on_device(session, rows, 4)?,
            y: session.device.alloc_uninit(rows)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.y.fill(f32::NAN, stream)?)
    }

    fn twin(&self, function: &'static str, threads_per_row: usize) -> Vec<Call> {
        let Self {
            starts_on_device,
            columns,
            values,
            x,
            y,
            ..
        } = self;
        let grid = (y.len() * threads_per_row).div_ceil(256) as u32;
        let arguments = arguments![starts_on_device, columns, values, x, y, y.len() as u32];
        // SAFETY: the twin takes a matrix in compressed rows, a vector, room for the product and the number of rows; starts and columns
        // stay within the matrix.
        vec![unsafe { Call::new(function, grid, 256, arguments) }]
    }

    fn reference(&self, row: usize) -> Reference {
        let rows = self.y.len() as u32;
        let products = (self.starts[row] as usize..self.starts[row + 1] as usize)
            .map(|at| f64::from(noise(at, 3)) * f64::from(noise(column(at, rows) as usize, 4)));
        let (sum, scale) = products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + p.abs()));
        Reference::scaled(sum, scale)
    }
}

pub(crate) struct SpmvRows(Matrix);

impl Sides for SpmvRows {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "spmv_rows",
        group: IRREGULAR,
        twin: Twin::of("spmv", "spmv_rows"),
        unit: "rows",
        sizes: &[1 << 22],
        small: 600,
        // 32 entries of eight bytes in a row on average; vector, starts and result.
        traffic: |n| Traffic::Bytes((32 * 8 + 12) * n),
        bound: Bound::Irregular("the elements of x lie anywhere, 4 bytes of a sector of 32 each"),
        prediction: "1.2: the indices of 16 entries are checked together; what a row has of a cache line is read at once",
        run: run::<Self>,
    };
    const TOLERANCE: f64 = 1e-6;
    const UNCHECKED: Option<fn(&mut Self, &Stream) -> Result<(), BenchError>> =
        Some(|SpmvRows(m), stream| {
            Ok(spmv_rows_unchecked::launch(
                stream,
                Launch::covering(m.y.len()),
                &m.starts_on_device,
                &m.columns,
                &m.values,
                &m.x,
                &mut m.y,
            )?)
        });
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        Ok(Self(Matrix::new(session, size)?))
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        self.0.reset(stream)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let m = &mut self.0;
        let shape = Launch::covering(m.y.len());
        Ok(spmv_rows::launch(
            stream,
            shape,
            &m.starts_on_device,
            &m.columns,
            &m.values,
            &m.x,
            &mut m.y,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        self.0.twin("spmv_rows", 1)
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.0.y.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        self.0.reference(i)
    }
}

pub(crate) struct SpmvWarps(Matrix);

impl Sides for SpmvWarps {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "spmv_warps",
        twin: Twin::of("spmv", "spmv_warps"),
        prediction: "0.95: three bounds checks per entry, beside waiting for memory; rows have one round or two",
        run: run::<Self>,
        ..SpmvRows::BENCHMARK
    };
    const TOLERANCE: f64 = 1e-6;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        Ok(Self(Matrix::new(session, size)?))
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        self.0.reset(stream)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let m = &mut self.0;
        let shape = Launch::covering(32 * m.y.len());
        Ok(spmv_warps::launch(
            stream,
            shape,
            &m.starts_on_device,
            &m.columns,
            &m.values,
            &m.x,
            m.y.as_atomics(),
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        self.0.twin("spmv_warps", 32)
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.0.y.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        self.0.reference(i)
    }
}
