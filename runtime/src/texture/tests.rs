use std::fmt::Debug;

use warploom_device_std::texture::{
    Cube, CubeLayered, D1, D1Layered, D2, D2Layered, D3, LinearMemory, Normalized, Texel,
};
use warploom_emulator::texture::{self as emulated, Dimensions, Format, Level};

use super::{Address, Filter, Sampler, SurfaceObject, TextureError, TextureObject};
use crate::memory::{ArrayElement, ArrayOptions};
use crate::{ArrayShape, Device, MemoryError};

type Result<T = (), E = crate::Error> = std::result::Result<T, E>;

/// What the emulator's kernels find behind a handle.
fn found<D, T, R>(texture: &TextureObject<'_, D, T, R>) -> emulated::TextureObject {
    let at = std::ptr::with_exposed_provenance::<emulated::TextureObject>(
        usize::try_from(texture.raw_handle()).unwrap(),
    );
    // SAFETY: the handle of a texture of the emulator, which is there.
    unsafe { (*at).clone() }
}

#[track_caller]
fn refused<T: Debug>(made: Result<T, TextureError>, texts: &[&str]) {
    let text = made.unwrap_err().to_string();
    for part in texts {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
}

const SHAPES: [(ArrayShape, Dimensions); 7] = [
    (ArrayShape::Line { width: 5 }, Dimensions::D1),
    (
        ArrayShape::Plane {
            width: 5,
            height: 3,
        },
        Dimensions::D2,
    ),
    (
        ArrayShape::Space {
            width: 5,
            height: 3,
            depth: 2,
        },
        Dimensions::D3,
    ),
    (
        ArrayShape::Lines {
            width: 5,
            layers: 4,
        },
        Dimensions::D1Layered,
    ),
    (
        ArrayShape::Planes {
            width: 5,
            height: 3,
            layers: 4,
        },
        Dimensions::D2Layered,
    ),
    (ArrayShape::Cube { side: 4 }, Dimensions::Cube),
    (
        ArrayShape::Cubes { side: 4, layers: 2 },
        Dimensions::CubeLayered,
    ),
];

/// Calls `$with` with each dimension's type.
macro_rules! each_dimension {
    ($with:ident) => {
        $with!(D1 D2 D3 D1Layered D2Layered Cube CubeLayered)
    };
}

//@ rows: GTEX-3, GTEX-6, GTEX-8
#[test]
fn each_shape_becomes_the_texture_of_its_dimensions_and_no_other() -> Result {
    let device = Device::emulator();
    for (shape, dimensions) in SHAPES {
        let array = device.array_uninit::<u16>(shape)?;
        macro_rules! check {
            ($($d:ident)*) => { $(
                let made: Result<TextureObject<'_, $d, u16>, _> = array.texture(Sampler::new());
                if dimensions == Dimensions::$d {
                    let [width, height, depth] = <[usize; 3]>::from(shape.extent()).map(|n| n as u32);
                    let (row_pitch, slice_pitch) = (2 * width as usize, 2 * (width * height) as usize);
                    let image = found(&made?).image;
                    assert_eq!((image.dimensions, image.format, image.channels), (dimensions, Format::Unsigned16, 1));
                    assert_eq!(image.levels, [Level { offset: 0, width, height, depth, row_pitch, slice_pitch }]);
                } else {
                    refused(made, &[&format!("of a {shape};"), "make the array as an `ArrayShape::"]);
                }
            )* };
        }
        each_dimension!(check);
    }
    Ok(())
}

fn check_format<T: ArrayElement + Texel>(device: &Device, format: Format, channels: u8) -> Result {
    let array = device.array_uninit::<T>(6)?;
    let texture: TextureObject<'_, D1, T> = array.texture(Sampler::new())?;
    let image = found(&texture).image;
    assert_eq!((image.format, image.channels), (format, channels));
    assert_eq!(image.levels[0].row_pitch, 6 * size_of::<T>());
    Ok(())
}

//@ rows: GTEX-2, GTEX-7, GTEX-9
#[test]
fn the_format_is_that_of_the_elements() -> Result {
    let device = Device::emulator();
    macro_rules! each {
        ($($ty:ty: $format:ident;)*) => { $(
            check_format::<$ty>(&device, Format::$format, 1)?;
            check_format::<[$ty; 2]>(&device, Format::$format, 2)?;
            check_format::<[$ty; 4]>(&device, Format::$format, 4)?;
        )* };
    }
    each! {
        u8: Unsigned8; u16: Unsigned16; u32: Unsigned32; i8: Signed8; i16: Signed16; i32: Signed32;
        warploom_device_std::F16: Float16; f32: Float32;
    }
    Ok(())
}

//@ rows: GTEX-4, GTEX-10, GTEX-11, GTEX-14
#[test]
fn every_setting_arrives() -> Result {
    let device = Device::emulator();
    let array = device.array_uninit::<u8>((4, 4))?;
    let sampler = Sampler::new()
        .filter(Filter::Linear)
        .mip_filter(Filter::Linear)
        .address([Address::Wrap, Address::Mirror, Address::Border])
        .border([1.0, 2.0, 3.0, 4.0])
        .normalized()
        .srgb()
        .lod_bias(0.25)
        .lod_clamp(1.5, 3.0)
        .exact_trilinear()
        .anisotropy(1);
    let texture: TextureObject<'_, D2, u8, Normalized> = array.texture(sampler)?;
    let expected = emulated::Sampling {
        address: [Address::Wrap, Address::Mirror, Address::Clamp], // there is no z
        filter: Filter::Linear,
        mip_filter: Filter::Linear,
        normalized_coordinates: true,
        read: emulated::Read::NormalizedFloat,
        srgb: true,
        lod_bias: 0.25,
        lod_clamp: [1.5, 3.0],
        border: [1.0, 2.0, 3.0, 4.0],
        ..emulated::Sampling::default()
    };
    assert_eq!(found(&texture).sampling, expected);
    let plain: TextureObject<'_, D2, u8> = array.texture(Sampler::default())?;
    let defaults = emulated::Sampling {
        lod_clamp: [0.0, 15.0],
        ..emulated::Sampling::default()
    };
    assert_eq!(found(&plain).sampling, defaults);
    Ok(())
}

//@ rows: GTEX-10, GTEX-27
#[test]
fn one_texture_is_made_for_the_same_settings_and_another_for_others() -> Result {
    let device = Device::emulator();
    let array = device.array_uninit::<f32>((4, 4))?;
    let made = |sampler: Sampler| -> Result<u64> {
        let texture: TextureObject<'_, D2, f32> = array.texture(sampler)?;
        Ok(texture.raw_handle())
    };
    let first = made(Sampler::new())?;
    assert_eq!(made(Sampler::new())?, first);
    assert_ne!(made(Sampler::new().border([0.0, 0.0, 0.0, -0.0]))?, first);
    assert_ne!(made(Sampler::new().filter(Filter::Linear))?, first);
    Ok(())
}

//@ rows: GTEX-26
#[test]
fn a_texture_in_use_stays_where_it_is_while_others_come_and_go() -> Result {
    let device = Device::emulator();
    let array = device.array_uninit::<f32>((4, 4))?;
    let bordered = |x: u32| array.texture(Sampler::new().border([x as f32; 4]));
    let kept: TextureObject<'_, D2, f32> = bordered(0)?;
    for other in 1..200 {
        let _: TextureObject<'_, D2, f32> = bordered(other)?;
    }
    assert_eq!(found(&kept).sampling.border, [0.0; 4]);
    Ok(())
}

//@ rows: GTEX-16
#[test]
fn integers_are_not_mixed() -> Result {
    let device = Device::emulator();
    let bytes = device.array_uninit::<[u8; 4]>((4, 4))?;
    let words = device.array_uninit::<i32>((4, 4))?;
    let linear = Sampler::new().filter(Filter::Linear);
    let made: Result<TextureObject<'_, D2, _>, _> = bytes.texture(linear);
    refused(
        made,
        &["`filter` is linear", "`[u8; 4]`", "`Filter::Point`"],
    );
    let made: Result<TextureObject<'_, D2, _>, _> =
        words.texture(Sampler::new().mip_filter(Filter::Linear));
    refused(made, &["`mip_filter` is linear", "`i32`"]);
    let _: TextureObject<'_, D2, _, Normalized> = bytes.texture(linear)?;
    Ok(())
}

//@ rows: GTEX-13
#[test]
fn images_repeat_in_normalised_coordinates_alone() -> Result {
    let device = Device::emulator();
    let plane = device.array_uninit::<f32>((4, 4))?;
    let repeat = Sampler::new().address([Address::Clamp, Address::Wrap, Address::Clamp]);
    let made: Result<TextureObject<'_, D2, f32>, _> = plane.texture(repeat);
    refused(made, &["`Address::Wrap` along y", "`.normalized()`"]);
    let mirror = Sampler::new().address_all(Address::Mirror);
    let made: Result<TextureObject<'_, D2, f32>, _> = plane.texture(mirror);
    refused(made, &["`Address::Mirror` along x"]);
    let _: TextureObject<'_, D2, f32> = plane.texture(mirror.normalized())?;
    // A line has no y.
    let line = device.array_uninit::<f32>(4)?;
    let _: TextureObject<'_, D1, f32> = line.texture(repeat)?;
    Ok(())
}

#[test]
fn settings_that_mean_nothing_are_refused() -> Result {
    let device = Device::emulator();
    let array = device.array_uninit::<f32>((4, 4))?;
    let made = |sampler| -> Result<TextureObject<'_, D2, f32>, _> { array.texture(sampler) };
    refused(
        made(Sampler::new().anisotropy(8)),
        &["anisotropy of 8", "1, which"],
    );
    refused(made(Sampler::new().srgb()), &["`f32` read as `Element`"]);
    refused(
        made(Sampler::new().lod_bias(f32::NAN)),
        &["`lod_bias` is NaN"],
    );
    refused(
        made(Sampler::new().lod_clamp(0.0, f32::INFINITY)),
        &["`lod_clamp` is inf"],
    );
    refused(
        made(Sampler::new().lod_clamp(3.0, 2.5)),
        &["least level of detail is 3", "2.5"],
    );
    let words = device.array_uninit::<u16>((4, 4))?;
    let made: Result<TextureObject<'_, D2, u16, Normalized>, _> =
        words.texture(Sampler::new().srgb());
    refused(made, &["`u16` read as `Normalized`"]);
    Ok(())
}

#[test]
fn a_texture_with_levels_has_all_of_them_and_normalised_coordinates() -> Result {
    let device = Device::emulator();
    let array = device.mipmapped_uninit::<f32>((8, 4), 3)?;
    let made: Result<TextureObject<'_, D2, f32>, _> = array.texture(Sampler::new());
    refused(made, &["`.normalized()`"]);
    let texture: TextureObject<'_, D2, f32> = array.texture(Sampler::new().normalized())?;
    let image = found(&texture).image;
    let levels: Vec<_> = image
        .levels
        .iter()
        .map(|l| (l.offset, l.width, l.height, l.row_pitch))
        .collect();
    assert_eq!(levels, [(0, 8, 4, 32), (128, 4, 2, 16), (160, 2, 1, 8)]);
    // One level alone starts where it lies.
    let level: TextureObject<'_, D2, f32> = array.level(1)?.texture(Sampler::new())?;
    let alone = found(&level).image;
    assert_eq!(
        (alone.base, &alone.levels[..]),
        (image.base, &image.levels[1..2])
    );
    Ok(())
}

#[test]
fn levels_are_halved_layers_are_not() -> Result {
    let device = Device::emulator();
    let shape = ArrayShape::Cubes { side: 4, layers: 3 };
    let mut array = device.mipmapped_uninit::<u8>(ArrayOptions::new(shape).with_surface(), 3)?;
    let shapes: Vec<_> = array
        .levels_mut()
        .iter()
        .map(|level| level.shape())
        .collect();
    assert_eq!(
        shapes,
        [4, 2, 1].map(|side| ArrayShape::Cubes { side, layers: 3 })
    );
    let surface: SurfaceObject<'_, CubeLayered, u8> = array.level_mut(2)?.into_surface()?;
    assert_ne!(surface.raw_handle(), 0);
    Ok(())
}

#[test]
fn a_level_that_there_is_not_is_refused() -> Result {
    let device = Device::emulator();
    let mut array = device.mipmapped_uninit::<f32>((8, 4), 3)?;
    let text = array.level_mut(3).unwrap_err().to_string();
    assert!(text.contains("no level 3: there are 3"), "{text}");
    for levels in [0, 5] {
        let error = device.mipmapped_uninit::<f32>((8, 4), levels).unwrap_err();
        assert!(
            matches!(error, MemoryError::ArrayLevels { most: 4, .. }),
            "{error}"
        );
    }
    Ok(())
}

#[test]
fn surfaces_are_of_arrays_that_were_made_for_them() -> Result {
    let device = Device::emulator();
    let plain = device.array_uninit::<f32>((4, 4))?;
    let made: Result<SurfaceObject<'_, D2, f32, _>, _> = plain.surface();
    refused(made, &["2-D array of 4x4", "with_surface()"]);
    let mut array = device.array_uninit::<f32>(ArrayShape::from((4, 4)).with_surface())?;
    let made: Result<SurfaceObject<'_, D3, f32>, _> = array.surface_mut();
    refused(made, &["a 3-D texture or surface", "`ArrayShape::Space`"]);
    let surface: SurfaceObject<'_, D2, f32> = array.surface_mut()?;
    assert_ne!(surface.raw_handle(), 0);
    Ok(())
}

//@ rows: GTEX-6, GTEX-20
#[test]
fn linear_memory_starts_aligned_and_has_elements() -> Result {
    let device = Device::emulator();
    let x = device.upload(&[1.0f32; 1000])?;
    let texture: TextureObject<'_, LinearMemory, f32> = x.slice(128..)?.texture()?;
    let image = found(&texture).image;
    assert_eq!(
        (image.dimensions, image.levels[0].width),
        (Dimensions::Linear, 872)
    );
    assert_eq!(image.base.addr() as u64, x.raw_ptr() + 512);
    let made: Result<TextureObject<'_, LinearMemory, f32>, _> = x.slice(127..)?.texture();
    refused(made, &["508 bytes behind a multiple of 512", "emulator"]);
    let made: Result<TextureObject<'_, LinearMemory, f32>, _> = x.slice(..0)?.texture();
    refused(made, &["without elements"]);
    Ok(())
}

//@ rows: GTEX-28, GCC-28
#[test]
fn linear_memory_has_at_most_so_many_elements() -> Result {
    let device = Device::emulator();
    // More than there is room for: the pages are never touched.
    let x = device.alloc_uninit::<[f32; 4]>((1 << 28) + 1)?;
    let made: Result<TextureObject<'_, LinearMemory, [f32; 4]>, _> = x.texture();
    refused(
        made,
        &[
            "length of at most 268435456, not 268435457",
            "use several textures",
        ],
    );
    let _: TextureObject<'_, LinearMemory, [f32; 4]> = x.slice(..1 << 28)?.texture()?;
    Ok(())
}

#[test]
fn only_cubes_are_seamless() -> Result {
    let device = Device::emulator();
    let plane = device.array_uninit::<f32>((4, 4))?;
    let seamless = Sampler::new().seamless_cube();
    let made: Result<TextureObject<'_, D2, f32>, _> = plane.texture(seamless);
    refused(
        made,
        &["`seamless_cube` is for textures of cubes, and this one is 2-D"],
    );
    let cube = device.array_uninit::<f32>(ArrayShape::Cube { side: 4 })?;
    let texture: TextureObject<'_, Cube, f32> = cube.texture(seamless)?;
    assert!(found(&texture).sampling.seamless_cube);
    Ok(())
}

//@ rows: GTEX-28, GCC-30
#[test]
fn deep_arrays_that_are_no_surfaces_may_be_narrow() {
    let device = Device::emulator();
    let deep = ArrayShape::from((2, 2, 32_768));
    assert!(device.array_uninit::<u8>(deep).is_ok());
    let text = device
        .array_uninit::<u8>(deep.with_surface())
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("the depth of such an array can be 1 to 16384, not 32768"),
        "{text}"
    );
    assert!(device.array_uninit::<u8>((8193, 1, 20_000)).is_err());
    assert!(device.array_uninit::<u8>((8193, 0, 20)).is_err());
}

