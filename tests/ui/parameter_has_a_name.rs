use warploom::prelude::*;

#[kernel]
fn k((a, b): (u32, u32)) {}

fn main() {}
