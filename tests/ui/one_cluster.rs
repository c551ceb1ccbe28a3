use warploom::prelude::*;

#[kernel(cluster(2))]
fn k(first: warploom::device::Cluster, second: warploom::device::Cluster) {}

fn main() {}
