//! Rows with a pitch, planes, and copies of rectangles and boxes between all kinds of memory.

use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;
use warploom_runtime::{HostPart, HostPartMut, MemoryError, PitchedBuffer};

use crate::numbers;

/// Sums up a row of a matrix: the rows start `step` elements after each other.
#[kernel]
fn sums(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>, width: u32, step: u32) {
    let row = i.get() * step as usize;
    if let Some(y) = y.get_mut(i) {
        *y = x[row..row + width as usize].iter().sum();
    }
}

/// Element (x, y) becomes 1000 y + x.
#[kernel]
fn coordinates(i: Index2D, mut m: DisjointSlice2D<u32>, width: u32) {
    let (x, y) = (i.x() as u32, i.y() as u32);
    if x < width
        && let Some(m) = m.get_mut(i)
    {
        *m = 1000 * y + x;
    }
}

//@ rows: GDM-2
#[test]
fn rows_are_aligned_and_kernels_use_the_pitch() {
    on_each_device(|device, stream| {
        for (width, height) in [(1, 1), (100, 70), (128, 3), (129, 64), (1000, 2)] {
            let mut x = device.pitched_zeroed::<u32>((width, height))?;
            assert!(
                x.pitch() >= 4 * width && x.pitch() % 256 == 0,
                "{}",
                x.pitch()
            );
            assert_eq!(x.row_elements() * 4, x.pitch());
            assert_eq!(x.raw_ptr() % 256, 0);
            let data = numbers(width * height);
            x.copy_from(&data, stream)?;
            assert_eq!(x.to_vec(stream)?, data);
            let mut y = device.zeroed::<u32>(height)?;
            let (launch, step) = (Launch::covering(height), x.row_elements() as u32);
            sums::launch(stream, launch, x.padded(), &mut y, width as u32, step)?;
            let expected: Vec<u32> = data.chunks(width).map(|row| row.iter().sum()).collect();
            assert_eq!(y.to_vec(stream)?, expected);
        }
        Ok(())
    });
}

//@ rows: GDM-2
#[test]
fn kernels_write_rows_in_two_dimensions() {
    on_each_device(|device, stream| {
        let (width, height) = (77, 50);
        let mut x = device.pitched_uninit::<u32>((width, height))?;
        let launch = Launch::covering_2d(width, height);
        coordinates::launch(stream, launch, x.padded_rows_mut()?, width as u32)?;
        let expected: Vec<u32> = (0..50)
            .flat_map(|y| (0..77).map(move |x| 1000 * y + x))
            .collect();
        assert_eq!(x.to_vec(stream)?, expected);
        Ok(())
    });
}

//@ rows: GDM-2
#[test]
fn elements_of_odd_sizes_have_rows_too() {
    on_each_device(|device, stream| {
        let data: Vec<[u8; 3]> = (0..=89).map(|i| [i, i + 1, i + 2]).collect();
        let mut x = device.pitched_zeroed::<[u8; 3]>((9, 10))?;
        assert_eq!(x.pitch() % 3, 0);
        x.copy_from(&data, stream)?;
        assert_eq!(x.to_vec(stream)?, data);
        let all = x.padded().to_vec(stream)?;
        assert_eq!(all[x.row_elements()..][..9], data[9..18]);
        Ok(())
    });
}

/// 6 planes of 5 rows of 7 elements: the value of element (x, y, z) is 100 z + 10 y + x.
fn cube() -> Vec<u16> {
    let row = |y: u16, z: u16| (0..7).map(move |x| 100 * z + 10 * y + x);
    (0..6)
        .flat_map(|z| (0..5).flat_map(move |y| row(y, z)))
        .collect()
}

/// Elements x 2.., y 1..4, z 3..5 of [`cube`].
fn core() -> Vec<u16> {
    let all = cube();
    let inside =
        |v: &u16| v % 10 >= 2 && (1..4).contains(&(v / 10 % 10)) && (3..5).contains(&(v / 100));
    all.into_iter().filter(inside).collect()
}

