use warploom::DeviceSliceMut;
use warploom::prelude::*;

#[kernel]
fn fill(_i: Index1D, _y: DisjointSlice<f32>) {}

fn run(stream: &Stream, y: &mut DeviceBuffer<f32>, part: DeviceSliceMut<f32>) {
    let _ = fill::launch(stream, (1, 1), y);
    let _ = fill::launch(stream, (1, 1), y);
    let _ = fill::launch(stream, (1, 1), part);
    let _ = fill::launch(stream, (1, 1), part);
}

fn main() {}
