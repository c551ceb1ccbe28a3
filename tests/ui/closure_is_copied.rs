use warploom::prelude::*;

#[kernel]
fn map<F: Fn(f32) -> f32>(_x: &[f32], _f: F) {}

fn host(stream: &Stream, x: &DeviceBuffer<f32>) {
    let scale = vec![2.0f32];
    let _ = map::launch(stream, Launch::covering(1), x, move |v| v * scale[0]);
}

fn main() {}
