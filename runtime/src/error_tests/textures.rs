//! Errors of textures, one for each variant.

use super::driver_error;
use crate::texture::{Address, TextureError as X};

pub(super) fn errors() -> Vec<X> {
    let (shape, device) = ((640, 480).into(), || "NVIDIA H200".to_owned());
    vec![
        X::Dimensions {
            wanted: "3-D",
            shape,
            remedy: "ArrayShape::Space",
        },
        X::NotForSurfaces { shape },
        X::FilterOfIntegers {
            setting: "filter",
            element: "u8",
        },
        X::Unnormalized {
            axis: "x",
            given: Address::Wrap,
        },
        X::UnnormalizedLevels,
        X::Srgb {
            element: "u16",
            read: "`Normalized`",
        },
        X::Seamless { wanted: "2-D" },
        X::Anisotropy { given: 16 },
        X::Lod {
            setting: "lod_bias",
            given: f32::NAN,
        },
        X::LodClamp {
            least: 3.0,
            greatest: 2.5,
        },
        X::ViewElements {
            element: "f32",
            bytes: 4,
            given: "u16",
            given_bytes: 2,
        },
        X::ViewRange {
            what: "layers",
            start: 2,
            end: 9,
            n: 8,
        },
        X::NoLayers { shape },
        X::ViewOfCubes { shape },
        X::Empty,
        X::Planes { given: 2 },
        X::Start {
            given: 24,
            align: 512,
            device: device(),
        },
        X::Pitch {
            given: 36,
            align: 32,
            device: device(),
        },
        X::Extent {
            memory: "pitched memory",
            side: "height",
            given: 65_001,
            limit: 65_000,
            device: device(),
        },
        X::Driver(driver_error()),
    ]
}
