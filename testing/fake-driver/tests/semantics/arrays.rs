//! Arrays: what they may be, and copies to and from their insides.

use super::*;

/// Width, height, depth; format and channels; flags.
fn make(array: &mut u64, [width, height, depth]: [usize; 3], format: u64, flags: u64) -> i32 {
    // The format is a number of 32 bits, and the number of channels stands behind it.
    let channels = 2u64 << 32;
    let words = [
        width as u64,
        height as u64,
        depth as u64,
        format | channels,
        flags,
    ];
    unsafe { cuArray3DCreate_v2(&raw mut *array, (&raw const words).cast()) }
}

#[test]
fn arrays_have_limits_and_their_copies_bounds() {
    let _guard = context();
    let mut array = 0;
    for (extent, format, flags) in [
        ([0, 0, 0], 0x20, 0),       // nothing
        ([131_073, 0, 0], 0x20, 0), // too long
        ([4, 0, 3], 0x20, 0),       // a depth without a height
        ([4, 4, 0], 0x20, 1),       // no layers
        ([4, 4, 2049], 0x20, 1),    // too many
        ([4, 4, 0], 0x21, 0),       // no format
        ([4, 4, 2], 0x20, 8),       // space to gather from
        ([4, 3, 6], 0x20, 4),       // a cube with sides of two lengths
        ([4, 4, 5], 0x20, 4),       // and one without a face
        ([4, 4, 13], 0x20, 5),      // layers of cubes, and a face
    ] {
        assert_eq!(
            make(&mut array, extent, format, flags),
            1,
            "{extent:?} {format} {flags}"
        );
    }
    assert_eq!(make(&mut array, [4, 0, 3], 0x03, 1), 0); // 3 lines of 4 elements of 8 bytes
    assert_eq!((count(c"arrays"), count(c"device bytes")), (1, 96));
    let host: Vec<u8> = (0..16).collect();
    let mut back = [0u8; 16];
    // A copy of 16 bytes: from x, y, z of one side to those of the other.
    let copy = |from: (u64, u64, [u64; 3]), to: (u64, u64, [u64; 3])| {
        let mut words = [0u64; 25];
        for (at, (kind, what, [x, y, z])) in [(0, from), (11, to)] {
            (words[at], words[at + 1], words[at + 2], words[at + 4]) = (x, y, z, kind);
            words[at + if kind == 3 { 7 } else { 5 }] = what;
            (words[at + 9], words[at + 10]) = (16, 1);
        }
        (words[22], words[23], words[24]) = (16, 1, 1);
        unsafe { cuMemcpy3DAsync_v2((&raw const words).cast(), 0) }
    };
    let from = host.as_ptr().expose_provenance() as u64;
    let to = back.as_mut_ptr().expose_provenance() as u64;
    assert_eq!(copy((1, from, [0; 3]), (3, array, [16, 0, 2])), 0);
    assert_eq!(copy((3, array, [16, 0, 2]), (1, to, [0; 3])), 0);
    assert_eq!(back[..], host);
    for beyond in [[17, 0, 2], [0, 1, 0], [0, 0, 3]] {
        assert_eq!(copy((1, from, [0; 3]), (3, array, beyond)), 1, "{beyond:?}");
    }
    assert_eq!(
        copy((1, from, [0; 3]), (3, array + 16, [0; 3])),
        400,
        "no array"
    );
    unsafe {
        assert_eq!(cuArrayDestroy(array), 0);
        assert_eq!(cuArrayDestroy(array), 400);
    }
    assert_eq!((count(c"arrays"), count(c"device bytes")), (0, 0));
}

#[test]
fn cubes_surfaces_and_planes_to_gather_from_are_arrays() {
    let _guard = context();
    for (extent, flags) in [
        ([4, 4, 6], 4),     // a cube
        ([4, 4, 12], 5),    // two cubes
        ([4, 4, 0], 2),     // a surface
        ([4, 4, 12], 7),    // a surface of cubes
        ([4, 4, 0], 8 | 2), // a surface to gather from
    ] {
        let mut array = 0;
        assert_eq!(
            make(&mut array, extent, 0x20, flags),
            0,
            "{extent:?} {flags}"
        );
        assert_eq!(unsafe { cuArrayDestroy(array) }, 0);
    }
    assert_eq!(count(c"arrays"), 0);
}

#[test]
fn levels_go_with_their_array() {
    let _guard = context();
    let described = [16u64, 6, 0, 0x20 | 2 << 32, 0]; // 16 by 6 elements of 8 bytes
    let (mut array, mut level) = (0, 0);
    let make = |array: &mut u64, n| unsafe {
        cuMipmappedArrayCreate(&raw mut *array, (&raw const described).cast(), n)
    };
    assert_eq!(make(&mut array, 9), 0); // as many as there can be
    let sizes = 16 * 6 + 8 * 3 + 4 + 2 + 1;
    assert_eq!(count(c"device bytes"), sizes * 8);
    assert_eq!((count(c"arrays"), count(c"mipmapped arrays")), (0, 1));
    unsafe {
        assert_eq!(cuMipmappedArrayGetLevel(&raw mut level, array, 5), 1);
        assert_eq!(cuMipmappedArrayGetLevel(&raw mut level, array, 1), 0);
        assert_eq!(cuArrayDestroy(level), 400);
        assert_eq!(cuMipmappedArrayDestroy(level), 400);
        assert_eq!(cuMipmappedArrayDestroy(array), 0);
        assert_eq!(cuMipmappedArrayGetLevel(&raw mut level, array, 1), 400);
    }
    assert_eq!((count(c"mipmapped arrays"), count(c"device bytes")), (0, 0));
}
