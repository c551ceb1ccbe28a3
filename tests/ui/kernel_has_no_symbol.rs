use warploom::prelude::*;

#[kernel]
#[unsafe(no_mangle)]
fn k(x: &[f32]) {}

fn main() {}
