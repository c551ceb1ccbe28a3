//! Which kernel a product runs, and the memory that it needs.
//!
//! The time of a kernel is estimated: blocks run in rounds, each as many as the multiprocessors hold at once. For each tile of K, a round takes what is the longest: the products
//! by the tile's speed, the loads by what a multiprocessor loads, the latency of a load by the number of stages. Parts of K make more blocks where tiles are few, and cost the
//! traffic of their sums and a launch.

use warploom::{Device, DeviceBuffer, MemoryError, TensorMapError};

use crate::Error;
use crate::arithmetic::Arithmetic;
use crate::kernels::problem::Problem;
use crate::matrix::MOST;

/// Which instructions a kernel multiplies with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// Fused multiply-adds of each thread.
    Simt,
    /// `mma.sync` of warps on tensor cores.
    Tensor,
    /// `wgmma` of groups of four warps on the tensor cores of compute capability 9.0, with bulk copies. The lines of both operands all begin at multiples of 16 bytes; elements
    /// that are not of 16 bits lie along K (A is row-major, B column-major). For other operands, a plan of this family runs the kernel of another one that should be the fastest;
    /// [`MatmulPlan::ran`] says why.
    WarpGroups,
}

/// The tile of a kernel.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    pub(crate) family: Family,
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    /// Elements along K.
    pub(crate) depth: u32,
    /// Blocks that a multiprocessor holds.
    pub(crate) blocks: u32,
    /// Products of a multiprocessor and clock.
    pub(crate) speed: u32,
    /// Buffers of shared memory for tiles.
    pub(crate) stages: u32,
    pub(crate) shared_bytes: u32,
}

/// A kernel with its parameters: one of those that [`MatmulPlan::candidates`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The number of the tile in the table.
    pub(crate) tile: usize,
    /// Which instructions it multiplies with.
    pub family: Family,
    /// Rows of the result that a block computes; columns if the result is column-major.
    pub rows: u32,
    /// Columns of the result that a block computes; rows if the result is column-major.
    pub columns: u32,
    /// Parts of K, each done by blocks of its own.
    pub splits: u32,
    /// Rows of tiles that are done together.
    pub group: u32,
}

/// The most parts of K.
const MOST_SPLITS: u32 = 32;

impl Candidate {
    /// What a problem runs that was completed by [`MatmulPlan::tile_of`].
    pub(crate) fn of_problem(number: usize, tile: &Tile, problem: &Problem) -> Self {
        Candidate {
            splits: problem.splits,
            group: problem.group,
            ..Candidate::of(number, tile)
        }
    }

    /// That of a tile, whose number this is, with K in one part.
    fn of(number: usize, tile: &Tile) -> Self {
        Candidate {
            tile: number,
            family: tile.family,
            rows: tile.rows,
            columns: tile.columns,
            splits: 1,
            group: group(tile),
        }
    }
}

/// The extents of a product that a plan depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extents {
    /// Rows of A and C.
    pub m: usize,
    /// Columns of B and C.
    pub n: usize,
    /// Columns of A and rows of B.
    pub k: usize,
    /// Matrices of each.
    pub batches: usize,
}

/// The kernel of products of one size, and the memory for parts of them: for use again and again and in graphs.
///
/// ```
/// # use warploom::prelude::*;
/// use warploom_linalg::prelude::*;
/// use warploom_linalg::{Extents, MatmulPlan};
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// let (a, b) = (device.filled(20 * 30, 1.0f32)?, device.filled(30 * 40, 2.0f32)?);
/// let mut c = device.zeroed::<f32>(20 * 40)?;
/// let mut plan = MatmulPlan::<f32>::new(&device, Extents { m: 20, n: 40, k: 30, batches: 1 })?;
/// let (a, b) = (Matrix::row_major(&a, 20, 30), Matrix::row_major(&b, 30, 40));
/// stream.matmul(a, b).plan(&mut plan).into(MatrixMut::row_major(&mut c, 20, 40))?;
/// assert_eq!(c.get(0, &stream)?, 60.0);
/// # Ok::<(), warploom_linalg::Error>(())
/// ```
#[derive(Debug)]
pub struct MatmulPlan<A: Arithmetic> {
    pub(crate) extents: Extents,
    pub(crate) candidate: Candidate,
    /// The kernel for operands that bulk copies cannot read.
    pub(crate) otherwise: Candidate,
    pub(crate) partial: DeviceBuffer<A::Sum>,
    /// What the last product ran.
    pub(crate) ran: Option<Ran>,
}

