//! How many blocks of how many threads, and the limits that every device has.

use crate::fault::Fault;

/// Dynamic and static shared memory of one block together, in bytes: what compute capability 9.0 allows.
pub(crate) const SHARED_LIMIT_BYTES: usize = 227 * 1024;

const BLOCK_THREADS_LIMIT: u64 = 1024;

/// The form of one run: grid in blocks, block in threads, dynamic shared memory in bytes.
///
/// CUDA: the launch configuration `<<<grid, block, dynamic_shared_bytes>>>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Blocks in x, y, z. At least 1 each; at most 2^31 - 1, 65535, 65535.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z. At least 1 each; at most 1024, 1024, 64, and 1024 in all.
    pub block: [u32; 3],
    /// Dynamic shared memory of each block, in bytes; at most 227 KiB together with what the kernel declares itself.
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

    pub(crate) fn check(self) -> Result<CheckedShape, Fault> {
        const AXES: [&str; 3] = ["x", "y", "z"];
        let limits = [
            ("grid", self.grid, [0x7fff_ffff, 65535, 65535]),
            ("block", self.block, [1024, 1024, 64]),
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
        if self.dynamic_shared_bytes as usize > SHARED_LIMIT_BYTES {
            return Err(Fault::SharedTooLarge {
                given: self.dynamic_shared_bytes.into(),
                limit: SHARED_LIMIT_BYTES as u64,
            });
        }
        // 2^31 * 2^16 * 2^16 is below 2^64.
        let n_blocks = self.grid.iter().map(|n| u64::from(*n)).product();
        Ok(CheckedShape {
            shape: self,
            n_blocks,
            n_threads: threads as u32,
        })
    }
}

/// A shape that keeps all limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckedShape {
    pub(crate) shape: Shape,
    pub(crate) n_blocks: u64,
    /// Threads of one block: 1..=1024.
    pub(crate) n_threads: u32,
}

impl CheckedShape {
    /// The place of block number `linear` in the grid; x runs fastest.
    pub(crate) fn block_at(&self, linear: u64) -> [u32; 3] {
        place(linear, self.shape.grid)
    }

    /// The place of thread number `linear` in its block; x runs fastest.
    pub(crate) fn thread_at(&self, linear: u32) -> [u32; 3] {
        place(linear.into(), self.shape.block)
    }
}

fn place(linear: u64, size: [u32; 3]) -> [u32; 3] {
    let [x, y] = [u64::from(size[0]), u64::from(size[1])];
    // Each remainder is below a u32, and `linear` is below the product of the sizes.
    [
        (linear % x) as u32,
        (linear / x % y) as u32,
        (linear / x / y) as u32,
    ]
}
