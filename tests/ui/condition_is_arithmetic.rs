use warploom::prelude::*;

fn limit() -> usize {
    7
}

#[kernel(requires(x.len() < limit()))]
fn k(x: &[f32]) {}

fn main() {}
