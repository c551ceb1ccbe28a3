//! Coming from Rust-CUDA: the same kernel with an index, an output and no pointer.

use warploom::prelude::*;

// ANCHOR: kernel
#[kernel]
fn add(i: Index1D, a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    if let Some(c) = c.get_mut(i) {
        *c = a[i.get()] + b[i.get()];
    }
}
// ANCHOR_END: kernel

#[test]
fn elements_are_added() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let (a, b) = (device.filled(70, 1.5f32)?, device.filled(70, 2.0f32)?);
    let mut c = device.zeroed::<f32>(70)?;
    add::launch(&stream, Launch::covering(70), &a, &b, &mut c)?;
    assert_eq!(c.to_vec(&stream)?, [3.5; 70]);
    Ok(())
}
