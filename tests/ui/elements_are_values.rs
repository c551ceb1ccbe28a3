use warploom::prelude::*;

#[kernel]
fn k(x: &[&f32]) {}

fn main() {}
