//! Bitonic sorting: runs of 1024 in a block each, and one step over the whole array.

use warploom::device_std::atomic::Relaxed;
use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{mixed, mixed_on_device};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{ROWS, Run};

/// Sorts each 1024 elements, one per thread, which it keeps in a register: through shared memory to other warps, by shuffles
/// within a warp.
#[kernel(block(1024))]
fn bitonic_block(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[u32],
    mut tile: SharedTile<u32, 1024>,
    mut y: DisjointSlice<u32>,
) {
    let thread = block.thread() as u32 % 1024;
    let mut value = x.get(i.get()).copied().unwrap_or(u32::MAX);
    let mut length = 2;
    while length <= 1024 {
        let mut distance = length / 2;
        while distance >= 32 {
            tile.set_own(0, value);
            let all = tile.publish(&block);
            let other = all[(thread ^ distance) as usize];
            tile = all.reclaim(&block);
            value = keep(value, other, thread, distance, length);
            distance /= 2;
        }
        while distance > 0 {
            let other = warp.shuffle_xor(value, distance);
            value = keep(value, other, thread, distance, length);
            distance /= 2;
        }
        length *= 2;
    }
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

/// Which of the two the thread keeps in a run of `length` elements.
fn keep(own: u32, other: u32, thread: u32, distance: u32, length: u32) -> u32 {
    if (thread & distance == 0) == (thread & length == 0) {
        own.min(other)
    } else {
        own.max(other)
    }
}

/// Each thread orders two pairs of elements that lie `distance` apart, and loads all four before it stores any. They are atomics, because no space of
/// a `DisjointSlice` gives a thread such elements.
#[kernel(block(256))]
fn bitonic_step(i: Index1D, distance: u32, length: u32, x: &[Atomic<u32>]) {
    let (distance, length) = (distance as usize, length as usize);
    let low = [i.get(), i.get() + i.count()].map(|pair| {
        let below = pair & (distance - 1);
        2 * (pair - below) + below
    });
    let pairs = low.map(|low| x.get(low).zip(x.get(low + distance)));
    if let [Some(first), Some(second)] = pairs {
        let pairs = [first, second];
        let loaded = pairs.map(|(a, b)| (a.load(Relaxed), b.load(Relaxed)));
        for (((first, second), (a, b)), low) in pairs.into_iter().zip(loaded).zip(low) {
            let ascending = low & length == 0;
            first.store(if ascending { a.min(b) } else { a.max(b) }, Relaxed);
            second.store(if ascending { a.max(b) } else { a.min(b) }, Relaxed);
        }
    }
}

pub(crate) struct BitonicBlock {
    x: DeviceBuffer<u32>,
    y: DeviceBuffer<u32>,
}

impl Sides for BitonicBlock {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "bitonic_block",
        group: ROWS,
        twin: Twin::of("bitonic", "bitonic_block"),
        unit: "elements",
        sizes: &[1 << 26],
        small: 4096,
        traffic: |n| Traffic::Bytes(8 * n),
        bound: Bound::SharedMemory("55 steps through shared memory and shuffles for each element"),
        prediction: "1.00: the loops have the twin's instructions",
        run: run::<Self>,
    };
    const SAMPLES: usize = 4096;
    type Value = u32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        Ok(Self {
            x: mixed_on_device(session, n, 1)?,
            y: session.device.alloc_uninit(n)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.y.fill(0, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::new((self.y.len() / 1024) as u32, 1024);
        Ok(bitonic_block::launch(stream, shape, &self.x, &mut self.y)?)
    }

    fn twin(&self) -> Vec<Call> {
        let n = self.y.len() as u64;
        let arguments = arguments![&self.x, &self.y, n];
        // SAFETY: the twin takes two pointers to `n` numbers and `n`, which is a multiple of the block.
        vec![unsafe { Call::new("bitonic_block", (n / 1024) as u32, 1024, arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<u32>, BenchError> {
        Ok(self.y.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        let start = i / 1024 * 1024;
        let mut run: Vec<u32> = (start..start + 1024).map(|at| mixed(at, 1)).collect();
        run.sort_unstable();
        Reference::of(f64::from(run[i % 1024]))
    }
}

pub(crate) struct BitonicStep {
    start: DeviceBuffer<u32>,
    x: DeviceBuffer<u32>,
}

impl BitonicStep {
    /// Half of a run of half of all elements.
    fn distance(&self) -> usize {
        self.x.len() / 4
    }

    fn blocks(&self) -> u32 {
        (self.x.len() / 4).div_ceil(256) as u32
    }
}

impl Sides for BitonicStep {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "bitonic_step",
        group: ROWS,
        twin: Twin::of("bitonic", "bitonic_step"),
        unit: "elements",
        sizes: &[1 << 28],
        small: 4096,
        traffic: |n| Traffic::Bytes(8 * n),
        bound: Bound::Bandwidth,
        prediction: "0.98, and 0.95 or more of a copy: the same loads and stores, relaxed, four of each under way",
        run: run::<Self>,
    };
    type Value = u32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        Ok(Self {
            start: mixed_on_device(session, n, 1)?,
            x: session.device.alloc_uninit(n)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.x.copy_from_device(0, &self.start, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let (shape, distance) = (Launch::new(self.blocks(), 256), self.distance() as u32);
        Ok(bitonic_step::launch(
            stream,
            shape,
            distance,
            2 * distance,
            self.x.as_atomics(),
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        let (distance, n) = (self.distance() as u32, self.x.len() as u64);
        let arguments = arguments![distance, 2 * distance, &self.x, n];
        // SAFETY: the twin takes a distance, a length, `n` numbers and `n`; it touches nothing beyond.
        vec![unsafe { Call::new("bitonic_step", self.blocks(), 256, arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<u32>, BenchError> {
        Ok(self.x.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        let distance = self.distance();
        let (own, other) = (mixed(i, 1), mixed(i ^ distance, 1));
        let lower = i & distance == 0;
        let ascending = i & (2 * distance) == 0;
        Reference::of(f64::from(if lower == ascending {
            own.min(other)
        } else {
            own.max(other)
        }))
    }
}
