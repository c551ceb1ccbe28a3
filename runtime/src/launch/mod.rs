//! How a kernel is started: the shape, the contract, the arguments, and [`submit`], which the expansion of `kernel` calls.
//!
//! Everything is checked before the driver or the emulator sees it. Users need [`Launch`] and, to pass parts of buffers on,
//! the traits [`SliceArg`], [`SliceMutArg`] and [`Slice2DMutArg`]; the rest is for generated code.

mod arguments; // buffers as kernels take them
mod attributes; // what the driver says of a kernel
mod blocking; // launches that wait
mod check; // what is refused before anything runs
mod emulate; // on the CPU
mod error; // what is said then
mod ready; // kernels that were launched before
mod repeat; // the same launch again
mod submit; // to the driver or the emulator
mod together; // clusters and cooperative grids
mod values; // values as kernels take them

pub use arguments::{
    Arg, BoundSlice, BoundSlice2DMut, BoundSliceMut, Elements, SameElement, Slice2DMutArg,
    Slice2DMutFor, SliceArg, SliceFor, SliceMutArg, SliceMutFor,
};
pub use attributes::{KernelAttributes, attributes, function};
pub use error::LaunchError;
pub use submit::{ThreadBody, submit};
pub use values::{ByValue, ClosureArg, GridBarrier};
pub use warploom_device::Dim3;
pub use warploom_manifest::ParamKind;

pub(crate) use arguments::KeptArg;
pub(crate) use blocking::LaunchBlocking;
pub(crate) use check::CheckedShape;
pub(crate) use emulate::run_kept;
pub(crate) use ready::{Cache, Ready};
pub(crate) use submit::submit_loaded;

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
    /// At least this many threads along x and y; the block is the kernel's own, or one of 256 threads.
    Covering([u64; 2]),
    /// The same with this block.
    CoveringBy {
        threads: [u64; 2],
        block: [u32; 3],
    },
    Exact {
        grid: [u32; 3],
        block: [u32; 3],
    },
}

impl Launch {
    /// At least `n` threads in one dimension: blocks of 256, or of what the kernel declares. None at all for 0.
    #[must_use]
    pub fn covering(n: usize) -> Launch {
        Launch::of(Extent::Covering([n as u64, 1]))
    }

    /// At least `width` by `height` threads: blocks of 16 by 16, or of what the kernel declares. None at all if one is 0.
    #[must_use]
    pub fn covering_2d(width: usize, height: usize) -> Launch {
        Launch::of(Extent::Covering([width as u64, height as u64]))
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

/// A kernel as the host sees it. Made by the expansion of `kernel`.
#[derive(Debug, Clone, Copy)]
pub struct Kernel<'a> {
    /// `core::any::type_name` of the launch handle: with it the device code is found.
    pub name: &'static str,
    /// The function's name, for messages.
    pub base: &'static str,
    /// What launches must keep to.
    pub contract: Contract,
    /// The parameters that the launch passes, in order.
    pub params: &'a [Param],
    /// Source file of the kernel.
    pub file: &'static str,
    /// Line of the kernel.
    pub line: u32,
}

/// What every launch of a kernel must keep to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contract {
    /// Dimensions that a launch may have at most; 0 for any number.
    pub dims: u32,
    /// The block that a launch must have; 0 for any extent.
    pub block: [u32; 3],
    /// Most threads of a block; 0 for as many as the device runs.
    pub max_threads: u32,
    /// Blocks that should fit on one multiprocessor; 0 if it does not matter. Known to the device code only.
    pub min_blocks: u32,
    /// Whether the kernel has a `DynamicShared` parameter: its launches say how much.
    pub dynamic_shared: bool,
    /// The cluster that a launch must have, in blocks; 0 if the kernel does not say.
    pub cluster: [u32; 3],
    /// Whether launches must say how large a cluster is.
    pub cluster_at_launch: bool,
    /// Most blocks of a cluster; 0 for as many as the device runs.
    pub max_cluster: u32,
    /// Whether all blocks are there at the same time.
    pub cooperative: bool,
}

