//! Matrices of more than one fragment in global memory.

use warploom::device_std::wmma::{
    Accumulator, ColMajor, Fragment, M8N8K4, M16N16K16, MatrixA, MatrixB, RowMajor,
};
use warploom::prelude::*;
use warploom_harness::device_test::check;

/// `C += A · B` by rectangles of 32 × 32, of four fragments each.
#[kernel]
fn multiplied(
    warp: Warp,
    a: &[i8],
    b: &[i8],
    k: u32,
    mut c: DisjointSlice2D<i32, WarpPatches<32, 32>>,
) {
    let (k, n) = (k as usize, c.width());
    for mut patch in c.iter_mut(warp) {
        for (row, column) in [(0, 0), (0, 16), (16, 0), (16, 16)] {
            let mut sums = Fragment::<Accumulator, M16N16K16, i32>::load_own(
                warp,
                &patch,
                (row, column),
                RowMajor,
            );
            let a = &a[(patch.row() + row) * k..];
            let b = &b[patch.column() + column..];
            for at in (0..k).step_by(16) {
                // Of rows of 8-bit integers every fragment begins at a multiple of 16 bytes.
                let a = Fragment::<MatrixA, M16N16K16, i8, RowMajor>::load(warp, &a[at..], k);
                let b = Fragment::<MatrixB, M16N16K16, i8, RowMajor>::load(warp, &b[at * n..], n);
                sums = sums.mma(warp, &a, &b);
            }
            sums.store(warp, &mut patch, (row, column), RowMajor);
        }
    }
}

//@ rows: WX-2, WX-3, WX-4, WX-6, E-19
#[test]
fn products_of_large_matrices_are_added_to_what_was_there() {
    // 32 columns and 16 rows belong to no warp: there is no whole rectangle.
    let (m, n, k) = (3 * 32 + 16, 2 * 32 + 16, 5 * 16);
    let a: Vec<i8> = (0..m * k).map(|i| (i * 31 % 251) as i8).collect();
    let b: Vec<i8> = (0..k * n).map(|i| (i * 17 % 241) as i8).collect();
    let c: Vec<i32> = (0..m * n).map(|i| i as i32).collect();
    let expected: Vec<i32> = (0..m * n)
        .map(|at| {
            let (row, column) = (at / n, at % n);
            if row >= 96 || column >= 64 {
                return c[at];
            }
            let products = (0..k).map(|i| i32::from(a[row * k + i]) * i32::from(b[i * n + column]));
            c[at] + products.sum::<i32>()
        })
        .collect();
    for launch in [Launch::new(1, 32), Launch::new(2, 64), Launch::new(3, 96)] {
        check(&expected, |device, stream| {
            let (a, b) = (device.upload(&a)?, device.upload(&b)?);
            let mut c = device.upload(&c)?;
            let rows = c.view_2d_mut(n)?;
            multiplied::launch(stream, launch, &a, &b, k as u32, rows)?;
            Ok(c.to_vec(stream)?)
        });
    }
}

/// Stores a matrix in rows and loads it in columns, over and over: each access sees the one before.
#[kernel]
fn transposed(warp: Warp, rounds: u32, mut c: DisjointSlice2D<f64, WarpPatches<8, 8>>) {
    if let Some(mut patch) = c.get_mut(warp) {
        for _ in 0..rounds {
            let sums =
                Fragment::<Accumulator, M8N8K4, f64>::load_own(warp, &patch, (0, 0), ColMajor);
            sums.map(|x| x + 1.0)
                .store(warp, &mut patch, (0, 0), RowMajor);
        }
    }
}

//@ rows: WX-3, WX-4
#[test]
fn a_warp_sees_what_it_stored() {
    let start: Vec<f64> = (0..2 * 64).map(f64::from).collect();
    let rounds = 7;
    let expected: Vec<f64> = (0..start.len())
        .map(|at| {
            let (matrix, row, column) = (at / 64, at / 8 % 8, at % 8);
            start[matrix * 64 + column * 8 + row] + f64::from(rounds)
        })
        .collect();
    check(&expected, |device, stream| {
        let mut c = device.upload(&start)?;
        let rows = c.view_2d_mut(8)?;
        transposed::launch(stream, Launch::new(1, 64), rounds, rows)?;
        Ok(c.to_vec(stream)?)
    });
}

/// With pointers, each warp to a place of its own.
#[kernel]
fn raw(warp: Warp, x: &[f32], mut y: DisjointSlice<f32>) {
    let at = warp.index() as usize * 256;
    if at + 256 > x.len() || at + 256 > y.len() {
        return;
    }
    let (from, to) = (&raw const x[at], y.raw());
    // SAFETY: 16 lines of 16 elements, aligned to 1024 bytes, for all lanes the same.
    let sums =
        unsafe { Fragment::<Accumulator, M16N16K16, f32>::load_raw(warp, from, 16, RowMajor) };
    // SAFETY: within the output (checked), where no other warp stores.
    let to = unsafe { to.add(at) };
    // SAFETY: as above.
    unsafe { sums.store_raw(warp, to, 16, ColMajor) };
}

//@ rows: WX-3, WX-4
#[test]
fn pointers_name_matrices() {
    let x: Vec<f32> = (0..512).map(|i| i as f32).collect();
    let expected: Vec<f32> = (0..512)
        .map(|at| x[at / 256 * 256 + at % 16 * 16 + at / 16 % 16])
        .collect();
    check(&expected, |device, stream| {
        let x = device.upload(&x)?;
        let mut y = device.zeroed(512)?;
        raw::launch(stream, Launch::new(1, 64), &x, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
