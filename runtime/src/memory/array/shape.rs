//! Dimensions and layers of arrays, and how far they may reach.

use std::fmt;

use crate::device::{Attribute, Device};
use crate::memory::{Extent3, MemoryError};

/// Dimensions and layers of an array. Made of a number, a pair or a triple where there are no layers: `1000`, `(640, 480)`, `(64, 64, 64)`.
///
/// ```
/// use warploom_runtime::ArrayShape;
/// let image = ArrayShape::from((640, 480));
/// assert_eq!((image.to_string(), image.extent().depth), ("2-D array of 640x480".to_owned(), 1));
/// let images = ArrayShape::Planes { width: 640, height: 480, layers: 8 };
/// assert_eq!(images.extent().elements(), Some(640 * 480 * 8));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ArrayShape {
    /// One dimension.
    Line {
        /// Elements.
        width: usize,
    },
    /// Two dimensions.
    Plane {
        /// Elements of a row.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// Three dimensions.
    Space {
        /// Elements of a row.
        width: usize,
        /// Rows of a plane.
        height: usize,
        /// Planes.
        depth: usize,
    },
    /// Several lines, each by itself: between layers nothing is interpolated.
    Lines {
        /// Elements of a line.
        width: usize,
        /// Lines.
        layers: usize,
    },
    /// Several planes, each by itself.
    Planes {
        /// Elements of a row.
        width: usize,
        /// Rows of a plane.
        height: usize,
        /// Planes.
        layers: usize,
    },
    /// The six faces of a cube, which a direction chooses from. They are the planes of the third axis: +x, -x, +y, -y, +z, -z. CUDA: an array of equal width and height and
    /// a depth of 6, with `CUDA_ARRAY3D_CUBEMAP`.
    Cube {
        /// Elements of a row, and rows, of each face.
        side: usize,
    },
    /// Several cubes, each by itself; six planes of the third axis are one cube. CUDA: `CUDA_ARRAY3D_CUBEMAP` and `CUDA_ARRAY3D_LAYERED`.
    Cubes {
        /// Elements of a row, and rows, of each face.
        side: usize,
        /// Cubes: a sixth of what CUDA counts.
        layers: usize,
    },
}

/// The faces of a cube.
const FACES: usize = 6;

impl ArrayShape {
    /// Width, height, and depth or layers in elements; 1 where there is no such dimension. Layers are the third also of lines.
    #[must_use]
    pub fn extent(self) -> Extent3 {
        match self {
            ArrayShape::Line { width } => (width, 1),
            ArrayShape::Plane { width, height } => (width, height),
            ArrayShape::Space {
                width,
                height,
                depth,
            } => return (width, height, depth).into(),
            ArrayShape::Lines { width, layers } => return (width, 1, layers).into(),
            ArrayShape::Planes {
                width,
                height,
                layers,
            } => return (width, height, layers).into(),
            ArrayShape::Cube { side } => return (side, side, FACES).into(),
            ArrayShape::Cubes { side, layers } => {
                // More than any array has where it cannot be counted.
                return (side, side, layers.saturating_mul(FACES)).into();
            }
        }
        .into()
    }

    /// Whether there are layers.
    #[must_use]
    pub fn is_layered(self) -> bool {
        matches!(
            self,
            ArrayShape::Lines { .. } | ArrayShape::Planes { .. } | ArrayShape::Cubes { .. }
        )
    }

    /// Whether it is made of cubes.
    #[must_use]
    pub fn is_cube(self) -> bool {
        matches!(self, ArrayShape::Cube { .. } | ArrayShape::Cubes { .. })
    }

    /// An array of this shape that surfaces can be made of, to be written by kernels. CUDA: `CUDA_ARRAY3D_SURFACE_LDST`.
    ///
    /// ```
    /// use warploom_runtime::ArrayShape;
    /// # let device = warploom_runtime::Device::emulator();
    /// let mut image = device.array_uninit::<f32>(ArrayShape::from((640, 480)).with_surface())?;
    /// assert!(image.options().is_surface());
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn with_surface(self) -> ArrayOptions {
        ArrayOptions::new(self).with_surface()
    }