//@ rows: GTEX-6, GTEX-22
#[test]
fn rows_have_one_plane_and_an_aligned_pitch() -> Result {
    let device = Device::emulator();
    let rows = device.pitched_zeroed::<[f32; 2]>((70, 9))?;
    let texture: TextureObject<'_, D2, [f32; 2]> = rows.texture(Sampler::new())?;
    let image = found(&texture).image;
    let [level] = image.levels[..] else {
        panic!("{image:?}")
    };
    assert_eq!(
        (level.width, level.height, level.row_pitch),
        (70, 9, rows.pitch())
    );
    let part: TextureObject<'_, D2, [f32; 2]> = rows.rect(64.., 1..)?.texture(Sampler::new())?;
    assert_eq!(found(&part).image.levels[0].height, 8);
    let made: Result<TextureObject<'_, D2, [f32; 2]>, _> =
        rows.rect(3.., ..)?.texture(Sampler::new());
    refused(made, &["24 bytes behind a multiple of 512"]);

    let planes = device.pitched_zeroed::<f32>((4, 4, 2))?;
    let made: Result<TextureObject<'_, D2, f32>, _> = planes.texture(Sampler::new());
    refused(made, &["one plane, and there are 2", "`part`"]);
    let dense = device.zeroed::<f32>(36)?;
    let made: Result<TextureObject<'_, D2, f32>, _> =
        dense.as_slice().shaped((9, 4))?.texture(Sampler::new());
    refused(
        made,
        &["36 bytes apart", "multiples of 32", "`PitchedBuffer`"],
    );
    let _: TextureObject<'_, D2, f32> =
        dense.slice(..32)?.shaped((8, 4))?.texture(Sampler::new())?;
    let none = device.pitched_zeroed::<f32>((0, 4))?;
    let made: Result<TextureObject<'_, D2, f32>, _> = none.texture(Sampler::new());
    refused(made, &["without elements"]);
    Ok(())
}

