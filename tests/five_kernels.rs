//! The five kernels that GPU programmers learn first: the same results in every order of threads, and on the GPU.

use warploom::device_std::Width;
use warploom::prelude::*;
use warploom::testing::{Comparison, every_schedule};
use warploom::{assert_gpu_matches_emulator, shared_array};
use warploom_harness::device_test::opens_a_gpu;

/// Seeds of random orders.
const SEEDS: u64 = 20;

/// Exact, in every order.
fn always() -> Comparison {
    opens_a_gpu();
    Comparison::exact().schedules(every_schedule(SEEDS))
}

fn floats(n: usize) -> Vec<f32> {
    (0..n)
        .map(|i| ((i * 37 + 11) % 101) as f32 / 8.0 - 6.0)
        .collect()
}

#[kernel]
fn saxpy(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y += a * x[i.get()];
    }
}

//@ rows: TT-9, GPM-6
#[test]
fn saxpy_in_every_order() {
    let n = 1000;
    let ran = assert_gpu_matches_emulator!(always(), |device| {
        let stream = device.stream()?;
        let (x, mut y) = (device.upload(&floats(n))?, device.upload(&vec![1.5f32; n])?);
        saxpy::launch(&stream, Launch::covering(n), 3.0, &x, &mut y)?;
        let y = y.to_vec(&stream)?;
        let expected: Vec<f32> = floats(n).iter().map(|x| 1.5 + 3.0 * x).collect();
        assert_eq!(y, expected, "on {}", device.name());
        Ok(y)
    });
    assert_eq!(ran.emulator, 5 + SEEDS as usize);
}

/// A sum per block, by a tree in shared memory: float additions in one order.
#[kernel(block(128))]
fn reduce(
    i: Index1D,
    block: Block,
    x: &[f32],
    mut tile: SharedTile<f32, 128>,
    mut sums: DisjointSlice<f32, PerBlock>,
) {
    let mut own = x.get(i.get()).copied().unwrap_or(0.0);
    let mut half = 64;
    while half > 0 {
        tile.set_own(0, own);
        let shown = tile.publish(&block);
        if block.thread() < half {
            own += shown[block.thread() + half];
        }
        tile = shown.reclaim(&block);
        half /= 2;
    }
    if let Some(leader) = block.leader()
        && let Some(sum) = sums.get_mut(leader)
    {
        *sum = own;
    }
}

//@ rows: TT-8, GPM-5, GPM-7
#[test]
fn reduce_in_every_order() {
    let x = floats(700);
    assert_gpu_matches_emulator!(always(), |device| {
        let stream = device.stream()?;
        let (x, mut sums) = (device.upload(&x)?, device.zeroed::<f32>(6)?);
        reduce::launch(&stream, Launch::new(6, 128), &x, &mut sums)?;
        let sums = sums.to_vec(&stream)?;
        // Multiples of an eighth, so that every order is exact.
        assert_eq!(
            sums.iter().sum::<f32>(),
            floats(700).iter().sum::<f32>(),
            "on {}",
            device.name()
        );
        Ok(sums)
    });
}

/// Inclusive sums within each block: in each warp by shuffles, then over the totals of the warps.
#[kernel(block(256))]
fn scan(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[u32],
    mut totals: SharedTile<u32, 256>,
    mut y: DisjointSlice<u32>,
) {
    let own = x.get(i.get()).copied().unwrap_or(0);
    let within = warp.inclusive_scan(own, |a, b| a + b);
    totals.set_own(0, within);
    let shown = totals.publish(&block);
    let before: u32 = (0..warp.index() as usize)
        .map(|warp| shown[warp * 32 + 31])
        .sum();
    if let Some(y) = y.get_mut(i) {
        *y = before + within;
    }
}

#[test]
fn scan_in_every_order() {
    let n = 900;
    let x: Vec<u32> = (0..n as u32).map(|i| i * i % 97).collect();
    assert_gpu_matches_emulator!(always(), |device| {
        let stream = device.stream()?;
        let (input, mut y) = (device.upload(&x)?, device.zeroed::<u32>(n)?);
        scan::launch(&stream, Launch::new(4, 256), &input, &mut y)?;
        let y = y.to_vec(&stream)?;
        let last: u32 = x[512..768].iter().sum();
        assert_eq!(y[767], last, "on {}", device.name());
        Ok(y)
    });
}

const TILE: usize = 16;