    /// An array of this shape that kernels gather from: a plane. Layers and cubes are gathered from without it. CUDA: `CUDA_ARRAY3D_TEXTURE_GATHER`.
    pub fn with_gather(self) -> ArrayOptions {
        ArrayOptions::new(self).with_gather()
    }

    /// The shape of a level of detail: from level to level each side is halved, down to 1; layers and faces stay.
    #[must_use]
    pub fn level(self, level: u32) -> ArrayShape {
        let half = |side: usize| side.checked_shr(level).unwrap_or(0).max(1);
        match self {
            ArrayShape::Line { width } => ArrayShape::Line { width: half(width) },
            ArrayShape::Plane { width, height } => ArrayShape::Plane {
                width: half(width),
                height: half(height),
            },
            ArrayShape::Space {
                width,
                height,
                depth,
            } => ArrayShape::Space {
                width: half(width),
                height: half(height),
                depth: half(depth),
            },
            ArrayShape::Lines { width, layers } => ArrayShape::Lines {
                width: half(width),
                layers,
            },
            ArrayShape::Planes {
                width,
                height,
                layers,
            } => ArrayShape::Planes {
                width: half(width),
                height: half(height),
                layers,
            },
            ArrayShape::Cube { side } => ArrayShape::Cube { side: half(side) },
            ArrayShape::Cubes { side, layers } => ArrayShape::Cubes {
                side: half(side),
                layers,
            },
        }
    }

    /// The same with so many layers, where it has layers.
    pub(crate) fn with_layers(self, n: usize) -> ArrayShape {
        let mut shape = self;
        match &mut shape {
            ArrayShape::Lines { layers, .. }
            | ArrayShape::Planes { layers, .. }
            | ArrayShape::Cubes { layers, .. } => *layers = n,
            _ => {}
        }
        shape
    }

    /// Layers; 1 where there are none.
    pub(crate) fn n_layers(self) -> usize {
        match self {
            ArrayShape::Lines { layers, .. }
            | ArrayShape::Planes { layers, .. }
            | ArrayShape::Cubes { layers, .. } => layers,
            _ => 1,
        }
    }

    /// Levels of detail that there can be at most: the last has one element along each side.
    ///
    /// ```
    /// use warploom_runtime::ArrayShape;
    /// assert_eq!(ArrayShape::from((640, 480)).most_levels(), 10);
    /// assert_eq!(ArrayShape::from((640, 480)).level(2), (160, 120).into());
    /// ```
    #[must_use]
    pub fn most_levels(self) -> u32 {
        let Extent3 {
            width,
            height,
            depth,
        } = self.extent();
        let depth = match self {
            ArrayShape::Space { .. } => depth,
            _ => 1,
        };
        let longest = width.max(height).max(depth);
        longest.checked_ilog2().map_or(0, |last| last + 1)
    }

    /// As the driver takes it: 0 where there is no such dimension.
    pub(crate) fn for_driver(self) -> [usize; 3] {
        let [width, height, depth] = self.extent().into();
        match self {
            ArrayShape::Line { .. } => [width, 0, 0],
            ArrayShape::Plane { .. } => [width, height, 0],
            ArrayShape::Lines { .. } => [width, 0, depth],
            ArrayShape::Space { .. }
            | ArrayShape::Planes { .. }
            | ArrayShape::Cube { .. }
            | ArrayShape::Cubes { .. } => [width, height, depth],
        }
    }

    /// Each side: what it is called, and how long it is.
    fn sides(self) -> Vec<(&'static str, usize)> {
        match self {
            ArrayShape::Line { width } => vec![("width", width)],
            ArrayShape::Plane { width, height } => vec![("width", width), ("height", height)],
            ArrayShape::Space {
                width,
                height,
                depth,
            } => vec![("width", width), ("height", height), ("depth", depth)],
            ArrayShape::Lines { width, layers } => vec![("width", width), ("layers", layers)],
            ArrayShape::Planes {
                width,
                height,
                layers,
            } => vec![("width", width), ("height", height), ("layers", layers)],
            ArrayShape::Cube { side } => vec![("side", side)],
            ArrayShape::Cubes { side, layers } => vec![("side", side), ("layers", layers)],
        }
    }

