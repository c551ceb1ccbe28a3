use warploom::prelude::*;

#[kernel]
struct Saxpy {
    a: f32,
}

fn main() {}
