use warploom::prelude::*;

#[kernel]
fn k(mut x: &[f32]) {}

fn main() {}
