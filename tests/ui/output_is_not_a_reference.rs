use warploom::prelude::*;

#[kernel]
fn count(n: &mut u32) {}

fn main() {}
