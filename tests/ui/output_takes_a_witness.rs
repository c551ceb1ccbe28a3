use warploom::prelude::*;

#[kernel]
fn store(i: Index1D, mut y: DisjointSlice<f32>) {
    y[i.get()] = 1.0;
}

#[kernel]
fn store_2d(i: Index2D, mut y: DisjointSlice2D<f32>) {
    y[i] += 1.0;
}

fn main() {}
