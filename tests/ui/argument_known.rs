use warploom::prelude::*;

#[kernel(dims(1))]
fn k(x: &[f32]) {}

fn main() {}
