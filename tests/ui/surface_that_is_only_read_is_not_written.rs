use warploom::device_std::surface::ReadOnly;
use warploom::prelude::*;

#[kernel]
fn k(i: Index2D, mut x: Surface2d<f32, ReadOnly>) {
    x.write(i, 1.0);
}

fn main() {}
