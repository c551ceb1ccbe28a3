use warploom::prelude::*;

type F = f32;

#[kernel]
#[rustfmt::skip]
fn k(a: SharedTile<F, 8>, b: SharedTile<F, 8>, c: SharedTile<F, 8>, d: SharedTile<F, 8>,
     e: SharedTile<F, 8>, f: SharedTile<F, 8>, g: SharedTile<F, 8>, h: SharedTile<F, 8>) {}

fn main() {}
