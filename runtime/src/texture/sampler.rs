//! How a texture is read.

use warploom_emulator::texture::{Address, Filter, Sampling};

/// How the elements of a texture are found and mixed. CUDA: `CUDA_TEXTURE_DESC`.
///
/// It starts with what CUDA starts with: the nearest element, coordinates that count elements, the edge outside of the image; but with all levels of detail.
///
/// ```
/// use warploom_runtime::texture::{Address, Filter, Sampler};
/// let tiles = Sampler::new().filter(Filter::Linear).normalized().address([Address::Wrap, Address::Mirror, Address::Clamp]);
/// let framed = Sampler::new().address_all(Address::Border).border([1.0, 0.0, 0.0, 1.0]);
/// assert_ne!(tiles, framed);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub struct Sampler {
    pub(super) sampling: Sampling,
    pub(super) exact_trilinear: bool,
    pub(super) anisotropy: u32,
}

/// The last level that an array can have: its longest side has at most 2^15 elements.
const LAST_LEVEL: f32 = 15.0;

impl Sampler {
    /// The nearest element; coordinates count elements, and those outside of the image mean its edge.
    pub fn new() -> Sampler {
        Sampler {
            sampling: Sampling {
                lod_clamp: [0.0, LAST_LEVEL],
                ..Sampling::default()
            },
            exact_trilinear: false,
            anisotropy: 1,
        }
    }

    fn with(self, change: impl FnOnce(&mut Sampling)) -> Sampler {
        let mut changed = self;
        change(&mut changed.sampling);
        changed
    }

    /// Which elements of a level make a result: the nearest, or a weighted sum of those around. CUDA: `filterMode`.
    pub fn filter(self, filter: Filter) -> Sampler {
        self.with(|sampling| sampling.filter = filter)
    }

    /// What coordinates outside of the image mean, for each axis; those that the texture lacks do not count. CUDA: `addressMode`.
    pub fn address(self, modes: [Address; 3]) -> Sampler {
        self.with(|sampling| sampling.address = modes)
    }

    /// The same for all axes.
    pub fn address_all(self, mode: Address) -> Sampler {
        self.address([mode; 3])
    }

    /// What elements outside of the image are, with [`Address::Border`]. CUDA: `borderColor`.
    pub fn border(self, channels: [f32; 4]) -> Sampler {
        self.with(|sampling| sampling.border = channels)
    }

    /// Coordinates of 0 to 1 span the image. CUDA: `CU_TRSF_NORMALIZED_COORDINATES`.
    pub fn normalized(self) -> Sampler {
        self.with(|sampling| sampling.normalized_coordinates = true)
    }

    /// The first three channels are brightnesses as sRGB encodes them: `u8`, read as `Normalized`. CUDA: `CU_TRSF_SRGB`.
    pub fn srgb(self) -> Sampler {
        self.with(|sampling| sampling.srgb = true)
    }

    /// Which levels of detail make a result: the nearest, or a weighted sum of two. Without effect on textures of one level. CUDA: `mipmapFilterMode`.
    pub fn mip_filter(self, filter: Filter) -> Sampler {
        self.with(|sampling| sampling.mip_filter = filter)
    }

    /// What is added to each level of detail. CUDA: `mipmapLevelBias`.
    pub fn lod_bias(self, bias: f32) -> Sampler {
        self.with(|sampling| sampling.lod_bias = bias)
    }

    /// The least and the greatest level of detail. CUDA: `minMipmapLevelClamp`, `maxMipmapLevelClamp`.
    pub fn lod_clamp(self, least: f32, greatest: f32) -> Sampler {
        self.with(|sampling| sampling.lod_clamp = [least, greatest])
    }

    /// Linear filters go on across the edges of a cube; for textures of cubes alone. CUDA: `CU_TRSF_SEAMLESS_CUBEMAP`.
    pub fn seamless_cube(self) -> Sampler {
        self.with(|sampling| sampling.seamless_cube = true)
    }

    /// The device does not simplify filters between elements and levels at once. CUDA: `CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION`.
    pub fn exact_trilinear(self) -> Sampler {
        Sampler {
            exact_trilinear: true,
            ..self
        }
    }

    /// How many places along a slope make a result: 1, or 0 for the same. More are refused when a texture is made: no document says which places a device takes.
    /// CUDA: `maxAnisotropy`.
    pub fn anisotropy(self, most: u32) -> Sampler {
        Sampler {
            anisotropy: most,
            ..self
        }
    }
}

impl Default for Sampler {
    fn default() -> Sampler {
        Sampler::new()
    }
}
