use warploom::prelude::*;

#[kernel]
fn k(_x: &[bool]) {}

fn main() {}
