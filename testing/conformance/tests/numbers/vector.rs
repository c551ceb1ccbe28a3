//! The vector types: sizes and alignments of CUDA's table, the same layout on host and device, arithmetic.

use std::mem::offset_of;

use warploom::device_std::vector::*;
use warploom::device_std::{Dim3, is_device};
use warploom::prelude::*;
use warploom_harness::device_test::{check_map, on_each_device};

/// An array of each type goes to a kernel and back: the kernel sees the size, and turns the elements of each vector around.
macro_rules! layouts {
    ($($ty:ident $kernel:ident $scalar:ident $count:literal $size:literal $align:literal $($field:ident)*;)*) => {$(
        #[kernel]
        fn $kernel(i: Index1D, factor: $ty, x: &[$ty], mut y: DisjointSlice<$ty>, mut size: DisjointSlice<[u32; 2]>) {
            let v = x[i.get() % x.len()];
            let mut turned = v.to_array();
            turned.reverse();
            if let Some(y) = y.get_mut(i) {
                *y = $ty::from(turned);
                $(y.$field = (y.$field as u64 + factor.$field as u64) as $scalar;)*
            }
            if let Some(size) = size.get_mut(i) {
                *size = [size_of::<$ty>() as u32, align_of::<$ty>() as u32];
            }
        }
    )*
        //@ rows: VT-1, GVEC-1, GVEC-2, E-20
        #[test]
        fn layouts_are_those_of_the_table() {
            $({
                assert_eq!((size_of::<$ty>(), align_of::<$ty>()), ($size, $align), stringify!($ty));
                let mut offset = 0;
                $(
                    assert_eq!(offset_of!($ty, $field), offset, stringify!($ty));
                    offset += size_of::<$scalar>();
                )*
                assert_eq!(offset, $size, "no padding in {}", stringify!($ty));
                // From 1 upward through all elements of all vectors; small enough for every scalar.
                const N: usize = 25;
                let x: Vec<$ty> = (0..N).map(|k| {
                    let mut next = (k * $count) as u8;
                    $(next += 1; let $field = next as $scalar;)*
                    $ty::new($($field),*)
                }).collect();
                let factor = $ty::splat(3 as $scalar);
                let expected: Vec<$ty> = x.iter().map(|v| {
                    let mut turned = v.to_array();
                    turned.reverse();
                    $ty::from(turned.map(|e| (e as u64 + 3) as $scalar))
                }).collect();
                on_each_device(|device, stream| {
                    let x = device.upload(&x)?;
                    let mut y = device.zeroed::<$ty>(N)?;
                    let mut size = device.zeroed::<[u32; 2]>(N)?;
                    $kernel::launch(stream, Launch::covering(N), factor, &x, &mut y, &mut size)?;
                    assert_eq!(y.to_vec(stream)?, expected, "{} on {}", stringify!($ty), device.name());
                    assert_eq!(size.to_vec(stream)?[N - 1], [$size, $align], "{} on {}", stringify!($ty), device.name());
                    Ok(())
                });
            })*
        }
    };
}
layouts! {
    Char1 char1 i8 1 1 1 x;
    Char2 char2 i8 2 2 2 x y;
    Char3 char3 i8 3 3 1 x y z;
    Char4 char4 i8 4 4 4 x y z w;
    UChar1 uchar1 u8 1 1 1 x;
    UChar2 uchar2 u8 2 2 2 x y;
    UChar3 uchar3 u8 3 3 1 x y z;
    UChar4 uchar4 u8 4 4 4 x y z w;
    Short1 short1 i16 1 2 2 x;
    Short2 short2 i16 2 4 4 x y;
    Short3 short3 i16 3 6 2 x y z;
    Short4 short4 i16 4 8 8 x y z w;
    UShort1 ushort1 u16 1 2 2 x;
    UShort2 ushort2 u16 2 4 4 x y;
    UShort3 ushort3 u16 3 6 2 x y z;
    UShort4 ushort4 u16 4 8 8 x y z w;
    Int1 int1 i32 1 4 4 x;
    Int2 int2 i32 2 8 8 x y;
    Int3 int3 i32 3 12 4 x y z;
    Int4 int4 i32 4 16 16 x y z w;
    UInt1 uint1 u32 1 4 4 x;
    UInt2 uint2 u32 2 8 8 x y;
    UInt3 uint3 u32 3 12 4 x y z;
    UInt4 uint4 u32 4 16 16 x y z w;
    Float1 float1 f32 1 4 4 x;
    Float2 float2 f32 2 8 8 x y;
    Float3 float3 f32 3 12 4 x y z;
    Float4 float4 f32 4 16 16 x y z w;
    LongLong1 longlong1 i64 1 8 8 x;
    LongLong2 longlong2 i64 2 16 16 x y;
    LongLong3 longlong3 i64 3 24 8 x y z;
    LongLong4A16 longlong4_16a i64 4 32 16 x y z w;
    LongLong4A32 longlong4_32a i64 4 32 32 x y z w;
    ULongLong1 ulonglong1 u64 1 8 8 x;
    ULongLong2 ulonglong2 u64 2 16 16 x y;
    ULongLong3 ulonglong3 u64 3 24 8 x y z;
    ULongLong4A16 ulonglong4_16a u64 4 32 16 x y z w;
    ULongLong4A32 ulonglong4_32a u64 4 32 32 x y z w;
    Double1 double1 f64 1 8 8 x;
    Double2 double2 f64 2 16 16 x y;
    Double3 double3 f64 3 24 8 x y z;
    Double4A16 double4_16a f64 4 32 16 x y z w;
    Double4A32 double4_32a f64 4 32 32 x y z w;
}

