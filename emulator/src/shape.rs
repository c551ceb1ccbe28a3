//! How many blocks of how many threads, and the limits that every device has.

use crate::control::Control;
use crate::fault::Fault;
use crate::model::{Model, ModelLimits};

/// Dynamic and static shared memory of one block together, in bytes: the most that any model allows.
pub(crate) const SHARED_LIMIT_BYTES: usize = 227 * 1024;

const BLOCK_THREADS_LIMIT: u64 = ModelLimits::THREADS_PER_BLOCK as u64;

/// The form of one run: grid in blocks, block in threads, dynamic shared memory in bytes.
///
/// CUDA: the launch configuration `<<<grid, block, dynamic_shared_bytes>>>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Blocks in x, y, z. At least 1 each; at most 2^31 - 1, 65535, 65535.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z. At least 1 each; at most 1024, 1024, 64, and 1024 in all.
    pub block: [u32; 3],
    /// Dynamic shared memory of each block, in bytes; together with what the kernel declares itself at most what the
    /// [`Model`](crate::Model) allows, 227 KiB by default.
    pub dynamic_shared_bytes: u32,
    /// OS threads that run blocks; `None`: as many as the machine has
    /// processors, and at most 24 for blocks of 1024 threads. `Some(0)` means 1.
    pub workers: Option<usize>,
}

impl Shape {
    /// A shape without dynamic shared memory, on all processors.
    ///
    /// ```
    /// use warploom_emulator::Shape;
    /// let shape = Shape::new([3, 1, 1], [96, 1, 1]);
    /// assert_eq!((shape.dynamic_shared_bytes, shape.workers), (0, None));
    /// ```
    pub const fn new(grid: [u32; 3], block: [u32; 3]) -> Self {
        Self {
            grid,
            block,
            dynamic_shared_bytes: 0,
            workers: None,
        }
    }

    #[cfg(all(test, not(loom)))]
    pub(crate) fn check(self) -> Result<CheckedShape, Fault> {
        self.check_on(Model::default(), Together::default())
    }

    /// Refuses what a GPU of this model cannot run.
    pub(crate) fn check_on(self, model: Model, together: Together) -> Result<CheckedShape, Fault> {
        const AXES: [&str; 3] = ["x", "y", "z"];
        let limits = [
            ("grid", self.grid, ModelLimits::GRID),
            ("block", self.block, ModelLimits::BLOCK),
        ];
        for (what, sizes, limits) in limits {
            for axis in 0..3 {
                if sizes[axis] == 0 || sizes[axis] > limits[axis] {
                    return Err(Fault::Shape {
                        what: format!("{what}.{}", AXES[axis]),
                        given: sizes[axis].into(),
                        limit: limits[axis].into(),
                    });
                }
            }
        }
        let threads = self.block.iter().map(|n| u64::from(*n)).product::<u64>();
        if threads > BLOCK_THREADS_LIMIT {
            return Err(Fault::Shape {
                what: "threads per block".into(),
                given: threads,
                limit: BLOCK_THREADS_LIMIT,
            });
        }
        let limit = model.limits().shared_bytes_opt_in;
        if self.dynamic_shared_bytes > limit {
            return Err(Fault::SharedTooLarge {
                given: self.dynamic_shared_bytes.into(),
                limit: limit.into(),
            });
        }
        // 2^31 * 2^16 * 2^16 is below 2^64.
        let n_blocks = self.grid.iter().map(|n| u64::from(*n)).product();
        let threads = threads as u32;
        together.check(self, model, n_blocks, threads)?;
        let set_blocks = if together.cooperative {
            n_blocks as usize // as many as are there at a time, as was checked
        } else {
            together.blocks() as usize
        };
        Ok(CheckedShape {
            shape: self,
            together,
            model,
            n_blocks,
            n_threads: threads,
            set_blocks,
        })
    }
}

/// Which blocks of a run are there at the same time and can wait for each other.
///
/// CUDA: the launch attributes `cudaLaunchAttributeClusterDimension` and `cudaLaunchAttributeCooperative`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Together {
    /// Blocks of a cluster in x, y, z; `[1, 1, 1]`: each block is a cluster of its own. At most 16 in all, and the grid is a multiple.
    pub cluster: [u32; 3],
    /// All blocks of the grid are there at the same time.
    pub cooperative: bool,
}

impl Default for Together {
    fn default() -> Self {
        Self {
            cluster: [1; 3],
            cooperative: false,
        }
    }
}

impl Together {
    fn blocks(self) -> u64 {
        let blocks = self.cluster.iter().map(|n| u64::from(*n));
        blocks.fold(1, u64::saturating_mul)
    }