impl Contract {
    /// Whether both are the same, without a branch for each field: every launch asks.
    #[inline]
    pub(crate) fn is(&self, other: &Contract) -> bool {
        let flat = |contract: &Contract| {
            let Contract {
                dims,
                block: [x, y, z],
                max_threads,
                min_blocks,
                dynamic_shared,
                cluster: [cx, cy, cz],
                cluster_at_launch,
                max_cluster,
                cooperative,
            } = *contract;
            let flags = [dynamic_shared, cluster_at_launch, cooperative].map(u32::from);
            let [a, b, c] = flags;
            [
                dims,
                x,
                y,
                z,
                max_threads,
                min_blocks,
                cx,
                cy,
                cz,
                max_cluster,
                a,
                b,
                c,
            ]
        };
        let pairs = flat(self).into_iter().zip(flat(other));
        pairs.fold(0, |differing, (a, b)| differing | (a ^ b)) == 0
    }

    /// Any launch.
    pub const ANY: Contract = Contract {
        dims: 0,
        block: [0; 3],
        max_threads: 0,
        min_blocks: 0,
        dynamic_shared: false,
        cluster: [0; 3],
        cluster_at_launch: false,
        max_cluster: 0,
        cooperative: false,
    };
}

/// How one parameter is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// By value, or as one of the kinds of slices.
    pub kind: ParamKind,
    /// Size in bytes of the value, or of one element.
    pub size: u64,
    /// Alignment in bytes of the value, or of one element.
    pub align: u64,
}

impl Param {
    /// The bytes of a `T`.
    #[must_use]
    pub const fn by_value<T>() -> Param {
        Param::of::<T>(ParamKind::ByValue)
    }

    /// The bytes of a `T`, which all threads read at one place.
    #[must_use]
    pub const fn grid_const<T>() -> Param {
        Param::by_value::<T>()
    }

    /// Address and length of a slice to read.
    #[must_use]
    pub const fn slice<T>() -> Param {
        Param::of::<T>(ParamKind::Slice)
    }

    /// Address and length of a slice to write.
    #[must_use]
    pub const fn slice_mut<T>() -> Param {
        Param::of::<T>(ParamKind::SliceMut)
    }

    /// Address, width and height of rows to write.
    #[must_use]
    pub const fn slice_2d_mut<T>() -> Param {
        Param::of::<T>(ParamKind::Slice2DMut)
    }

    const fn of<T>(kind: ParamKind) -> Param {
        Param {
            kind,
            size: size_of::<T>() as u64,
            align: align_of::<T>() as u64,
        }
    }

    /// Sizes of the parameters of the device function that this one becomes: a value without bytes becomes none.
    pub(crate) fn device_sizes(&self) -> impl Iterator<Item = u64> + use<> {
        let (count, size) = match self.kind {
            ParamKind::ByValue => (usize::from(self.size > 0), self.size),
            ParamKind::Slice | ParamKind::SliceMut => (2, 8),
            ParamKind::Slice2DMut => (3, 8),
        };
        std::iter::repeat_n(size, count)
    }

    /// The sum of [`device_sizes`](Param::device_sizes).
    fn device_bytes(&self) -> u64 {
        match self.kind {
            ParamKind::ByValue => self.size,
            ParamKind::Slice | ParamKind::SliceMut => 16,
            ParamKind::Slice2DMut => 24,
        }
    }

    fn device_align(&self) -> u64 {
        match self.kind {
            ParamKind::ByValue => self.align,
            _ => 8,
        }
    }
}

impl std::fmt::Display for Param {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.kind {
            ParamKind::ByValue => "a value",
            ParamKind::Slice => "a slice of elements",
            ParamKind::SliceMut => "an output of elements",
            ParamKind::Slice2DMut => "a 2D output of elements",
        };
        let (size, align) = (self.size, self.align);
        write!(f, "{what} of {size} bytes, aligned to {align}")
    }
}

/// A `requires(..)` of a kernel that does not hold. Called by the expansion of `kernel`.
#[doc(hidden)]
#[must_use]
#[cold]
pub fn requires_failed(
    kernel: &'static str,
    condition: &'static str,
    extents: &[(&'static str, usize)],
) -> LaunchError {
    let extents: Vec<_> = extents
        .iter()
        .map(|(name, extent)| format!("{name} = {extent}"))
        .collect();
    LaunchError::Requires {
        kernel,
        condition,
        extents: if extents.is_empty() {
            "that does not hold".to_owned()
        } else {
            extents.join(", ")
        },
    }
}
