//! What the workers of one run share: which block is next, and which fault is the first.

use crate::fault::Fault;
use crate::sync::{AtomicBool, AtomicU64, Mutex, Ordering, lock};

/// Hands out the blocks of a grid, each once, in linear order. Where blocks come in sets (clusters), its numbers are those of the sets.
///
/// The order is part of the promise: when a block starts, all blocks before it have started. Kernels that wait for the block before
/// theirs depend on it, and so does [`FaultLog`].
#[derive(Debug)]
pub(crate) struct BlockQueue {
    n_blocks: u64,
    next: AtomicU64,
    stopped: AtomicBool,
}

impl BlockQueue {
    pub(crate) fn new(n_blocks: u64) -> Self {
        Self {
            n_blocks,
            next: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
        }
    }

    /// The next block, unless all are handed out or someone called [`BlockQueue::stop`].
    pub(crate) fn next(&self) -> Option<u64> {
        // Relaxed: the number alone is handed over. What the blocks write is published to the caller of `run` by the end of the scope.
        if self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        let block = self.next.fetch_add(1, Ordering::Relaxed);
        (block < self.n_blocks).then_some(block)
    }

    /// Hands out no further block. Those already handed out run to their end.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

/// Keeps the fault of the lowest block, and counts the threads that panicked.
///
/// Blocks are handed out in order and every block handed out reports, so the lowest faulty block is the same on every run, whoever
/// reports first.
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
            let queue = Arc::new(BlockQueue::new(3));
            let take = |queue: &BlockQueue| std::iter::from_fn(|| queue.next()).collect::<Vec<_>>();
            let other = thread::spawn({
                let queue = queue.clone();
                move || take(&queue)
            });
            let mut blocks = take(&queue);
            assert!(blocks.is_sorted(), "one worker gets its blocks in order");
            blocks.extend(other.join().unwrap());
            blocks.sort_unstable();
            assert_eq!(blocks, [0, 1, 2]);
        });
    }

    #[test]
    fn loom_the_lowest_faulty_block_wins() {
        loom::model(|| {
            // Blocks 1 and 2 are faulty, and each stops the queue.
            let shared = Arc::new((BlockQueue::new(4), FaultLog::new()));
            let work = |(queue, log): &(BlockQueue, FaultLog)| {
                while let Some(block) = queue.next() {
                    if block == 1 || block == 2 {
                        queue.stop();
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
