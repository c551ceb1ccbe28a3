//! Replays the traces of a warp's threads, to find which threads make each convergent call together.
//!
//! A GPU has no order of threads but the control flow graph: threads that take different successors of a block run separately until its immediate
//! postdominator, where they reconverge. A pass that keeps what each thread does can still route an edge past that block (llvm-project#213868), and
//! then a shuffle or barrier runs with part of its threads. Panicking threads leave their warp, so blocks that cannot reach a return do not count.
//!
//! Our own passes keep that, LLVM's O3 does not: SimplifyCFG makes one switch of two in a row, also where the second one is in the block in which threads meet
//! again. PTX does not ask for it. A shuffle names the threads that it waits for, and threads that come to an `.aligned` operation on different ways are
//! synchronised by ptxas (`WARPSYNC.ALL` before the operation, `testing/harness/tests/warp_meetings.rs`). It asks that all threads of the warp that are
//! still there execute one instruction: no copy of it, and none of them another one. So that is what remains to be compared after O3, where whole
//! warps met before it; where an `.aligned` operation was executed by part of a warp, nothing is defined.

use super::host::{BLOCK, HostExecution};
use crate::llvm::{Block, Value};
use crate::opt::is_aligned;
use std::collections::{BTreeMap, BTreeSet};

/// The control flow graph of a function; blocks by number, the entry first.
pub(super) struct Cfg {
    /// The nearest block that all paths to a return pass through.
    postdominator: Vec<Option<usize>>,
    /// Of each convergent call site: the number of calls, and whether all of them are in blocks that postdominate the entry.
    pub(super) sites: BTreeMap<u64, (usize, bool)>,
    /// The sites of `.aligned` operations.
    aligned: BTreeSet<u64>,
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
        let (mut sites, mut aligned) = (BTreeMap::new(), BTreeSet::new());
        for (at, block) in blocks.iter().enumerate() {
            let calls = block.instructions().into_iter().filter_map(Value::as_call);
            for call in calls.filter(|call| call.is_convergent()) {
                if let Some(site) = call.args().first().and_then(|site| site.as_integer()) {
                    let (count, uniform) = sites.entry(site).or_insert((0, true));
                    *count += 1;
                    *uniform &= all.first().is_some_and(|of| of.contains(&at));
                    if is_aligned(&call.callee().name()) {
                        aligned.insert(site);
                    }
                }
            }
        }
        Cfg {
            postdominator: postdominator.collect(),
            sites,
            aligned,
        }
    }

    /// The `.aligned` operations of each thread.
    fn aligned_ops<'a>(&self, calls: &'a [Vec<ConvergentCall>]) -> Vec<Vec<&'a ConvergentCall>> {
        let is_aligned = |call: &&ConvergentCall| self.aligned.contains(&call.site);
        let of_thread = |calls: &'a Vec<ConvergentCall>| calls.iter().filter(is_aligned).collect();
        calls.iter().map(of_thread).collect()
    }

    /// Whether the threads of a warp make each `.aligned` operation together: all that make another one, so that only those are missing that return
    /// without one. What a GPU does otherwise is undefined. False if they make none.
    pub(super) fn whole_warps_meet(&self, calls: &[Vec<ConvergentCall>]) -> bool {
        let meet = |all: &[usize], ops: &[&ConvergentCall]| ops.iter().all(|op| op.threads == all);
        let ops = self.aligned_ops(calls);
        ops.iter().any(|ops| !ops.is_empty()) && each_in_turn(&ops, meet)
    }

    /// Whether these threads make each `.aligned` operation by one instruction, as PTX demands.
    pub(super) fn whole_warps_share_ops(&self, calls: &[Vec<ConvergentCall>]) -> bool {
        let share = |_: &[usize], ops: &[&ConvergentCall]| {
            let first = (ops[0].site, ops[0].place);
            ops.iter().all(|op| (op.site, op.place) == first)
        };
        each_in_turn(&self.aligned_ops(calls), share)
    }
}

/// Whether something holds of the first operations of all threads, of the second ones of those that have one, and so on.
fn each_in_turn(
    ops: &[Vec<&ConvergentCall>],
    holds: impl Fn(&[usize], &[&ConvergentCall]) -> bool,
) -> bool {
    (0..ops.iter().map(Vec::len).max().unwrap_or(0)).all(|n| {
        let in_turn = ops.iter().enumerate();
        let (threads, ops): (Vec<usize>, Vec<&ConvergentCall>) = in_turn
            .filter_map(|(thread, ops)| Some((thread, *ops.get(n)?)))
            .unzip();
        holds(&threads, &ops)
    })
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

/// A convergent call that a thread made.
#[derive(Clone, Debug)]
pub(super) struct ConvergentCall {
    site: u64,
    /// The instruction: its block, and how many events the block has before it.
    place: (usize, usize),
    /// The threads that made it together.
    threads: Vec<usize>,
}

/// Whether the same threads make each call together.
pub(super) fn are_alike(one: &[Vec<ConvergentCall>], other: &[Vec<ConvergentCall>]) -> bool {
    let meetings = |calls: &[Vec<ConvergentCall>]| -> Vec<Vec<(u64, Vec<usize>)>> {
        let of_thread = |calls: &Vec<ConvergentCall>| {
            let calls = calls.iter();
            calls.map(|c| (c.site, c.threads.clone())).collect()
        };
        calls.iter().map(of_thread).collect()
    };
    meetings(one) == meetings(other)
}

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
        let Some(block) = self.block(thread) else {
            return;
        };
        self.next[thread] += 1;
        let begin = self.next[thread];
        while let Some(event) = trace.get(self.next[thread]).filter(|e| e[0] != BLOCK) {
            if event[0] < 1 << 32 {
                self.calls[thread].push(ConvergentCall {
                    site: event[0],
                    place: (block, self.next[thread] - begin),
                    threads: together.to_vec(),
                });
            }
            self.next[thread] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: u64 = 1;

    fn graph() -> Cfg {
        Cfg {
            postdominator: vec![None; 3],
            sites: BTreeMap::from([(SITE, (1, false))]),
            aligned: BTreeSet::from([SITE]),
        }
    }

    fn call(block: usize, threads: &[usize]) -> ConvergentCall {
        ConvergentCall {
            site: SITE,
            place: (block, 0),
            threads: threads.to_vec(),
        }
    }

    /// The third thread returns without an operation.
    #[test]
    fn threads_that_are_still_there_are_a_whole_warp() {
        let together = || vec![call(2, &[0, 1])];
        let calls = [together(), together(), vec![]];
        assert!(graph().whole_warps_meet(&calls));
        assert!(!graph().whole_warps_meet(&[vec![], vec![], vec![]]));
    }

    #[test]
    fn threads_that_come_to_one_instruction_apart_share_it() {
        let calls = [vec![call(2, &[0])], vec![call(2, &[1])], vec![]];
        assert!(graph().whole_warps_share_ops(&calls));
        assert!(!graph().whole_warps_meet(&calls));
    }

    #[test]
    fn a_copy_of_an_operation_in_each_arm_is_not_shared() {
        let calls = [vec![call(1, &[0])], vec![call(2, &[1])], vec![]];
        assert!(!graph().whole_warps_share_ops(&calls));
    }
}
