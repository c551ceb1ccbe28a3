//! Textures: images that kernels read through the texture units, which find elements by coordinates, filter between them and convert them.
//!
//! A texture comes as a kernel parameter, [`Texture2d<f32>`](Texture2d) and so on; the host makes one of an array or of linear memory and of the settings of a sampler: what lies outside
//! of the image, whether a read filters, what coordinates mean. The type of the parameter says what the elements are and how they are read: as they are ([`Element`]), or as
//! floating-point numbers ([`Normalized`]).
//!
//! There is no read that compares with a depth. PTX has an operand for it (`tex` and `tld4`, 4.3), which counts for depth textures alone. No sampler of CUDA has the function that compares, and drivers make no
//! depth textures: `cuArray3DCreate` with `CUDA_ARRAY3D_DEPTH_TEXTURE` gives `CUDA_ERROR_INVALID_VALUE` with integers, floating-point numbers and normalized formats alike, and with other
//! textures the operand changes nothing (measured on an H200, driver 580).
//!
//! Nothing writes the elements during the launch, so reads may be moved and merged by the compiler, and many may be under way at once.
//!
//! ```
//! # use warploom_emulator::{run, Shape, texture as emulated};
//! use warploom_device_std::{DisjointSlice, Index1D, Texture1d, texture::Normalized};
//! fn halves(i: Index1D, x: Texture1d<u8, Normalized>, mut y: DisjointSlice<f32>) {
//!     if let Some(y) = y.get_mut(i) {
//!         *y = x.sample(0.5 * i.get() as f32 + 0.5); // between two elements the sampler filters
//!     }
//! }
//! # let mut texels = [0u8, 51, 102, 255];
//! # let level = emulated::Level { offset: 0, width: 4, height: 1, depth: 1, row_pitch: 4, slice_pitch: 4 };
//! # let image = emulated::Image {
//! #     base: texels.as_mut_ptr(), format: emulated::Format::Unsigned8, channels: 1, dimensions: emulated::Dimensions::D1,
//! #     layout: emulated::Layout::Tiles, levels: vec![level],
//! # };
//! # let sampling = emulated::Sampling { filter: emulated::Filter::Linear, read: emulated::Read::NormalizedFloat, ..Default::default() };
//! # let object = emulated::TextureObject { image, sampling };
//! # let handle = (&raw const object).expose_provenance() as u64;
//! # let mut y = [0.0f32; 7];
//! # let at = y.as_mut_ptr().expose_provenance();
//! # run(Shape::new([1, 1, 1], [32, 1, 1]), &|| unsafe {
//! #     let y = DisjointSlice::from_launch(core::ptr::with_exposed_provenance_mut(at), 7);
//! #     halves(Index1D::from_launch(), Texture1d::from_launch(handle), y);
//! # })?;
//! # assert_eq!((y[0], y[2], y[6]), (0.0, 0.2, 1.0));
//! # assert!((y[1] - 0.1).abs() < 1e-3 && (y[5] - 0.7).abs() < 1e-3);
//! # Ok::<(), warploom_emulator::Fault>(())
//! ```

mod dimension; // what coordinates mean
#[macro_use]
mod reads; // fetches
mod gathers; // four elements at once
mod offsets; // elements beside the coordinates
mod texel; // elements

pub use dimension::{Cube, CubeLayered, D1, D1Layered, D2, D2Layered, D3, Dimension, LinearMemory};
#[doc(hidden)]
pub use texel::Registers;
pub use texel::{NormalizedTexel, Texel};

use core::marker::PhantomData;

use crate::layout;
use crate::scope::{Brand, Tied};

/// A texture of dimensions `D` with elements `T`, read as `R`: a kernel parameter. Kernels name its aliases, [`Texture2d`] and so on.
///
/// CUDA: `cudaTextureObject_t`, which has no types.
#[repr(transparent)]
pub struct Texture<'k, D: Dimension, T: Texel, R: ReadMode<T> = Element> {
    handle: u64,
    _brand: Brand<'k>,
    _types: PhantomData<(D, T, R)>,
}

