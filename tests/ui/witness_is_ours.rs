use warploom::prelude::*;

struct Block;

#[kernel]
fn k(_block: Block) {}

fn main() {}