#[kernel]
fn long_size(i: Index1D, mut y: DisjointSlice<[u32; 4]>) {
    if let Some(y) = y.get_mut(i) {
        let sizes = [
            size_of::<Long1>(),
            size_of::<ULong2>(),
            size_of::<Long3>(),
            size_of::<ULong4A16>(),
        ];
        *y = sizes.map(|size| size as u32);
    }
}

//@ rows: VT-1, GVEC-1
#[test]
fn long_is_the_long_of_c() {
    let long = size_of::<std::ffi::c_long>() as u32;
    check_map(
        &[0u32; 3],
        |stream, x, y| long_size::launch(stream, Launch::covering(x.len()), y),
        |_| [long, 2 * long, 3 * long, 4 * long],
    );
}

#[kernel]
fn sum(i: Index1D, x: &[Int4], mut y: DisjointSlice<i32>) {
    if let Some(y) = y.get_mut(i) {
        let v = x[i.get()];
        *y = v.x + v.y + v.z + v.w;
    }
}

#[kernel]
fn add_one(i: Index1D, mut y: DisjointSlice<Int4>) {
    if let Some(y) = y.get_mut(i) {
        *y += Int4::splat(1);
    }
}

//@ rows: VT-2
#[test]
fn sums_and_increments_of_int4() {
    let x: Vec<Int4> = (0..201).map(|k| Int4::new(k, -2 * k, 7, k % 5)).collect();
    check_map(
        &x,
        |stream, x, y| sum::launch(stream, Launch::new(3, 70), x, y),
        |i| x[i].to_array().iter().sum(),
    );
    on_each_device(|device, stream| {
        let mut y = device.upload(&x)?;
        add_one::launch(stream, Launch::new(3, 70), &mut y)?;
        let expected: Vec<Int4> = x
            .iter()
            .map(|v| v.to_array().map(|e| e + 1).into())
            .collect();
        assert_eq!(y.to_vec(stream)?, expected);
        Ok(())
    });
}

#[kernel]
fn operators(i: Index1D, x: &[Float3], mut y: DisjointSlice<[Float3; 4]>) {
    if let Some(y) = y.get_mut(i) {
        let (a, b) = (x[i.get()], x[(i.get() + 1) % x.len()]);
        let mut c = a;
        c -= b;
        c[i.get() % 3] = 5.0;
        *y = [a + b, a * b * 2.0, -(a - b), c];
    }
}

//@ rows: VT-2
#[test]
fn operators_work_element_by_element() {
    let x: Vec<Float3> = (0..77u8)
        .map(|k| Float3::from([k, k / 2, 200 - k].map(f32::from)))
        .collect();
    check_map(
        &x,
        |stream, x, y| operators::launch(stream, Launch::covering(x.len()), x, y),
        |i| {
            let (a, b) = (x[i].to_array(), x[(i + 1) % x.len()].to_array());
            let each =
                |f: fn(f32, f32) -> f32| Float3::from(std::array::from_fn(|k| f(a[k], b[k])));
            let mut last = each(|a, b| a - b);
            last[i % 3] = 5.0;
            [
                each(|a, b| a + b),
                each(|a, b| a * b * 2.0),
                each(|a, b| b - a),
                last,
            ]
        },
    );
}

/// `{float f; float4 f4;}`: 12 bytes between the fields.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Mixed {
    f: f32,
    f4: Float4,
}