//@ rows: GTEX-28, GCC-29
#[test]
fn rows_have_limits() -> Result {
    let device = Device::emulator();
    let wide = device.alloc_uninit::<u8>(131_104)?;
    let made: Result<TextureObject<'_, D2, u8>, _> = wide
        .as_slice()
        .shaped((131_104, 1))?
        .texture(Sampler::new());
    refused(made, &["width of at most 131072, not 131104"]);
    let high = device.alloc_uninit::<u8>(32 * 65_001)?;
    let made: Result<TextureObject<'_, D2, u8>, _> = high
        .as_slice()
        .shaped((32, 65_001))?
        .texture(Sampler::new());
    refused(made, &["height of at most 65000, not 65001"]);
    let far = device.alloc_uninit::<[f32; 4]>(131_072 * 2)?;
    let made: Result<TextureObject<'_, D2, [f32; 4]>, _> =
        far.as_slice().shaped((131_072, 2))?.texture(Sampler::new());
    refused(made, &["pitch of at most 2097120, not 2097152"]);
    Ok(())
}

/// Why an array of the emulator, with so many levels or none, is refused.
fn refused_array(options: ArrayOptions, levels: Option<u32>) -> String {
    let device = Device::emulator();
    let made = match levels {
        None => device.array_uninit::<u8>(options).map(drop),
        Some(levels) => device.mipmapped_uninit::<u8>(options, levels).map(drop),
    };
    made.unwrap_err().to_string()
}

