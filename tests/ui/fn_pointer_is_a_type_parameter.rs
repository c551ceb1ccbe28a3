use warploom::prelude::*;

#[kernel]
fn map(f: fn(f32) -> f32) {}

fn main() {}
