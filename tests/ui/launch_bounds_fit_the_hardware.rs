use warploom::prelude::*;

#[kernel(launch_bounds(2048))]
fn k(i: Index1D) {}

fn main() {}
