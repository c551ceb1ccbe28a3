//! The modes of the table: each format with each filter and dimension, and address modes, kinds of coordinates and numbers of channels in turn.

use warploom_emulator::texture::{Address, Dimensions, Filter, Format, Read, Sampling};

use super::mode::{Instruction, Mode, Numbers, Offsets};

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
    modes.extend(offsets());
    modes.extend(gathered_elsewhere());
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
                    numbers: Numbers::Usual,
                    offsets: Offsets::None,
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
                        numbers: Numbers::Usual,
                        offsets: Offsets::None,
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
        numbers: Numbers::Usual,
        offsets: Offsets::None,
        sampling: Sampling {
            normalized_coordinates: true,
            read: Read::NormalizedFloat,
            border: BORDER,
            ..Sampling::default()
        },
    }
}

/// Offsets with each address mode and filter, in all dimensions that have them.
fn offsets() -> Vec<Mode> {
    let mut modes = Vec::new();
    let formats = [FORMATS[7], FORMATS[0], FORMATS[6]];
    for (dimensions, extents) in &DIMENSIONS[..5] {
        for filter in [Filter::Point, Filter::Linear] {
            for address in ADDRESSES {
                let k = modes.len();
                let (format, of_format) = formats[k % 3];
                let normalized_coordinates = k / 2 % 3 != 0;
                let coordinates = if normalized_coordinates {
                    "normalized"
                } else {
                    "plain"
                };
                let channels = [1, 4, 2][k / 3 % 3];
                let name = format!(
                    "{of_format}x{channels} float {dimensions:?} {filter:?} {coordinates} {address:?} offset"
                );
                let mut mode = plane(name, format, channels, Instruction::Sample);
                mode.dimensions = *dimensions;
                mode.extents = *extents;
                mode.sampling.address = [address; 3];
                mode.sampling.filter = filter;
                mode.sampling.normalized_coordinates = normalized_coordinates;
                mode.offsets = Offsets::Short;
                modes.push(mode);
            }
        }
    }
    for (dimensions, extents) in &DIMENSIONS[..5] {
        for instruction in [Instruction::Sample, Instruction::Gather(0)] {
            let is_gather = instruction != Instruction::Sample;
            if is_gather && !matches!(dimensions, Dimensions::D2 | Dimensions::D2Layered) {
                continue;
            }
            let of = if is_gather { "gather" } else { "Point" };
            let name = format!("f32x1 float {dimensions:?} {of} plain Border long offset");
            let mut mode = plane(name, Format::Float32, 1, instruction);
            (mode.dimensions, mode.extents) = (*dimensions, *extents);
            mode.sampling.address = [Address::Border; 3];
            mode.sampling.normalized_coordinates = false;
            mode.offsets = Offsets::Long;
            modes.push(mode);
        }
    }
    let of_levels = levels().into_iter().filter(|mode| {
        let of_pair = mode.format != Format::Float16;
        of_pair && mode.sampling.mip_filter == Filter::Linear && !mode.is_cube()
    });
    modes.extend(of_levels.enumerate().map(|(k, mut mode)| {
        mode.sampling.address = [k, k + 1, k + 2].map(|at| ADDRESSES[at % 4]);
        mode.offsets = Offsets::Short;
        Mode {
            name: format!("{} {:?} offset", mode.name, mode.sampling.address[0]),
            ..mode
        }
    }));
    modes.extend((0..4).map(|k| {
        let (format, of_format) = [FORMATS[7], FORMATS[0], FORMATS[1], FORMATS[6]][k];
        let address = ADDRESSES[(k + 1) % 4];
        let name = format!("{of_format}x4 gather {k} normalized {address:?} offset");
        let mut mode = plane(name, format, 4, Instruction::Gather(k as u8));
        mode.sampling.address = [address; 3];
        mode.offsets = Offsets::Short;
        mode
    }));
    modes
}

/// Gathers of layers and cubes.
fn gathered_elsewhere() -> Vec<Mode> {
    let mut modes = Vec::new();
    for (k, address) in ADDRESSES.into_iter().enumerate() {
        let (format, of_format) = [FORMATS[7], FORMATS[0], FORMATS[4], FORMATS[6]][k];
        let offsets = [Offsets::None, Offsets::Short][k % 2];
        let read = if format.bytes() < 4 || format.is_float() {
            Read::NormalizedFloat
        } else {
            Read::Element
        };
        let name = format!("{of_format}x4 D2Layered gather {k} {address:?} {offsets:?}");
        let mut mode = plane(name, format, 4, Instruction::Gather(k as u8));
        (mode.dimensions, mode.extents) = DIMENSIONS[4];
        mode.sampling.address = [address; 3];
        mode.sampling.read = read;
        mode.sampling.normalized_coordinates = k != 3;
        mode.offsets = offsets;
        modes.push(mode);
    }
    for ((format, of_format), read) in [
        (FORMATS[0], Read::Element),
        (FORMATS[2], Read::Element),
        (FORMATS[3], Read::Element),
        (FORMATS[5], Read::Element),
        (FORMATS[4], Read::Element),
        (FORMATS[1], Read::NormalizedFloat),
        (FORMATS[3], Read::NormalizedFloat),
        (FORMATS[6], Read::NormalizedFloat),
        (FORMATS[7], Read::NormalizedFloat),
    ] {
        let name = format!("{of_format}x2 {read:?} small Cube gather seamless");
        let mut mode = plane(name, format, 2, Instruction::Gather(1));
        (mode.dimensions, mode.extents) = (Dimensions::Cube, [4, 4, 6]);
        mode.sampling.seamless_cube = true;
        mode.sampling.read = read;
        mode.numbers = Numbers::Special;
        modes.push(mode);
    }
    for (dimensions, extents) in &DIMENSIONS[5..] {
        for seamless_cube in [false, true] {
            for ((format, of_format), channels) in [(FORMATS[7], 1), (FORMATS[0], 4)] {
                let edges = if seamless_cube { "seamless" } else { "apart" };
                let name = format!("{of_format}x{channels} {dimensions:?} gather {edges}");
                let channel = if channels == 1 { 0 } else { 2 };
                let mut mode = plane(name, format, channels, Instruction::Gather(channel));
                (mode.dimensions, mode.extents) = (*dimensions, *extents);
                mode.sampling.seamless_cube = seamless_cube;
                modes.push(mode);
            }
        }
    }
    modes
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
    let mut modes: Vec<Mode> = all
        .filter(|mode| names.contains(&&*mode.name))
        .map(|mode| Mode {
            name: format!("{} special", mode.name),
            numbers: Numbers::Special,
            ..mode
        })
        .collect();
    for (format, of_format) in [FORMATS[7], FORMATS[6]] {
        for (dimensions, extents) in [DIMENSIONS[1], DIMENSIONS[2], DIMENSIONS[5]] {
            let name = format!("{of_format}x2 {dimensions:?} Linear normalized zeros");
            let mut mode = plane(name, format, 2, Instruction::Sample);
            (mode.dimensions, mode.extents) = (dimensions, extents);
            mode.sampling.filter = Filter::Linear;
            mode.sampling.seamless_cube = dimensions == Dimensions::Cube;
            mode.numbers = Numbers::Zeros;
            modes.push(mode);
        }
    }
    modes
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
