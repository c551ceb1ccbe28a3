use warploom::prelude::*;

#[kernel]
fn k(i: Index1D, at: Index2D) {}

fn main() {}
