use warploom::prelude::*;

#[kernel(crate = 5)]
fn number(i: Index1D, mut y: DisjointSlice<u32>) {}

#[kernel(crate)]
fn nothing(i: Index1D, mut y: DisjointSlice<u32>) {}

#[derive(Clone, Copy, Plain)]
#[warploom(root = warploom)]
#[repr(C)]
struct Element(u32);

fn main() {}
