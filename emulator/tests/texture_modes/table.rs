//! The modes of the table: each format with each filter and dimension, and address modes, kinds of coordinates and numbers of channels in turn.

use warploom_emulator::texture::{Address, Dimensions, Filter, Format, Read, Sampling};

use super::mode::{Instruction, Mode};

const FORMATS: [(Format, &str); 8] = [
    (Format::Unsigned8, "u8"),
    (Format::Signed8, "s8"),
    (Format::Unsigned16, "u16"),
    (Format::Signed16, "s16"),
    (Format::Unsigned32, "u32"),
    (Format::Signed32, "s32"),
    (Format::Float16, "f16"),
    (Format::Float32, "f32"),
];

const DIMENSIONS: [(Dimensions, [u32; 3]); 7] = [
    (Dimensions::D1, [113, 1, 1]),
    (Dimensions::D2, [113, 67, 1]),
    (Dimensions::D3, [37, 29, 21]),
    (Dimensions::D1Layered, [113, 1, 5]),
    (Dimensions::D2Layered, [61, 47, 5]),
    (Dimensions::Cube, [64, 64, 6]),
    (Dimensions::CubeLayered, [24, 24, 18]),
];

const ADDRESSES: [Address; 4] = [
    Address::Clamp,
    Address::Wrap,
    Address::Mirror,
    Address::Border,
];

/// Values that each format of a border has, so that no conversion rounds.
const BORDER: [f32; 4] = [1.0, 0.0, -1.0, 0.0];

pub(crate) fn all() -> Vec<Mode> {
    let mut modes = sampled();
    modes.extend(levels());
    modes.extend(srgb());
    modes.extend(gathered());
    modes.extend(fetched());
    modes.extend(special());
    modes
}

fn sampled() -> Vec<Mode> {
    let mut modes = Vec::new();
    for (format, of_format) in FORMATS {
        for (dimensions, extents) in DIMENSIONS {
            for filter in [Filter::Point, Filter::Linear] {
                let has_filter = format.is_float() || format.bytes() < 4;
                if filter == Filter::Linear && !has_filter {
                    continue;
                }
                let k = modes.len();
                let is_cube = matches!(dimensions, Dimensions::Cube | Dimensions::CubeLayered);
                let address = match is_cube {
                    true => [Address::Clamp; 3],
                    false => [k, k / 4 + k, k + 1].map(|at| ADDRESSES[at % 4]),
                };
                let normalized_coordinates = is_cube || k % 3 != 0;
                let is_float = filter == Filter::Linear || format.is_float() || k % 4 >= 2;
                let channels = [1, 2, 4][k / 2 % 3];
                let read = if is_float { "float" } else { "element" };
                let coordinates = if normalized_coordinates {
                    "normalized"
                } else {
                    "plain"
                };
                let addresses = address.map(|address| format!("{address:?}")).join("/");
                modes.push(Mode {
                    name: format!(
                        "{of_format}x{channels} {read} {dimensions:?} {filter:?} {coordinates} {addresses}"
                    ),
                    dimensions,
                    format,
                    channels,
                    extents,
                    levels: 1,
                    instruction: Instruction::Sample,
                    special: false,
                    sampling: Sampling {
                        address,
                        filter,
                        normalized_coordinates,
                        read: if is_float { Read::NormalizedFloat } else { Read::Element },
                        border: BORDER,
                        seamless_cube: is_cube && k % 2 == 1,
                        ..Sampling::default()
                    },
                });
            }
        }
    }
    modes
}

fn levels() -> Vec<Mode> {
    let mut modes = Vec::new();
    for (dimensions, extents, levels) in [
        (Dimensions::D1, [256, 1, 1], 9),
        (Dimensions::D2, [113, 67, 1], 7),
        (Dimensions::D3, [64, 32, 16], 7),
        (Dimensions::D1Layered, [256, 1, 3], 9),
        (Dimensions::D2Layered, [100, 64, 3], 7),
        (Dimensions::Cube, [64, 64, 6], 7),
    ] {
        for (format, of_format) in [FORMATS[0], FORMATS[6], FORMATS[7]] {
            for filter in [Filter::Point, Filter::Linear] {
                for mip_filter in [Filter::Point, Filter::Linear] {
                    modes.push(Mode {
                        name: format!(
                            "{of_format}x1 float {dimensions:?} {filter:?} normalized levels {mip_filter:?}"
                        ),
                        dimensions,
                        format,
                        channels: 1,
                        extents,
                        levels,
                        instruction: Instruction::SampleLevel,
                        special: false,
                        sampling: Sampling {
                            filter,
                            mip_filter,
                            normalized_coordinates: true,
                            read: Read::NormalizedFloat,
                            lod_bias: -0.3,
                            lod_clamp: [0.25, 5.5],
                            ..Sampling::default()
                        },
                    });
                }
            }
        }
    }
    modes
}

