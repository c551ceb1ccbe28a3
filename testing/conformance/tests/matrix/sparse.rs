//! Sparse matrices: which elements are there, and what is no place of any.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom::device_std::mma::{
    B, D, M16N8, M16N8K8, M16N8K16, M16N8K32, M16N8K64, M16N8K128, S4, SparseA, Tf32,
};
use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

/// The element in row `row` and column `k`: of each four neighbours those of a pattern that differs from row to row.
fn element(row: usize, k: usize) -> i8 {
    let patterns = [
        [0, 1],
        [0, 2],
        [0, 3],
        [1, 2],
        [1, 3],
        [2, 3],
        [1, 1],
        [3, 3],
    ];
    let there = patterns[(row + k / 4) % 8].contains(&(k % 4));
    if there {
        (row * 7 + k * 3) as i8 | 1
    } else {
        0
    }
}

/// A product with a matrix of which the host has made registers and places.
#[kernel(block(32))]
fn packed(warp: Warp, a: &[[u32; 4]], places: &[u32], b: &[i8], d: &[AtomicU32]) {
    let lane = warp.lane() as usize;
    let a = SparseA::<M16N8K64, i8>::from_parts(a[lane], places[lane]);
    let b = B::from_columns(warp, b, 64);
    let sums: D<M16N8, i32> = warp.mma_sparse(a, b, D::zero());
    sums.for_each(warp, |row, column, value| {
        d[row * 8 + column].store(value.cast_unsigned(), Relaxed)
    });
}

#[test]
fn the_host_makes_registers_and_places() {
    type Sparse = SparseA<M16N8K64, i8>;
    // Elements that are there, in ascending order; an absent one where fewer than two are.
    let there = |row: u32, group: u32| -> [usize; 2] {
        let first = group as usize * 4;
        let found: Vec<usize> = (0..4)
            .filter(|i| element(row as usize, first + i) != 0)
            .collect();
        match found[..] {
            [a, b] => [a, b],
            [3] => [0, 3],
            [a] => [a, 3],
            _ => [0, 1],
        }
    };
    let mut registers = vec![[0u32; 4]; 32];
    let mut places = vec![0u32; 32];
    for lane in 0..32 {
        for i in 0..Sparse::ELEMENTS {
            let (row, column) = Sparse::coords(lane, i);
            let place = there(row, column / 2)[column as usize % 2];
            let byte = element(row as usize, (column / 2) as usize * 4 + place).cast_unsigned();
            registers[lane as usize][i as usize / 4] |= u32::from(byte) << (8 * (i % 4));
        }
        for i in 0..Sparse::GROUPS_OF_WORD {
            if let Some((row, group)) = Sparse::group(lane, i) {
                let [first, second] = there(row, group);
                places[lane as usize] |= ((first | second << 2) as u32) << (4 * i);
            }
        }
    }
    let b: Vec<i8> = (0..8 * 64).map(|i| (i * 11 % 127) as i8).collect();
    on_each_device(|device, stream| {
        let mut d = device.zeroed::<u32>(128)?;
        packed::launch(
            stream,
            (1, 32),
            &device.upload(&registers)?,
            &device.upload(&places)?,
            &device.upload(&b)?,
            d.as_atomic(),
        )?;
        for (at, found) in d.to_vec(stream)?.into_iter().enumerate() {
            let (row, column) = (at / 8, at % 8);
            let products =
                (0..64).map(|k| i32::from(element(row, k)) * i32::from(b[column * 64 + k]));
            assert_eq!(
                found.cast_signed(),
                products.sum::<i32>(),
                "element {row}, {column} on {}",
                device.name()
            );
        }
        Ok(())
    });
}

/// Of groups with three elements the last one is left out; of groups with a single one or none it is there.
#[kernel(block(32))]
fn pruned(warp: Warp, wrong: &[AtomicU32]) {
    let of = |row: usize, k: usize| [k % 4 != row % 5, k % 4 == row % 4][row / 8];
    let a = SparseA::<M16N8K32, F16>::from_fn(warp, |row, k| {
        F16::from_f32(f32::from(u8::from(of(row, k))))
    });
    // Column `n` of B has numbers that tell the places in groups apart.
    let b = B::from_fn(warp, |k, n| {
        F16::from_f32(if k / 4 == n {
            [1.0, 4.0, 16.0, 64.0][k % 4]
        } else {
            0.0
        })
    });
    let sums: D<M16N8, f32> = warp.mma_sparse(a, b, D::zero());
    sums.for_each(warp, |row, _, value| {
        let there = (0..4)
            .filter(|k| of(row, *k))
            .take(2)
            .map(|k| [1.0, 4.0, 16.0, 64.0][k]);
        if value != there.sum::<f32>() {
            wrong[0].fetch_add(1, Relaxed);
        }
    });
}

#[test]
fn of_more_elements_than_half_the_first_are_taken() {
    on_each_device(|device, stream| {
        let mut wrong = device.zeroed::<u32>(1)?;
        pruned::launch(stream, (1, 32), wrong.as_atomic())?;
        assert_eq!(
            wrong.to_vec(stream)?,
            [0],
            "wrong elements on {}",
            device.name()
        );
        Ok(())
    });
}

#[test]
fn each_group_has_its_places_once() {
    fn check(groups: u32, of: impl Fn(u32, u32) -> Option<(u32, u32)>) {
        let mut found: Vec<_> = (0..32)
            .flat_map(|lane| (0..8).filter_map(|i| of(lane, i)).collect::<Vec<_>>())
            .collect();
        found.sort_unstable();
        let all: Vec<_> = (0..16)
            .flat_map(|row| (0..groups).map(move |group| (row, group)))
            .collect();
        assert_eq!(found, all);
    }
    check(4, SparseA::<M16N8K16, F16>::group);
    check(8, SparseA::<M16N8K32, F16>::group);
    check(4, SparseA::<M16N8K8, Tf32>::group);
    check(8, SparseA::<M16N8K16, Tf32>::group);
    check(8, SparseA::<M16N8K32, i8>::group);
    check(16, SparseA::<M16N8K64, i8>::group);
    check(8, SparseA::<M16N8K64, S4>::group);
    check(16, SparseA::<M16N8K128, S4>::group);
}

#[kernel(block(32))]
fn descending(warp: Warp, places: u32) {
    let a = SparseA::<M16N8K32, F16>::from_parts([0; 4], places);
    let _: D<M16N8, f32> = warp.mma_sparse(a, B::splat(F16::ZERO), D::zero());
}

#[test]
fn what_is_no_place_is_reported_by_the_emulator() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    descending::launch(&stream, (1, 32), 0x4444_4444).unwrap();
    stream.synchronize().unwrap();
    descending::launch(&stream, (1, 32), 0x4444_9444).unwrap();
    stream.synchronize().unwrap();
    descending::launch(&stream, (1, 32), 0x4444_1444).unwrap();
    let why = stream.synchronize().unwrap_err().to_string();
    assert!(
        why.contains("the places 0b0001 in bits 12 to 15 of lane 0"),
        "{why}"
    );
}
