use warploom::prelude::*;

#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Sample {
    kind: u8,
    value: f32,
}

fn main() {}
