//! Arrays of all dimensions and elements, and the copies between them and every other kind of memory.

use std::fmt::Debug;

use warploom::device_std::vector::Float4;
use warploom::prelude::*;
use warploom::{ArrayElement, ArrayShape};
use warploom_harness::device_test::on_each_device;
use warploom_runtime::device::Attribute;
use warploom_runtime::{Graph, HostPart, HostPartMut, MemoryError};

use crate::numbers;

/// One of each kind, with odd sides.
const SHAPES: [ArrayShape; 7] = [
    ArrayShape::Line { width: 37 },
    ArrayShape::Plane {
        width: 19,
        height: 7,
    },
    ArrayShape::Space {
        width: 7,
        height: 5,
        depth: 6,
    },
    ArrayShape::Lines {
        width: 21,
        layers: 4,
    },
    ArrayShape::Planes {
        width: 7,
        height: 5,
        layers: 3,
    },
    ArrayShape::Cube { side: 5 },
    ArrayShape::Cubes { side: 3, layers: 2 },
];

//@ rows: GDM-4, GDM-8
#[test]
fn arrays_of_all_shapes_give_back_what_they_were_given() {
    on_each_device(|device, stream| {
        for shape in SHAPES {
            let extent = shape.extent();
            let data = numbers(extent.elements().unwrap());
            let mut x = device.array_from(shape, &data)?;
            assert_eq!((x.shape(), x.extent()), (shape, extent));
            assert_eq!(x.to_vec(stream)?, data, "{shape}");
            let other: Vec<u32> = data.iter().map(|v| !v).collect();
            x.copy_from(&other, stream)?;
            assert_eq!(x.to_vec(stream)?, other, "{shape}");
            assert_eq!(x.raw_array().is_null(), !device.is_gpu());
        }
        Ok(())
    });
}

//@ rows: GDM-4
#[test]
fn elements_have_one_two_or_four_channels() {
    fn check<T: ArrayElement + PartialEq + Debug>(
        device: &Device,
        stream: &Stream,
        of: impl Fn(u8) -> T,
    ) -> warploom::Result<()> {
        let data: Vec<T> = (0..35).map(of).collect();
        let x = device.array_from((7, 5), &data)?;
        assert_eq!(x.to_vec(stream)?, data);
        let part: Vec<T> = [15, 16, 22, 23].map(|i: usize| data[i]).to_vec();
        assert_eq!(x.part(1..3, 2..4, ..)?.to_vec(stream)?, part);
        Ok(())
    }
    macro_rules! numbers {
        ($device:ident, $stream:ident: $($ty:ty)*) => { $(
            check($device, $stream, |i| i as $ty)?;
            check($device, $stream, |i| [i as $ty, 1 as $ty])?;
            check($device, $stream, |i| [i as $ty, 1 as $ty, 2 as $ty, (3 * i) as $ty])?;
        )* };
    }
    on_each_device(|device, stream| {
        numbers!(device, stream: u8 u16 u32 i8 i16 i32 f32);
        let half = |i: u8| F16::from_f32(f32::from(i));
        check(device, stream, half)?;
        check(device, stream, |i| [half(i), half(1), half(i), half(2)])?;
        check(device, stream, |i| {
            Float4::new(f32::from(i), 0.5, -1.0, 2.0)
        })
    });
}

/// Elements x 2.., y 1..4, z 1..3 of rows and planes of this extent.
fn core(data: &[u32], [width, height, _]: [usize; 3]) -> Vec<u32> {
    let all = data.iter().enumerate();
    let inside = all.filter(|(at, _)| {
        let (x, y, z) = (at % width, at / width % height, at / width / height);
        x >= 2 && (1..4).contains(&y) && (1..3).contains(&z)
    });
    inside.map(|(_, value)| *value).collect()
}

