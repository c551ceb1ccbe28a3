//@ rows: WX-1
use warploom::device_std::wmma::{Accumulator, Fragment, M16N16K16, RowMajor};

fn kept(_c: Fragment<Accumulator, M16N16K16, f32, RowMajor>) {}

fn main() {}
