use warploom::prelude::*;

#[kernel]
fn k(n: u32) {
    Self::step(n);
}

fn main() {}
