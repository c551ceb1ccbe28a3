use warploom::prelude::*;

#[derive(Clone, Copy, Plain)]
struct Point {
    x: f32,
    y: f32,
}

fn main() {}