    /// What says how long each side may be, of a texture.
    fn texture_limits(self) -> &'static [Attribute] {
        match self {
            ArrayShape::Line { .. } => &[Attribute::MAXIMUM_TEXTURE1D_WIDTH],
            ArrayShape::Plane { .. } => &[
                Attribute::MAXIMUM_TEXTURE2D_WIDTH,
                Attribute::MAXIMUM_TEXTURE2D_HEIGHT,
            ],
            ArrayShape::Space { .. } => &[
                Attribute::MAXIMUM_TEXTURE3D_WIDTH,
                Attribute::MAXIMUM_TEXTURE3D_HEIGHT,
                Attribute::MAXIMUM_TEXTURE3D_DEPTH,
            ],
            ArrayShape::Lines { .. } => &[
                Attribute::MAXIMUM_TEXTURE1D_LAYERED_WIDTH,
                Attribute::MAXIMUM_TEXTURE1D_LAYERED_LAYERS,
            ],
            ArrayShape::Planes { .. } => &[
                Attribute::MAXIMUM_TEXTURE2D_LAYERED_WIDTH,
                Attribute::MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
                Attribute::MAXIMUM_TEXTURE2D_LAYERED_LAYERS,
            ],
            ArrayShape::Cube { .. } => &[Attribute::MAXIMUM_TEXTURECUBEMAP_WIDTH],
            ArrayShape::Cubes { .. } => &[
                Attribute::MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH,
                Attribute::MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS,
            ],
        }
    }

    /// The same of a texture in another form, which is not that of surfaces.
    fn other_limits(self) -> &'static [Attribute] {
        match self {
            ArrayShape::Space { .. } => &[
                Attribute::MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE,
                Attribute::MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE,
                Attribute::MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE,
            ],
            _ => &[],
        }
    }

    /// The same of a surface.
    fn surface_limits(self) -> &'static [Attribute] {
        match self {
            ArrayShape::Line { .. } => &[Attribute::MAXIMUM_SURFACE1D_WIDTH],
            ArrayShape::Plane { .. } => &[
                Attribute::MAXIMUM_SURFACE2D_WIDTH,
                Attribute::MAXIMUM_SURFACE2D_HEIGHT,
            ],
            ArrayShape::Space { .. } => &[
                Attribute::MAXIMUM_SURFACE3D_WIDTH,
                Attribute::MAXIMUM_SURFACE3D_HEIGHT,
                Attribute::MAXIMUM_SURFACE3D_DEPTH,
            ],
            ArrayShape::Lines { .. } => &[
                Attribute::MAXIMUM_SURFACE1D_LAYERED_WIDTH,
                Attribute::MAXIMUM_SURFACE1D_LAYERED_LAYERS,
            ],
            ArrayShape::Planes { .. } => &[
                Attribute::MAXIMUM_SURFACE2D_LAYERED_WIDTH,
                Attribute::MAXIMUM_SURFACE2D_LAYERED_HEIGHT,
                Attribute::MAXIMUM_SURFACE2D_LAYERED_LAYERS,
            ],
            ArrayShape::Cube { .. } => &[Attribute::MAXIMUM_SURFACECUBEMAP_WIDTH],
            ArrayShape::Cubes { .. } => &[
                Attribute::MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH,
                Attribute::MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS,
            ],
        }
    }

    /// The same of a texture with several levels: what differs from one level.
    fn mipmap_limits(self) -> &'static [Attribute] {
        match self {
            ArrayShape::Line { .. } => &[Attribute::MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH],
            ArrayShape::Plane { .. } => &[
                Attribute::MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH,
                Attribute::MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT,
            ],
            _ => &[],
        }
    }
}

