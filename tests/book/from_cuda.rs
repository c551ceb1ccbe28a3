//! Coming from CUDA C++: kernels of the benchmarks' CUDA sources, in Rust.

use warploom::prelude::*;

// ANCHOR: saxpy
/// `y += a * x`, one element per thread.
#[kernel]
fn saxpy(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y += a * x[i.get()];
    }
}
// ANCHOR_END: saxpy

// ANCHOR: launch
#[test]
fn saxpy_adds() -> warploom::Result<()> {
    let n = 1000;
    let device = Device::open()?; // cudaSetDevice
    let stream = device.stream()?; // cudaStreamCreateWithFlags(.., cudaStreamNonBlocking)
    let x = device.upload(&vec![1.0f32; n])?; // cudaMalloc, cudaMemcpy
    let mut y = device.upload(&vec![2.0f32; n])?;
    // saxpy<<<(n + 255) / 256, 256, 0, stream>>>(3.0f, x, y, n)
    saxpy::launch(&stream, Launch::covering(n).block(256), 3.0, &x, &mut y)?;
    let y = y.to_vec(&stream)?; // cudaMemcpyAsync, cudaStreamSynchronize
    assert!(y.iter().all(|v| *v == 5.0));
    Ok(()) // cudaFree: when the buffers are dropped
}
// ANCHOR_END: launch

// ANCHOR: raw
/// As in CUDA C++: pointers, indices and a barrier, and no proof that threads do not meet in an element.
#[kernel(block(64))]
fn reverse_raw(x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 64);
    let t = thread_idx().x as usize;
    let i = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    // SAFETY: each thread writes its own slot.
    unsafe { tile.set(t, x[i]) };
    sync_threads();
    // SAFETY: the barrier separates this from the writes.
    let value = unsafe { tile.get(63 - t) };
    if i < y.len() {
        // SAFETY: in bounds; each thread has an `i` of its own.
        let place = unsafe { y.raw().add(i) };
        // SAFETY: as above.
        unsafe { place.write(value) };
    }
}
// ANCHOR_END: raw

#[test]
fn blocks_of_64_are_reversed() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let x = device.upload(&(0..128).collect::<Vec<u32>>())?;
    let mut y = device.zeroed::<u32>(128)?;
    reverse_raw::launch(&stream, Launch::new(2, 64), &x, &mut y)?;
    let y = y.to_vec(&stream)?;
    assert_eq!((y[0], y[63], y[64], y[127]), (63, 0, 127, 64));
    Ok(())
}
