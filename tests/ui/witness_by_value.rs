use warploom::prelude::*;

#[kernel]
fn k(i: &Index1D) {}

fn main() {}
