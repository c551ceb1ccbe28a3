//@ rows: WX-6, E-17
use warploom::device_std::wmma::{
    Accumulator, ColMajor as C, Fragment, M16N16K16 as S, MatrixA, MatrixB, RowMajor as R,
};
use warploom::prelude::*;

type Sums = Fragment<Accumulator, S, F16>;

fn mma(w: Warp, a: Fragment<MatrixA, S, Bf16, R>, b: Fragment<MatrixB, S, Bf16, C>, c: Sums) {
    let _ = c.mma(w, &a, &b);
}

fn main() {}
