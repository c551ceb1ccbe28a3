use warploom::prelude::*;

#[kernel(fast_math)]
fn half(x: f32) -> f32 {
    x / 2.0
}

fn main() {}
