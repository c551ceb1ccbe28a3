use warploom::prelude::*;

#[kernel]
fn scale(_i: Index1D, _a: f32, _y: DisjointSlice<f32>) {}

#[kernel]
fn both(i: Index1D, y: DisjointSlice<f32>) {
    scale(i, 2.0, y);
}

fn main() {
    scale(2.0);
    let scale = 1;
}
