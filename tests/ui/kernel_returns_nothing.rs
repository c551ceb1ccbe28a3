use warploom::prelude::*;

#[kernel]
fn count(x: &[u32]) -> u32 {
    x[0]
}

fn main() {}
//@ rows: EX-3
