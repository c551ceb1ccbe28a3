//! Surfaces: arrays that kernels write, and read, by the coordinates of elements, without filters and conversions.
//!
//! A surface comes as a kernel parameter, [`Surface2d<f32>`](Surface2d) and so on; the host makes one of an array. Of one that may be written ([`Writable`], the host borrows the array
//! exclusively) a thread writes the element of its own index; of one that is [`ReadOnly`] every thread reads any element.
//!
//! ```
//! # use warploom_emulator::{run, Shape, texture as emulated};
//! use warploom_device_std::{Index2D, Surface2d, surface::ReadOnly};
//! fn shifted(i: Index2D, x: Surface2d<u16, ReadOnly>, mut y: Surface2d<u16>) {
//!     y.write(i, x.read_clamped(i.x() as i32 - 1, i.y() as i32)); // threads outside write nothing
//! }
//! # let (mut from, mut to) = ([1u16, 2, 3, 4, 5, 6], [0u16; 6]);
//! # let handle = |base: *mut u16| {
//! #     let level = emulated::Level { offset: 0, width: 3, height: 2, depth: 1, row_pitch: 6, slice_pitch: 12 };
//! #     let image = emulated::Image {
//! #         base: base.cast(), format: emulated::Format::Unsigned16, channels: 1, dimensions: emulated::Dimensions::D2,
//! #         layout: emulated::Layout::Tiles, levels: vec![level],
//! #     };
//! #     Box::into_raw(Box::new(emulated::SurfaceObject { image })).expose_provenance() as u64
//! # };
//! # let (x, y) = (handle(from.as_mut_ptr()), handle(to.as_mut_ptr()));
//! # run(Shape::new([1, 1, 1], [8, 4, 1]), &|| unsafe {
//! #     shifted(Index2D::from_launch(), Surface2d::from_launch(x), Surface2d::from_launch(y));
//! # })?;
//! # assert_eq!(to, [1, 1, 2, 4, 4, 5]);
//! # Ok::<(), warploom_emulator::Fault>(())
//! ```
//! Elements of other threads take `unsafe`:
//! ```compile_fail,E0133
//! use warploom_device_std::Surface2d;
//! fn kernel(mut x: Surface2d<f32>) {
//!     x.store(3, 4, 1.0);
//! }
//! ```
//! A thread has one handle of a surface that is written:
//! ```compile_fail,E0382
//! use warploom_device_std::{Index2D, Surface2d};
//! fn kernel(i: Index2D, mut x: Surface2d<f32>) {
//!     let mut y = x;
//!     x.write(i, 1.0);
//!     y.write(i, 2.0);
//! }
//! ```

mod accesses; // reads and writes
mod converted; // writes that saturate
mod instructions; // one for each kind, width, and what happens outside
mod reductions; // changes in one step

pub use converted::ConvertedDimension;
pub use instructions::SurfaceDimension;
pub use reductions::ReducedTexel;

use core::marker::PhantomData;

use crate::layout;
use crate::scope::{Brand, Tied};
use crate::texture::{Cube, CubeLayered, D1, D1Layered, D2, D2Layered, D3, Dimension, Texel};

/// A surface of dimensions `D` with elements `T`, which may be accessed as `A` says: a kernel parameter. Kernels name its aliases, [`Surface2d`] and so on.
///
/// CUDA: `cudaSurfaceObject_t`, which has no types.
#[repr(transparent)]
pub struct Surface<'k, D: Dimension, T: Texel, A: Access = Writable> {
    handle: u64,
    _brand: Brand<'k>,
    _types: PhantomData<(D, T, A)>,
}

/// A row of elements.
pub type Surface1d<'k, T, A = Writable> = Surface<'k, D1, T, A>;
/// Rows of elements.
pub type Surface2d<'k, T, A = Writable> = Surface<'k, D2, T, A>;
/// Slices of rows of elements.
pub type Surface3d<'k, T, A = Writable> = Surface<'k, D3, T, A>;
/// Layers of one row each.
pub type Surface1dLayered<'k, T, A = Writable> = Surface<'k, D1Layered, T, A>;
/// Layers of rows.
pub type Surface2dLayered<'k, T, A = Writable> = Surface<'k, D2Layered, T, A>;
/// The six faces of a cube, by number.
pub type SurfaceCube<'k, T, A = Writable> = Surface<'k, Cube, T, A>;
/// Layers of six faces each.
pub type SurfaceCubeLayered<'k, T, A = Writable> = Surface<'k, CubeLayered, T, A>;

// Rule: surface-that-is-only-read-is-not-written
// The launch borrows the array of one that is read shared.
/// What a kernel may do with a surface: [`Writable`], [`ReadOnly`] or [`Reduced`].
pub trait Access: sealed::Sealed {
    /// Whether the launch borrows the array exclusively.
    const WRITES: bool;
    /// Tells the three apart.
    #[doc(hidden)]
    const NUMBER: u128;
}