/// The kernel of a product that was queued with a plan.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The kernel.
    pub kernel: Candidate,
    /// Why it was not that of [`MatmulPlan::candidate`], but that of [`MatmulPlan::otherwise`].
    pub refused: Option<Refused>,
}

/// Why bulk copies cannot read an operand, so that no kernel of [`Family::WarpGroups`] multiplies it.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// Neighbours of the operand are across K.
    #[error(
        "elements of {operand} that are beside each other are not along K, and `wgmma` reads those of 16 bits alone so; store {operand} in the other layout"
    )]
    AcrossK {
        /// The operand.
        operand: &'static str,
    },
    /// There is no map of the operand.
    #[error("bulk copies cannot read {operand}: {source}")]
    Map {
        /// The operand.
        operand: &'static str,
        /// Why not.
        source: TensorMapError,
    },
}

impl<A: Arithmetic> MatmulPlan<A> {
    /// The kernel that should be the fastest by the estimate, for results of either layout.
    ///
    /// # Errors
    /// [`Error::TooLarge`]; [`MemoryError::OutOfMemory`](warploom::MemoryError::OutOfMemory).
    pub fn new(device: &Device, extents: Extents) -> Result<Self, Error> {
        check_extents(extents)?;
        let candidate = Self::choose(device, extents, true);
        Self::with(device, extents, candidate)
    }

    /// This kernel, with 1 to 32 parts of K. Of `candidate` the tile and the number of parts count.
    ///
    /// # Errors
    /// [`Error::NoTensorCores`] if the device cannot run it; as [`new`](Self::new).
    pub fn with(device: &Device, extents: Extents, candidate: Candidate) -> Result<Self, Error> {
        Self::with_memory(device, extents, candidate, |len| device.alloc_uninit(len))
    }

    pub(crate) fn with_memory(
        device: &Device,
        extents: Extents,
        candidate: Candidate,
        allocate: impl FnOnce(usize) -> Result<DeviceBuffer<A::Sum>, MemoryError>,
    ) -> Result<Self, Error> {
        check_extents(extents)?;
        // What is public of a candidate may have been changed, and it may come from a plan of other elements: the table says what the kernel needs.
        let number = candidate.tile.min(A::TILES.len() - 1);
        let candidate = Candidate {
            splits: candidate.splits.clamp(1, MOST_SPLITS),
            ..Candidate::of(number, &A::TILES[number])
        };
        let has = capability(device);
        if let (Family::Tensor, Some(needed)) = (candidate.family, A::TENSOR_CORES)
            && has < needed
        {
            return Err(Error::NoTensorCores {
                kernel: "a product on tensor cores",
                needed,
                has,
            });
        }
        let mut otherwise = candidate;
        if candidate.family == Family::WarpGroups {
            if has != WARP_GROUPS {
                return Err(Error::NoTensorCores {
                    kernel: "a product by `wgmma`, which no other device has,",
                    needed: WARP_GROUPS,
                    has,
                });
            }
            otherwise = Self::choose(device, extents, false);
        }
        let len = match candidate.splits.max(otherwise.splits) {
            0 | 1 => 0,
            splits => sums(extents, splits)?,
        };
        Ok(MatmulPlan {
            extents,
            candidate,
            otherwise,
            partial: allocate(len)?,
            ran: None,
        })
    }

