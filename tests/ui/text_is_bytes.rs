use warploom::prelude::*;

#[kernel]
fn find(text: &str) {}

fn main() {}
