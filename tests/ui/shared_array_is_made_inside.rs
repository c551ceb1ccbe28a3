use warploom::prelude::*;

#[kernel]
fn k(array: SharedArray<f32, 64>) {}

fn main() {}
