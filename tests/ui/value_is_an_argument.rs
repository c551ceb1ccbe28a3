use warploom::prelude::*;

#[derive(Clone, Copy)]
struct Config {
    scale: f32,
}

#[kernel]
fn k(_config: Config) {}

fn main() {}
