use warploom::prelude::*;

#[kernel(dim(4))]
fn k(x: &[f32]) {}

fn main() {}