//@ rows: GDM-3, GDM-7
#[test]
fn boxes_are_cut_out_and_put_in() {
    on_each_device(|device, stream| {
        let mut x = device.pitched_zeroed::<u16>((7, 5, 6))?;
        x.copy_from(&cube(), stream)?;
        assert_eq!(x.to_vec(stream)?, cube());
        assert_eq!(x.part(2.., 1..4, 3..5)?.to_vec(stream)?, core());
        assert_eq!(
            x.rect(6.., ..1)?.to_vec(stream)?,
            [6, 106, 206, 306, 406, 506]
        );

        let mut y = device.pitched_zeroed::<u16>((8, 4, 3))?;
        y.part_mut(3.., 1.., 1..)?
            .copy_from_device(x.part(2.., 1..4, 3..5)?, stream)?;
        assert_eq!(y.part(3.., 1.., 1..)?.to_vec(stream)?, core());
        assert!(y.part(.., .., ..1)?.to_vec(stream)?.iter().all(|v| *v == 0));
        assert!(y.rect(..3, ..)?.to_vec(stream)?.iter().all(|v| *v == 0));
        Ok(())
    });
}

//@ rows: GDM-3
#[test]
fn a_kernel_sums_all_planes() {
    on_each_device(|device, stream| {
        let n = 64;
        let data = numbers(n * n * n);
        let mut x = device.pitched_uninit::<u32>((n, n, n))?;
        x.copy_from(&data, stream)?;
        let mut y = device.zeroed::<u32>(n * n)?;
        let (launch, step) = (Launch::covering(n * n), x.row_elements() as u32);
        sums::launch(stream, launch, x.padded(), &mut y, n as u32, step)?;
        let expected: Vec<u32> = data.chunks(n).map(|row| row.iter().sum()).collect();
        assert_eq!(y.to_vec(stream)?, expected);
        Ok(())
    });
}

//@ rows: GDM-6, GDM-7, GDM-12, TM-10, TM-11
#[test]
fn every_pair_of_kinds_of_memory_copies_parts() {
    on_each_device(|device, stream| {
        let host = cube();
        let part = || HostPart::new(&host, (7, 5, 6))?.part(2.., 1..4, 3..5);
        // Host to rows, to a linear buffer, to page-locked memory, and back.
        let mut rows = device.pitched_zeroed::<u16>((7, 5, 6))?;
        rows.part_mut(..5, 2.., 4..)?
            .copy_from_host(part()?, stream)?;
        let mut flat = device.zeroed::<u16>(210)?;
        flat.as_slice_mut()
            .shaped((10, 7, 3))?
            .into_part(5.., 4.., 1..)?
            .copy_from_device(rows.part(..5, 2.., 4..)?, stream)?;
        let mut pinned = device.pinned::<u16>(40)?;
        let cut = flat.as_slice().shaped((10, 7, 3))?.part(5.., 4.., 1..)?;
        cut.copy_to_pinned(pinned.slice_mut(5..35)?, stream)?;
        assert_eq!(pinned.as_slice()?[5..35], core());
        assert_eq!(pinned.as_slice()?[35..], [0; 5]);

        let mut again = device.pitched_zeroed::<u16>((6, 5, 4))?;
        again
            .part_mut(1.., 2.., 2..)?
            .copy_from_pinned(pinned.slice(5..35)?, stream)?;
        let mut back = vec![0u16; 7 * 5 * 6];
        let target = HostPartMut::new(&mut back, (7, 5, 6))?.part(2.., 1..4, 3..5)?;
        again.part(1.., 2.., 2..)?.copy_to_host(target, stream)?;
        let expected: Vec<u16> = host
            .iter()
            .map(|v| if core().contains(v) { *v } else { 0 })
            .collect();
        assert_eq!(back, expected);
        let mut tight = vec![0u16; 30];
        again.part(1.., 2.., 2..)?.copy_to(&mut tight, stream)?;
        assert_eq!(tight, core());
        // Managed memory, too.
        let mut managed = device.managed_zeroed::<u16>(30)?;
        managed
            .device_slice_mut()
            .shaped((5, 3, 2))?
            .copy_from_device(again.part(1.., 2.., 2..)?, stream)?;
        assert_eq!(managed.as_slice()?, core());
        Ok(())
    });
}

