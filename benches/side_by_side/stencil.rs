//! Steps of diffusion: each inner cell from itself and its neighbours, in two and in three dimensions.

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{noise, noise_on_device};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{Run, STENCILS};

/// Each inner cell from itself and its four neighbours; cells at the border stay.
#[kernel(fma, block(32, 8))]
fn stencil_2d(
    at: Index2D,
    width: u32,
    height: u32,
    centre: f32,
    side: f32,
    grid: &[f32],
    mut out: DisjointSlice2D<f32>,
) {
    let (x, y) = (at.x() as u32, at.y() as u32);
    let here = y * width + x;
    let cell = |at: u32| grid.get(at as usize);
    let (left, right) = (cell(here.wrapping_sub(1)), cell(here + 1));
    let (above, below) = (cell(here.wrapping_sub(width)), cell(here + width));
    let inner = x > 0 && x + 1 < width && y > 0 && y + 1 < height;
    if let (Some(out), Some(here)) = (out.get_mut(at), cell(here)) {
        *out = match (left, right, above, below) {
            (Some(left), Some(right), Some(above), Some(below)) if inner => {
                centre * here + side * (left + right + above + below)
            }
            _ => *here,
        };
    }
}

/// As above; what the other asks `grid` for is known from the cell's place.
#[kernel(fma, block(32, 8))]
fn stencil_2d_unchecked(
    at: Index2D,
    width: u32,
    height: u32,
    centre: f32,
    side: f32,
    grid: &[f32],
    mut out: DisjointSlice2D<f32>,
) {
    let (x, y) = (at.x() as u32, at.y() as u32);
    let here = y * width + x;
    // SAFETY: `grid` is as large as `out`, and the neighbours of an inner cell are cells.
    let cell = |at: u32| unsafe { *grid.get_unchecked(at as usize) };
    let inner = x > 0 && x + 1 < width && y > 0 && y + 1 < height;
    if let Some(out) = out.get_mut(at) {
        *out = if inner {
            let (left, right) = (cell(here.wrapping_sub(1)), cell(here + 1));
            let (above, below) = (cell(here.wrapping_sub(width)), cell(here + width));
            centre * cell(here) + side * (left + right + above + below)
        } else {
            cell(here)
        };
    }
}

/// The same in three dimensions, plane by plane: the launch has one thread per cell of a plane, which keeps the values
/// below, here and above in registers.
#[kernel(fma, block(256))]
fn stencil_3d(
    i: Index1D,
    width: u32,
    height: u32,
    centre: f32,
    side: f32,
    grid: &[f32],
    mut out: DisjointSlice<f32, GridStride>,
) {
    let (x, y) = (i.get() as u32 % width, i.get() as u32 / width);
    if x == 0 || x + 1 >= width || y == 0 || y + 1 >= height {
        for (at, out) in out.iter_mut(i) {
            *out = grid[at];
        }
        return;
    }
    let (plane, row) = (i.count(), width as usize);
    let (mut below, mut here) = (None, grid[i.get()]);
    for (at, out) in out.iter_mut(i) {
        let above = grid.get(at + plane).copied();
        let around = grid[at - 1] + grid[at + 1] + grid[at - row] + grid[at + row];
        *out = match (below, above) {
            (Some(below), Some(above)) => centre * here + side * (around + below + above),
            _ => here,
        };
        below = Some(here);
        here = above.unwrap_or(0.0);
    }
}

/// As above; whether there is a plane above is no check, and asked here too.
#[kernel(fma, block(256))]
fn stencil_3d_unchecked(
    i: Index1D,
    width: u32,
    height: u32,
    centre: f32,
    side: f32,
    grid: &[f32],
    mut out: DisjointSlice<f32, GridStride>,
) {
    // SAFETY: a grid has columns.
    unsafe { core::hint::assert_unchecked(width > 0) };
    // SAFETY: `grid` is as large as `out`, and the neighbours of an inner cell within its plane are cells.
    let cell = |at: usize| unsafe { *grid.get_unchecked(at) };
    let (x, y) = (i.get() as u32 % width, i.get() as u32 / width);
    if x == 0 || x + 1 >= width || y == 0 || y + 1 >= height {
        for (at, out) in out.iter_mut(i) {
            *out = cell(at);
        }
        return;
    }
    let (plane, row) = (i.count(), width as usize);
    let (mut below, mut here) = (None, cell(i.get()));
    for (at, out) in out.iter_mut(i) {
        let above = grid.get(at + plane).copied();
        let around = cell(at - 1) + cell(at + 1) + cell(at - row) + cell(at + row);
        *out = match (below, above) {
            (Some(below), Some(above)) => centre * here + side * (around + below + above),
            _ => here,
        };
        below = Some(here);
        here = above.unwrap_or(0.0);
    }
}

const CENTRE: f32 = 0.5;

pub(crate) struct Stencil2D {
    n: usize,
    grid: DeviceBuffer<f32>,
    out: DeviceBuffer<f32>,
}

impl Stencil2D {
    const SIDE: f32 = 0.125;

    fn shape(&self) -> Launch {
        Launch::new(self.blocks(), (32, 8))
    }

