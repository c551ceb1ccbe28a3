//! The arithmetic of texture units: what a fetch gives and which bytes it reads, bit for bit as a Hopper GPU (compute capability 9.0) computes it, and where the accesses of
//! surface instructions fall.
//!
//! Pure functions of a description of memory: nothing here has to do with threads. What follows was measured on an H100 and an H200, and is not in the documents:
//!
//! - Weights are the nearest 256ths, halves up. A product of weights is rounded, too, so that all add up to 1: first between levels, then along z, x and y.
//! - Of a normalized coordinate 21 bits of the fraction count, cut off; of one on a face of a cube 20 on each side of the centre.
//! - Sums of `f32` keep 27 bits below the greatest exponent of the four texels of a plane, those of 16-bit numbers 14, and of sRGB 7. Planes are added in units of an
//!   exponent that is a multiple of 4: those of the finer level first, then those of the coarser one to what there is. The result is rounded once, halves away from zero; that of 16-bit numbers and of sRGB to 16 bits. Subnormal `f32` are zeros.
//! - Sums of 8-bit and 16-bit integers have 16 bits.
//! - Texels that are no numbers or infinite count even if their weight was rounded to 0; a plane whose part was rounded to 0 does not.
//! - A row without layers is filtered as a plane of one row at the coordinate 0: with [`Address::Border`] in its second dimension, half of it is border.
//! - Without normalized coordinates [`Address::Wrap`] and [`Address::Mirror`] are as [`Address::Clamp`].
//! - Fetches by number give zeros outside, also in layers behind the last, whatever the sampler says, and everywhere from arrays of one dimension.
//! - Other fetches take the last layer for those behind it, negative ones included. The face of a cube is chosen by the compiler's reciprocal: where that is not exact on a GPU, one in
//!   50 000 filtered fetches differs in the last bits.
//! - A seamless cube gives the part of the texel that is missing at a corner to the three others, which all count then, also those beyond a weight of 0.
//! - Offsets are added to the numbers of texels after a normalized coordinate was brought into its period, before what is outside is looked for, and before a filter that clamps counts from half a texel
//!   inside the edges. They are four bits for each dimension, six of gathers; the row without layers takes the next four along its second dimension.
//! - Gathers of cubes that are not seamless clamp to the face. At a corner of a seamless one the filter's sum of the three texels is in the place of the fourth.
//! - A sum of floating-point numbers is a negative zero if all its texels are, or subnormal negative `f32`, those that a rounded weight leaves out included; other zeros are positive.
//! - Without a level, level 0 is read without bias, but within the bounds.
//! - Sizes: [`TextureObject::size`] and [`SurfaceObject::size`] say what the queries give. Those that PTX has for the number of layers and of levels are refused by the driver.
//! - Surface accesses that are moved to the edge stay aligned; those wider than a row are nowhere; what is not aligned is an error with each boundary.
//!
//! Not exact are levels from gradients (within 2/256 in one and two dimensions), and borders of integer and sRGB textures that their formats do not have. In all of the 292 modes that were compared (`emulator/tests/texture_modes/fetches.tsv`)
//! each of 10^7 fetches is equal. A linear filter of integers that are not read
//! normalized has no meaning: drivers accept it, but here it is the nearest texel.

mod axis; // from a coordinate to texels and weights
mod converted; // numbers of formatted stores
mod cube; // faces
mod detail; // levels
mod filter; // weighted sums
mod sample; // fetches
mod srgb; // from sRGB
mod surface; // places in images by byte
mod texel; // from bits of a channel to bits of a result

pub use surface::{Boundary, Place};

/// The type of a channel in memory: the driver's number of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Format {
    /// `u8`.
    Unsigned8 = 1,
    /// `u16`.
    Unsigned16 = 2,
    /// `u32`.
    Unsigned32 = 3,
    /// `i8`.
    Signed8 = 8,
    /// `i16`.
    Signed16 = 9,
    /// `i32`.
    Signed32 = 10,
    /// 16-bit floating point.
    Float16 = 16,
    /// `f32`.
    Float32 = 32,
}

impl Format {
    /// Bytes of a channel.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Unsigned8 | Self::Signed8 => 1,
            Self::Unsigned16 | Self::Signed16 | Self::Float16 => 2,
            Self::Unsigned32 | Self::Signed32 | Self::Float32 => 4,
        }
    }

    /// Whether a channel is a floating-point number in memory.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::Float16 | Self::Float32)
    }
}

/// What the coordinates of an image mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dimensions {
    /// Linear memory, read by integer index: no sampling.
    Linear,
    /// A row.
    D1,
    /// Rows.
    D2,
    /// Slices of rows.
    D3,
    /// Layers of one row each.
    D1Layered,
    /// Layers of rows.
    D2Layered,
    /// Six faces.
    Cube,
    /// Layers of six faces each.
    CubeLayered,
}

