use warploom::prelude::*;

#[kernel]
fn k(#[cfg(debug_assertions)] n: u32) {}

fn main() {}
//@ rows: GVAR-8