    fn blocks(&self) -> (u32, u32) {
        (self.n.div_ceil(32) as u32, self.n.div_ceil(8) as u32)
    }
}

impl Sides for Stencil2D {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "stencil_2d",
        group: STENCILS,
        twin: Twin::cuda("stencil_2d"),
        unit: "rows",
        sizes: &[12_288],
        small: 70,
        traffic: |n| Traffic::Bytes(8 * n * n),
        bound: Bound::Latency(
            "one point of 4 bytes per thread: 8 KiB under way per multiprocessor; its neighbours come from caches",
        ),
        prediction: "0.90: 75 instructions for 55, for each neighbour's index is compared with the length",
        run: run::<Self>,
    };
    const TOLERANCE: f64 = 1e-6;
    const UNCHECKED: Option<fn(&mut Self, &Stream) -> Result<(), BenchError>> =
        Some(|sides, stream| {
            let (shape, out) = (sides.shape(), sides.out.view_2d_mut(sides.n)?);
            let n = sides.n as u32;
            Ok(stencil_2d_unchecked::launch(
                stream,
                shape,
                n,
                n,
                CENTRE,
                Self::SIDE,
                &sides.grid,
                out,
            )?)
        });
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        Ok(Self {
            n,
            grid: noise_on_device(session, n * n, 1)?,
            out: session.device.alloc_uninit(n * n)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.out.fill(f32::NAN, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let (shape, out) = (self.shape(), self.out.view_2d_mut(self.n)?);
        let n = self.n as u32;
        Ok(stencil_2d::launch(
            stream,
            shape,
            n,
            n,
            CENTRE,
            Self::SIDE,
            &self.grid,
            out,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        let n = self.n as u32;
        let arguments = arguments![CENTRE, Self::SIDE, &self.grid, &self.out, n, n];
        // SAFETY: the twin takes two floats, two grids and their extents, and touches no cell outside.
        vec![unsafe { Call::new("stencil_2d", self.blocks(), (32, 8), arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.out.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        let (x, y, last) = (i % self.n, i / self.n, self.n - 1);
        let cell = |at: usize| f64::from(noise(at, 1));
        if x == 0 || x == last || y == 0 || y == last {
            return Reference::of(cell(i));
        }
        let around = cell(i - 1) + cell(i + 1) + cell(i - self.n) + cell(i + self.n);
        Reference::scaled(
            f64::from(CENTRE) * cell(i) + f64::from(Self::SIDE) * around,
            1.0,
        )
    }
}

pub(crate) struct Stencil3D {
    n: usize,
    grid: DeviceBuffer<f32>,
    out: DeviceBuffer<f32>,
}

impl Stencil3D {
    const SIDE: f32 = 0.0625;

    /// One thread per cell of a plane.
    fn blocks(&self) -> u32 {
        (self.n * self.n / 256) as u32
    }
}

impl Sides for Stencil3D {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "stencil_3d",
        group: STENCILS,
        twin: Twin::cuda("stencil_3d"),
        unit: "planes of as many rows",
        sizes: &[512],
        small: 16,
        traffic: |n| Traffic::Bytes(8 * n * n * n),
        bound: Bound::Latency(
            "each thread walks through the planes with few points of 4 bytes under way at a time",
        ),
        prediction: "0.90: bounds checks that are not decided before the loop keep it from being unrolled; the twin's is, four times",
        run: run::<Self>,
    };
    const TOLERANCE: f64 = 1e-6;
    const UNCHECKED: Option<fn(&mut Self, &Stream) -> Result<(), BenchError>> =
        Some(|sides, stream| {
            let (shape, n) = (Launch::new(sides.blocks(), 256), sides.n as u32);
            let (grid, out) = (&sides.grid, &mut sides.out);
            Ok(stencil_3d_unchecked::launch(
                stream,
                shape,
                n,
                n,
                CENTRE,
                Self::SIDE,
                grid,
                out,
            )?)
        });
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        Ok(Self {
            n,
            grid: noise_on_device(session, n * n * n, 1)?,
            out: session.device.alloc_uninit(n * n * n)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.out.fill(f32::NAN, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let (shape, n) = (Launch::new(self.blocks(), 256), self.n as u32);
        Ok(stencil_3d::launch(
            stream,
            shape,
            n,
            n,
            CENTRE,
            Self::SIDE,
            &self.grid,
            &mut self.out,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        let n = self.n as u32;
        let arguments = arguments![n, n, n, CENTRE, Self::SIDE, &self.grid, &self.out];
        // SAFETY: the twin takes three extents, two floats and two grids; with one thread per cell of a plane it touches no cell outside.
        vec![unsafe { Call::new("stencil_3d", self.blocks(), 256, arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.out.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        let (n, last) = (self.n, self.n - 1);
        let cell = |at: usize| f64::from(noise(at, 1));
        if [i % n, i / n % n, i / n / n]
            .iter()
            .any(|&at| at == 0 || at == last)
        {
            return Reference::of(cell(i));
        }
        let around: f64 = [1, n, n * n]
            .iter()
            .map(|d| cell(i - d) + cell(i + d))
            .sum();
        Reference::scaled(
            f64::from(CENTRE) * cell(i) + f64::from(Self::SIDE) * around,
            1.0,
        )
    }
}
