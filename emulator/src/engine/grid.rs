//! What the workers of one run share: which block is next, and which fault is the first.

use crate::engine::order::BlockOrder;
use crate::fault::Fault;
use crate::sync::{AtomicU64, Mutex, Ordering, lock};
use std::cell::Cell;

/// Hands out the blocks of a grid, each once, in linear order. Where blocks come in sets (clusters), its numbers are those of the sets.
///
/// A worker takes a few neighbours at a time if there are many: their elements mostly lie side by side, and two processors that write
/// next to each other take the lines from one another's caches. Writing a vector took 1.54 times as long on one processor as on two with
/// single blocks, and 1.9 times with sixteen. Towards the end it takes fewer, so that all workers come to their end together.
///
/// The order is part of the promise: a worker runs its blocks in order, and all before them have been handed out. So the lowest block
/// that is not over runs, unless a block stopped the run, and a kernel may wait for the block before its own; [`FaultLog`] depends on it as
/// well.
#[derive(Debug)]
pub(crate) struct BlockQueue {
    n_blocks: u64,
    /// How many are handed out at a time, at most.
    most: u64,
    /// How many times as many are left, at least, unless it is one.
    left: u64,
    /// The lowest block that stopped the run.
    stopped: AtomicU64,
    next: Apart<AtomicU64>,
}

/// What workers write, in lines of the cache of its own: a reader of what lies beside it would have to fetch that anew. Processors fetch
/// two lines at a time.
#[derive(Debug)]
#[repr(align(128))]
struct Apart<T>(T);

/// The blocks of one worker.
#[derive(Debug)]
pub(crate) struct Blocks<'a> {
    queue: &'a BlockQueue,
    order: BlockOrder,
    /// The first of those that are its own and have not started, and the end of these.
    own: Cell<(u64, u64)>,
    position: Cell<u64>,
}

impl BlockQueue {
    pub(crate) fn new(n_blocks: u64, n_workers: usize) -> Self {
        let n_workers = n_workers.max(1) as u64;
        Self {
            n_blocks,
            left: 4 * n_workers,
            most: (n_blocks / 64 / n_workers).clamp(1, 16),
            stopped: AtomicU64::new(u64::MAX),
            next: Apart(AtomicU64::new(0)),
        }
    }

    /// `order` says which block is the one at each position.
    pub(crate) fn blocks(&self, order: BlockOrder) -> Blocks<'_> {
        Blocks {
            queue: self,
            order,
            own: Cell::new((0, 0)),
            position: Cell::new(0),
        }
    }

    /// Hands out the next few blocks; none, if there are no more.
    fn take(&self) -> (u64, u64) {
        // Relaxed: the number alone is handed over. What the blocks write is published to the caller of `run` when a helper is done.
        let mut first = self.next.0.load(Ordering::Relaxed);
        loop {
            let left = self.n_blocks.saturating_sub(first);
            if left == 0 {
                return (0, 0);
            }
            let end = first + (left / self.left).clamp(1, self.most);
            let (set, seen) = (Ordering::Relaxed, Ordering::Relaxed);
            match self.next.0.compare_exchange_weak(first, end, set, seen) {
                Ok(_) => return (first, end),
                Err(now) => first = now,
            }
        }
    }

    /// Starts no block behind this one. Those before it run to their end.
    pub(crate) fn stop(&self, block: u64) {
        self.stopped.fetch_min(block, Ordering::Relaxed);
    }

    /// Whether a block before this one has stopped the run.
    pub(crate) fn has_stopped_before(&self, block: u64) -> bool {
        self.stopped.load(Ordering::Relaxed) < block
    }
}

impl Blocks<'_> {
    /// The block to run next, if there is one.
    pub(crate) fn next(&self) -> Option<u64> {
        let (mut position, mut end) = self.own.get();
        if position == end {
            (position, end) = self.queue.take();
        }
        if position == end || position >= self.queue.stopped.load(Ordering::Relaxed) {
            return None;
        }
        self.own.set((position + 1, end));
        self.position.set(position);
        Some(self.order.set(position))
    }

    /// The position of the block that [`Blocks::next`] gave last: what faults are ordered by.
    pub(crate) fn position(&self) -> u64 {
        self.position.get()
    }
}

