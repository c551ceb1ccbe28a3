//! Grid, block, dynamic shared memory and stream arrive as the launch says.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use warploom::prelude::*;
use warploom_harness::device_test::{check, devices, on_each_device};

/// Each thread counts itself, and notes in its block's place what it sees of the shape.
#[kernel(dim(3))]
fn see(counts: &[AtomicCount], mut y: DisjointSlice<[u32; 8], PerBlock>, block: Block) {
    let (grid, threads) = (grid_dim(), block_dim());
    let at = block.index() * block.threads() + block.thread();
    counts[at].fetch_add(1, core::sync::atomic::Ordering::Relaxed);
    let bytes = dynamic_shared!(u8).len() as u32;
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        let place = block_idx();
        let place = (place.z * grid.y + place.y) * grid.x + place.x;
        *y = [
            grid.x, grid.y, grid.z, threads.x, threads.y, threads.z, bytes, place,
        ];
    }
}

type AtomicCount = core::sync::atomic::AtomicU32;

//@ rows: KC-1, GLA-1, GLA-2, GLA-13, GLA-16, P-21, GPM-1, GPM-3
#[test]
fn every_thread_of_every_block_runs_once() {
    for (grid, threads, bytes) in [
        ((1, 1, 1), (1, 1, 1), 0),
        ((7, 1, 1), (96, 1, 1), 40),
        ((2, 3, 4), (5, 7, 2), 1000),
        ((1, 1, 9), (1, 2, 35), 0),
        ((3, 2, 1), (1, 1, 64), 40_000),
    ] {
        let (blocks, n) = (grid.0 * grid.1 * grid.2, threads.0 * threads.1 * threads.2);
        on_each_device(|device, stream| {
            let mut counts = device.zeroed::<u32>((blocks * n) as usize)?;
            let mut y = device.zeroed(blocks as usize)?;
            let shape = Launch::new(grid, threads).dynamic_shared(bytes);
            see::launch(stream, shape, counts.as_atomic(), &mut y)?;
            assert!(counts.to_vec(stream)?.iter().all(|count| *count == 1));
            for (place, seen) in (0..).zip(y.to_vec(stream)?) {
                let expected = [
                    grid.0, grid.1, grid.2, threads.0, threads.1, threads.2, bytes, place,
                ];
                assert_eq!(seen, expected, "on {}", device.name());
            }
            Ok(())
        });
    }
}

//@ rows: GPM-4
#[test]
fn extents_that_are_not_given_are_one() {
    let shapes = [
        Launch::new(3, 70),
        Launch::new((3, 1), (70, 1)),
        Launch::new((3, 1, 1), (70, 1, 1)),
        Launch::new(Dim3::from(3), Dim3::from((70, 1))),
    ];
    for shape in shapes {
        let expected: Vec<[u32; 8]> = (0..3).map(|block| [3, 1, 1, 70, 1, 1, 0, block]).collect();
        check(&expected, |device, stream| {
            let mut counts = device.zeroed::<u32>(210)?;
            let mut y = device.zeroed(3)?;
            see::launch(stream, shape, counts.as_atomic(), &mut y)?;
            assert_eq!(counts.to_vec(stream)?, [1; 210], "on {}", device.name());
            Ok(y.to_vec(stream)?)
        });
    }
}

#[kernel]
fn add(i: Index1D, n: u32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = *y * 3 + n;
    }
}

//@ rows: KC-2, GLA-3
#[test]
fn the_configuration_is_evaluated_before_the_arguments() {
    on_each_device(|device, stream| {
        let order = RefCell::new(Vec::new());
        let note = |what| order.borrow_mut().push(what);
        let mut y = device.zeroed::<u32>(70)?;
        add::launch(
            {
                note("stream");
                stream
            },
            {
                note("shape");
                Launch::new(1, 70)
            },
            {
                note("argument 1");
                1
            },
            {
                note("argument 2");
                &mut y
            },
        )?;
        assert_eq!(
            *order.borrow(),
            ["stream", "shape", "argument 1", "argument 2"]
        );
        Ok(())
    });
}

//@ rows: GLA-16, KC-1
#[test]
fn launches_of_one_stream_keep_their_order() {
    let expected: Vec<u32> = vec![(0..9).fold(0, |y, n| y * 3 + n); 300];
    check(&expected, |device, stream| {
        let mut y = device.zeroed(300)?;
        for n in 0..9 {
            add::launch(stream, (5, 60), n, &mut y)?;
        }
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn square(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y *= *y;
    }
}

#[kernel]
fn halve(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y /= 2;
    }
}

type Launcher = fn(&Stream, &mut DeviceBuffer<u32>) -> Result<(), warploom::LaunchError>;
type OfHost = fn(u32) -> u32;

/// Device code has no pointers to kernels; the host has launches, which go into a table.
//@ rows: GFN-12
#[test]
fn kernels_are_chosen_from_a_table() {
    let table: [(Launcher, OfHost); 3] = [
        (|stream, y| square::launch(stream, (3, 50), y), |v| v * v),
        (|stream, y| halve::launch(stream, (3, 50), y), |v| v / 2),
        (
            |stream, y| add::launch(stream, (3, 50), 5, y),
            |v| v * 3 + 5,
        ),
    ];
    let x: Vec<u32> = (0..137).collect();
    for order in [[0, 1, 2], [2, 0, 1], [1, 1, 0]] {
        let one = |v: &u32| order.iter().fold(*v, |v, k: &usize| table[*k].1(v));
        let expected: Vec<u32> = x.iter().map(one).collect();
        check(&expected, |device, stream| {
            let mut y = device.upload(&x)?;
            for k in order {
                table[k].0(stream, &mut y)?;
            }
            Ok(y.to_vec(stream)?)
        });
    }
}

#[kernel]
fn long(i: Index1D, rounds: u32, mut y: DisjointSlice<u32>) {
    let mut state = i.get() as u32;
    for _ in 0..rounds {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) ^ state >> 7;
    }
    if let Some(y) = y.get_mut(i) {
        *y = state;
    }
}

