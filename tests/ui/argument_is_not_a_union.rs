use warploom::prelude::*;

#[derive(Clone, Copy, KernelArg)]
union Bits {
    number: u32,
}

fn main() {}
