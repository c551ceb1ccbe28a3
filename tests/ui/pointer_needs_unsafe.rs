use warploom::prelude::*;

#[kernel]
fn k(p: *mut f32) {}

fn main() {}