/// A row of elements.
pub type Texture1d<'k, T, R = Element> = Texture<'k, D1, T, R>;
/// Rows of elements.
pub type Texture2d<'k, T, R = Element> = Texture<'k, D2, T, R>;
/// Slices of rows of elements.
pub type Texture3d<'k, T, R = Element> = Texture<'k, D3, T, R>;
/// Layers of one row each.
pub type Texture1dLayered<'k, T, R = Element> = Texture<'k, D1Layered, T, R>;
/// Layers of rows.
pub type Texture2dLayered<'k, T, R = Element> = Texture<'k, D2Layered, T, R>;
/// The six faces of a cube, found by a direction.
pub type TextureCube<'k, T, R = Element> = Texture<'k, Cube, T, R>;
/// Layers of six faces each.
pub type TextureCubeLayered<'k, T, R = Element> = Texture<'k, CubeLayered, T, R>;
/// Linear memory, found by index.
pub type TextureLinear<'k, T, R = Element> = Texture<'k, LinearMemory, T, R>;

// Rule: texture-is-read-as-its-type-says
// The handle has a format and a mode; an instruction with another result would give bits of another type.
/// How the elements of a texture are read: [`Element`] or [`Normalized`].
///
/// ```compile_fail,E0277
/// use warploom_device_std::texture::{Normalized, Texture2d};
/// fn kernel(x: Texture2d<f32, Normalized>) {} // only integers of 8 and 16 bits can be read so
/// ```
#[diagnostic::on_unimplemented(
    message = "the elements of a texture of `{T}` cannot be read as `{Self}`",
    note = "`Normalized` reads are of integers with 8 or 16 bits; leave the second argument out to read elements as they are"
)]
pub trait ReadMode<T: Texel>: sealed::Sealed {
    /// What a fetch gives.
    type Value: crate::Plain;
    /// What a gather gives of each element.
    type Component: crate::Plain;
    /// Whether integers are converted to floating-point numbers.
    const NORMALIZED: bool;
    /// Whether a fetch gives floating-point numbers, so that the sampler may filter.
    const FLOAT: bool;
    #[doc(hidden)]
    const REGISTERS: Registers;
    #[doc(hidden)]
    fn value(registers: [u32; 4]) -> Self::Value;
    #[doc(hidden)]
    fn component(register: u32) -> Self::Component;
}

/// Reads give elements as they are; `F16` as `f32`. CUDA: `cudaReadModeElementType`.
pub enum Element {}

/// Reads give floating-point numbers: of unsigned integers 0 to 1, of signed ones −1 to 1. CUDA: `cudaReadModeNormalizedFloat`.
pub enum Normalized {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Element {}
    impl Sealed for super::Normalized {}
}

impl<T: Texel> ReadMode<T> for Element {
    type Value = T::Value;
    type Component = T::Component;
    const NORMALIZED: bool = false;
    const FLOAT: bool = matches!(T::REGISTERS, Registers::Float);
    const REGISTERS: Registers = T::REGISTERS;
    #[inline(always)]
    fn value(registers: [u32; 4]) -> T::Value {
        T::value(registers)
    }
    #[inline(always)]
    fn component(register: u32) -> T::Component {
        T::component(register)
    }
}

impl<T: NormalizedTexel> ReadMode<T> for Normalized {
    type Value = T::Float;
    type Component = f32;
    const NORMALIZED: bool = true;
    const FLOAT: bool = true;
    const REGISTERS: Registers = Registers::Float;
    #[inline(always)]
    fn value(registers: [u32; 4]) -> T::Float {
        T::float(registers)
    }
    #[inline(always)]
    fn component(register: u32) -> f32 {
        f32::from_bits(register)
    }
}

impl<D: Dimension, T: Texel, R: ReadMode<T>> Clone for Texture<'_, D, T, R> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<D: Dimension, T: Texel, R: ReadMode<T>> Copy for Texture<'_, D, T, R> {}
impl<'k, D: Dimension, T: Texel, R: ReadMode<T>> Tied<'k> for Texture<'k, D, T, R> {}

impl<D: Dimension, T: Texel, R: ReadMode<T>> Texture<'_, D, T, R> {
    /// Fingerprint of dimensions, element and read, which a launch compares with that of the device code.
    #[doc(hidden)]
    pub const LAYOUT: u64 = layout::with(
        layout::with(layout::name(D::NAME), T::LAYOUT as u128),
        R::NORMALIZED as u128,
    );

    /// The handle, for PTX of your own: `cudaTextureObject_t`. On the emulator the address of a
    /// `warploom_emulator::texture::TextureObject`.
    #[inline(always)]
    #[must_use]
    pub fn handle(self) -> u64 {
        self.handle
    }

    /// # Safety
    /// Called by the code around a kernel. `handle` is that of a texture with these dimensions, elements and read, which is there for the whole launch, and whose elements nothing
    /// writes meanwhile.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_launch(handle: u64) -> Self {
        Texture {
            handle,
            _brand: Brand::new(),
            _types: PhantomData,
        }
    }
}
