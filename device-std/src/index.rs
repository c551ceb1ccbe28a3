//! Where a thread is: the free functions of CUDA, and the index that a thread cannot give away.
//!
//! [`Dim3`] values are plain numbers. [`Index1D`], [`Index2D`] and [`Index3D`] are witnesses: they come as kernel parameters, belong
//! to one thread of one launch and cannot be made, stored or sent elsewhere. Holding one *is* the right to its element.

use crate::intrinsics as raw;
use crate::scope::{Brand, Tied};

/// Three extents or coordinates, in threads or blocks.
///
/// What is not said is 1. CUDA: `dim3`.
///
/// ```
/// use warploom_device_std::Dim3;
/// assert_eq!(Dim3::from(5), Dim3 { x: 5, ..Dim3::default() });
/// assert_eq!(Dim3::from((2, 3)).count(), 6);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim3 {
    /// Along x, the fastest.
    pub x: u32,
    /// Along y.
    pub y: u32,
    /// Along z, the slowest.
    pub z: u32,
}

impl Dim3 {
    /// The number of points: `x * y * z`.
    #[inline(always)]
    #[must_use]
    pub const fn count(self) -> u64 {
        self.x as u64 * self.y as u64 * self.z as u64
    }

    /// The linear index of `point` when x varies fastest; different for different points within `self`.
    #[inline(always)]
    pub(crate) const fn linear(self, point: Dim3) -> u64 {
        point.x as u64 + self.x as u64 * (point.y as u64 + self.y as u64 * point.z as u64)
    }
}

// SAFETY: three `u32` in `repr(C)`, without padding; each bit pattern is a value.
unsafe impl crate::Plain for Dim3 {}

impl Default for Dim3 {
    /// One point: (1, 1, 1).
    fn default() -> Self {
        Dim3 { x: 1, y: 1, z: 1 }
    }
}

impl From<[u32; 3]> for Dim3 {
    fn from([x, y, z]: [u32; 3]) -> Self {
        Dim3 { x, y, z }
    }
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Dim3 { x, y: 1, z: 1 }
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Self {
        Dim3 { x, y, z: 1 }
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Dim3 { x, y, z }
    }
}

/// The thread's coordinates in its block.
///
/// CUDA: `threadIdx`. Panics outside of a kernel.
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{block_dim, thread_idx};
/// # let shape = Shape { grid: [2, 1, 1], block: [8, 4, 1], dynamic_shared_bytes: 0, workers: None };
/// run(shape, &|| assert!(thread_idx().y < block_dim().y))?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
#[must_use]
pub fn thread_idx() -> Dim3 {
    Dim3 {
        x: raw::thread_idx_x(),
        y: raw::thread_idx_y(),
        z: raw::thread_idx_z(),
    }
}

/// The block's coordinates in the grid. CUDA: `blockIdx`. Panics outside of a kernel.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::block_idx;
/// run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
///     assert!(block_idx().x < 2);
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
#[must_use]
pub fn block_idx() -> Dim3 {
    Dim3 {
        x: raw::block_idx_x(),
        y: raw::block_idx_y(),
        z: raw::block_idx_z(),
    }
}

/// The extents of a block in threads. CUDA: `blockDim`. Panics outside of a kernel.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::block_dim;
/// run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
///     assert_eq!(block_dim().x, 40);
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
#[must_use]
pub fn block_dim() -> Dim3 {
    Dim3 {
        x: raw::block_dim_x(),
        y: raw::block_dim_y(),
        z: raw::block_dim_z(),
    }
}

/// The extents of the grid in blocks. CUDA: `gridDim`. Panics outside of a kernel.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::grid_dim;
/// run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
///     assert_eq!(grid_dim().x, 2);
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
#[must_use]
pub fn grid_dim() -> Dim3 {
    Dim3 {
        x: raw::grid_dim_x(),
        y: raw::grid_dim_y(),
        z: raw::grid_dim_z(),
    }
}

/// The thread's lane in its warp, 0..32. PTX: `%laneid`. Panics outside of a kernel.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{lane, thread_idx};
/// run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
///     assert_eq!(lane(), thread_idx().x % 32);
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
#[must_use]
pub fn lane() -> u32 {
    raw::lane_id()
}

/// The number of the thread's warp in its block: threads count with x fastest, 32 to a warp. Panics outside of a kernel.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{thread_idx, warp_id};
/// run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
///     assert_eq!(warp_id(), thread_idx().x / 32);
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
#[must_use]
pub fn warp_id() -> u32 {
    linear_thread() / 32
}

/// The thread's number in its block, x fastest. A block has at most 1024 threads.
#[inline(always)]
pub(crate) fn linear_thread() -> u32 {
    let point = thread_idx();
    point.x + raw::block_dim_x() * (point.y + raw::block_dim_y() * point.z)
}