//@ rows: GLA-6
#[test]
fn a_gpu_works_while_the_host_goes_on() {
    for device in devices() {
        let stream = device.stream().unwrap();
        let mut y = device.zeroed::<u32>(64).unwrap();
        let rounds = if device.is_gpu() { 20_000_000 } else { 1000 };
        long::launch(&stream, (1, 64), 1, &mut y).unwrap(); // loads the code
        stream.synchronize().unwrap();
        // Other tests of this program hold the driver up now and then.
        let mut times = vec![];
        let is_early = |(launched, done): &(Duration, Duration)| *launched < *done / 4;
        while !times.iter().any(is_early) && times.len() < 10 {
            let start = Instant::now();
            long::launch(&stream, (1, 64), rounds, &mut y).unwrap();
            let launched = start.elapsed();
            stream.synchronize().unwrap();
            times.push((launched, start.elapsed()));
        }
        // The emulator has done it all when `launch` returns.
        if device.is_gpu() {
            assert!(times.iter().any(is_early), "{times:?}");
        }
        let mut state = 5u32;
        for _ in 0..rounds {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) ^ state >> 7;
        }
        assert_eq!(y.to_vec(&stream).unwrap()[5], state);
    }
}

#[kernel]
fn fill_dynamic(block: Block, mut y: DisjointSlice<u32, PerBlock>) {
    let words = dynamic_shared!(u32);
    let n = words.len();
    if block.thread() == 0 {
        for i in 0..n {
            // SAFETY: one thread.
            unsafe { words.set(i, 1 + i as u32) };
        }
        let mut sum = 0;
        for i in 0..n {
            // SAFETY: as above.
            sum += unsafe { words.get(i) };
        }
        if let Some(leader) = block.leader()
            && let Some(y) = y.get_mut(leader)
        {
            *y = sum;
        }
    }
}

//@ rows: GLA-14
#[test]
fn dynamic_shared_memory_is_as_large_as_asked_for() {
    for words in [0, 1, 3, 12_288, 16_384] {
        let expected = vec![words * (words + 1) / 2; 3];
        check(&expected, |device, stream| {
            let mut y = device.zeroed(3)?;
            let shape = Launch::new(3, 33).dynamic_shared(4 * words);
            fill_dynamic::launch(stream, shape, &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

/// `PER` elements for each thread.
#[kernel]
fn double<const PER: usize>(i: Index1D, x: &[u32], mut y: DisjointSlice<u32, Chunks<PER>>) {
    if let Some(y) = y.get_mut(i) {
        for (k, y) in y.iter_mut().enumerate() {
            *y = 2 * x[PER * i.get() + k];
        }
    }
}

/// The shape of a launch is a value and an instance of a kernel a function, so both can stand in lists; events time the device's work.
//@ rows: TT-7
#[test]
fn a_sweep_over_configurations_is_a_loop() {
    type Variant = fn(&Stream, Launch, &DeviceBuffer<u32>, &mut DeviceBuffer<u32>) -> Launched;
    type Launched = Result<(), warploom::LaunchError>;
    const VARIANTS: [(usize, Variant); 3] = [
        (1, |stream, shape, x, y| {
            double::<1>::launch(stream, shape, x, y)
        }),
        (2, |stream, shape, x, y| {
            double::<2>::launch(stream, shape, x, y)
        }),
        (8, |stream, shape, x, y| {
            double::<8>::launch(stream, shape, x, y)
        }),
    ];
    const BLOCKS: [u32; 6] = [32, 64, 96, 256, 512, 1024];
    let n = 8 * 1003;
    let x: Vec<u32> = (0..n as u32).collect();
    let expected: Vec<u32> = x.iter().map(|x| 2 * x).collect();
    on_each_device(|device, stream| {
        let (x, start, end) = (device.upload(&x)?, device.event()?, device.event()?);
        let mut times = vec![];
        for (per_thread, launch) in VARIANTS {
            for block in BLOCKS {
                let mut y = device.zeroed::<u32>(n)?;
                let shape = Launch::covering(n / per_thread).block(block);
                stream.record(&start)?;
                launch(stream, shape, &x, &mut y)?;
                stream.record(&end)?;
                let ms = start.elapsed_ms(&end)?;
                assert_eq!(
                    y.to_vec(stream)?,
                    expected,
                    "{per_thread} in blocks of {block}"
                );
                times.push((ms, per_thread, block));
            }
        }
        assert_eq!(times.len(), 18);
        assert!(
            times.iter().all(|(ms, ..)| ms.is_finite() && *ms >= 0.0),
            "{times:?}"
        );
        Ok(())
    });
}
