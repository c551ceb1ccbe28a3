//! Surfaces: arrays that kernels write, and read, by the coordinates of elements, without filters and conversions.
//!
//! A surface comes as a kernel parameter, [`Surface2d<f32>`](Surface2d) and so on; the host makes one of an array. Of one that may be written ([`Writable`], the host borrows the array
//! exclusively) a thread writes the element of its own index; of one that is [`ReadOnly`] every thread reads any element.

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

/// What a kernel may do with a surface: [`Writable`] or [`ReadOnly`].
pub trait Access: sealed::Sealed {
    /// Whether the launch borrows the array exclusively.
    const WRITES: bool;
}

/// A surface that threads write. The launch takes a `&mut` of the host's surface.
pub enum Writable {}

/// A surface that nothing writes during the launch. The launch takes a `&` of the host's surface.
pub enum ReadOnly {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Writable {}
    impl Sealed for super::ReadOnly {}
}

impl Access for Writable {
    const WRITES: bool = true;
}
impl Access for ReadOnly {
    const WRITES: bool = false;
}

impl<D: Dimension, T: Texel> Clone for Surface<'_, D, T, ReadOnly> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<D: Dimension, T: Texel> Copy for Surface<'_, D, T, ReadOnly> {}
impl<'k, D: Dimension, T: Texel, A: Access> Tied<'k> for Surface<'k, D, T, A> {}

impl<D: Dimension, T: Texel, A: Access> Surface<'_, D, T, A> {
    /// Fingerprint of dimensions, element and access, which a launch compares with that of the device code.
    #[doc(hidden)]
    pub const LAYOUT: u64 = layout::with(
        layout::with(layout::name(D::NAME), T::LAYOUT as u128),
        2 + A::WRITES as u128,
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
