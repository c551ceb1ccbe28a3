//@ rows: WX-6
use warploom::device_std::wmma::{
    Accumulator, Fragment, M16N16K16 as S, M32N8K16, MatrixA, MatrixB, RowMajor as R,
};
use warploom::prelude::*;

type A = Fragment<MatrixA, M32N8K16, F16, R>;

fn mma(w: Warp, a: A, b: Fragment<MatrixB, S, F16, R>, c: Fragment<Accumulator, S, f32>) {
    let _ = c.mma(w, &a, &b);
}

fn main() {}
