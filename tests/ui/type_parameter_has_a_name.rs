use warploom::prelude::*;

#[kernel]
fn map(f: impl Fn(f32) -> f32 + Copy) {}

fn main() {}
