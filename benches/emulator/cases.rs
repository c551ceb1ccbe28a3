//! What is measured: each kernel with its inputs, on the emulator and by hand.

use std::sync::atomic::AtomicU32;

use warploom::LaunchError;
use warploom::prelude::*;
use warploom::texture::{Filter, Sampler};

use super::kernels::{self, BINS, COUNTED, ROUNDS, THREADS, TILE};
use super::{BenchError, by_hand};

/// Makes the buffers of so many blocks on a device.
type Emulated = fn(&Device, usize) -> Result<Box<dyn Work>, BenchError>;

/// Makes the arrays for so many cores and blocks.
type ByHand = fn(usize, usize) -> Box<dyn Work>;

/// Launches a kernel from floats to floats.
type LaunchFloats =
    fn(&Stream, Launch, &DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<(), LaunchError>;

/// Launches a kernel from a square matrix with so many rows to another.
type LaunchPlane = fn(
    &Stream,
    Launch,
    &DeviceBuffer<f32>,
    usize,
    &mut DeviceBuffer<f32>,
) -> Result<(), BenchError>;

/// One kernel at one size.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Blocks of the grid; `matmul` and `matmul_512` have as many as make a square matrix.
    pub(crate) blocks: usize,
    pub(crate) threads_per_block: usize,
    /// Barriers or shuffles of one thread.
    pub(crate) events: usize,
    pub(crate) emulated: Emulated,
    /// `None`: there is nothing to compute.
    pub(crate) by_hand: Option<ByHand>,
}

/// A case with its buffers.
pub(crate) trait Work {
    /// One launch, to its end.
    fn run(&mut self) -> Result<(), BenchError>;
    /// The bits of what the first run gave.
    fn result(&mut self) -> Result<Vec<u32>, BenchError>;
}

