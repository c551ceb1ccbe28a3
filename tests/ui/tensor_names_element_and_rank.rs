use warploom::prelude::*;

#[kernel]
fn k(x: TensorSource<f32>) {}

fn main() {}
