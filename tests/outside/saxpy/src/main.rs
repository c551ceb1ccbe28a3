use warploom::prelude::*;

/// Each thread computes one element of `y += a * x`.
#[kernel]
fn saxpy(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y += a * x[i.get()];
    }
}

fn main() -> warploom::Result<()> {
    let device = Device::open()?; // a GPU if there is one, else the emulator
    let stream = device.stream()?;
    let x = device.upload(&vec![1.0f32; 1_000_000])?;
    let mut y = device.upload(&vec![2.0f32; 1_000_000])?;
    saxpy::launch(&stream, Launch::covering(x.len()), 3.0, &x, &mut y)?;
    let y = y.to_vec(&stream)?;
    println!("{}: y[0] = {}, all equal: {}", device.name(), y[0], y.iter().all(|&v| v == y[0]));
    Ok(())
}