/// All cases, in the order of the table. `peers/` has the same sizes and inputs.
pub(crate) const CASES: &[Case] = &[
    Case {
        name: "saxpy",
        blocks: 2048,
        threads_per_block: THREADS,
        events: 0,
        emulated: saxpy,
        by_hand: Some(|cores, blocks| {
            let (x, y) = (floats(blocks * THREADS), floats(blocks * THREADS));
            job(
                (x, y),
                move |(x, y)| by_hand::saxpy(cores, A, x, y),
                |(_, y)| bits(y),
            )
        }),
    },
    Case {
        name: "saxpy_raw",
        blocks: 2048,
        threads_per_block: THREADS,
        events: 0,
        emulated: saxpy_raw,
        by_hand: Some(|cores, blocks| {
            let (x, y) = (floats(blocks * THREADS), floats(blocks * THREADS));
            job(
                (x, y),
                move |(x, y)| by_hand::saxpy(cores, A, x, y),
                |(_, y)| bits(y),
            )
        }),
    },
    Case {
        name: "reduce",
        blocks: 1024,
        threads_per_block: THREADS,
        events: 9,
        emulated: |device, blocks| {
            on(device, blocks, blocks, |stream, shape, x, y| {
                kernels::reduce::launch(stream, shape, x, y)
            })
        },
        by_hand: Some(|cores, blocks| {
            let state = (floats(blocks * THREADS), vec![0.0; blocks]);
            job(
                state,
                move |(x, y)| by_hand::reduce(cores, x, y),
                |(_, y)| bits(y),
            )
        }),
    },
    Case {
        name: "shuffle",
        blocks: 1024,
        threads_per_block: THREADS,
        events: 5,
        emulated: |device, blocks| {
            on(device, blocks, blocks * THREADS, |stream, shape, x, y| {
                kernels::shuffle::launch(stream, shape, x, y)
            })
        },
        by_hand: Some(|cores, blocks| {
            let state = (floats(blocks * THREADS), vec![0.0; blocks * THREADS]);
            job(
                state,
                move |(x, y)| by_hand::shuffle(cores, x, y),
                |(_, y)| bits(y),
            )
        }),
    },
    Case {
        name: "scan",
        blocks: 1024,
        threads_per_block: THREADS,
        events: 9,
        emulated: |device, blocks| {
            on(device, blocks, blocks * THREADS, |stream, shape, x, y| {
                kernels::scan::launch(stream, shape, x, y)
            })
        },
        by_hand: Some(|cores, blocks| {
            let state = (floats(blocks * THREADS), vec![0.0; blocks * THREADS]);
            job(
                state,
                move |(x, y)| by_hand::scan(cores, x, y),
                |(_, y)| bits(y),
            )
        }),
    },
    Case {
        name: "matmul",
        blocks: 256,
        threads_per_block: TILE * TILE,
        events: 32,
        emulated: matmul,
        by_hand: Some(matmul_by_hand),
    },
    Case {
        name: "matmul_512",
        blocks: 1024,
        threads_per_block: TILE * TILE,
        events: 64,
        emulated: matmul,
        by_hand: Some(matmul_by_hand),
    },
    Case {
        name: "histogram",
        blocks: 256,
        threads_per_block: THREADS,
        events: 2,
        emulated: histogram,
        by_hand: Some(|cores, blocks| {
            let counts: Vec<AtomicU32> = (0..BINS).map(|_| AtomicU32::new(0)).collect();
            job(
                (bytes(blocks * THREADS * COUNTED), counts),
                move |(x, counts)| by_hand::histogram(cores, x, blocks, counts),
                |(_, counts)| counts.iter_mut().map(|bin| *bin.get_mut()).collect(),
            )
        }),
    },
    Case {
        name: "stencil",
        blocks: 1024,
        threads_per_block: TILE * TILE,
        events: 0,
        emulated: |device, blocks| {
            on_plane(device, blocks, |stream, shape, x, n, y| {
                Ok(kernels::stencil::launch(
                    stream,
                    shape,
                    x,
                    n as u32,
                    y.view_2d_mut(n)?,
                )?)
            })
        },
        by_hand: Some(|cores, blocks| on_plane_by_hand(cores, blocks, by_hand::stencil)),
    },
    Case {
        name: "sample_f32",
        blocks: 1024,
        threads_per_block: TILE * TILE,
        events: 0,
        emulated: sample_f32,
        by_hand: Some(|cores, blocks| on_plane_by_hand(cores, blocks, by_hand::sample_f32)),
    },
    Case {
        name: "transpose",
        blocks: 1024,
        threads_per_block: TILE * TILE,
        events: 1,
        emulated: |device, blocks| {
            on_plane(device, blocks, |stream, shape, x, n, y| {
                Ok(kernels::transpose::launch(
                    stream,
                    shape,
                    x,
                    n as u32,
                    y.view_2d_mut(n)?,
                )?)
            })
        },
        by_hand: Some(|cores, blocks| on_plane_by_hand(cores, blocks, by_hand::transpose)),
    },
    Case {
        name: "median",
        blocks: 512,
        threads_per_block: THREADS,
        events: 0,
        emulated: |device, blocks| {
            on(device, blocks, blocks * THREADS, |stream, shape, x, y| {
                kernels::median::launch(stream, shape, x, y)
            })
        },
        by_hand: Some(|cores, blocks| {
            let state = (floats(blocks * THREADS), vec![0.0; blocks * THREADS]);
            job(
                state,
                move |(x, y)| by_hand::median(cores, x, y),
                |(_, y)| bits(y),
            )
        }),
    },
    Case {
        name: "commonest",
        blocks: 256,
        threads_per_block: THREADS,
        events: 0,
        emulated: commonest,
        by_hand: Some(|cores, blocks| {
            let state = (bytes(blocks * THREADS * COUNTED), vec![0; blocks * THREADS]);
            job(
                state,
                move |(x, y)| by_hand::commonest(cores, x, y),
                |(_, y)| y.clone(),
            )
        }),
    },
    Case {
        name: "rounds",
        blocks: 39_063, // 10^7 threads
        threads_per_block: THREADS,
        events: ROUNDS,
        emulated: rounds,
        by_hand: Some(|cores, blocks| {
            let y = vec![0; blocks * THREADS];
            job(y, move |y| by_hand::rounds(cores, y), |y| y.clone())
        }),
    },
    Case {
        name: "empty_1x32",
        blocks: 1,
        threads_per_block: 32,
        events: 0,
        emulated: |device, blocks| empty(device, blocks, 32),
        by_hand: None,
    },
    Case {
        name: "empty_1000x1",
        blocks: 1000,
        threads_per_block: 1,
        events: 0,
        emulated: |device, blocks| empty(device, blocks, 1),
        by_hand: None,
    },
];

