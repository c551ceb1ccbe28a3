use warploom::prelude::*;

#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Borrowed<'a> {
    element: &'a u32,
}

fn main() {}
