use warploom::prelude::*;

#[kernel]
fn k(leader: BlockLeader) {}

fn main() {}