/// Keeps the fault of the lowest block, and counts the threads that panicked.
///
/// Every block before one that stopped the run reports, so the lowest faulty block is the same on every run, whichever reports first.
#[derive(Debug)]
pub(crate) struct FaultLog {
    first: Mutex<Option<(u64, Fault)>>,
    n_panicked: AtomicU64,
}

impl FaultLog {
    pub(crate) fn new() -> Self {
        Self {
            first: Mutex::new(None),
            n_panicked: AtomicU64::new(0),
        }
    }

    /// `block` ended with `fault`; `n_panicked` of its threads panicked.
    pub(crate) fn report(&self, block: u64, fault: Fault, n_panicked: u64) {
        self.n_panicked.fetch_add(n_panicked, Ordering::Relaxed);
        let mut first = lock(&self.first);
        if first.as_ref().is_none_or(|(lowest, _)| block < *lowest) {
            *first = Some((block, fault));
        }
    }

    /// Whether a thread of a block that has ended panicked.
    pub(crate) fn has_panics(&self) -> bool {
        self.n_panicked.load(Ordering::Relaxed) > 0
    }

    /// The verdict, once all workers are done.
    pub(crate) fn verdict(&self) -> Result<(), Fault> {
        let Some((_, mut fault)) = lock(&self.first).take() else {
            return Ok(());
        };
        if let Fault::Panic { count, .. } = &mut fault {
            *count = self.n_panicked.load(Ordering::Relaxed);
        }
        Err(fault)
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    fn stuck(block: u64) -> Fault {
        Fault::Deadlock {
            block: [block as u32, 0, 0],
            waits: Vec::new(),
        }
    }

    #[test]
    fn loom_each_block_is_handed_out_once() {
        loom::model(|| {
            let queue = Arc::new(BlockQueue {
                most: 2,
                left: 2,
                ..BlockQueue::new(4, 2)
            });
            let take = |queue: &BlockQueue| {
                let blocks = queue.blocks(BlockOrder::Forward);
                std::iter::from_fn(|| blocks.next()).collect::<Vec<_>>()
            };
            let other = thread::spawn({
                let queue = queue.clone();
                move || take(&queue)
            });
            let mut blocks = take(&queue);
            assert!(blocks.is_sorted(), "one worker gets its blocks in order");
            blocks.extend(other.join().unwrap());
            blocks.sort_unstable();
            assert_eq!(blocks, [0, 1, 2, 3]);
        });
    }

    #[test]
    fn loom_the_lowest_faulty_block_wins() {
        loom::model(|| {
            // Blocks 1 and 2 are faulty, and each stops the queue.
            let queue = BlockQueue {
                most: 2,
                left: 2,
                ..BlockQueue::new(4, 2)
            };
            let shared = Arc::new((queue, FaultLog::new()));
            let work = |(queue, log): &(BlockQueue, FaultLog)| {
                let blocks = queue.blocks(BlockOrder::Forward);
                while let Some(block) = blocks.next() {
                    if block == 1 || block == 2 {
                        queue.stop(block);
                        log.report(block, stuck(block), 1);
                    }
                }
            };
            let other = thread::spawn({
                let shared = shared.clone();
                move || work(&shared)
            });
            work(&shared);
            other.join().unwrap();
            assert_eq!(shared.1.verdict(), Err(stuck(1)));
        });
    }

    #[test]
    fn loom_all_panics_are_counted() {
        let panicked = |count| Fault::Panic {
            message: String::new(),
            file: String::new(),
            line: 0,
            column: 0,
            block: [0; 3],
            thread: [0; 3],
            count,
        };
        loom::model(move || {
            let log = Arc::new(FaultLog::new());
            let other = thread::spawn({
                let log = log.clone();
                move || log.report(1, panicked(2), 2)
            });
            log.report(0, panicked(3), 3);
            other.join().unwrap();
            assert_eq!(log.verdict(), Err(panicked(5)));
        });
    }
}
