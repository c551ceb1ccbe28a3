use warploom::prelude::*;

#[kernel]
fn sum(x: Vec<f32>) {}

fn main() {}
