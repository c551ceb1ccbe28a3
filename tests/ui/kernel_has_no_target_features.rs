use warploom::prelude::*;

#[kernel]
#[target_feature(enable = "avx2")]
fn k(x: &[f32]) {}

fn main() {}