/// How the texels of an image lie in a GPU's memory. Here they lie in rows in each case: results do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// In tiles, as arrays do: neighbours in two directions lie together.
    Tiles,
    /// In rows, as linear and pitched memory do.
    Rows,
}

/// One level of detail of an image. What there is once has the extent 1, never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// Bytes from the start of the image.
    pub offset: usize,
    /// Texels of a row.
    pub width: u32,
    /// Rows of a slice.
    pub height: u32,
    /// Slices: of the depth, or all layers, or all faces of all layers.
    pub depth: u32,
    /// Bytes from one row to the next.
    pub row_pitch: usize,
    /// Bytes from one slice to the next.
    pub slice_pitch: usize,
}

/// Texels in memory that belongs to another: an array, levels of a mipmapped array, or linear memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Where the texels are.
    pub base: *mut u8,
    /// The type of each channel.
    pub format: Format,
    /// Channels of a texel: 1, 2 or 4.
    pub channels: u8,
    /// What coordinates mean.
    pub dimensions: Dimensions,
    /// How the texels lie in a GPU's memory.
    pub layout: Layout,
    /// The finest level first; at least one.
    pub levels: Vec<Level>,
}

// SAFETY: the address is used in functions alone that are `unsafe` to call.
unsafe impl Send for Image {}
// SAFETY: the same.
unsafe impl Sync for Image {}

impl Image {
    /// Bytes of a texel.
    #[must_use]
    pub const fn texel_bytes(&self) -> usize {
        self.format.bytes() * self.channels as usize
    }

    /// Where a byte of an array lies in the order of a GPU's tiles, of which a sector of 32 bytes has 16 bytes of each of two rows, and a block of 512 bytes 64 bytes of each of eight; `None`
    /// for memory in rows.
    ///
    /// Blocks of a level follow each other row by row. It is no address of memory: bytes that share sectors have the same number of a sector.
    #[must_use]
    pub fn tiled(&self, at: *const u8) -> Option<usize> {
        if self.layout == Layout::Rows {
            return None;
        }
        let from_base = at.addr().wrapping_sub(self.base.addr());
        // The finest level first: the last that begins before it.
        let mut levels = self.levels.iter().rev();
        let level = levels.find(|level| level.offset <= from_base)?;
        if level.height == 1 {
            return Some(at.addr()); // one row has no tiles
        }
        let offset = from_base - level.offset;
        let slice_pitch = level.slice_pitch.max(1);
        let (slice, offset) = (offset / slice_pitch, offset % slice_pitch);
        let row_pitch = level.row_pitch.max(1);
        let (y, x) = (offset / row_pitch, offset % row_pitch);
        let (blocks_of_row, blocks_of_slice) =
            (row_pitch.div_ceil(64), (level.height as usize).div_ceil(8));
        let block = (slice * blocks_of_slice + y / 8) * blocks_of_row + x / 64;
        let sector = (y % 8 / 2) * 4 + x % 64 / 16;
        // Levels and arrays lie apart: the base is no less a number of blocks than bytes before it.
        let before = (self.base.addr() + level.offset) / 512 * 512 * 2;
        Some(before + block * 512 + sector * 32 + y % 2 * 16 + x % 16)
    }

    /// What a fetch counts as that reads this element first: a place in the order of tiles and bytes, of the element; of one that reads several also those of its neighbour in the row. `None` as with [`Image::tiled`].
    pub(crate) fn fetched(
        &self,
        at: *const u8,
        bytes: usize,
        of_several: bool,
    ) -> Option<(usize, usize)> {
        let place = self.tiled(at)?;
        if !of_several {
            return Some((place, bytes));
        }
        let bytes = (2 * bytes).min(16); // rows of a sector have 16 bytes
        Some((place / bytes * bytes, bytes))
    }

    /// Address of a texel that is there.
    fn address(&self, level: &Level, [x, y, z]: [u32; 3]) -> *mut u8 {
        let offset = level.offset
            + z as usize * level.slice_pitch
            + y as usize * level.row_pitch
            + x as usize * self.texel_bytes();
        self.base.wrapping_add(offset)
    }
}

/// What a coordinate outside of the image means: the driver's number of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(u8)]
pub enum Address {
    /// The image repeats. With normalized coordinates; else as [`Address::Clamp`].
    Wrap = 0,
    /// The texel at the edge.
    #[default]
    Clamp = 1,
    /// The image repeats, every other time reversed. With normalized coordinates; else as [`Address::Clamp`].
    Mirror = 2,
    /// [`Sampling::border`].
    Border = 3,
}

