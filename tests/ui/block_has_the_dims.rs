use warploom::prelude::*;

#[kernel(block(16, 16))]
fn k(i: Index1D) {}

fn main() {}
