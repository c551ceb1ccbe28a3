//! The configuration of a launch, as users give it.

use warploom_device_std::Dim3;

/// How many threads a kernel gets: blocks in the grid, threads in a block, and dynamic shared memory for each block.
///
/// CUDA: `<<<grid, block, dynamic_shared>>>`.
///
/// ```
/// use warploom_runtime::Launch;
///
/// let lines = Launch::covering(1000);                              // 4 blocks of 256 threads
/// let tiles = Launch::new((40, 30), (16, 16)).dynamic_shared(4096);
/// let rows = Launch::new(3, 96);
/// # let _ = (lines, tiles, rows);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    pub(crate) extent: Extent,
    pub(crate) dynamic_shared_bytes: Option<u32>,
    pub(crate) cluster: Option<[u32; 3]>,
    pub(crate) large_clusters: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// At least so many threads; the block is the kernel's own, or one of 256 threads.
    Covering(Threads),
    /// The same with this block.
    CoveringBy {
        threads: Threads,
        block: [u32; 3],
    },
    Exact {
        grid: [u32; 3],
        block: [u32; 3],
    },
}

/// Threads to cover, along x and y.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Threads {
    Line(u64),
    Plane([u64; 2]),
}

impl Threads {
    pub(crate) fn extents(self) -> [u64; 2] {
        match self {
            Threads::Line(n) => [n, 1],
            Threads::Plane(extents) => extents,
        }
    }
}

impl Launch {
    /// At least `n` threads in one dimension: blocks of 256, or of what the kernel declares. None at all for 0.
    ///
    /// For a kernel with an index of one dimension, or without an index.
    #[must_use]
    pub fn covering(n: usize) -> Launch {
        Launch::of(Extent::Covering(Threads::Line(n as u64)))
    }

    /// At least `width` by `height` threads: blocks of 16 by 16, or of what the kernel declares. None at all if one is 0.
    ///
    /// For a kernel with an index of two dimensions, or without an index.
    #[must_use]
    pub fn covering_2d(width: usize, height: usize) -> Launch {
        Launch::of(Extent::Covering(Threads::Plane([
            width as u64,
            height as u64,
        ])))
    }

    /// `grid` blocks of `block` threads. Each is a number, a pair or a triple: x, y, z.
    #[must_use]
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Launch {
        let [grid, block] = [grid.into(), block.into()].map(|dim: Dim3| [dim.x, dim.y, dim.z]);
        Launch::of(Extent::Exact { grid, block })
    }

    /// The same in blocks of so many threads: a number, a pair or a triple: x, y, z. [`covering`](Launch::covering) makes as many of them
    /// as it takes; a grid that was given stays. A kernel that declares its block takes no other.
    ///
    /// ```
    /// use warploom_runtime::Launch;
    /// let lines = Launch::covering(1000).block(64);               // 16 blocks
    /// let flat = Launch::covering_2d(1000, 1000).block((128, 2)); // 8 by 500 blocks
    /// assert_eq!(Launch::new(3, 1).block(96), Launch::new(3, 96));
    /// # let _ = (lines, flat);
    /// ```
    #[must_use]
    pub fn block(self, threads: impl Into<Dim3>) -> Launch {
        let Dim3 { x, y, z } = threads.into();
        let block = [x, y, z];
        let extent = match self.extent {
            Extent::Exact { grid, .. } => Extent::Exact { grid, block },
            Extent::Covering(threads) | Extent::CoveringBy { threads, .. } => {
                Extent::CoveringBy { threads, block }
            }
        };
        Launch { extent, ..self }
    }

    /// The same with `bytes` bytes of dynamic shared memory for each block.
    #[must_use]
    pub fn dynamic_shared(self, bytes: u32) -> Launch {
        Launch {
            dynamic_shared_bytes: Some(bytes),
            ..self
        }
    }

    /// The same in clusters of so many blocks: a number, a pair or a triple: x, y, z. The grid is a multiple of it, in blocks;
    /// [`covering`](Launch::covering) makes it one.
    ///
    /// At most [`Limits::cluster_blocks`](crate::Limits::cluster_blocks) blocks in all. A kernel that declares its cluster takes no other.
    /// CUDA: `cudaLaunchAttributeClusterDimension`. Compute capability: 9.0.
    ///
    /// ```
    /// use warploom_runtime::Launch;
    /// let pairs = Launch::new(64, 128).cluster(2);
    /// let squares = Launch::covering_2d(1000, 1000).cluster((2, 2));
    /// # let _ = (pairs, squares);
    /// ```
    #[must_use]
    pub fn cluster(self, blocks: impl Into<Dim3>) -> Launch {
        let Dim3 { x, y, z } = blocks.into();
        Launch {
            cluster: Some([x, y, z]),
            ..self
        }
    }

    /// The same with clusters of up to 16 blocks, which not every GPU with clusters runs.
    ///
    /// CUDA: `cudaFuncAttributeNonPortableClusterSizeAllowed`.
    #[must_use]
    pub fn large_clusters(self) -> Launch {
        Launch {
            large_clusters: true,
            ..self
        }
    }

    fn of(extent: Extent) -> Launch {
        Launch {
            extent,
            dynamic_shared_bytes: None,
            cluster: None,
            large_clusters: false,
        }
    }
}

impl<G: Into<Dim3>, B: Into<Dim3>> From<(G, B)> for Launch {
    fn from((grid, block): (G, B)) -> Launch {
        Launch::new(grid, block)
    }
}

/// What `launch` takes for its shape: a [`Launch`], or a pair of grid and block. Everything that converts into a [`Launch`] is one.
///
/// ```
/// use warploom_runtime::{Launch, launch::Shape};
/// fn launched(shape: impl Shape) -> Launch {
///     shape.into_launch()
/// }
/// assert_eq!(launched((3, 96)), launched(Launch::new(3, 96)));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the shape of a launch",
    label = "expected a `Launch` or a pair `(grid, block)`",
    note = "for `n` threads pass `Launch::covering(n)`, for `width` by `height` of them `Launch::covering_2d(width, height)`; `(blocks, threads)` is `<<<blocks, threads>>>`",
    note = "the types of a generic kernel stand behind its name: `name::<f32>::launch(..)`, not `name::launch::<f32>(..)`"
)]
pub trait Shape {
    /// The launch of this shape.
    fn into_launch(self) -> Launch;
}

#[diagnostic::do_not_recommend]
impl<S: Into<Launch>> Shape for S {
    #[inline]
    fn into_launch(self) -> Launch {
        self.into()
    }
}

//@ rows: KC-6
/// The set of a launch's attributes is open: no program names all of them, so that another one breaks none.
///
/// ```
/// use warploom_runtime::Launch;
/// let shape = Launch::new(8, 32).dynamic_shared(64).cluster(2);
/// assert_ne!(shape, Launch::new(8, 32).dynamic_shared(64));
/// ```
/// ```compile_fail,E0451
/// use warploom_runtime::Launch;
/// let shape = Launch { cluster: Some([2, 1, 1]), ..Launch::new(8, 32) };
/// ```
/// ```compile_fail,E0451
/// use warploom_runtime::Launch;
/// let Launch { cluster, .. } = Launch::new(8, 32);
/// ```
#[cfg(doctest)]
pub struct AttributesAreOpen;
