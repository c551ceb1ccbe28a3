//! A product of square matrices through 32x32 tiles: shared memory and arithmetic, nothing clever.

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Traffic, Twin};
use warploom_harness::record::Measured;

use super::Run;
use super::driver::{Argument, DriverError, Shape};
use super::kernels::{TILE, matmul};
use super::session::{BenchError, Compared, Session, Verdict, only_verified};

pub(crate) const MATMUL: Benchmark<Run> = Benchmark {
    name: "matmul",
    twin: Twin::cuda("matmul"),
    unit: "rows",
    sizes: &[1024, 4096],
    small: 64,
    traffic: |n| Traffic::Flops(2 * n * n * n),
    prediction: "0.95 or more: the inner loop is the same; the bounds checks of two loads per tile stand before the first store",
    run,
};

/// Rows, and columns in each, that are compared with the reference.
const SAMPLES: usize = 64;

fn run(session: &Session, size: u64) -> Result<Measured, BenchError> {
    let n = size as usize;
    let stream = &session.stream;
    let a: Vec<f32> = (0..n * n).map(|i| noise(i as u32)).collect();
    let b: Vec<f32> = (0..n * n).map(|i| noise(!(i as u32))).collect();
    let (on_device_a, on_device_b) = (session.device.upload(&a)?, session.device.upload(&b)?);
    let mut c = session.device.zeroed::<f32>(n * n)?;
    let blocks = (n / TILE) as u32;
    let threads = TILE as u32;
    let shape = Launch::new((blocks, blocks), (threads, threads));
    let rows = n as u32;
    let verdict = Verdict {
        kernel: MATMUL.name,
        size,
        limit: 1e-5,
    };
    let compared =
        |c: Vec<f32>| samples(n).map(move |(row, column)| (row, column, c[row * n + column]));
    let reference = |(row, column, value): (usize, usize, f32)| {
        let products = (0..n).map(|k| f64::from(a[row * n + k]) * f64::from(b[k * n + column]));
        let (reference, scale) =
            products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + p.abs()));
        Compared {
            value: f64::from(value),
            reference,
            scale,
        }
    };
    matmul::launch(
        stream,
        shape,
        &on_device_a,
        &on_device_b,
        rows,
        c.view_2d_mut(n)?,
    )?;
    let ours = c.to_vec(stream)?;
    let error = verdict.check("ours", compared(ours).map(reference))?;
    let Some(gpu) = &session.gpu else {
        return Ok(only_verified(error));
    };

    let twin = gpu.load(MATMUL.twin)?;
    let arguments = vec![
        Argument::Pointer(on_device_a.raw_ptr()),
        Argument::Pointer(on_device_b.raw_ptr()),
        Argument::Pointer(c.raw_ptr()),
        Argument::Unsigned(rows),
    ];
    let shape_of_twin = Shape {
        grid: (blocks, blocks),
        block: (threads, threads),
    };
    // SAFETY: the twin takes three pointers to `n * n` floats and `n`, which is a multiple of the block's sides. Buffers and
    // stream live until the last time was taken.
    let mut peer = unsafe { twin.prepare(session.raw_stream(), shape_of_twin, arguments) };
    c.copy_from(0, &vec![0.0; n * n], stream)?;
    peer.launch()?;
    let peer_error = verdict.check("peer", compared(c.to_vec(stream)?).map(reference))?;
    let times = session.interleave::<warploom::Error, DriverError>(
        || {
            let c = c.view_2d_mut(n)?;
            matmul::launch(stream, shape, &on_device_a, &on_device_b, rows, c)?;
            Ok(())
        },
        || peer.launch(),
    )?;
    Ok(Measured {
        times,
        max_error: error.max(peer_error),
    })
}

/// Places all over the matrix: steps of a prime reach all tiles and all places in a tile.
fn samples(n: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = SAMPLES.min(n);
    (0..count).flat_map(move |i| (0..count).map(move |k| (i * 997 % n, k * 613 % n)))
}

/// Numbers in -1..1 without a pattern, the same in each run.
fn noise(i: u32) -> f32 {
    let mixed = (i ^ (i >> 16)).wrapping_mul(0x7feb_352d);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x846c_a68b);
    (mixed >> 8) as f32 / 8_388_608.0 - 1.0
}