    /// All kernels that the device can run, with the parts of K that may pay, the fastest by the estimate first.
    #[must_use]
    pub fn candidates(device: &Device, extents: Extents) -> Vec<Candidate> {
        let (has, multiprocessors) = (capability(device), device.limits().multiprocessors.max(1));
        let shared = device.limits().shared_bytes_opt_in;
        let mut all = Vec::new();
        for (number, tile) in A::TILES.iter().enumerate() {
            let runs = match tile.family {
                Family::Tensor => A::TENSOR_CORES.is_some_and(|needed| has >= needed),
                Family::Simt => true,
                Family::WarpGroups => has == WARP_GROUPS,
            };
            if !runs || tile.shared_bytes > shared {
                continue;
            }
            for splits in [1, 2, 3, 4, 6, 8, 16, MOST_SPLITS as usize] {
                let parts = extents.k.div_ceil(tile.depth as usize);
                if splits > 1 && (parts < 4 * splits || sums(extents, splits as u32).is_err()) {
                    continue;
                }
                let time = estimate(tile, extents, splits, multiprocessors as usize);
                let candidate = Candidate {
                    splits: splits as u32,
                    ..Candidate::of(number, tile)
                };
                all.push((time, candidate));
            }
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all.into_iter().map(|(_, candidate)| candidate).collect()
    }

    /// The kernel that should be the fastest; one of warp groups only where bulk copies may read the operands.
    pub(crate) fn choose(device: &Device, extents: Extents, bulk: bool) -> Candidate {
        let best = Self::candidates(device, extents)
            .into_iter()
            .find(|candidate| bulk || candidate.family != Family::WarpGroups);
        // Every device has the shared memory of the last tile, which has no tensor cores.
        best.unwrap_or(Candidate {
            tile: A::TILES.len() - 1,
            family: Family::Simt,
            rows: 64,
            columns: 64,
            splits: 1,
            group: 1,
        })
    }

    /// The kernel of this plan.
    #[must_use]
    pub fn candidate(&self) -> Candidate {
        self.candidate
    }

    /// The kernel for operands that the kernel of this plan cannot read: another than [`candidate`](Self::candidate) with [`Family::WarpGroups`] alone.
    #[must_use]
    pub fn otherwise(&self) -> Candidate {
        self.otherwise
    }

    /// The kernel of the last product that was queued with this plan; nothing before the first, or after one without an element.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_linalg::prelude::*;
    /// use warploom_linalg::{Extents, Family, MatmulPlan, Refused};
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.filled(128 * 72, Bf16::from_f32(1.0))?;
    /// let mut c = device.zeroed::<f32>(128 * 128)?;
    /// let extents = Extents { m: 128, n: 128, k: 71, batches: 1 };
    /// let candidates = MatmulPlan::<Bf16>::candidates(&device, extents);
    /// let of_groups = candidates.into_iter().find(|candidate| candidate.family == Family::WarpGroups);
    /// let mut plan = MatmulPlan::with(&device, extents, of_groups.unwrap())?;
    /// // Lines begin every 71 elements, 142 bytes: at no multiples of 16 bytes.
    /// let (a, b) = (Matrix::row_major(&x, 128, 71), Matrix::column_major(&x, 71, 128));
    /// stream.matmul(a, b).plan(&mut plan).into(MatrixMut::row_major(&mut c, 128, 128))?;
    /// let ran = plan.ran().unwrap();
    /// assert_eq!(ran.kernel.family, Family::Tensor);
    /// assert!(matches!(ran.refused, Some(Refused::Map { operand: "A", .. })));
    /// # Ok::<(), warploom_linalg::Error>(())
    /// ```
    #[must_use]
    pub fn ran(&self) -> Option<&Ran> {
        self.ran.as_ref()
    }

    /// Bytes of device memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.partial.len() * size_of::<A::Sum>()
    }

    /// Completes what a kernel is told, and gives the number of its tile. Without K it is that of fused multiply-adds, which need no first tile of K.
    pub(crate) fn tile_of(candidate: Candidate, problem: &mut Problem) -> (usize, Tile) {
        let last = A::TILES.len() - 1;
        let number = if problem.k == 0 {
            last
        } else {
            candidate.tile.min(last)
        };
        let tile = A::TILES[number];
        problem.tiles_m = problem.m.div_ceil(tile.rows);
        problem.tiles_n = problem.n.div_ceil(tile.columns);
        problem.group = candidate.group.max(1);
        problem.splits = candidate.splits.max(1);
        problem.part = problem
            .k
            .div_ceil(problem.splits)
            .next_multiple_of(tile.depth);
        // No part is empty.
        problem.splits = problem.k.div_ceil(problem.part.max(1)).max(1);
        (number, tile)
    }
}

/// The compute capability, as 80 for 8.0.
fn capability(device: &Device) -> u32 {
    let (major, minor) = device.compute_capability();
    major * 10 + minor
}

