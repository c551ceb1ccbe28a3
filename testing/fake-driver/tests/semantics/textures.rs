//! Textures and surfaces: what they are made of, and which settings the driver takes.

use super::*;

/// `CUDA_RESOURCE_DESC` as words: the kind, the union, the flags.
fn resource<const N: usize>(kind: u64, place: [u64; N]) -> [u64; 18] {
    let mut words = [0; 18];
    words[0] = kind;
    words[1..=N].copy_from_slice(&place);
    words
}

/// `CUDA_TEXTURE_DESC` as words of 32 bits, changed by `change`.
fn settings(change: impl FnOnce(&mut [u32; 26])) -> [u32; 26] {
    let mut words = [0; 26];
    words[..3].fill(1);
    change(&mut words);
    words
}

fn texture(resource: &[u64; 18], settings: &[u32; 26]) -> (i32, u64) {
    let mut texture = 0;
    let (resource, settings) = (resource.as_ptr().cast(), settings.as_ptr().cast());
    let code = unsafe { cuTexObjectCreate(&raw mut texture, resource, settings, null()) };
    (code, texture)
}

/// Width, height, depth; format and channels; flags.
fn array(extent: [u64; 3], format: u64, flags: u64) -> u64 {
    let described = [extent[0], extent[1], extent[2], format | 1 << 32, flags];
    let mut array = 0;
    let made = unsafe { cuArray3DCreate_v2(&raw mut array, (&raw const described).cast()) };
    assert_eq!(made, 0);
    array
}

#[test]
fn settings_that_do_not_exist_or_mix_integers_are_refused() {
    let _guard = context();
    let floats = resource(0, [array([8, 8, 0], 0x20, 0)]);
    let bytes = resource(0, [array([8, 8, 0], 0x01, 0)]);
    let words = resource(0, [array([8, 8, 0], 0x03, 0)]);
    let linear = |words: &mut [u32; 26]| words[3] = 1;
    assert_eq!(texture(&floats, &settings(linear)).0, 0);
    assert_eq!(texture(&bytes, &settings(linear)).0, 0); // read as numbers of 0 to 1
    assert_eq!(texture(&words, &settings(linear)).0, 1);
    let as_integers = settings(|words| (words[3], words[4]) = (1, 1));
    assert_eq!(texture(&bytes, &as_integers).0, 1);
    for (at, value) in [(0, 4), (3, 2), (4, 4), (6, 2), (14, 1), (4, 0x40)] {
        let wrong = settings(|words| words[at] = value);
        assert_eq!(texture(&floats, &wrong).0, 1, "{at}: {value}");
    }
    assert_eq!(count(c"textures"), 2);
}

#[test]
fn memory_of_textures_is_aligned_and_has_limits() {
    let _guard = context();
    let mut base = 0;
    assert_eq!(unsafe { cuMemAlloc_v2(&raw mut base, 4096) }, 0);
    let floats = 0x20 | 1 << 32;
    let linear = |start, bytes| texture(&resource(2, [start, floats, bytes]), &settings(|_| ())).0;
    assert_eq!((linear(base, 4096), linear(base + 512, 3584)), (0, 0));
    assert_eq!(
        (linear(base + 256, 4), linear(base, 4097), linear(base, 0)),
        (1, 1, 1)
    );
    let rows = |start, [width, height, pitch]: [u64; 3]| {
        let place = resource(3, [start, floats, width, height, pitch]);
        texture(&place, &settings(|_| ())).0
    };
    assert_eq!(rows(base, [32, 32, 128]), 0);
    for refused in [[32, 32, 144], [33, 31, 128], [32, 33, 128], [8, 65_001, 32]] {
        assert_eq!(rows(base, refused), 1, "{refused:?}");
    }
    let mut most = 0;
    unsafe {
        assert_eq!(
            cuDeviceGetTexture1DLinearMaxWidth(&raw mut most, 0x20, 4, 0),
            0
        );
        assert_eq!(
            cuDeviceGetTexture1DLinearMaxWidth(&raw mut most, 0x20, 3, 0),
            1
        );
    }
    assert_eq!(most, 1 << 28); // 4 GiB
}