/// A surface that threads write. The launch takes a `&mut` of the host's surface.
pub enum Writable {}

/// A surface that nothing writes during the launch. The launch takes a `&` of the host's surface.
pub enum ReadOnly {}

/// A surface whose elements every thread changes by reductions, each in one step: nothing is read or written otherwise. The launch takes a `&mut` of the host's surface.
///
/// The order of the changes is not determined, nor does one order other accesses (`relaxed`, for the whole system). Surfaces of one to three dimensions with elements `u32` or `i32`; PTX has no
/// reductions of layers and cubes. Those of 64 bits are not offered.
///
/// ```
/// # use warploom_emulator::{run, Shape, texture as emulated};
/// use warploom_device_std::{Index1D, Surface2d, surface::Reduced};
/// fn histogram(i: Index1D, y: Surface2d<u32, Reduced>) {
///     y.add(i.get() as i32 % 3, 1, 1);
/// }
/// # let mut counts = [0u32; 6];
/// # let level = emulated::Level { offset: 0, width: 3, height: 2, depth: 1, row_pitch: 12, slice_pitch: 24 };
/// # let image = emulated::Image {
/// #     base: counts.as_mut_ptr().cast(), format: emulated::Format::Unsigned32, channels: 1, dimensions: emulated::Dimensions::D2,
/// #     layout: emulated::Layout::Tiles, levels: vec![level],
/// # };
/// # let y = Box::into_raw(Box::new(emulated::SurfaceObject { image })).expose_provenance() as u64;
/// # run(Shape::new([2, 1, 1], [32, 1, 1]), &|| unsafe {
/// #     histogram(Index1D::from_launch(), Surface2d::from_launch(y));
/// # })?;
/// # assert_eq!(counts, [0, 0, 0, 22, 21, 21]);
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// Elements are not read meanwhile:
/// ```compile_fail,E0599
/// use warploom_device_std::{Surface2d, surface::Reduced};
/// fn kernel(x: Surface2d<u32, Reduced>) {
///     x.read(1, 2);
/// }
/// ```
/// Nor are elements of other types reduced:
/// ```compile_fail,E0599
/// use warploom_device_std::{Surface2d, surface::Reduced};
/// fn kernel(x: Surface2d<f32, Reduced>) {
///     x.add(1, 2, 1.0);
/// }
/// ```
pub enum Reduced {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Writable {}
    impl Sealed for super::ReadOnly {}
    impl Sealed for super::Reduced {}
}

impl Access for Writable {
    const WRITES: bool = true;
    const NUMBER: u128 = 3;
}
impl Access for ReadOnly {
    const WRITES: bool = false;
    const NUMBER: u128 = 2;
}
impl Access for Reduced {
    const WRITES: bool = true;
    const NUMBER: u128 = 4;
}

impl<D: Dimension, T: Texel> Clone for Surface<'_, D, T, ReadOnly> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<D: Dimension, T: Texel> Copy for Surface<'_, D, T, ReadOnly> {}
impl<D: Dimension, T: Texel> Clone for Surface<'_, D, T, Reduced> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<D: Dimension, T: Texel> Copy for Surface<'_, D, T, Reduced> {}
impl<'k, D: Dimension, T: Texel, A: Access> Tied<'k> for Surface<'k, D, T, A> {}

impl<D: Dimension, T: Texel, A: Access> Surface<'_, D, T, A> {
    /// Fingerprint of dimensions, element and access, which a launch compares with that of the device code.
    #[doc(hidden)]
    pub const LAYOUT: u64 = layout::with(
        layout::with(layout::name(D::NAME), T::LAYOUT as u128),
        A::NUMBER,
    );

    /// The handle, for PTX of your own: `cudaSurfaceObject_t`. On the emulator the address of a
    /// `warploom_emulator::texture::SurfaceObject`.
    #[inline(always)]
    #[must_use]
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// # Safety
    /// Called by the code around a kernel, once in each thread. `handle` is that of a surface with these dimensions and elements, which is there for the whole launch; nothing else
    /// accesses the elements meanwhile or, where the surface is [`ReadOnly`], nothing writes them.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_launch(handle: u64) -> Self {
        Surface {
            handle,
            _brand: Brand::new(),
            _types: PhantomData,
        }
    }
}

/// What instrumented code calls for each instruction.
#[cfg(not(warploom_device))]
#[doc(hidden)]
pub static SHIMS: &[&[&[crate::intrinsics::Shim]]] =
    &[instructions::SHIMS, converted::SHIMS, reductions::SHIMS];

/// Device code calls its instructions itself.
#[cfg(warploom_device)]
#[doc(hidden)]
pub static SHIMS: &[&[&[crate::intrinsics::Shim]]] = &[];
