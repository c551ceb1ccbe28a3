use warploom::prelude::*;

#[kernel(dim(2))]
fn k(i: Index1D, mut y: DisjointSlice<f32>) {}

fn main() {}
