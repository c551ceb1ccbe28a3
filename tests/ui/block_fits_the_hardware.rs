use warploom::prelude::*;

#[kernel(block(64, 32))]
fn k(i: Index2D) {}

fn main() {}