#[kernel]
fn unpack(i: Index1D, mixed: Mixed, mut y: DisjointSlice<[f32; 6]>) {
    if let Some(y) = y.get_mut(i) {
        let Float4 { x, y: second, z, w } = mixed.f4;
        *y = [mixed.f, x, second, z, w, size_of::<Mixed>() as f32];
    }
}

//@ rows: GVEC-5
#[test]
fn structs_of_vectors_arrive_intact() {
    let mixed = Mixed {
        f: 1.5,
        f4: Float4::new(2.0, 3.0, 4.0, 5.0),
    };
    check_map(
        &[0u32; 70],
        |stream, _, y| unpack::launch(stream, Launch::new(1, 70), mixed, y),
        |_| [1.5, 2.0, 3.0, 4.0, 5.0, 32.0],
    );
}

/// `struct __align__(16) { float a, b, c; }`: the padding is a field, or a buffer could not hold it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Plain)]
#[repr(C, align(16))]
struct Padded {
    a: f32,
    b: f32,
    c: f32,
    padding: u32,
}

#[kernel]
fn sums(i: Index1D, x: &[Padded], mut y: DisjointSlice<[f32; 2]>) {
    if let Some(y) = y.get_mut(i) {
        let Padded { a, b, c, .. } = x[i.get()];
        *y = [a + b + c, size_of::<Padded>() as f32];
    }
}

//@ rows: GVAR-20
#[test]
fn structs_may_ask_for_alignment() {
    let x: Vec<Padded> = (0..40u8)
        .map(|k| Padded {
            a: k.into(),
            b: 2.0,
            c: 0.5,
            padding: 0,
        })
        .collect();
    check_map(
        &x,
        |stream, x, y| sums::launch(stream, Launch::covering(x.len()), x, y),
        |i| [x[i].a + 2.5, 16.0],
    );
}

//@ rows: BV-6, GVEC-4
#[test]
fn unspecified_extents_are_one() {
    let dim3 = |x, y, z| Dim3 { x, y, z };
    assert_eq!(Dim3::default(), dim3(1, 1, 1));
    assert_eq!(Dim3::from(5), dim3(5, 1, 1));
    assert_eq!(Dim3::from((5, 6)), dim3(5, 6, 1));
    assert_eq!(Dim3::from((5, 6, 7)), dim3(5, 6, 7));
    assert_eq!(UInt3::default(), UInt3::new(0, 0, 0));
    assert_eq!(UInt3::from(Dim3::from((5, 6))), UInt3::new(5, 6, 1));
    assert!(!is_device());
}

#[kernel]
fn extents(i: Index1D, given: Dim3, mut y: DisjointSlice<[Dim3; 3]>) {
    if let Some(y) = y.get_mut(i) {
        *y = [
            Dim3::default(),
            Dim3::from(5),
            Dim3::from(UInt3::from(given) + UInt3::default()),
        ];
    }
}

//@ rows: BV-6, GVEC-4, GPM-4
#[test]
fn extents_work_in_kernels() {
    let given = Dim3::from((2, 3, 4));
    check_map(
        &[0u32; 33],
        |stream, _, y| extents::launch(stream, Launch::new(1, 33), given, y),
        |_| [Dim3 { x: 1, y: 1, z: 1 }, Dim3 { x: 5, y: 1, z: 1 }, given],
    );
}

#[kernel]
fn wrap(i: Index1D, x: &[UChar4], mut y: DisjointSlice<[UChar4; 3]>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        let other = UChar4::new(250, 3, 7, 129);
        *y = [
            x.wrapping_add(other),
            x.wrapping_sub(other),
            x.wrapping_mul(other),
        ];
    }
}

//@ rows: VT-2
#[test]
fn integers_wrap_around_on_request() {
    let x: Vec<UChar4> = (0..=255)
        .map(|k| UChar4::new(k, 255 - k, k / 2, k | 1))
        .collect();
    check_map(
        &x,
        |stream, x, y| wrap::launch(stream, Launch::covering(x.len()), x, y),
        |i| {
            let (x, other) = (x[i].to_array(), [250u32, 3, 7, 129]);
            // Modulo 256, by numbers that nothing overflows in.
            let each = |f: fn(u32, u32) -> u32| {
                UChar4::from(std::array::from_fn(|k| {
                    (f(u32::from(x[k]), other[k]) % 256) as u8
                }))
            };
            [
                each(|a, b| a + b),
                each(|a, b| a + 256 - b),
                each(|a, b| a * b),
            ]
        },
    );
}
