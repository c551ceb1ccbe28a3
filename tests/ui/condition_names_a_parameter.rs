use warploom::prelude::*;

#[kernel(requires(x.len() == y.len()))]
fn k(x: &[f32], out: &[f32]) {}

fn main() {}
