//! Replays the traces of a warp's threads, to find which threads make each convergent call together.
//!
//! A GPU has no order of threads but the control flow graph: threads that take different successors of a block run separately until its immediate
//! postdominator, where they reconverge. A pass that keeps what each thread does can still route an edge past that block (llvm-project#213868), and
//! then a shuffle or barrier runs with part of its threads. Panicking threads leave their warp, so blocks that cannot reach a return do not count.

use super::host::{BLOCK, HostExecution};
use crate::llvm::{Block, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The control flow graph of a function; blocks by number, the entry first.
pub(super) struct Cfg {
    /// The nearest block that all paths to a return pass through.
    postdominator: Vec<Option<usize>>,
    /// Of each convergent call site: the number of calls, and whether all of them are in blocks that postdominate the entry.
    pub(super) sites: BTreeMap<u64, (usize, bool)>,
}

impl Cfg {
    pub(super) fn of(function: Value<'_>) -> Cfg {
        let blocks = Block::all(function);
        let number = |block: &Block<'_>| blocks.iter().position(|b| b == block);
        let successors: Vec<Vec<usize>> = blocks
            .iter()
            .map(|b| b.successors().iter().filter_map(number).collect())
            .collect();
        let all = postdominators(&successors, |at| blocks[at].is_unreachable());
        let postdominator = all.iter().enumerate().map(|(at, of)| {
            let mut others = of.iter().copied().filter(|b| *b != at);
            others.find(|b| all[*b].len() + 1 == of.len())
        });
        let mut sites = BTreeMap::new();
        for (at, block) in blocks.iter().enumerate() {
            let calls = block.instructions().into_iter().filter_map(Value::as_call);
            for call in calls.filter(|call| call.is_convergent()) {
                if let Some(site) = call.args().first().and_then(|site| site.as_integer()) {
                    let (count, uniform) = sites.entry(site).or_insert((0, true));
                    *count += 1;
                    *uniform &= all.first().is_some_and(|of| of.contains(&at));
                }
            }
        }
        Cfg {
            postdominator: postdominator.collect(),
            sites,
        }
    }
}

/// The postdominators of each block from which a return is reached, itself included; none of the others.
fn postdominators(
    successors: &[Vec<usize>],
    panics: impl Fn(usize) -> bool,
) -> Vec<BTreeSet<usize>> {
    let mut live: BTreeSet<usize> = (0..successors.len())
        .filter(|at| successors[*at].is_empty() && !panics(*at))
        .collect();
    loop {
        let reaches = |at: &usize| successors[*at].iter().any(|to| live.contains(to));
        let more: Vec<usize> = (0..successors.len()).filter(reaches).collect();
        let before = live.len();
        live.extend(more);
        if live.len() == before {
            break;
        }
    }
    let of = |at: usize| {
        if live.contains(&at) {
            live.clone()
        } else {
            BTreeSet::new()
        }
    };
    let mut all: Vec<BTreeSet<usize>> = (0..successors.len()).map(of).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for at in live.iter().rev() {
            let next = successors[*at].iter().filter(|to| live.contains(to));
            let common = next.map(|to| all[*to].clone()).reduce(|a, b| &a & &b);
            let mut own = common.unwrap_or_default();
            own.insert(*at);
            changed |= own != all[*at];
            all[*at] = own;
        }
    }
    all
}

/// A convergent call that a thread made: its site, and the threads that made it together.
pub(super) type ConvergentCall = (u64, Vec<usize>);

/// The convergent calls of each thread, in order.
pub(super) fn replay(cfg: &Cfg, threads: &[&HostExecution]) -> Vec<Vec<ConvergentCall>> {
    let mut replay = Replay {
        cfg,
        threads,
        next: vec![0; threads.len()],
        calls: vec![Vec::new(); threads.len()],
    };
    replay.run((0..threads.len()).collect(), None);
    replay.calls
}

struct Replay<'a> {
    cfg: &'a Cfg,
    threads: &'a [&'a HostExecution],
    /// The next event of each thread.
    next: Vec<usize>,
    calls: Vec<Vec<ConvergentCall>>,
}

impl Replay<'_> {
    /// The block that a thread enters next.
    fn block(&self, thread: usize) -> Option<usize> {
        let event = self.threads[thread].trace.get(self.next[thread])?;
        Some(event[1] as usize)
    }

    /// Runs converged threads until they enter a block; returns those that do.
    fn run(&mut self, mut threads: Vec<usize>, until: Option<usize>) -> Vec<usize> {
        loop {
            threads.retain(|thread| self.block(*thread).is_some());
            let Some(at) = threads.first().and_then(|thread| self.block(*thread)) else {
                return threads;
            };
            if until == Some(at) {
                return threads;
            }
            for thread in &threads {
                self.execute(*thread, &threads);
            }
            let mut groups: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
            for thread in threads {
                groups.entry(self.block(thread)).or_default().push(thread);
            }
            groups.remove(&None);
            threads = if groups.len() > 1 {
                let join = self.cfg.postdominator[at];
                let joined = groups.into_values().flat_map(|group| self.run(group, join));
                joined.collect()
            } else {
                groups.into_values().next().unwrap_or_default()
            };
            threads.sort_unstable();
        }
    }

    /// The events of a thread's block.
    fn execute(&mut self, thread: usize, together: &[usize]) {
        let threads = self.threads;
        let trace = &threads[thread].trace;
        self.next[thread] += 1;
        while let Some(event) = trace.get(self.next[thread]).filter(|e| e[0] != BLOCK) {
            if event[0] < 1 << 32 {
                self.calls[thread].push((event[0], together.to_vec()));
            }
            self.next[thread] += 1;
        }
    }
}
