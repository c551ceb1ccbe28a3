use warploom::prelude::*;

#[kernel(requires(_n as f32 * 0.1 < 1.0))]
fn literals(_n: u32) {}

fn main() {}
