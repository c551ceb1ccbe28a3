//! Work that atomics deal out: one step of a breadth-first search, and insertions into a hash table.

use warploom::device_std::atomic::Relaxed;
use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{mixed, mixed_on_device};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{IRREGULAR, Run};

/// The level of a vertex that no step has reached.
const UNSEEN: u32 = u32::MAX;
/// The level of what the step reaches.
const DEPTH: u32 = 3;

/// One vertex of the frontier per thread: neighbours without a level get their level and go to the next frontier.
#[kernel(block(256))]
fn bfs_step(
    i: Index1D,
    depth: u32,
    frontier: &[u32],
    starts: &[u32],
    targets: &[u32],
    level: &[Atomic<u32>],
    next: &[Atomic<u32>],
    count: &[Atomic<u32>],
) {
    if let Some(&vertex) = frontier.get(i.get()) {
        let vertex = vertex as usize;
        for &target in &targets[starts[vertex] as usize..starts[vertex + 1] as usize] {
            let level = &level[target as usize];
            if level
                .compare_exchange(UNSEEN, depth, Relaxed, Relaxed)
                .is_ok()
            {
                let place = count[0].fetch_add(1, Relaxed);
                next[place as usize].store(target, Relaxed);
            }
        }
    }
}

/// Where edge number `at` leads to.
fn target(at: usize, mask: u32) -> u32 {
    mixed(at, 10) & mask
}

#[kernel]
fn fill_targets(i: Index1D, mask: u32, mut targets: DisjointSlice<u32, GridStride>) {
    for (at, to) in targets.iter_mut(i) {
        *to = target(at, mask);
    }
}

pub(crate) struct BfsStep {
    frontier: DeviceBuffer<u32>,
    starts: DeviceBuffer<u32>,
    targets: DeviceBuffer<u32>,
    before: DeviceBuffer<u32>,
    level: DeviceBuffer<u32>,
    next: DeviceBuffer<u32>,
    count: DeviceBuffer<u32>,
    /// The levels after the step, then the next frontier in order.
    expected: Vec<u32>,
}