//@ rows: GDM-6, GDM-7, GDM-8
#[test]
fn parts_go_between_arrays_and_every_kind_of_memory() {
    on_each_device(|device, stream| {
        for shape in [SHAPES[2], SHAPES[4]] {
            let extent = <[usize; 3]>::from(shape.extent());
            let data = numbers(extent.iter().product());
            let (whole, core) = (shape.extent(), core(&data, extent));
            // A part of the host's memory into the middle of an array.
            let mut x = device.array_from(shape, &vec![u32::MAX; data.len()])?;
            let part = HostPart::new(&data, whole)?.part(2.., 1..4, 1..3)?;
            x.part_mut(..5, 2.., 1..3)?.copy_from_host(part, stream)?;
            assert_eq!(x.part(..5, 2.., 1..3)?.to_vec(stream)?, core, "{shape}");
            // What lies around it stays.
            assert!(
                x.part(5.., .., ..)?
                    .to_vec(stream)?
                    .iter()
                    .all(|v| *v == u32::MAX)
            );
            assert!(
                x.part(.., ..2, ..)?
                    .to_vec(stream)?
                    .iter()
                    .all(|v| *v == u32::MAX)
            );
            assert!(
                x.part(.., .., ..1)?
                    .to_vec(stream)?
                    .iter()
                    .all(|v| *v == u32::MAX)
            );
            // Array to array, to rows with a pitch, to a linear buffer.
            let mut y = device.array_from(shape, &vec![0; data.len()])?;
            y.part_mut(2.., 1..4, ..2)?
                .copy_from_device(x.part(..5, 2.., 1..3)?, stream)?;
            let mut rows = device.pitched_zeroed::<u32>((6, 4, 3))?;
            rows.part_mut(1.., 1.., 1..)?
                .copy_from_device(y.part(2.., 1..4, ..2)?, stream)?;
            let mut flat = device.zeroed::<u32>(30)?;
            flat.as_slice_mut()
                .shaped((5, 3, 2))?
                .copy_from_device(y.part(2.., 1..4, ..2)?, stream)?;
            assert_eq!(flat.to_vec(stream)?, core);
            assert_eq!(rows.part(1.., 1.., 1..)?.to_vec(stream)?, core);
            assert!(rows.rect(..1, ..)?.to_vec(stream)?.iter().all(|v| *v == 0));
            // And back, by page-locked memory.
            let mut z = device.array_from(shape, &vec![0; data.len()])?;
            z.part_mut(2.., ..3, 1..3)?
                .copy_from_device(rows.part(1.., 1.., 1..)?, stream)?;
            let mut pinned = device.pinned::<u32>(40)?;
            let part = z.part(2.., ..3, 1..3)?;
            part.copy_to_pinned(pinned.slice_mut(5..35)?, stream)?;
            assert_eq!(pinned.as_slice()?[5..35], core);
            z.part_mut(..5, 2.., ..2)?
                .copy_from_pinned(pinned.slice(5..35)?, stream)?;
            z.part_mut(.., .., 2..)?
                .copy_from_device(flat.slice(..1)?.shaped((1, 1))?, stream)
                .unwrap_err();
            let mut back = vec![0u32; data.len()];
            let target = HostPartMut::new(&mut back, whole)?.part(2.., 1..4, 1..3)?;
            z.part(..5, 2.., ..2)?.copy_to_host(target, stream)?;
            assert_eq!(self::core(&back, extent), core, "{shape}");
            assert_eq!(back.iter().filter(|v| **v != 0).count(), 30);
            let mut tight = [0u32; 30];
            z.part(..5, 2.., ..2)?.copy_to(&mut tight, stream)?;
            assert_eq!(tight[..], core);
        }
        Ok(())
    });
}

//@ rows: GDM-8, GAS-8
#[test]
fn copies_of_arrays_keep_the_order_of_streams() {
    on_each_device(|device, stream| {
        let other = device.stream()?;
        let n = 500 * 300;
        let mut x = device.array_uninit::<u32>((500, 300))?;
        let mut y = device.array_uninit::<u32>((500, 300))?;
        let mut host = device.pinned::<u32>(n)?;
        for round in 1..5u32 {
            host.as_mut_slice()?.fill(round);
            x.as_slice_mut().copy_from_pinned(&host, stream)?;
            y.as_slice_mut().copy_from_device(x.as_slice(), &other)?;
            x.as_slice_mut()
                .copy_from_pinned(&device.pinned_from(&vec![0; n])?, stream)?;
            y.as_slice().copy_to_pinned(&mut host, stream)?;
            assert!(host.as_slice()?.iter().all(|v| *v == round));
        }
        Ok(())
    });
}

