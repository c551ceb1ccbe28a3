//! Times the matrix product on warp groups, of `bf16`, with results of `f32` and of `bf16`.
//!
//! ```text
//! group_matmul [SIZE…]
//! ```
//! For each size (1024, 2048, 4096, 8192) the largest error of 2000 elements, the median of 20 times of 5 products each, and the rate. Without a GPU one small
//! product is computed on the emulator.
#![expect(
    clippy::print_stdout,
    reason = "the figures are what this program is for"
)]

use warploom::prelude::*;
use warploom_conformance::group_matmul::{Output, TILE, matmul_on};

/// Nearly normal numbers: sums of four uniform ones.
fn value(seed: u64, i: usize) -> Bf16 {
    let mut bits = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed;
    let mut sum = 0.0;
    for _ in 0..4 {
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits ^= bits >> 27;
        sum += (bits >> 40) as f32 / (1u32 << 24) as f32 - 0.5;
    }
    Bf16::from_f32(sum * 1.732)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = Device::cuda(0);
    let sizes: Result<Vec<usize>, _> = std::env::args().skip(1).map(|size| size.parse()).collect();
    let mut sizes: Vec<[usize; 3]> = sizes?.into_iter().map(|size| [size; 3]).collect();
    let (device, is_gpu) = match gpu {
        Ok(device) => (device, true),
        Err(why) => {
            eprintln!("no GPU, the emulator computes: {why}");
            (Device::emulator(), false)
        }
    };
    if sizes.is_empty() {
        sizes = match is_gpu {
            true => [1024, 2048, 4096, 8192].map(|size| [size; 3]).into(),
            false => vec![[256, 512, 128]],
        };
    }
    for sizes in sizes {
        time::<f32>(&device, is_gpu, sizes)?;
        time::<Bf16>(&device, is_gpu, sizes)?;
    }
    Ok(())
}

/// Writes one line, with times if it is a GPU.
fn time<T: Output + Into<f32>>(
    device: &Device,
    is_gpu: bool,
    [m, n, k]: [usize; 3],
) -> Result<(), Box<dyn std::error::Error>> {
    let stream = device.stream()?;
    let a: Vec<Bf16> = (0..m * k).map(|i| value(1, i)).collect();
    let b: Vec<Bf16> = (0..n * k).map(|i| value(2, i)).collect();
    let (on_a, on_b) = (device.upload(&a)?, device.upload(&b)?);
    let mut c = device.zeroed::<T>(m * n)?;
    let tiles = (m / TILE[0] * (n / TILE[1])) as u32;
    let blocks = tiles.min(device.properties()?.multiprocessors);
    let mut run = || matmul_on(&stream, (&on_a, &on_b), &mut c, [m, n, k], blocks);
    run()?;
    let mut times = Vec::new();
    if is_gpu {
        let (start, end) = (device.event()?, device.event()?);
        for _ in 0..20 {
            stream.record(&start)?;
            for _ in 0..5 {
                run()?;
            }
            stream.record(&end)?;
            end.synchronize()?;
            times.push(start.elapsed_ms(&end)? / 5.0);
        }
    }
    let found = c.to_vec(&stream)?;
    let error = |i: usize| {
        let (row, column) = (i * 7919 % m, i * 104_729 % n);
        let pairs = a[row * k..][..k].iter().zip(&b[column * k..][..k]);
        let exact: f64 = pairs
            .map(|(a, b)| f64::from(a.to_f32()) * f64::from(b.to_f32()))
            .sum();
        let found: f32 = found[row * n + column].into();
        (f64::from(found) - exact).abs()
    };
    let worst = (0..2000).map(error).fold(0.0, f64::max);
    let (name, of) = (device.name(), std::any::type_name::<T>());
    print!("{name} {m}×{n}×{k} to {of}: largest error {worst:.1e}");
    if !times.is_empty() {
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        let rate = 2.0 * (m * n * k) as f64 / median / 1e9;
        print!(", {median:.4} ms, {rate:.1} TFLOP/s");
    }
    println!();
    Ok(())
}
