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
}

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
        }
        .into()
    }

    /// Whether there are layers.
    #[must_use]
    pub fn is_layered(self) -> bool {
        matches!(self, ArrayShape::Lines { .. } | ArrayShape::Planes { .. })
    }

    /// As the driver takes it: 0 where there is no such dimension.
    pub(super) fn for_driver(self) -> [usize; 3] {
        let [width, height, depth] = self.extent().into();
        match self {
            ArrayShape::Line { .. } => [width, 0, 0],
            ArrayShape::Plane { .. } => [width, height, 0],
            ArrayShape::Lines { .. } => [width, 0, depth],
            ArrayShape::Space { .. } | ArrayShape::Planes { .. } => [width, height, depth],
        }
    }

    /// Each side: what it is called, how long it is, and what says how long it may be.
    fn sides(self) -> Vec<(&'static str, usize, Attribute)> {
        match self {
            ArrayShape::Line { width } => {
                vec![("width", width, Attribute::MAXIMUM_TEXTURE1D_WIDTH)]
            }
            ArrayShape::Plane { width, height } => vec![
                ("width", width, Attribute::MAXIMUM_TEXTURE2D_WIDTH),
                ("height", height, Attribute::MAXIMUM_TEXTURE2D_HEIGHT),
            ],
            ArrayShape::Space {
                width,
                height,
                depth,
            } => vec![
                ("width", width, Attribute::MAXIMUM_TEXTURE3D_WIDTH),
                ("height", height, Attribute::MAXIMUM_TEXTURE3D_HEIGHT),
                ("depth", depth, Attribute::MAXIMUM_TEXTURE3D_DEPTH),
            ],
            ArrayShape::Lines { width, layers } => vec![
                ("width", width, Attribute::MAXIMUM_TEXTURE1D_LAYERED_WIDTH),
                (
                    "layers",
                    layers,
                    Attribute::MAXIMUM_TEXTURE1D_LAYERED_LAYERS,
                ),
            ],
            ArrayShape::Planes {
                width,
                height,
                layers,
            } => vec![
                ("width", width, Attribute::MAXIMUM_TEXTURE2D_LAYERED_WIDTH),
                (
                    "height",
                    height,
                    Attribute::MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
                ),
                (
                    "layers",
                    layers,
                    Attribute::MAXIMUM_TEXTURE2D_LAYERED_LAYERS,
                ),
            ],
        }
    }

    /// Refuses arrays that are empty or longer than the device's.
    pub(super) fn check(self, device: &Device) -> Result<(), MemoryError> {
        for (side, given, attribute) in self.sides() {
            // Where no limit is known the driver decides.
            let limit = device.attribute(attribute).ok();
            let limit = limit.and_then(|limit| usize::try_from(limit).ok());
            if given == 0 || limit.is_some_and(|limit| given > limit) {
                return Err(MemoryError::ArrayExtent {
                    shape: self,
                    side,
                    given,
                    limit: limit.unwrap_or(usize::MAX),
                    device: device.name().to_owned(),
                });
            }
        }
        Ok(())
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
        ];
        for (shape, told, extent) in shapes {
            assert_eq!(shape.for_driver(), told, "{shape}");
            assert_eq!(<[usize; 3]>::from(shape.extent()), extent, "{shape}");
            assert_eq!(shape.is_layered(), shape.to_string().ends_with("layers"));
        }
    }
}
