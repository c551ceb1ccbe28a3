use warploom::prelude::*;

#[kernel]
fn k<'a>(x: &[f32]) {}

fn main() {}
