//@ rows: WX-4
use warploom::device_std::{warp::WarpPatch, wmma::{Fragment, M16N16K16, MatrixA, RowMajor}};
use warploom::prelude::*;

type A = Fragment<MatrixA, M16N16K16, F16, RowMajor>;

fn store(warp: Warp, a: A, mut patch: WarpPatch<F16, 16, 16>) {
    a.store(warp, &mut patch, (0, 0), RowMajor);
}

fn main() {}