pub(crate) fn check_extents(extents: Extents) -> Result<(), Error> {
    let Extents { m, n, k, batches } = extents;
    for (what, value) in [
        ("M", m),
        ("N", n),
        ("K", k),
        ("the number of matrices", batches),
    ] {
        if value > MOST {
            return Err(Error::TooLarge {
                what,
                value,
                most: MOST,
            });
        }
    }
    // Tiles have at least 16 rows and 128 columns, or the reverse; there are at most 32 parts: the blocks of a grid are below 2^31.
    let blocks = m
        .div_ceil(32)
        .saturating_mul(n.div_ceil(64))
        .saturating_mul(32);
    if blocks > MOST {
        return Err(Error::TooLarge {
            what: "the number of tiles of the result",
            value: blocks,
            most: MOST,
        });
    }
    Ok(())
}

/// Sums of all parts.
fn sums(extents: Extents, splits: u32) -> Result<usize, Error> {
    let Extents { m, n, batches, .. } = extents;
    [n, batches, splits as usize]
        .into_iter()
        .try_fold(m, usize::checked_mul)
        .filter(|&len| len < isize::MAX as usize / 8)
        .ok_or(Error::TooLarge {
            what: "the number of sums of all parts of K",
            value: usize::MAX,
            most: isize::MAX as usize / 8,
        })
}

/// Rows of tiles that are done together: about as tall as they are wide, in elements.
fn group(tile: &Tile) -> u32 {
    (8 * 128 / tile.rows).max(1)
}

/// Clocks, roughly.
fn estimate(tile: &Tile, extents: Extents, splits: usize, multiprocessors: usize) -> f64 {
    let Extents { m, n, k, batches } = extents;
    let (rows, columns, depth) = (
        f64::from(tile.rows),
        f64::from(tile.columns),
        f64::from(tile.depth),
    );
    let multiprocessors = multiprocessors as f64;
    let count = (m as f64 / rows).ceil() * (n as f64 / columns).ceil() * (batches * splits) as f64;
    let rounds = (count / (f64::from(tile.blocks) * multiprocessors))
        .ceil()
        .max(1.0);
    // Blocks that run at once on the busiest multiprocessor.
    let held = (count / multiprocessors)
        .ceil()
        .clamp(1.0, f64::from(tile.blocks));
    // Threads of a single block, where there is room for more, do not hide what their multiply-adds wait for.
    let busy = match tile.family {
        Family::Simt if held < f64::from(tile.blocks) => ALONE,
        _ => 1.0,
    };
    let products = held * rows * columns * depth / (busy * f64::from(tile.speed));
    let loads = held * (rows + columns) * BYTES_OF_K / LOADED;
    let latency = LATENCY / f64::from(tile.stages);
    let tiles = (k.div_ceil(splits) as f64 / depth).ceil();
    let stored = held * rows * columns * 4.0 / LOADED;
    let blocks = rounds * (tiles * products.max(loads).max(latency) + LATENCY + stored);
    let parts = match splits {
        1 => 0.0,
        // Sums of parts are written and read; and there is another launch.
        _ => {
            LAUNCH
                + (m * n * batches) as f64 * 4.0 * 2.0 * splits as f64
                    / (STREAMED * multiprocessors)
        }
    };
    blocks + parts
}

/// The compute capability of `wgmma`.
const WARP_GROUPS: u32 = 90;
/// Bytes of a line of an operand in a tile: those of tensor cores, and about as much as the elements of a tile of the others.
const BYTES_OF_K: f64 = 128.0;
/// Bytes of the parts' sums that a multiprocessor reads or writes in a clock, when all do: fitted to the times of all candidates of eight sizes, and right for eight others.
const STREAMED: f64 = 6.0;
/// Bytes that a multiprocessor loads in a clock, many of them from the second cache.
const LOADED: f64 = 48.0;
/// The speed of a block of fused multiply-adds alone, by that of as many as a multiprocessor holds.
const ALONE: f64 = 0.75;
/// Clocks until a load has ended.
const LATENCY: f64 = 1000.0;
/// Clocks between the kernel of the parts and that of their sums.
const LAUNCH: f64 = 6000.0;
