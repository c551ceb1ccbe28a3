//@ rows: WX-1, E-17
use warploom::device_std::wmma::{Fragment, M16N16K8, MatrixA, RowMajor};
use warploom::prelude::*;

fn load(warp: Warp, x: &[Bf16]) {
    let _ = Fragment::<MatrixA, M16N16K8, Bf16, RowMajor>::load(warp, x, 16);
}

fn main() {}
