//! What the threads of a block or the lanes of a warp do together: a kernel for each, of many blocks, whose items come from memory and go there.

mod kernels; // one for each row

use warploom::prelude::*;
use warploom::{DeviceBuffer, LaunchError};

use super::{Row, Size};
use crate::bench::{Bench, Done, Work};
use crate::data::{Entropy, elements};

pub(crate) const ROWS: &[Row] = &[
    row("block exchange", exchange),
    row("block reduce", reduce),
    row("block scan", scan),
    row("block radix_sort", radix_sort),
    row("block merge_sort", merge_sort),
    row("block histogram", histogram),
    row("block heads", heads),
    row("warp reduce", warp_reduce),
    row("warp scan", warp_scan),
    row("warp merge_sort", warp_merge_sort),
];

const fn row(algorithm: &'static str, run: fn(&mut Bench, Size) -> Done) -> Row {
    Row {
        algorithm,
        of: "u32",
        entropies: Entropy::ONE,
        run,
    }
}

/// Threads of a block.
const THREADS: usize = 256;
/// Items of a thread.
const ITEMS: usize = 8;
/// Items of a block.
const TILE: usize = THREADS * ITEMS;
/// Bins of a histogram.
const BINS: usize = 256;
/// Items of a lane, where warps have several.
const WARP_ITEMS: usize = 4;
/// Items of such a warp, and of a block with such warps.
const OF_WARP: usize = 32 * WARP_ITEMS;
const WARP_TILE: usize = THREADS * WARP_ITEMS;

/// A kernel as a row has it.
struct Kernel<L> {
    peer: &'static str,
    /// Values that a block reads, and that it writes.
    reads: usize,
    writes: usize,
    launch: L,
}

impl<L> Kernel<L>
where
    L: Fn(&Stream, u32, &DeviceBuffer<u32>, &mut DeviceBuffer<u32>) -> Result<(), LaunchError>,
{
    /// Runs the row. Blocks have whole tiles: sizes that are none, which the emulator has alone, are rounded up. `of_block` is the same in plain Rust.
    fn compare(self, bench: &mut Bench, size: Size, of_block: impl Fn(&[u32]) -> Vec<u32>) -> Done {
        let blocks = size.n.div_ceil(self.reads);
        let size = Size {
            n: blocks * self.reads,
            ..size
        };
        let x = bench.input::<u32>(size, 0)?;
        bench.compare(
            &Work {
                peer: self.peer,
                inputs: &[x.raw_ptr()],
                m: 0,
                bytes: 4 * blocks * (self.reads + self.writes),
                plan_bytes: 0,
                tolerance: 0.0,
            },
            |device| device.zeroed::<u32>(blocks * self.writes),
            |stream, _, y| Ok((self.launch)(stream, blocks as u32, &x, y)?),
            |stream, _, y| y.to_vec(stream),
            || {
                let x = elements::<u32>(size, 0);
                x.chunks(self.reads).flat_map(of_block).collect()
            },
        )
    }
}

macro_rules! kernel {
    ($name:ident of $peer:literal, $reads:expr => $writes:expr, $of_block:expr) => {
        fn $name(bench: &mut Bench, size: Size) -> Done {
            let kernel = Kernel {
                peer: $peer,
                reads: $reads,
                writes: $writes,
                launch: |stream: &Stream,
                         blocks,
                         x: &DeviceBuffer<u32>,
                         y: &mut DeviceBuffer<u32>| {
                    kernels::$name::launch(stream, (blocks, THREADS as u32), x, y)
                },
            };
            kernel.compare(bench, size, $of_block)
        }
    };
}

kernel!(exchange of "cub_block_exchange", TILE => TILE, |x| {
    let plus = |(i, x): (usize, &u32)| x.wrapping_add((i / ITEMS) as u32);
    x.iter().enumerate().map(plus).collect()
});
kernel!(reduce of "cub_block_reduce", TILE => 1, |x| vec![sum(x)]);
kernel!(scan of "cub_block_scan", TILE => TILE, sums);
kernel!(radix_sort of "cub_block_radix_sort", TILE => TILE, sorted);
kernel!(merge_sort of "cub_block_merge_sort", TILE => TILE, sorted);
kernel!(heads of "cub_block_heads", TILE => TILE, |x| {
    let begins = |i: usize| u32::from(i == 0 || x[i - 1] != x[i]);
    (0..x.len()).map(begins).collect()
});
kernel!(histogram of "cub_block_histogram", TILE => BINS, |x| {
    let mut counts = vec![0; BINS];
    for x in x {
        counts[(x >> 24) as usize] += 1;
    }
    counts
});
kernel!(warp_reduce of "cub_warp_reduce", THREADS => THREADS / 32, |x| {
    x.chunks(32).map(sum).collect()
});
kernel!(warp_scan of "cub_warp_scan", THREADS => THREADS, |x| x.chunks(32).flat_map(sums).collect());
kernel!(warp_merge_sort of "cub_warp_merge_sort", WARP_TILE => WARP_TILE, |x| {
    x.chunks(OF_WARP).flat_map(sorted).collect()
});

fn sum(x: &[u32]) -> u32 {
    x.iter().fold(0, |a, b| a.wrapping_add(*b))
}

fn sums(x: &[u32]) -> Vec<u32> {
    let up_to = x.iter().scan(0u32, |sum, x| {
        *sum = sum.wrapping_add(*x);
        Some(*sum)
    });
    up_to.collect()
}

fn sorted(x: &[u32]) -> Vec<u32> {
    let mut x = x.to_vec();
    x.sort_unstable();
    x
}