/// `c = a * b` by tiles.
#[kernel(block(16, 16))]
fn matmul(
    at: Index2D,
    block: Block,
    a: &[f32],
    b: &[f32],
    n: u32,
    mut tile: SharedTile<f32, { 2 * TILE * TILE }>,
    mut c: DisjointSlice2D<f32>,
) {
    let n = n as usize;
    let (column, row) = (block.thread() % TILE, block.thread() / TILE);
    let mut product = 0.0;
    for start in (0..n).step_by(TILE) {
        tile.set_own(0, a[at.y() * n + start + column]);
        tile.set_own(1, b[(start + row) * n + at.x()]);
        let tiles = tile.publish(&block);
        for k in 0..TILE {
            product += tiles[row * TILE + k] * tiles[TILE * TILE + k * TILE + column];
        }
        tile = tiles.reclaim(&block);
    }
    if let Some(c) = c.get_mut(at) {
        *c = product;
    }
}

//@ rows: TT-8, GPFM-14
#[test]
fn matmul_in_every_order() {
    let n = 48;
    let (a, b) = (floats(n * n), floats(n * n + 7)[7..].to_vec());
    assert_gpu_matches_emulator!(always(), |device| {
        let stream = device.stream()?;
        let (x, y) = (device.upload(&a)?, device.upload(&b)?);
        let mut c = device.zeroed::<f32>(n * n)?;
        let rows = c.view_2d_mut(n)?;
        matmul::launch(&stream, Launch::covering_2d(n, n), &x, &y, n as u32, rows)?;
        let c = c.to_vec(&stream)?;
        let corner: f32 = (0..n).map(|k| a[k] * b[k * n]).sum();
        assert_eq!(c[0], corner, "on {}", device.name());
        Ok(c)
    });
}

/// Counts in shared memory, then in global memory.
#[kernel]
fn histogram(i: Index1D, block: Block, x: &[u8], counts: &[AtomicCount]) {
    let own = shared_array!(u32, 256);
    let mut bin = block.thread();
    while bin < 256 {
        own.atomic(bin)
            .store(0, core::sync::atomic::Ordering::Relaxed);
        bin += block.threads();
    }
    block.sync();
    let mut at = i.get();
    while let Some(value) = x.get(at) {
        own.atomic(usize::from(*value))
            .fetch_add(1, core::sync::atomic::Ordering::Relaxed);
        at += i.count();
    }
    block.sync();
    let mut bin = block.thread();
    while bin < 256 {
        let count = own.atomic(bin).load(core::sync::atomic::Ordering::Relaxed);
        counts[bin].fetch_add(count, core::sync::atomic::Ordering::Relaxed);
        bin += block.threads();
    }
}

type AtomicCount = core::sync::atomic::AtomicU32;

//@ rows: P-30, GPM-5
#[test]
fn histogram_in_every_order() {
    let x: Vec<u8> = (0..5000u32).map(|i| (i * i / 7 % 251) as u8).collect();
    let mut expected = vec![0u32; 256];
    x.iter()
        .for_each(|value| expected[usize::from(*value)] += 1);
    assert_gpu_matches_emulator!(always(), |device| {
        let stream = device.stream()?;
        let (input, mut counts) = (device.upload(&x)?, device.zeroed::<u32>(256)?);
        histogram::launch(&stream, Launch::new(5, 96), &input, counts.as_atomic())?;
        let counts = counts.to_vec(&stream)?;
        assert_eq!(counts, expected, "on {}", device.name());
        Ok(counts)
    });
}

/// A sum over the warp in every lane, by all four shuffles: what each lane reads depends on the meeting, not on the order.
#[kernel]
fn shuffles(i: Index1D, warp: Warp, mut y: DisjointSlice<[u32; 4]>) {
    let own = i.get() as u32 * 3 + 1;
    let read = [
        warp.shuffle_idx(own, 7),
        warp.shuffle_up(own, 3),
        warp.shuffle_down_in(own, 5, Width::W8),
        warp.shuffle_xor(own, 21),
    ];
    if let Some(y) = y.get_mut(i) {
        *y = read;
    }
}

#[test]
fn shuffles_in_every_order() {
    assert_gpu_matches_emulator!(always(), |device| {
        let stream = device.stream()?;
        let mut y = device.zeroed::<[u32; 4]>(3 * 128)?;
        shuffles::launch(&stream, Launch::new(3, 128), &mut y)?;
        Ok(y)
    });
}
