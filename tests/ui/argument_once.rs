use warploom::prelude::*;

#[kernel(block(256), block(128))]
fn k(x: &[f32]) {}

fn main() {}
