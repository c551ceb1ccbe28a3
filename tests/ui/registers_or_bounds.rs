use warploom::prelude::*;

#[kernel(launch_bounds(256), max_registers(64))]
fn k(i: Index1D) {}

fn main() {}
//@ rows: KC-9
