//! Which textures and surfaces an array can become.

use warploom_device_std::texture::{
    Cube, CubeLayered, D1, D1Layered, D2, D2Layered, D3, Dimension,
};
use warploom_emulator::texture::Dimensions;

use crate::memory::ArrayShape;

/// The dimensions of textures and surfaces of arrays: [`D1`], [`D2`], [`D3`], [`D1Layered`], [`D2Layered`], [`Cube`] and [`CubeLayered`].
pub trait ImageDimension: Dimension {
    #[doc(hidden)]
    const DIMENSIONS: Dimensions;
    /// Coordinates that are between elements: those of a cube are a direction.
    #[doc(hidden)]
    const AXES: usize;
    /// As messages name it.
    #[doc(hidden)]
    const TEXT: &'static str;
    /// The shape of the arrays, as messages name it.
    #[doc(hidden)]
    const SHAPE: &'static str;
}

macro_rules! dimensions {
    ($($name:ident: $axes:literal, $text:literal, $shape:literal;)*) => { $(
        impl ImageDimension for $name {
            const DIMENSIONS: Dimensions = Dimensions::$name;
            const AXES: usize = $axes;
            const TEXT: &'static str = $text;
            const SHAPE: &'static str = $shape;
        }
    )* };
}

dimensions! {
    D1: 1, "1-D", "ArrayShape::Line";
    D2: 2, "2-D", "ArrayShape::Plane";
    D3: 3, "3-D", "ArrayShape::Space";
    D1Layered: 1, "layered 1-D", "ArrayShape::Lines";
    D2Layered: 2, "layered 2-D", "ArrayShape::Planes";
    Cube: 0, "cube", "ArrayShape::Cube";
    CubeLayered: 0, "layered cube", "ArrayShape::Cubes";
}

/// The dimensions of the textures of an array.
pub(super) fn of_shape(shape: ArrayShape) -> Dimensions {
    match shape {
        ArrayShape::Line { .. } => Dimensions::D1,
        ArrayShape::Plane { .. } => Dimensions::D2,
        ArrayShape::Space { .. } => Dimensions::D3,
        ArrayShape::Lines { .. } => Dimensions::D1Layered,
        ArrayShape::Planes { .. } => Dimensions::D2Layered,
        ArrayShape::Cube { .. } => Dimensions::Cube,
        ArrayShape::Cubes { .. } => Dimensions::CubeLayered,
    }
}