/// A shape, and what kernels do with the array beside sampling it. Made of a shape where that is nothing.
///
/// ```
/// use warploom_runtime::{ArrayOptions, ArrayShape};
/// let options = ArrayOptions::new((64, 64)).with_surface();
/// assert_eq!((options.shape(), options.is_surface(), options.is_gather()), ((64, 64).into(), true, false));
/// assert_eq!(ArrayOptions::from(100), ArrayShape::Line { width: 100 }.into());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use]
pub struct ArrayOptions {
    shape: ArrayShape,
    surface: bool,
    gather: bool,
}

impl ArrayOptions {
    /// An array that is sampled and copied.
    pub fn new(shape: impl Into<ArrayShape>) -> ArrayOptions {
        ArrayOptions {
            shape: shape.into(),
            surface: false,
            gather: false,
        }
    }

    /// The same, of which surfaces can be made. CUDA: `CUDA_ARRAY3D_SURFACE_LDST`.
    pub fn with_surface(self) -> ArrayOptions {
        ArrayOptions {
            surface: true,
            ..self
        }
    }

    /// The same, from which kernels gather: a plane. Layers and cubes are gathered from without it. CUDA: `CUDA_ARRAY3D_TEXTURE_GATHER`.
    pub fn with_gather(self) -> ArrayOptions {
        ArrayOptions {
            gather: true,
            ..self
        }
    }

    /// The same with another shape.
    pub(super) fn of_shape(self, shape: ArrayShape) -> ArrayOptions {
        ArrayOptions { shape, ..self }
    }

    /// Dimensions and layers.
    #[must_use]
    pub fn shape(self) -> ArrayShape {
        self.shape
    }

    /// Whether surfaces can be made of it.
    #[must_use]
    pub fn is_surface(self) -> bool {
        self.surface
    }

    /// Whether it was made to be gathered from.
    #[must_use]
    pub fn is_gather(self) -> bool {
        self.gather
    }

    /// Refuses arrays that are empty or longer than the device's, and the wrong number of levels.
    pub(super) fn check(self, levels: Option<u32>, device: &Device) -> Result<(), MemoryError> {
        let shape = self.shape;
        let sides = shape.sides();
        let longer = |sides: &[(&str, usize)], limits: &[Attribute]| {
            let limits = limits.iter().map(|asked| device.attribute(*asked).ok());
            let known = limits.map(|limit| limit.and_then(|limit| usize::try_from(limit).ok()));
            let mut all = sides.iter().zip(known);
            all.any(|((_, given), limit)| limit.is_some_and(|limit| *given > limit))
        };
        // Deep ones may be narrow, where there is such a form.
        let is_other = !self.surface
            && longer(&sides, shape.texture_limits())
            && shape.other_limits().len() == 3
            && !longer(&sides[..2], shape.other_limits());
        let mut limits = match is_other {
            true => vec![shape.other_limits()],
            false => vec![shape.texture_limits()],
        };
        if self.surface {
            limits.push(shape.surface_limits());
        }
        if self.gather {
            if !matches!(shape, ArrayShape::Plane { .. }) {
                return Err(MemoryError::ArrayGather { shape });
            }
            limits.push(&[
                Attribute::MAXIMUM_TEXTURE2D_GATHER_WIDTH,
                Attribute::MAXIMUM_TEXTURE2D_GATHER_HEIGHT,
            ]);
        }
        if levels.is_some() {
            limits.push(shape.mipmap_limits());
        }
        for (axis, (side, given)) in sides.into_iter().enumerate() {
            let asked = limits.iter().filter_map(|kind| kind.get(axis));
            // Where no limit is known the driver decides.
            let known = asked.filter_map(|asked| device.attribute(*asked).ok());
            let limit = known.filter_map(|limit| usize::try_from(limit).ok()).min();
            // CUDA counts the faces of cubes as layers.
            let limit = match (shape, side) {
                (ArrayShape::Cubes { .. }, "layers") => limit.map(|limit| limit / FACES),
                _ => limit,
            };
            if given == 0 || limit.is_some_and(|limit| given > limit) {
                return Err(MemoryError::ArrayExtent {
                    shape,
                    side,
                    given,
                    limit: limit.unwrap_or(usize::MAX),
                    device: device.name().to_owned(),
                });
            }
        }
        let most = shape.most_levels();
        match levels {
            Some(given) if !(1..=most).contains(&given) => {
                Err(MemoryError::ArrayLevels { shape, given, most })
            }
            _ => Ok(()),
        }
    }
}

