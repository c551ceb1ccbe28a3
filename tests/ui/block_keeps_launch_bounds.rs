use warploom::prelude::*;

#[kernel(block(256), launch_bounds(128))]
fn k(i: Index1D) {}

fn main() {}
