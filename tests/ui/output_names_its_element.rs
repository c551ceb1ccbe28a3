use warploom::prelude::*;

#[kernel]
fn k(y: DisjointSlice) {}

fn main() {}
