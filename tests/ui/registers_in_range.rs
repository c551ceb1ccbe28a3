use warploom::prelude::*;

#[kernel(max_registers(8))]
fn k(i: Index1D) {}

fn main() {}
