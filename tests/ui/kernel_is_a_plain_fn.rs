use warploom::prelude::*;

#[kernel]
async fn k(x: &[f32]) {}

fn main() {}
//@ rows: EX-3
