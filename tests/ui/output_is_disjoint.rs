use warploom::prelude::*;

#[kernel]
fn double(i: Index1D, y: &mut [f32]) {
    y[i.get()] *= 2.0;
}

fn main() {}
