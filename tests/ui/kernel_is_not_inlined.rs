use warploom::prelude::*;

#[kernel]
#[inline]
fn k(x: &[f32]) {}

fn main() {}
//@ rows: AN-4