/// Factor of `saxpy`.
const A: f32 = 2.0;

// Small whole numbers: sums in any order, fused or not, are exact and alike everywhere.
fn floats(len: usize) -> Vec<f32> {
    (0..len).map(|i| (i % 7) as f32).collect()
}

fn of_a(n: usize) -> Vec<f32> {
    (0..n * n).map(|i| (i % 5) as f32 - 2.0).collect()
}

fn of_b(n: usize) -> Vec<f32> {
    (0..n * n).map(|i| (i % 3) as f32).collect()
}

fn bytes(len: usize) -> Vec<u32> {
    (0..len as u32)
        .map(|i| i.wrapping_mul(2_654_435_761) >> 24)
        .collect()
}

/// Rows of the matrices for so many blocks.
fn rows(blocks: usize) -> usize {
    blocks.isqrt() * TILE
}

fn saxpy(device: &Device, blocks: usize) -> Result<Box<dyn Work>, BenchError> {
    let stream = device.stream()?;
    let x = device.upload(&floats(blocks * THREADS))?;
    let y = device.upload(&floats(blocks * THREADS))?;
    let shape = Launch::new(blocks as u32, THREADS as u32);
    Ok(Box::new(Job {
        state: (stream, x, y),
        run: move |(stream, x, y): &mut (Stream, DeviceBuffer<f32>, _)| {
            kernels::saxpy::launch(stream, shape, A, &*x, y)?;
            Ok(stream.synchronize()?)
        },
        result: |(stream, _, y): &mut (Stream, _, DeviceBuffer<f32>)| Ok(bits(&y.to_vec(stream)?)),
    }))
}

fn saxpy_raw(device: &Device, blocks: usize) -> Result<Box<dyn Work>, BenchError> {
    let stream = device.stream()?;
    let x = device.upload(&floats(blocks * THREADS))?;
    let y = device.upload(&floats(blocks * THREADS))?;
    let shape = Launch::new(blocks as u32, THREADS as u32);
    let address = |buffer: &DeviceBuffer<f32>| buffer.raw_ptr() as usize;
    let from = std::ptr::with_exposed_provenance(address(&x));
    let to = std::ptr::with_exposed_provenance_mut(address(&y));
    Ok(Box::new(Job {
        state: (stream, x, y),
        run: move |(stream, ..): &mut (Stream, DeviceBuffer<f32>, DeviceBuffer<f32>)| {
            // SAFETY: an element for each thread in both buffers, which live as long as this job; the wait is before any other use.
            unsafe { kernels::saxpy_raw::launch(stream, shape, A, from, to)? };
            Ok(stream.synchronize()?)
        },
        result: |(stream, _, y): &mut (Stream, _, DeviceBuffer<f32>)| Ok(bits(&y.to_vec(stream)?)),
    }))
}

fn matmul(device: &Device, blocks: usize) -> Result<Box<dyn Work>, BenchError> {
    let n = rows(blocks);
    let stream = device.stream()?;
    let (a, b) = (device.upload(&of_a(n))?, device.upload(&of_b(n))?);
    let c = device.zeroed::<f32>(n * n)?;
    let (blocks, tile) = ((n / TILE) as u32, TILE as u32);
    let shape = Launch::new((blocks, blocks), (tile, tile));
    Ok(Box::new(Job {
        state: (stream, c),
        run: move |(stream, c): &mut (Stream, DeviceBuffer<f32>)| {
            kernels::matmul::launch(stream, shape, &a, &b, n as u32, c.view_2d_mut(n)?)?;
            Ok(stream.synchronize()?)
        },
        result: |(stream, c): &mut (Stream, DeviceBuffer<f32>)| Ok(bits(&c.to_vec(stream)?)),
    }))
}

