use warploom::prelude::*;

#[kernel(cluster(8), launch_bounds(max_threads = 128, max_blocks_per_cluster = 4))]
fn k(i: Index1D) {}

fn main() {}
