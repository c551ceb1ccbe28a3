use warploom::prelude::*;

#[kernel]
fn k(x: &DeviceBuffer<f32>) {}

fn main() {}
