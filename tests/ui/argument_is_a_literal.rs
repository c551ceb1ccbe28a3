use warploom::prelude::*;

const TILE: u32 = 16;

#[kernel(block(TILE))]
fn k(x: &[f32]) {}

fn main() {}
