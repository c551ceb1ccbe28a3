use warploom::prelude::*;

#[derive(Clone, Copy, KernelArg)]
struct Config {
    scale: f32,
}

#[kernel]
fn k(config: &Config) {}

fn main() {}