//@ rows: GDM-4, GCC-27, GCC-29, GCC-30
#[test]
fn arrays_beyond_the_devices_limits_are_refused_with_them() {
    on_each_device(|device, _stream| {
        let limit = |attribute| {
            device
                .attribute(attribute)
                .map(|n| n.unsigned_abs() as usize)
        };
        let line = limit(Attribute::MAXIMUM_TEXTURE1D_WIDTH)?;
        let height = limit(Attribute::MAXIMUM_TEXTURE2D_HEIGHT)?;
        // Of narrow ones.
        let depth = limit(Attribute::MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE)?;
        let layers = limit(Attribute::MAXIMUM_TEXTURE2D_LAYERED_LAYERS)?;
        let planes = |layers| ArrayShape::Planes {
            width: 2,
            height: 2,
            layers,
        };
        let too_large: [(ArrayShape, &str, usize); 4] = [
            ((line + 1).into(), "width", line),
            ((2, height + 1).into(), "height", height),
            ((1, 1, depth + 1).into(), "depth", depth),
            (planes(layers + 1), "layers", layers),
        ];
        for (shape, side, limit) in too_large {
            let error = device.array_uninit::<u8>(shape).unwrap_err();
            let text = error.to_string();
            assert!(
                matches!(&error, MemoryError::ArrayExtent { side: found, limit: most, given, .. }
                    if *found == side && *most == limit && *given == limit + 1)
                    && text.contains(&limit.to_string()),
                "{text}"
            );
        }
        // The largest that there can be, of few bytes.
        assert_eq!(device.array_uninit::<u8>(line)?.extent().width, line);
        assert_eq!(
            device.array_uninit::<u8>((1, 1, depth))?.extent().depth,
            depth
        );
        assert_eq!(
            device.array_uninit::<u8>(planes(layers))?.extent().depth,
            layers
        );
        for nothing in [0.into(), (0, 3).into(), (3, 0, 2).into(), planes(0)] {
            let error = device.array_uninit::<u8>(nothing).unwrap_err();
            assert!(
                matches!(error, MemoryError::ArrayExtent { given: 0, .. }),
                "{error}"
            );
        }
        Ok(())
    });
}

//@ rows: GDM-4, GDM-8
#[test]
fn copies_of_arrays_that_cannot_be_copy_nothing() {
    on_each_device(|device, stream| {
        let before = device.memory_in_use().device;
        let mut x = device.array_from((4, 3), &[7u8; 12])?;
        let held = device.memory_in_use().device;
        assert_eq!(
            (held.buffers - before.buffers, held.bytes - before.bytes),
            (1, 12)
        );
        assert!(matches!(
            device.array_from((4, 3), &[7u8; 11]),
            Err(MemoryError::LengthMismatch { given: 11, .. })
        ));
        assert!(matches!(
            x.copy_from(&[1; 13], stream),
            Err(MemoryError::LengthMismatch { given: 13, .. })
        ));
        let y = device.array_from((3, 4), &[1u8; 12])?;
        let error = x
            .as_slice_mut()
            .copy_from_device(y.as_slice(), stream)
            .unwrap_err();
        assert!(
            matches!(error, MemoryError::ExtentMismatch { .. }),
            "{error}"
        );
        assert!(x.part(..5, .., ..).is_err() && x.part(.., .., 1..2).is_err());
        let elsewhere = Device::emulator();
        let error = x.copy_from(&[1; 12], &elsewhere.stream()?).unwrap_err();
        assert!(matches!(error, MemoryError::WrongDevice { .. }), "{error}");
        let recorded = Graph::capture(device, |s| x.copy_from(&[1; 12], s));
        assert!(recorded.is_err());
        assert_eq!(x.to_vec(stream)?, [7; 12]);
        // Nothing is copied of a part without elements.
        x.part_mut(4.., .., ..)?.copy_from(&[], stream)?;
        assert!(x.part(.., 3.., ..)?.to_vec(stream)?.is_empty());
        drop((x, y));
        assert_eq!(device.memory_in_use().device, before);
        Ok(())
    });
}