/// A plane of unsigned bytes or the like, sampled with normalized coordinates.
fn plane(name: String, format: Format, channels: u8, instruction: Instruction) -> Mode {
    Mode {
        name,
        dimensions: Dimensions::D2,
        format,
        channels,
        extents: [113, 67, 1],
        levels: 1,
        instruction,
        special: false,
        sampling: Sampling {
            normalized_coordinates: true,
            read: Read::NormalizedFloat,
            border: BORDER,
            ..Sampling::default()
        },
    }
}

/// Numbers of 32 bits of which some are infinite, subnormal, or none: of one plane, of two, of two levels, at edges of cubes.
fn special() -> Vec<Mode> {
    let names = [
        "f32x2 float D2 Linear plain Border/Clamp/Clamp",
        "f32x4 float D3 Linear normalized Wrap/Border/Mirror",
        "f32x4 float Cube Linear normalized Clamp/Clamp/Clamp",
        "f32x1 float D2 Linear normalized levels Linear",
        "f32x1 float D3 Linear normalized levels Linear",
        "f32x1 float Cube Linear normalized levels Linear",
    ];
    let all = sampled().into_iter().chain(levels());
    all.filter(|mode| names.contains(&&*mode.name))
        .map(|mode| Mode {
            name: format!("{} special", mode.name),
            special: true,
            ..mode
        })
        .collect()
}

fn srgb() -> Vec<Mode> {
    [Dimensions::D1, Dimensions::D2, Dimensions::D3]
        .into_iter()
        .flat_map(|dimensions| [Filter::Point, Filter::Linear].map(|filter| (dimensions, filter)))
        .map(|(dimensions, filter)| {
            let name = format!("u8x4 sRGB {dimensions:?} {filter:?} normalized Clamp");
            let mut mode = plane(name, Format::Unsigned8, 4, Instruction::Sample);
            mode.dimensions = dimensions;
            mode.extents = match dimensions {
                Dimensions::D1 => [113, 1, 1],
                Dimensions::D3 => [37, 29, 21],
                _ => mode.extents,
            };
            mode.sampling.filter = filter;
            mode.sampling.srgb = true;
            mode
        })
        .collect()
}

fn gathered() -> Vec<Mode> {
    let formats = [
        Format::Float32,
        Format::Unsigned8,
        Format::Signed8,
        Format::Float16,
    ];
    (0..4)
        .map(|k| {
            let address = ADDRESSES[k];
            let name = format!("{:?}x4 gather {k} normalized {address:?}", formats[k]);
            let mut mode = plane(name, formats[k], 4, Instruction::Gather(k as u8));
            mode.sampling.address = [address; 3];
            mode
        })
        .collect()
}

fn fetched() -> Vec<Mode> {
    let mut modes = Vec::new();
    for (dimensions, extents) in [DIMENSIONS[1], DIMENSIONS[2], DIMENSIONS[4]] {
        let name = format!("f32x2 {dimensions:?} by number");
        let mut mode = plane(name, Format::Float32, 2, Instruction::Fetch);
        mode.dimensions = dimensions;
        mode.extents = extents;
        mode.sampling.normalized_coordinates = false;
        modes.push(mode);
    }
    for (format, of_format) in [FORMATS[0], FORMATS[3], FORMATS[7]] {
        let name = format!("{of_format}x4 float linear memory by number");
        let mut mode = plane(name, format, 4, Instruction::Fetch);
        mode.dimensions = Dimensions::Linear;
        mode.extents = [100_003, 1, 1];
        mode.sampling.normalized_coordinates = false;
        modes.push(mode);
    }
    for filter in [Filter::Point, Filter::Linear] {
        let name = format!("u8x4 float pitched memory {filter:?} plain Clamp");
        let mut mode = plane(name, Format::Unsigned8, 4, Instruction::Sample);
        mode.sampling.filter = filter;
        mode.sampling.normalized_coordinates = false;
        modes.push(mode);
    }
    modes
}
