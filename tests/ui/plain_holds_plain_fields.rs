use warploom::prelude::*;

#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Flags {
    done: bool,
}

fn main() {}
