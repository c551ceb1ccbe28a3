//! Why a texture or surface is refused.

use super::Address;
use crate::cuda::DriverError;
use crate::memory::ArrayShape;

/// Why a [`TextureObject`](super::TextureObject) or [`SurfaceObject`](super::SurfaceObject) cannot be made.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum TextureError {
    /// The array has other dimensions.
    #[error(
        "a {wanted} texture or surface cannot be made of a {shape}; make the array as an `{remedy}`, or let the kernel take what the array is"
    )]
    Dimensions {
        /// The dimensions of the texture or surface.
        wanted: &'static str,
        /// What the array is.
        shape: ArrayShape,
        /// The shape that the array would have to have.
        remedy: &'static str,
    },
    /// The array was not made for surfaces.
    #[error(
        "no surface can be made of a {shape} that was made without `with_surface`; make it with `ArrayOptions::new(..).with_surface()`"
    )]
    NotForSurfaces {
        /// What the array is.
        shape: ArrayShape,
    },
    /// A filter mixes integers.
    #[error(
        "`{setting}` is linear, and reads of `{element}` give integers, which are not mixed; use `Filter::Point`, or let the kernel take a texture that is read as `Normalized` (of integers with 8 or 16 bits) or has floating-point elements"
    )]
    FilterOfIntegers {
        /// Which filter.
        setting: &'static str,
        /// The type of the elements.
        element: &'static str,
    },
    /// The image is to repeat along coordinates that count elements.
    #[error(
        "`Address::{given:?}` along {axis} needs normalised coordinates, and others would be clamped; say `.normalized()`, or use `Address::Clamp` or `Address::Border`"
    )]
    Unnormalized {
        /// The axis.
        axis: &'static str,
        /// What is to be done with coordinates outside.
        given: Address,
    },
    /// Coordinates of a texture with levels of detail count elements.
    #[error(
        "coordinates of a texture with levels of detail are normalised, because levels differ in their elements; say `.normalized()`, or make a texture of one level"
    )]
    UnnormalizedLevels,
    /// Elements cannot be converted from sRGB.
    #[error(
        "`srgb` is for reads of `u8` as `Normalized`, not for elements of type `{element}` read as {read}; leave it out"
    )]
    Srgb {
        /// The type of the elements.
        element: &'static str,
        /// How they are read.
        read: &'static str,
    },
    /// A texture of something else than a cube is to be filtered across edges.
    #[error(
        "`seamless_cube` is for textures of cubes, and this one is {wanted}; leave it out, or use another `Sampler`"
    )]
    Seamless {
        /// The dimensions of the texture.
        wanted: &'static str,
    },
    /// Elements along a slope are to be averaged.
    #[error(
        "anisotropy of {given} is not offered: 1, which takes one place for each fetch, is; leave it out, or fetch from several places in the kernel"
    )]
    Anisotropy {
        /// What was asked for.
        given: u32,
    },
    /// Levels of detail have no order.
    #[error(
        "`{setting}` is {given}, which is not a number that a level of detail can be; use a finite one"
    )]
    Lod {
        /// Which setting.
        setting: &'static str,
        /// Its value.
        given: f32,
    },
    /// The least level of detail is above the greatest.
    #[error("the least level of detail is {least}, and the greatest {greatest}; exchange them")]
    LodClamp {
        /// The least.
        least: f32,
        /// The greatest.
        greatest: f32,
    },
    /// Elements of another size.
    #[error(
        "an array of `{element}`, which has {bytes} bytes, is not seen as one of `{given}`, which has {given_bytes} bytes: elements of a view have the size of those in memory; use a type of {bytes} bytes, or copy the array to a buffer"
    )]
    ViewElements {
        /// The type in memory.
        element: &'static str,
        /// Its size.
        bytes: usize,
        /// The type that was asked for.
        given: &'static str,
        /// Its size.
        given_bytes: usize,
    },
    /// A view of levels or layers that are not there, or of none.
    #[error(
        "{start}..{end} is no range of {what} to view: there are {n}; use a range of at least one that ends at most at {n}"
    )]
    ViewRange {
        /// Levels or layers.
        what: &'static str,
        /// The first.
        start: usize,
        /// The one behind the last.
        end: usize,
        /// How many there are.
        n: usize,
    },
    /// A view of layers of what has none.
    #[error("a {shape} has no layers to choose from; leave `layers` out, or use a layered array")]
    NoLayers {
        /// What the array is.
        shape: ArrayShape,
    },
    /// A view of layers of cubes.
    #[error(
        "a view of a {shape} is not offered: in one, GPUs do not stop at the last layer, and read what lies behind it; use all of the array with its own elements, or an array for each cube"
    )]
    ViewOfCubes {
        /// What the array is.
        shape: ArrayShape,
    },
    /// There is nothing to read.
    #[error("no texture can be made of memory without elements; leave it out")]
    Empty,
    /// Rows of several planes.
    #[error(
        "a texture of pitched memory has one plane, and there are {given}; use `part` to take one, or an array"
    )]
    Planes {
        /// Planes that there are.
        given: usize,
    },
    /// The first element lies where textures do not start.
    #[error(
        "the first element lies {given} bytes behind a multiple of {align}, and textures start at such multiples on {device}; begin at another element, or copy the elements to a buffer or array of their own"
    )]
    Start {
        /// Bytes from the last such multiple.
        given: usize,
        /// What the device asks for.
        align: usize,
        /// The device's name.
        device: String,
    },
    /// Rows lie where textures have none.
    #[error(
        "rows lie {given} bytes apart, and those of a texture lie at multiples of {align} on {device}; use a `PitchedBuffer`, or an array"
    )]
    Pitch {
        /// Bytes from one row to the next.
        given: usize,
        /// What the device asks for.
        align: usize,
        /// The device's name.
        device: String,
    },
    /// There are more elements than textures of such memory have.
    #[error(
        "a texture of {memory} on {device} has a {side} of at most {limit}, not {given}; use several textures, or an array"
    )]
    Extent {
        /// What kind of memory it is.
        memory: &'static str,
        /// Which side.
        side: &'static str,
        /// Its elements; bytes of a pitch.
        given: usize,
        /// The most.
        limit: usize,
        /// The device's name.
        device: String,
    },
    /// The driver refused the call, or has no such function.
    #[error(transparent)]
    Driver(#[from] DriverError),
}
