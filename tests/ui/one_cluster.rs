use warploom::device::Cluster;
use warploom::prelude::*;

#[kernel(cluster(2))]
fn k(first: Cluster, second: Cluster) {}

fn main() {}