//@ rows: GTEX-28, GCC-27, GCC-29
#[test]
fn arrays_are_as_long_as_textures_and_surfaces_of_their_kind() {
    let line = ArrayShape::Line { width: 32_769 };
    let plane = ArrayShape::from((32_769, 1));
    let part = "the width of such an array can be 1 to 32768, not 32769";
    for (options, levels) in [
        (line.with_surface(), None),
        (line.into(), Some(1)),
        (plane.with_gather(), None),
        (plane.into(), Some(1)),
    ] {
        let text = refused_array(options, levels);
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    assert!(Device::emulator().array_uninit::<u8>(line).is_ok());
    let text = refused_array(ArrayOptions::new(131_073), None);
    assert!(text.contains("1 to 131072, not 131073"), "{text}");
    let text = refused_array(ArrayShape::from((4, 4, 4)).with_gather(), None);
    assert!(text.contains("2-D array without layers"), "{text}");
}

//@ rows: GTEX-28
#[test]
fn cubes_are_as_long_and_as_many_as_textures_of_them() {
    let cubes = |layers| ArrayShape::Cubes { side: 1, layers };
    for (shape, part) in [
        (
            ArrayShape::Cube { side: 32_769 },
            "the side of such an array can be 1 to 32768",
        ),
        (ArrayShape::Cube { side: 0 }, "can be 1 to 32768, not 0"),
        (
            cubes(342),
            "the layers of such an array can be 1 to 341, not 342",
        ),
        (
            cubes(usize::MAX),
            "the layers of such an array can be 1 to 341",
        ),
    ] {
        let text = refused_array(shape.into(), None);
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    assert!(Device::emulator().array_uninit::<u8>(cubes(341)).is_ok());
}

//@ rows: GDM-4
#[test]
fn arrays_of_cubes_give_back_what_they_were_given() -> Result {
    let device = Device::emulator();
    let stream = device.stream()?;
    for shape in [
        ArrayShape::Cube { side: 3 },
        ArrayShape::Cubes { side: 2, layers: 2 },
    ] {
        let len = u16::try_from(shape.extent().elements().unwrap()).unwrap();
        let data: Vec<u16> = (0..len).collect();
        let mut x = device.array_from(shape.with_surface(), &data)?;
        assert_eq!(x.to_vec(&stream)?, data);
        let side = shape.extent().width;
        let face = x.part(.., .., 5..6)?.to_vec(&stream)?;
        assert_eq!(face, data[5 * side * side..6 * side * side]);
        x.part_mut(.., .., ..1)?
            .copy_from(&vec![7; side * side], &stream)?;
        assert_eq!(x.to_vec(&stream)?[..side * side], vec![7; side * side]);
    }
    Ok(())
}

#[test]
fn a_view_shows_layers_and_levels_as_the_first_ones() -> Result {
    let device = Device::emulator();
    let shape = ArrayShape::Planes {
        width: 4,
        height: 2,
        layers: 5,
    };
    let image = device.array_uninit::<f32>(shape)?;
    let view = image.view().layers(1..)?.layers(1..=2)?; // layers 2 and 3 of the array
    let texture: TextureObject<D2Layered, f32> = view.texture(Sampler::new())?;
    let found_image = found(&texture).image;
    assert_eq!(found_image.levels[0].offset, 2 * 4 * 2 * 4);
    assert_eq!(found_image.levels[0].depth, 2);
    assert_eq!(view.shape(), shape.with_layers(2));

    let levels = device.mipmapped_uninit::<f32>((8, 4), 4)?;
    let some = levels.view().levels(1..3)?;
    let texture: TextureObject<D2, f32> = some.texture(Sampler::new().normalized())?;
    let widths: Vec<u32> = found(&texture)
        .image
        .levels
        .iter()
        .map(|l| l.width)
        .collect();
    assert_eq!((widths, some.n_levels()), (vec![4, 2], 2));
    assert_eq!(found(&texture).image.levels[0].offset, 8 * 4 * 4);
    Ok(())
}

#[test]
fn a_view_has_elements_of_another_type() -> Result {
    let device = Device::emulator();
    let image = device.array_uninit::<f32>((4, 2))?;
    let own: TextureObject<D2, f32> = image.texture(Sampler::new())?;
    let bytes = image.view().elements::<[u8; 4]>()?;
    let texture: TextureObject<D2, [u8; 4], Normalized> = bytes.texture(Sampler::new())?;
    assert_ne!(own.raw_handle(), texture.raw_handle());
    let seen = found(&texture).image;
    assert_eq!((seen.format, seen.channels), (Format::Unsigned8, 4));
    let again: TextureObject<D2, f32> = image.view().texture(Sampler::new())?;
    assert_eq!(own.raw_handle(), again.raw_handle());
    Ok(())
}

#[test]
fn views_of_what_is_not_there_are_refused() -> Result {
    let device = Device::emulator();
    let image = device.array_uninit::<f32>((4, 2))?;
    refused(
        image.view().elements::<u16>(),
        &["`f32`, which has 4 bytes", "`u16`, which has 2 bytes"],
    );
    refused(
        image.view().layers(0..1),
        &["has no layers", "2-D array of 4x2"],
    );
    refused(image.view().levels(1..), &["1..1", "there are 1"]);
    let lines = device.array_uninit::<f32>(ArrayShape::Lines {
        width: 4,
        layers: 3,
    })?;
    for (start, end) in [(0, 4), (3, 3), (2, 1)] {
        let text = format!("{start}..{end} is no range of layers");
        refused(lines.view().layers(start..end), &[&text, "there are 3"]);
    }
    let cubes = device.array_uninit::<u8>(ArrayShape::Cubes { side: 4, layers: 3 })?;
    let text = ["is not offered", "read what lies behind"];
    let part: Result<TextureObject<CubeLayered, u8>, _> =
        cubes.view().layers(1..)?.texture(Sampler::new());
    refused(part, &text);
    let signed: Result<TextureObject<CubeLayered, i8>, _> =
        cubes.view().elements()?.texture(Sampler::new());
    refused(signed, &text);
    // What a view shows is counted from its first.
    refused(lines.view().layers(1..)?.layers(2..3), &["there are 2"]);
    Ok(())
}