//@ rows: GDM-6, GAS-8
#[test]
fn copies_of_rectangles_keep_the_order_of_streams() {
    on_each_device(|device, stream| {
        let other = device.stream()?;
        let (width, height) = (500, 300);
        let mut x = device.pitched_zeroed::<u32>((width, height))?;
        let mut y = device.pitched_zeroed::<u32>((width, height))?;
        let mut host = device.pinned::<u32>(width * height)?;
        for round in 1..5u32 {
            host.as_mut_slice()?.fill(round);
            x.as_slice_mut().copy_from_pinned(&host, stream)?;
            y.rect_mut(1.., 1..)?
                .copy_from_device(x.rect(1.., 1..)?, &other)?;
            y.as_slice().copy_to_pinned(&mut host, stream)?;
            let seen = host.as_slice()?;
            assert!(seen[..width].iter().all(|v| *v == 0));
            assert!(
                seen[width..]
                    .chunks(width)
                    .all(|row| row[0] == 0 && row[1..].iter().all(|v| *v == round))
            );
        }
        Ok(())
    });
}

//@ rows: GDM-11
#[test]
fn rectangles_and_boxes_are_filled() {
    on_each_device(|device, stream| {
        fn fills<T: Plain + PartialEq + std::fmt::Debug>(
            (device, stream): (&Device, &Stream),
            (old, new): (T, T),
        ) -> warploom::Result<()> {
            let mut x: PitchedBuffer<T> = device.pitched_uninit((70, 6, 3))?;
            x.fill(old, stream)?;
            assert_eq!(x.to_vec(stream)?, vec![old; 70 * 18]);
            x.part_mut(1..69, 2..5, 1..)?.fill(new, stream)?;
            let all = x.to_vec(stream)?;
            for (at, value) in all.iter().enumerate() {
                let (x, y, z) = (at % 70, at / 70 % 6, at / 420);
                let inside = (1..69).contains(&x) && (2..5).contains(&y) && z >= 1;
                assert_eq!(*value, if inside { new } else { old }, "{x} {y} {z}");
            }
            Ok(())
        }
        fills((device, stream), (1u8, 2))?;
        fills((device, stream), (1u16, 0x1234))?;
        fills((device, stream), (1.5f32, -2.0))?;
        fills((device, stream), (u64::MAX, 1))?;
        fills((device, stream), ([1u8, 2, 3], [4, 5, 6]))?;
        fills((device, stream), ([0.0f64; 2], [1.0, 2.0]))
    });
}

//@ rows: GDM-6
#[test]
fn copies_of_different_extents_are_refused() {
    on_each_device(|device, stream| {
        let mut x = device.pitched_zeroed::<u8>((4, 3))?;
        let y = device.pitched_zeroed::<u8>((3, 4))?;
        let error = x
            .as_slice_mut()
            .copy_from_device(y.as_slice(), stream)
            .unwrap_err();
        assert!(
            matches!(error, MemoryError::ExtentMismatch { .. }),
            "{error}"
        );
        assert!(error.to_string().contains("3x4x1") && error.to_string().contains("4x3x1"));
        let error = x.copy_from(&[1; 11], stream).unwrap_err();
        assert!(
            matches!(error, MemoryError::LengthMismatch { given: 11, .. }),
            "{error}"
        );
        assert!(
            x.part(..5, .., ..).is_err()
                && x.rect(.., 4..).is_err()
                && x.part(.., .., 1..2).is_err()
        );
        assert!(HostPart::new(&[1u8; 7], (2, 3)).is_err());
        let pinned = device.pinned::<u8>(13)?;
        assert!(x.as_slice_mut().copy_from_pinned(&pinned, stream).is_err());
        assert_eq!(x.to_vec(stream)?, [0; 12]);
        Ok(())
    });
}

//@ rows: GDM-2, GDM-3
#[test]
fn nothing_and_too_much() {
    on_each_device(|device, stream| {
        for extent in [(0, 5, 2), (5, 0, 2), (5, 2, 0), (0, 0, 0)] {
            let mut x = device.pitched_zeroed::<u32>(extent)?;
            assert!(x.to_vec(stream)?.is_empty());
            x.copy_from(&[], stream)?;
            x.fill(1, stream)?;
            assert!(x.padded().is_empty());
        }
        let x = device.pitched_zeroed::<[u32; 0]>((3, 4))?;
        assert_eq!(x.to_vec(stream)?.len(), 12);
        for extent in [
            (usize::MAX, 1),
            (1 << 40, 1 << 40),
            (1, usize::MAX / 2),
            (3, 1 << 62),
        ] {
            let error = device.pitched_zeroed::<u64>(extent).unwrap_err();
            assert!(
                matches!(error, MemoryError::OutOfMemory { size: 8, .. }),
                "{error}"
            );
        }
        Ok(())
    });
}
