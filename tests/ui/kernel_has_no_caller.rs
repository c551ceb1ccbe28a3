use warploom::prelude::*;

#[kernel]
#[track_caller]
fn k(x: &[f32]) {}

fn main() {}
