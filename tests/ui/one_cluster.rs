use warploom::prelude::*;

#[kernel(cluster(2))]
fn k(first: warploom::device_std::Cluster, second: warploom::device_std::Cluster) {}

fn main() {}
