//@ rows: WX-1
use warploom::device_std::wmma::{Fragment, M16N16K16, MatrixA};
use warploom::prelude::*;

fn kept(_a: Fragment<MatrixA, M16N16K16, F16>) {}

fn main() {}
