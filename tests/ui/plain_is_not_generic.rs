use warploom::prelude::*;

#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Pair<T> {
    first: T,
    second: u32,
}

fn main() {}
