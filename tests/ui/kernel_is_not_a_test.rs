use warploom::prelude::*;

#[kernel]
#[test]
fn k() {}

fn main() {}
