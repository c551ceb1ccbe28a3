use warploom::prelude::*;

#[kernel(cluster(2, 2))]
fn k(i: Index1D) {}

fn main() {}
