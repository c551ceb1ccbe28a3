use warploom::prelude::*;

#[derive(Clone, Copy, Plain)]
#[repr(u8)]
enum Edge {
    Clamp,
    Wrap,
}

fn main() {}
