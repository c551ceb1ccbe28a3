//! Sums that become factors in registers, and sums in memory of their warp.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom::device_std::mma::{
    D, Holds, HoldsSums, M8N8, M16N8, M16N8K16, SumElement, SumShape, Transposes,
};
use warploom::device_std::{SharedPatches, WarpPatches};
use warploom::prelude::*;
use warploom_conformance::tensor_cores::Number;
use warploom_harness::device_test::on_each_device;

/// An element whose bits tell its place and its warp.
fn element<T: Transposes>(warp: Warp<'_>, row: usize, column: usize) -> T {
    T::of_bits((1000 * warp.index() as usize + 8 * row + column) as u64)
}

/// Counts the elements of factors that are others than those of the sums that they were made of.
#[kernel(block(64))]
fn factors<T: Number + Transposes>(warp: Warp, wrong: &[AtomicU32])
where
    M16N8: HoldsSums<T, Registers = [u32; 2]>,
    M16N8K16: Holds<T, A = [u32; 4], B = [u32; 2]>,
{
    let differs = |found: T, row: usize, column: usize| {
        if found.bits() != element::<T>(warp, row, column).bits() {
            wrong[0].fetch_add(1, Relaxed);
        }
    };
    let left = D::<M16N8, T>::from_fn(warp, |row, column| element(warp, row, column));
    let right = D::<M16N8, T>::from_fn(warp, |row, column| element(warp, row + 16, column));
    left.to_b(warp)
        .for_each(warp, |k, column, found| differs(found, k, column));
    left.to_a(right).for_each(warp, |row, k, found| {
        differs(found, row + 16 * (k / 8), k % 8)
    });
    left.to_a_transposed(right, warp)
        .for_each(warp, |row, k, found| {
            differs(found, k + 16 * (row / 8), row % 8)
        });
}

fn check_factors<T: Number + Transposes>()
where
    M16N8: HoldsSums<T, Registers = [u32; 2]>,
    M16N8K16: Holds<T, A = [u32; 4], B = [u32; 2]>,
{
    on_each_device(|device, stream| {
        let mut wrong = device.zeroed::<u32>(1)?;
        factors::<T>::launch(stream, (2, 64), wrong.as_atomic())?;
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
fn sums_of_f16_become_factors() {
    check_factors::<F16>();
}

#[test]
fn sums_of_bf16_become_factors() {
    check_factors::<Bf16>();
}

/// Stores four matrices of sums into each patch of two rows of three.
#[kernel(block(64))]
fn stored<
    S: HoldsSums<T>,
    T: SumElement + Plain + Number,
    const ROWS: usize,
    const COLUMNS: usize,
>(
    warp: Warp,
    mut y: DisjointSlice2D<T, WarpPatches<ROWS, COLUMNS>>,
) {
    let (height, width) = (<S as SumShape>::M as usize, <S as SumShape>::N as usize);
    for mut patch in y.iter_mut(warp) {
        let (top, left) = (patch.row(), patch.column());
        for (row, column) in [(0, 0), (height, 0), (0, width), (height, 2 * width)] {
            let number = |r: usize, c: usize| {
                T::of_bits((97 * (top + row + r) + left + column + c) as u64 % 251)
            };
            D::<S, T>::from_fn(warp, number).store(warp, &mut patch, (row, column));
        }
    }
}

macro_rules! stores {
    ($($name:ident: $shape:ident $element:ident $rows:literal $columns:literal;)*) => {$(
        #[test]
        fn $name() {
            on_each_device(|device, stream| {
                // Three patches below each other and two beside each other, for four warps.
                let (height, width) = (3 * $rows, 2 * $columns);
                let mut y = device.zeroed::<$element>(height * width)?;
                let out = y.view_2d_mut(width)?;
                stored::<$shape, $element, $rows, $columns>::launch(stream, (2, 64), out)?;
                for (at, found) in y.to_vec(stream)?.into_iter().enumerate() {
                    let (row, column) = (at / width, at % width);
                    let (block, part) = (row % $rows / ($rows / 2), column % $columns / ($columns / 3));
                    let is_stored = matches!((block, part), (0, 0) | (1, 0) | (0, 1) | (1, 2));
                    let expected = if is_stored { (97 * row + column) as u64 % 251 } else { 0 };
                    assert_eq!(found.bits(), expected, "element {row}, {column} on {}", device.name());
                }
                Ok(())
            });
        }
    )*};
}

stores! {
    sums_of_f32_are_stored_into_patches: M16N8 f32 32 24;
    sums_of_f16_are_stored_into_patches: M16N8 F16 32 24;
    sums_of_bf16_are_stored_into_patches: M16N8 Bf16 32 24;
    sums_of_i32_are_stored_into_patches: M16N8 i32 32 24;
    sums_of_f64_are_stored_into_patches: M8N8 f64 16 24;
}

#[kernel(block(64))]
fn outside(warp: Warp, mut patches: SharedPatches<f32, 16, 16, 2>, row: usize, column: usize) {
    if let Some(mut patch) = patches.get_mut(warp) {
        D::<M16N8, f32>::zero().store(warp, &mut patch, (row, column));
    }
}

#[test]
fn a_matrix_beyond_the_patch_is_refused() {
    on_each_device(|_, stream| {
        for (row, column, fits) in [
            (0, 8, true),
            (1, 0, false),
            (0, 9, false),
            (usize::MAX, 0, false),
            (0, usize::MAX, false),
        ] {
            outside::launch(stream, (1, 64), row, column)?;
            let ended = stream.synchronize();
            assert_eq!(ended.is_ok(), fits, "at {row}, {column}: {ended:?}");
            if let Err(why) = ended {
                let place = format!("from row {row} and column {column} on");
                assert!(why.to_string().contains(&place), "{why}");
            }
        }
        Ok(())
    });
}
