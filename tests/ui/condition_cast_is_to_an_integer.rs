use warploom::prelude::*;

type Real = f64;

#[kernel(requires(_n as Real as u32 == _n))]
fn aliases(_n: u32) {}

fn main() {}
