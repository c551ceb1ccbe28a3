use warploom::prelude::*;

#[kernel]
fn fill<T: Plain>(_i: Index1D, _value: T, _y: DisjointSlice<T>) {}

#[kernel]
fn pair<T: Plain, const N: usize>(_i: Index1D, _y: DisjointSlice<[T; N]>) {}

fn run(stream: &Stream, y: &mut DeviceBuffer<f32>, z: &mut DeviceBuffer<[f32; 2]>) {
    let _ = fill::launch::<f32>(stream, (1, 1), 1.0, y);
    let _ = pair::launch::<f32, 2>(stream, (1, 1), z);
    let _ = fill::<f32>::launch(stream, 5, 1.0, y);
}

fn main() {}