fn matmul_by_hand(cores: usize, blocks: usize) -> Box<dyn Work> {
    let n = rows(blocks);
    let state = (of_a(n), of_b(n), vec![0.0; n * n]);
    job(
        state,
        move |(a, b, c)| by_hand::matmul(cores, a, b, n, c),
        |(.., c)| bits(c),
    )
}

fn histogram(device: &Device, blocks: usize) -> Result<Box<dyn Work>, BenchError> {
    let stream = device.stream()?;
    let x = device.upload(&bytes(blocks * THREADS * COUNTED))?;
    let counts = device.zeroed::<u32>(BINS)?;
    let shape = Launch::new(blocks as u32, THREADS as u32);
    Ok(Box::new(Job {
        state: (stream, counts),
        run: move |(stream, counts): &mut (Stream, DeviceBuffer<u32>)| {
            kernels::histogram::launch(stream, shape, &x, counts.as_atomic())?;
            Ok(stream.synchronize()?)
        },
        result: |(stream, counts): &mut (Stream, DeviceBuffer<u32>)| Ok(counts.to_vec(stream)?),
    }))
}

fn commonest(device: &Device, blocks: usize) -> Result<Box<dyn Work>, BenchError> {
    let stream = device.stream()?;
    let x = device.upload(&bytes(blocks * THREADS * COUNTED))?;
    let y = device.zeroed::<u32>(blocks * THREADS)?;
    let shape = Launch::new(blocks as u32, THREADS as u32);
    Ok(Box::new(Job {
        state: (stream, y),
        run: move |(stream, y): &mut (Stream, DeviceBuffer<u32>)| {
            kernels::commonest::launch(stream, shape, &x, y)?;
            Ok(stream.synchronize()?)
        },
        result: |(stream, y): &mut (Stream, DeviceBuffer<u32>)| Ok(y.to_vec(stream)?),
    }))
}

/// A kernel from a square matrix to another, an element per thread.
fn on_plane(
    device: &Device,
    blocks: usize,
    launch: LaunchPlane,
) -> Result<Box<dyn Work>, BenchError> {
    let n = rows(blocks);
    let stream = device.stream()?;
    let x = device.upload(&floats(n * n))?;
    let y = device.zeroed::<f32>(n * n)?;
    let (blocks, tile) = ((n / TILE) as u32, TILE as u32);
    let shape = Launch::new((blocks, blocks), (tile, tile));
    Ok(Box::new(Job {
        state: (stream, y),
        run: move |(stream, y): &mut (Stream, DeviceBuffer<f32>)| {
            launch(stream, shape, &x, n, y)?;
            Ok(stream.synchronize()?)
        },
        result: |(stream, y): &mut (Stream, DeviceBuffer<f32>)| Ok(bits(&y.to_vec(stream)?)),
    }))
}

fn sample_f32(device: &Device, blocks: usize) -> Result<Box<dyn Work>, BenchError> {
    let n = rows(blocks);
    let stream = device.stream()?;
    let image = device.array_from((n, n), &floats(n * n))?;
    let y = device.zeroed::<f32>(n * n)?;
    let (blocks, tile) = ((n / TILE) as u32, TILE as u32);
    let shape = Launch::new((blocks, blocks), (tile, tile));
    Ok(Box::new(Job {
        state: (stream, y),
        run: move |(stream, y): &mut (Stream, DeviceBuffer<f32>)| {
            // Made once; later calls find the same object.
            let texture = image.texture(Sampler::new().filter(Filter::Linear))?;
            kernels::sample_f32::launch(stream, shape, &texture, y.view_2d_mut(n)?)?;
            Ok(stream.synchronize()?)
        },
        result: |(stream, y): &mut (Stream, DeviceBuffer<f32>)| Ok(bits(&y.to_vec(stream)?)),
    }))
}

