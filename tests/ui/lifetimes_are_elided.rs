use warploom::prelude::*;

#[kernel]
fn k(x: &'static [f32]) {}

fn main() {}
