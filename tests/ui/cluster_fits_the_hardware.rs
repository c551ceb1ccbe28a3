use warploom::prelude::*;

#[kernel(cluster(4, 4))]
fn k(i: Index2D) {}

fn main() {}