impl<S: Into<ArrayShape>> From<S> for ArrayOptions {
    fn from(shape: S) -> ArrayOptions {
        ArrayOptions::new(shape)
    }
}

impl From<usize> for ArrayShape {
    fn from(width: usize) -> ArrayShape {
        ArrayShape::Line { width }
    }
}

impl From<(usize, usize)> for ArrayShape {
    fn from((width, height): (usize, usize)) -> ArrayShape {
        ArrayShape::Plane { width, height }
    }
}

impl From<(usize, usize, usize)> for ArrayShape {
    fn from((width, height, depth): (usize, usize, usize)) -> ArrayShape {
        ArrayShape::Space {
            width,
            height,
            depth,
        }
    }
}

impl fmt::Display for ArrayShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArrayShape::Line { width } => write!(f, "1-D array of {width}"),
            ArrayShape::Plane { width, height } => write!(f, "2-D array of {width}x{height}"),
            ArrayShape::Space {
                width,
                height,
                depth,
            } => write!(f, "3-D array of {width}x{height}x{depth}"),
            ArrayShape::Lines { width, layers } => {
                write!(f, "1-D array of {width} in {layers} layers")
            }
            ArrayShape::Planes {
                width,
                height,
                layers,
            } => write!(f, "2-D array of {width}x{height} in {layers} layers"),
            ArrayShape::Cube { side } => write!(f, "cube of six faces of {side}x{side}"),
            ArrayShape::Cubes { side, layers } => {
                write!(f, "cube of six faces of {side}x{side} in {layers} layers")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_is_told_zero_where_there_is_no_dimension() {
        let shapes = [
            (ArrayShape::from(7), [7, 0, 0], [7, 1, 1]),
            (ArrayShape::from((7, 1)), [7, 1, 0], [7, 1, 1]),
            (ArrayShape::from((7, 3, 1)), [7, 3, 1], [7, 3, 1]),
            (
                ArrayShape::Lines {
                    width: 7,
                    layers: 2,
                },
                [7, 0, 2],
                [7, 1, 2],
            ),
            (
                ArrayShape::Planes {
                    width: 7,
                    height: 3,
                    layers: 2,
                },
                [7, 3, 2],
                [7, 3, 2],
            ),
            (ArrayShape::Cube { side: 7 }, [7, 7, 6], [7, 7, 6]),
            (
                ArrayShape::Cubes { side: 7, layers: 2 },
                [7, 7, 12],
                [7, 7, 12],
            ),
        ];
        for (shape, told, extent) in shapes {
            assert_eq!(shape.for_driver(), told, "{shape}");
            assert_eq!(<[usize; 3]>::from(shape.extent()), extent, "{shape}");
            assert_eq!(shape.is_layered(), shape.to_string().ends_with("layers"));
        }
    }

    #[test]
    fn levels_halve_what_is_no_layer() {
        let planes = ArrayShape::Planes {
            width: 9,
            height: 3,
            layers: 5,
        };
        let halved = ArrayShape::Planes {
            width: 2,
            height: 1,
            layers: 5,
        };
        assert_eq!((planes.level(2), planes.most_levels()), (halved, 4));
        assert_eq!(planes.level(80), planes.level(4));
        let space = ArrayShape::from((3, 2, 16));
        assert_eq!((space.level(1), space.most_levels()), ((1, 1, 8).into(), 5));
        let cubes = ArrayShape::Cubes { side: 8, layers: 9 };
        assert_eq!(cubes.level(3), ArrayShape::Cubes { side: 1, layers: 9 });
        assert_eq!(
            (cubes.most_levels(), ArrayShape::from(1).most_levels()),
            (4, 1)
        );
    }
}