/// How texels become one result: the driver's number of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(u8)]
pub enum Filter {
    /// The nearest.
    #[default]
    Point = 0,
    /// A weighted sum of two along each dimension.
    Linear = 1,
}

/// What becomes of integers in memory. Floating-point channels give `f32` in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Read {
    /// The integer, extended to 32 bits.
    #[default]
    Element,
    /// An `f32` of 0 to 1 or −1 to 1. With 8 and 16 bits alone.
    NormalizedFloat,
}

/// How a texture is read: all that a sampler of the driver has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// For each dimension.
    pub address: [Address; 3],
    /// Between texels of a level.
    pub filter: Filter,
    /// Between levels.
    pub mip_filter: Filter,
    /// Whether coordinates of 0 to 1 span the image.
    pub normalized_coordinates: bool,
    /// What becomes of integers.
    pub read: Read,
    /// Whether the first three channels of unsigned 8-bit integers, read normalized, are converted from sRGB.
    pub srgb: bool,
    /// Added to each level of detail.
    pub lod_bias: f32,
    /// Least and greatest level of detail.
    pub lod_clamp: [f32; 2],
    /// The value of texels outside.
    pub border: [f32; 4],
    /// Whether filtering goes on across edges of a cube.
    pub seamless_cube: bool,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            address: [Address::Clamp; 3],
            filter: Filter::Point,
            mip_filter: Filter::Point,
            normalized_coordinates: false,
            read: Read::Element,
            srgb: false,
            lod_bias: 0.0,
            lod_clamp: [0.0; 2],
            border: [0.0; 4],
            seamless_cube: false,
        }
    }
}

/// What a 64-bit handle of a texture is the address of.
#[derive(Debug, Clone, PartialEq)]
pub struct TextureObject {
    /// The texels.
    pub image: Image,
    /// How they are read.
    pub sampling: Sampling,
}

/// What a 64-bit handle of a surface is the address of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfaceObject {
    /// The texels; surface instructions see the first level alone.
    pub image: Image,
}

/// Where a fetch reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Coordinates {
    /// Instructions with coordinates of type `f32`; for a cube the direction.
    Float([f32; 3]),
    /// Instructions with coordinates of type `s32`: the texel itself, without sampler.
    Integer([i32; 3]),
}

/// From which level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Detail {
    /// `tex` without more, in a kernel: level 0, with the sampler's bias and bounds.
    Base,
    /// `tex.level`.
    Level(f32),
    /// `tex.grad`: how coordinates change along x and y of the picture.
    Gradients {
        /// Along x.
        dx: [f32; 3],
        /// Along y.
        dy: [f32; 3],
    },
}

/// One fetch of one thread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    /// Coordinates; those that the texture lacks do not count.
    pub at: Coordinates,
    /// The layer of layered textures.
    pub layer: u32,
    /// The level of detail.
    pub detail: Detail,
    /// Added to the numbers of texels along each dimension, in the level that is read: of each the lowest four bits count, as −8 to 7, of gathers the lowest six.
    pub offset: [i32; 3],
    /// `tld4`: this channel (0 to 3) of the four texels that a linear filter would read.
    pub gather: Option<u8>,
}

impl Request {
    /// A fetch of `tex` from a texture without layers.
    #[must_use]
    pub const fn new(at: Coordinates) -> Self {
        Self {
            at,
            layer: 0,
            detail: Detail::Base,
            offset: [0; 3],
            gather: None,
        }
    }
}

impl TextureObject {
    /// `txq.level`: width, height and depth of a level as a GPU gives them. Layers count behind the last extent, the faces of a cube do not; zeros for levels that are not there.
    #[must_use]
    pub fn size(&self, level: u32) -> [u32; 3] {
        let Some(level) = self.image.levels.get(level as usize) else {
            return [0; 3];
        };
        let Level {
            width,
            height,
            depth,
            ..
        } = *level;
        match self.image.dimensions {
            Dimensions::Linear | Dimensions::D1 => [width, 1, 0],
            Dimensions::D1Layered => [width, depth, 0],
            Dimensions::D2 | Dimensions::Cube => [width, height, 0],
            Dimensions::D3 | Dimensions::D2Layered => [width, height, depth],
            Dimensions::CubeLayered => [width, height, depth / 6],
        }
    }
}

impl SurfaceObject {
    /// `suq`: width, height and depth as a GPU gives them. Layers and faces count behind the last extent.
    #[must_use]
    pub fn size(&self) -> [u32; 3] {
        let level = self.image.levels[0];
        match self.image.dimensions {
            Dimensions::Linear | Dimensions::D1 => [level.width, 0, 0],
            Dimensions::D1Layered => [level.width, level.depth, 0],
            Dimensions::D2 => [level.width, level.height, 0],
            _ => [level.width, level.height, level.depth],
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