#[test]
fn surfaces_are_of_arrays_that_were_made_for_them() {
    let _guard = context();
    let mut surface = 0;
    let mut make = |resource: [u64; 18]| unsafe {
        cuSurfObjectCreate(&raw mut surface, resource.as_ptr().cast())
    };
    assert_eq!(make(resource(0, [array([8, 8, 0], 0x20, 0)])), 1);
    assert_eq!(make(resource(0, [array([8, 8, 0], 0x20, 2)])), 0);
    assert_eq!(make(resource(2, [0, 0x20, 64])), 1);
    unsafe {
        assert_eq!(cuSurfObjectDestroy(surface), 0);
        assert_eq!(cuSurfObjectDestroy(surface), 1);
    }
    assert_eq!(count(c"surfaces"), 0);
}

#[test]
fn an_array_that_goes_before_its_texture_is_complained_of() {
    let _guard = context();
    let array = array([8, 8, 0], 0x20, 0);
    let (_, texture) = texture(&resource(0, [array]), &settings(|_| ()));
    assert_eq!(count(c"complaints"), 0);
    unsafe {
        assert_eq!(cuArrayDestroy(array), 0);
        assert_eq!(count(c"complaints"), 1);
        assert_eq!(cuTexObjectDestroy(texture), 0);
        assert_eq!(cuTexObjectDestroy(texture), 1);
    }
}

/// `CUDA_RESOURCE_VIEW_DESC`: format, extents, levels and layers.
fn viewed(
    resource: &[u64; 18],
    format: u64,
    extents: [u64; 3],
    [levels, layers]: [[u64; 2]; 2],
    normalized: bool,
) -> i32 {
    let mut words = [0u64; 14];
    words[..4].copy_from_slice(&[format, extents[0], extents[1], extents[2]]);
    words[4] = levels[0] | levels[1] << 32;
    words[5] = layers[0] | layers[1] << 32;
    let settings = settings(|words| words[4] = if normalized { 2 } else { 0 });
    let mut texture = 0;
    let (resource, settings) = (resource.as_ptr().cast(), settings.as_ptr().cast());
    let view = words.as_ptr().cast();
    unsafe { cuTexObjectCreate(&raw mut texture, resource, settings, view) }
}

#[test]
fn a_view_has_elements_of_the_same_size_and_parts_that_are_there() {
    let _guard = context();
    let words = resource(0, [array([8, 4, 0], 0x03, 0)]);
    let none = [[0; 2]; 2];
    for (format, code) in [
        (0x0D, 0),
        (0x16, 0),
        (0x03, 0),
        (0x14, 0),
        (0x01, 1),
        (0x0E, 1),
        (0x13, 1),
        (0x00, 1),
        (0x23, 1),
    ] {
        assert_eq!(
            viewed(&words, format, [8, 4, 0], none, false),
            code,
            "{format}"
        );
    }
    assert_eq!(viewed(&words, 0x0D, [8, 2, 0], none, false), 1);
    assert_eq!(viewed(&words, 0x0D, [8, 4, 0], [[0, 1], [0, 0]], false), 1);
    assert_eq!(viewed(&words, 0x0D, [8, 4, 0], [[0, 0], [0, 1]], false), 1);

    let layered = resource(0, [array([8, 4, 5], 0x20, 1)]);
    for (layers, code) in [
        ([0, 4], 0),
        ([2, 3], 0),
        ([4, 4], 0),
        ([3, 2], 1),
        ([2, 5], 1),
    ] {
        let parts = [[0, 0], layers];
        assert_eq!(
            viewed(&layered, 0x16, [8, 4, 5], parts, false),
            code,
            "{layers:?}"
        );
    }
    let linear = resource(2, [0, 0x20 | 1 << 32, 64]);
    assert_eq!(viewed(&linear, 0x16, [16, 0, 0], none, false), 1);
}

#[test]
fn a_view_has_levels_that_are_there() {
    let _guard = context();
    let described = [16u64, 8, 0, 0x20 | 1 << 32, 0];
    let mut levels = 0;
    let made = unsafe { cuMipmappedArrayCreate(&raw mut levels, (&raw const described).cast(), 4) };
    assert_eq!(made, 0);
    let levels = resource(1, [levels]);
    for (range, code) in [
        ([0, 3], 0),
        ([1, 2], 0),
        ([3, 3], 0),
        ([2, 1], 1),
        ([1, 4], 1),
    ] {
        let parts = [range, [0, 0]];
        assert_eq!(
            viewed(&levels, 0x16, [16, 8, 0], parts, true),
            code,
            "{range:?}"
        );
    }
}