fn rounds(device: &Device, blocks: usize) -> Result<Box<dyn Work>, BenchError> {
    let stream = device.stream()?;
    let y = device.zeroed::<u32>(blocks * THREADS)?;
    let shape = Launch::new(blocks as u32, THREADS as u32);
    Ok(Box::new(Job {
        state: (stream, y),
        run: move |(stream, y): &mut (Stream, DeviceBuffer<u32>)| {
            kernels::rounds::launch(stream, shape, y)?;
            Ok(stream.synchronize()?)
        },
        result: |(stream, y): &mut (Stream, DeviceBuffer<u32>)| Ok(y.to_vec(stream)?),
    }))
}

fn empty(device: &Device, blocks: usize, threads: u32) -> Result<Box<dyn Work>, BenchError> {
    let shape = Launch::new(blocks as u32, threads);
    Ok(Box::new(Job {
        state: device.stream()?,
        run: move |stream: &mut Stream| {
            kernels::empty::launch(stream, shape)?;
            Ok(stream.synchronize()?)
        },
        result: |_: &mut Stream| Ok(Vec::new()),
    }))
}

/// A kernel from floats, one per thread, to `outputs` floats.
fn on(
    device: &Device,
    blocks: usize,
    outputs: usize,
    launch: LaunchFloats,
) -> Result<Box<dyn Work>, BenchError> {
    let stream = device.stream()?;
    let x = device.upload(&floats(blocks * THREADS))?;
    let y = device.zeroed::<f32>(outputs)?;
    let shape = Launch::new(blocks as u32, THREADS as u32);
    Ok(Box::new(Job {
        state: (stream, y),
        run: move |(stream, y): &mut (Stream, DeviceBuffer<f32>)| {
            launch(stream, shape, &x, y)?;
            Ok(stream.synchronize()?)
        },
        result: |(stream, y): &mut (Stream, DeviceBuffer<f32>)| Ok(bits(&y.to_vec(stream)?)),
    }))
}

/// The same by hand.
fn on_plane_by_hand(
    cores: usize,
    blocks: usize,
    compute: fn(usize, &[f32], usize, &mut [f32]),
) -> Box<dyn Work> {
    let n = rows(blocks);
    job(
        (floats(n * n), vec![0.0; n * n]),
        move |(x, y)| compute(cores, x, n, y),
        |(_, y)| bits(y),
    )
}

/// Whether a launch with a race between two threads of a block ends with an error: whether checks are on.
pub(crate) fn finds_a_race(device: &Device) -> Result<bool, BenchError> {
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(1)?;
    let launched = kernels::race::launch(&stream, Launch::new(1, 64), &mut y);
    Ok(launched.is_err() || stream.synchronize().is_err())
}

/// State, and what to do with it.
struct Job<S, R, G> {
    state: S,
    run: R,
    result: G,
}

impl<S, R, G> Work for Job<S, R, G>
where
    R: FnMut(&mut S) -> Result<(), BenchError>,
    G: FnMut(&mut S) -> Result<Vec<u32>, BenchError>,
{
    fn run(&mut self) -> Result<(), BenchError> {
        (self.run)(&mut self.state)
    }

    fn result(&mut self) -> Result<Vec<u32>, BenchError> {
        (self.result)(&mut self.state)
    }
}

/// A loop by hand: nothing in it can fail.
fn job<S: 'static>(
    state: S,
    mut run: impl FnMut(&mut S) + 'static,
    mut result: impl FnMut(&mut S) -> Vec<u32> + 'static,
) -> Box<dyn Work> {
    Box::new(Job {
        state,
        run: move |state: &mut S| {
            run(state);
            Ok(())
        },
        result: move |state: &mut S| Ok(result(state)),
    })
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}