    fn check(self, shape: Shape, model: Model, n_blocks: u64, threads: u32) -> Result<(), Fault> {
        let blocks = self.blocks();
        // Without clusters each block is one of its own.
        let limit = u64::from(model.limits().largest_cluster.max(1));
        if blocks == 0 || blocks > limit {
            return Err(Fault::Shape {
                what: "blocks per cluster".into(),
                given: blocks,
                limit,
            });
        }
        for (axis, (given, cluster)) in "xyz".chars().zip(shape.grid.into_iter().zip(self.cluster))
        {
            if !given.is_multiple_of(cluster) {
                return Err(Fault::PartialCluster {
                    axis,
                    given,
                    cluster,
                });
            }
        }
        let limit = model.resident_blocks(threads, shape.dynamic_shared_bytes);
        if self.cooperative && n_blocks > limit {
            return Err(Fault::GridTooLarge {
                given: n_blocks,
                limit,
            });
        }
        Ok(())
    }
}

/// How many blocks of this size the default [`Model`] has places for at a time: an H200, apart from registers.
///
/// ```
/// assert_eq!(warploom_emulator::resident_blocks(1024, 0), 264);
/// assert_eq!(warploom_emulator::resident_blocks(32, 100 * 1024), 264);
/// ```
#[must_use]
pub fn resident_blocks(threads: u32, shared_bytes: u32) -> u64 {
    Model::default().resident_blocks(threads, shared_bytes)
}

/// A shape that keeps all limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckedShape {
    pub(crate) shape: Shape,
    pub(crate) together: Together,
    /// Whose limits it keeps.
    pub(crate) model: Model,
    n_blocks: u64,
    /// Threads of one block: 1..=1024.
    pub(crate) n_threads: u32,
    /// Blocks that one worker runs at a time.
    pub(crate) set_blocks: usize,
}

impl CheckedShape {
    /// The same with all blocks in one set, if the grid is small enough for that.
    pub(crate) fn in_one_set(self) -> Option<Self> {
        let threads = self.n_blocks.checked_mul(self.n_threads.into())?;
        (threads <= Control::MOST_THREADS).then_some(Self {
            set_blocks: self.n_blocks as usize,
            ..self
        })
    }

    /// How often a worker is asked for.
    pub(crate) fn n_sets(&self) -> u64 {
        self.n_blocks / self.set_blocks as u64
    }

    /// Blocks of one cluster.
    pub(crate) fn cluster_blocks(&self) -> usize {
        self.together.blocks() as usize
    }

    /// Clusters of the grid along x, y and z.
    pub(crate) fn clusters(&self) -> [u32; 3] {
        let (grid, cluster) = (self.shape.grid, self.together.cluster);
        std::array::from_fn(|axis| grid[axis] / cluster[axis])
    }

    /// The place in the grid of block number `member` of set number `set`: clusters come one after the other, and in both x is fastest.
    pub(crate) fn block_of_set(&self, set: u64, member: usize) -> [u32; 3] {
        let linear = set * self.set_blocks as u64 + member as u64;
        if self.together.cluster == [1; 3] {
            return place(linear, self.shape.grid);
        }
        let blocks = self.cluster_blocks() as u64;
        let cluster = self.together.cluster;
        let (first, inside) = (
            place(linear / blocks, self.clusters()),
            place(linear % blocks, cluster),
        );
        std::array::from_fn(|axis| first[axis] * cluster[axis] + inside[axis])
    }

    /// The number of the block at this place of the grid; x runs fastest.
    pub(crate) fn linear(&self, block: [u32; 3]) -> u64 {
        let [x, y, z] = block.map(u64::from);
        let [size_x, size_y, _] = self.shape.grid.map(u64::from);
        (z * size_y + y) * size_x + x
    }

    /// The number of the block at this place, as [`CheckedShape::block_of_set`] counts them; wraps above 2^32.
    pub(crate) fn number_of(&self, block: [u32; 3]) -> u32 {
        let cluster = self.together.cluster;
        let (first, inside) = (
            std::array::from_fn(|axis| block[axis] / cluster[axis]),
            std::array::from_fn(|axis| block[axis] % cluster[axis]),
        );
        let number = linear(first, self.clusters()).wrapping_mul(self.cluster_blocks() as u32);
        number.wrapping_add(linear(inside, cluster))
    }

    /// The place of thread number `linear` in its block; x runs fastest.
    pub(crate) fn thread_at(&self, linear: u32) -> [u32; 3] {
        place(linear.into(), self.shape.block)
    }
}

fn linear([x, y, z]: [u32; 3], size: [u32; 3]) -> u32 {
    z.wrapping_mul(size[1])
        .wrapping_add(y)
        .wrapping_mul(size[0])
        .wrapping_add(x)
}

fn place(linear: u64, size: [u32; 3]) -> [u32; 3] {
    let [x, y] = [u64::from(size[0]), u64::from(size[1])];
    if linear < x {
        return [linear as u32, 0, 0]; // without dividing, which costs as much as a block of one thread
    }
    // Each remainder is below a u32, and `linear` is below the product of the sizes.
    [
        (linear % x) as u32,
        (linear / x % y) as u32,
        (linear / x / y) as u32,
    ]
}