/// The index of this thread in a one-dimensional launch: different in each thread, from 0 without gaps.
///
/// A kernel that takes an `Index1D` is only launched with one-dimensional grids and blocks, which the host checks. The value is a
/// witness: only that thread can hold it. It is `Copy`, but neither `Send` nor `Sync`, and ends with the launch.
/// CUDA: `blockIdx.x * blockDim.x + threadIdx.x`, in 64 bit.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{DisjointSlice, Index1D};
/// fn squares(i: Index1D, mut y: DisjointSlice<u64>) {
///     if let Some(y) = y.get_mut(i) {
///         *y = (i.get() * i.get()) as u64;
///     }
/// }
/// # let mut y = vec![0u64; 70];
/// # let (at, n) = (y.as_mut_ptr().expose_provenance(), y.len());
/// # let shape = Shape { grid: [3, 1, 1], block: [33, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// # run(shape, &|| unsafe {
/// #     squares(Index1D::from_launch(), DisjointSlice::from_launch(core::ptr::with_exposed_provenance_mut(at), n));
/// # })?;
/// # assert_eq!((y[8], y[69]), (64, 4761));
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// It cannot be made:
/// ```compile_fail,E0423
/// let i = warploom_device_std::Index1D(7);
/// ```
/// ```compile_fail,E0133
/// let i = warploom_device_std::Index1D::from_launch();
/// ```
/// nor sent to another thread:
/// ```compile_fail,E0277
/// fn kernel(i: warploom_device_std::Index1D) {
///     std::thread::scope(|scope| { scope.spawn(move || i.get()); });
/// }
/// ```
/// nor kept for the next one:
/// ```compile_fail,E0521
/// use std::cell::Cell;
/// use warploom_device_std::Index1D;
/// thread_local! { static KEPT: Cell<Option<Index1D<'static>>> = const { Cell::new(None) } }
/// fn kernel(i: Index1D) { KEPT.set(Some(i)); }
/// ```
/// ```compile_fail,E0277
/// use warploom_device_std::Index1D;
/// static KEPT: std::sync::Mutex<Option<Index1D<'static>>> = std::sync::Mutex::new(None);
/// ```
#[derive(Clone, Copy)]
pub struct Index1D<'k> {
    value: usize,
    _brand: Brand<'k>,
}

impl<'k> Tied<'k> for Index1D<'k> {}

impl Index1D<'_> {
    /// The index, counted over the whole grid.
    #[inline(always)]
    #[must_use]
    pub fn get(self) -> usize {
        self.value
    }

    /// The number of threads of the launch; one more than the largest index.
    #[inline(always)]
    #[must_use]
    pub fn count(self) -> usize {
        raw::grid_dim_x() as usize * raw::block_dim_x() as usize
    }

    /// # Safety
    /// Called by the code around a kernel, once in each thread, in a launch whose grid and blocks are one-dimensional.
    ///
    /// # Panics
    /// On the emulator, in a build with debug assertions, when the launch is not one-dimensional.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_launch() -> Self {
        #[cfg(not(warploom_device))]
        debug_assert!(
            raw::block_dim_y() == 1
                && raw::block_dim_z() == 1
                && raw::grid_dim_y() == 1
                && raw::grid_dim_z() == 1,
            "a kernel with an `Index1D` runs in a launch that is not one-dimensional: two threads would share one index"
        );
        let value = raw::block_idx_x() as usize * raw::block_dim_x() as usize
            + raw::thread_idx_x() as usize;
        Index1D {
            value,
            _brand: Brand::new(),
        }
    }
}

/// The coordinates of this thread in a launch of at most two dimensions: different in each thread.
///
/// CUDA: `blockIdx.x * blockDim.x + threadIdx.x` and the same for y, in 64 bit. See [`Index1D`] for what a witness is.
///
/// ```
/// use warploom_device_std::{DisjointSlice2D, Index2D};
/// fn fill(i: Index2D, mut picture: DisjointSlice2D<u32>) {
///     if let Some(pixel) = picture.get_mut(i) {
///         *pixel = (i.x() + i.y()) as u32;
///     }
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Index2D<'k> {
    x: usize,
    y: usize,
    _brand: Brand<'k>,
}

impl<'k> Tied<'k> for Index2D<'k> {}

impl Index2D<'_> {
    /// The column, along x.
    #[inline(always)]
    #[must_use]
    pub fn x(self) -> usize {
        self.x
    }

    /// The row, along y.
    #[inline(always)]
    #[must_use]
    pub fn y(self) -> usize {
        self.y
    }

    /// # Safety
    /// Called by the code around a kernel, once in each thread, in a launch whose grid and blocks have no extent along z.
    ///
    /// # Panics
    /// On the emulator, in a build with debug assertions, when the launch has an extent along z.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_launch() -> Self {
        #[cfg(not(warploom_device))]
        debug_assert!(
            raw::block_dim_z() == 1 && raw::grid_dim_z() == 1,
            "a kernel with an `Index2D` runs in a three-dimensional launch: two threads would share one index"
        );
        // SAFETY: asks for less than the caller promised.
        let Index3D { x, y, .. } = unsafe { Index3D::from_launch() };
        Index2D {
            x,
            y,
            _brand: Brand::new(),
        }
    }
}

/// The coordinates of this thread in any launch: different in each thread.
///
/// CUDA: `blockIdx.x * blockDim.x + threadIdx.x` and the same for y and z, in 64 bit. See [`Index1D`] for what a witness is.
///
/// ```
/// use warploom_device_std::Index3D;
/// fn distance(i: Index3D) -> usize {
///     i.x() + i.y() + i.z()
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Index3D<'k> {
    x: usize,
    y: usize,
    z: usize,
    _brand: Brand<'k>,
}

impl<'k> Tied<'k> for Index3D<'k> {}

impl Index3D<'_> {
    /// The coordinate along x.
    #[inline(always)]
    #[must_use]
    pub fn x(self) -> usize {
        self.x
    }

    /// The coordinate along y.
    #[inline(always)]
    #[must_use]
    pub fn y(self) -> usize {
        self.y
    }

    /// The coordinate along z.
    #[inline(always)]
    #[must_use]
    pub fn z(self) -> usize {
        self.z
    }

    /// # Safety
    /// Called by the code around a kernel, once in each thread.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_launch() -> Self {
        let (block, size, thread) = (block_idx(), block_dim(), thread_idx());
        Index3D {
            x: block.x as usize * size.x as usize + thread.x as usize,
            y: block.y as usize * size.y as usize + thread.y as usize,
            z: block.z as usize * size.z as usize + thread.z as usize,
            _brand: Brand::new(),
        }
    }
}