impl Sides for BfsStep {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "bfs_step",
        group: IRREGULAR,
        twin: Twin::of("bfs", "bfs_step"),
        unit: "vertices",
        sizes: &[1 << 22],
        small: 2048,
        // A vertex in eight is in the frontier, and has 16 neighbours on average.
        traffic: |n| Traffic::Bytes(n / 8 * (12 + 16 * 8)),
        bound: Bound::Irregular(
            "neighbours lie anywhere in memory, and each is marked by an atomic operation",
        ),
        prediction: "0.97: atomics at places all over memory decide; three bounds checks stand beside them",
        run: run::<Self>,
    };
    const RESET_EACH: bool = true;
    type Value = u32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        let in_frontier = |v: usize| mixed(v, 7).is_multiple_of(8);
        let level_before = |v: usize| match () {
            () if in_frontier(v) => DEPTH - 1,
            () if mixed(v, 8).is_multiple_of(4) => DEPTH - 2,
            () => UNSEEN,
        };
        let before: Vec<u32> = (0..n).map(level_before).collect();
        let frontier: Vec<u32> = (0..n)
            .filter(|&v| in_frontier(v))
            .map(|v| v as u32)
            .collect();
        let mut starts = vec![0];
        let mut edges = 0;
        for v in 0..n {
            edges += 1 + mixed(v, 9) % 31;
            starts.push(edges);
        }
        let mask = n as u32 - 1;
        let (mut level, mut next) = (before.clone(), Vec::new());
        for &v in &frontier {
            for edge in starts[v as usize]..starts[v as usize + 1] {
                let target = target(edge as usize, mask);
                if level[target as usize] == UNSEEN {
                    level[target as usize] = DEPTH;
                    next.push(target);
                }
            }
        }
        next.sort_unstable();
        level.extend(next);
        let mut targets = session.device.alloc_uninit(edges as usize)?;
        let shape = Launch::new(edges.div_ceil(256).min(4096), 256);
        fill_targets::launch(&session.stream, shape, mask, &mut targets)?;
        Ok(Self {
            frontier: session.device.upload(&frontier)?,
            starts: session.device.upload(&starts)?,
            targets,
            before: session.device.upload(&before)?,
            level: session.device.alloc_uninit(n)?,
            next: session.device.alloc_uninit(n)?,
            count: session.device.alloc_uninit(1)?,
            expected: level,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        self.level.copy_from_device(0, &self.before, stream)?;
        self.next.fill(UNSEEN, stream)?;
        Ok(self.count.fill(0, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::covering(self.frontier.len());
        Ok(bfs_step::launch(
            stream,
            shape,
            DEPTH,
            &self.frontier,
            &self.starts,
            &self.targets,
            self.level.as_atomics(),
            self.next.as_atomics(),
            self.count.as_atomics(),
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        let n = self.frontier.len() as u32;
        let Self {
            frontier,
            starts,
            targets,
            level,
            next,
            count,
            ..
        } = self;
        let arguments = arguments![DEPTH, frontier, n, starts, targets, level, next, count];
        // SAFETY: the twin takes the depth, `n` vertices, the edges in compressed rows, levels, room for as many vertices as there are,
        // and a counter that is 0; all vertices are below their number, and each goes to `next` once at most.
        vec![unsafe { Call::new("bfs_step", n.div_ceil(256), 256, arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<u32>, BenchError> {
        let mut result = self.level.to_vec(stream)?;
        let count = self.count.to_vec(stream)?[0] as usize;
        let mut next = self.next.to_vec(stream)?;
        next.truncate(count);
        next.sort_unstable();
        result.extend(next);
        Ok(result)
    }

    fn reference(&self, i: usize) -> Reference {
        // What is too much is wrong: no vertex and no level has this number.
        Reference::of(self.expected.get(i).map_or(-1.0, |&v| f64::from(v)))
    }
}

/// No key.
const EMPTY: u32 = 0;

/// Puts keys (none is 0) with their values into a table with open addressing, whose size is a power of two.
#[kernel(block(256))]
fn hash_insert(
    i: Index1D,
    keys: &[u32],
    values: &[u32],
    slots: &[Atomic<u32>],
    contents: &[Atomic<u32>],
) {
    if let (Some(&key), Some(&value)) = (keys.get(i.get()), values.get(i.get())) {
        let mask = slots.len() - 1;
        let mut place = mixed(key as usize, 0) as usize & mask;
        while let Err(found) = slots[place].compare_exchange(EMPTY, key, Relaxed, Relaxed) {
            if found == key {
                break;
            }
            place = (place + 1) & mask;
        }
        contents[place].store(value, Relaxed);
    }
}

pub(crate) struct HashInsert {
    keys: DeviceBuffer<u32>,
    values: DeviceBuffer<u32>,
    slots: DeviceBuffer<u32>,
    contents: DeviceBuffer<u32>,
}

impl Sides for HashInsert {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "hash_insert",
        group: IRREGULAR,
        twin: Twin::of("hash", "hash_insert"),
        unit: "keys",
        sizes: &[1 << 23],
        small: 1000,
        traffic: |n| Traffic::Bytes(16 * n),
        bound: Bound::Atomics(
            "each key is a compare-and-swap somewhere in a table that no cache holds",
        ),
        prediction: "0.97: atomics at places all over memory decide; the checks stand beside them",
        run: run::<Self>,
    };
    const RESET_EACH: bool = true;
    type Value = u32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        let capacity = (2 * n).next_power_of_two();
        Ok(Self {
            // Each comes once, and none is 0, for fewer keys than 2^30.
            keys: mixed_on_device(session, n, 1)?,
            values: mixed_on_device(session, n, 2)?,
            slots: session.device.alloc_uninit(capacity)?,
            contents: session.device.alloc_uninit(capacity)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        self.contents.fill(u32::MAX, stream)?;
        Ok(self.slots.fill(EMPTY, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::covering(self.keys.len());
        let (slots, contents) = (self.slots.as_atomics(), self.contents.as_atomics());
        Ok(hash_insert::launch(
            stream,
            shape,
            &self.keys,
            &self.values,
            slots,
            contents,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        let (n, capacity) = (self.keys.len() as u32, self.slots.len() as u32);
        let Self {
            keys,
            values,
            slots,
            contents,
        } = self;
        let arguments = arguments![keys, values, n, slots, contents, capacity];
        // SAFETY: the twin takes `n` keys with values, and a table whose size is a power of two and which has empty slots.
        vec![unsafe { Call::new("hash_insert", n.div_ceil(256), 256, arguments) }]
    }

    /// What the table has for each key; `u32::MAX`, which is no value here, where it has nothing.
    fn result(&self, stream: &Stream) -> Result<Vec<u32>, BenchError> {
        let (slots, contents) = (self.slots.to_vec(stream)?, self.contents.to_vec(stream)?);
        let mask = slots.len() - 1;
        let find = |i: usize| {
            let key = mixed(i, 1);
            let start = mixed(key as usize, 0) as usize;
            let places = (0..slots.len()).map(|step| (start + step) & mask);
            for place in places.take_while(|&place| slots[place] != EMPTY) {
                if slots[place] == key {
                    return contents[place];
                }
            }
            u32::MAX
        };
        Ok((0..self.keys.len()).map(find).collect())
    }

    fn reference(&self, i: usize) -> Reference {
        Reference::of(f64::from(mixed(i, 2)))
    }
}
