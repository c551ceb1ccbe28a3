//! The loops of a function: natural ones with one way in and one way back.

use crate::llvm::{Block, Value};
use std::collections::{HashMap, HashSet};

/// A loop whose head has two predecessors: one before the loop, one in it.
pub(super) struct Loop<'ctx> {
    pub(super) head: Block<'ctx>,
    /// From where it is entered.
    pub(super) before: Block<'ctx>,
    /// From where it goes round again.
    pub(super) latch: Block<'ctx>,
    pub(super) blocks: HashSet<Block<'ctx>>,
    /// The blocks that every round passes, without those of loops inside of it.
    pub(super) each_round: Vec<Block<'ctx>>,
    /// The blocks that some rounds may not pass, without those of loops inside of it.
    pub(super) some_rounds: Vec<Block<'ctx>>,
}

impl<'ctx> Loop<'ctx> {
    /// Whether a value is the same in each round.
    pub(super) fn is_fixed(&self, value: Value<'ctx>) -> bool {
        value.block().is_none_or(|b| !self.blocks.contains(&b))
    }

    /// Whether threads may meet in it: LLVM makes no copies of such a loop.
    pub(super) fn has_meeting(&self) -> bool {
        let instructions = self.blocks.iter().flat_map(|b| b.instructions());
        instructions
            .filter_map(Value::as_call)
            .any(Value::is_convergent)
    }
}

/// All of a function that are of this form.
pub(super) fn find<'ctx>(function: Value<'ctx>) -> Vec<Loop<'ctx>> {
    let graph = Graph::of(function);
    let mut bodies: HashMap<usize, (Vec<usize>, HashSet<usize>)> = HashMap::new();
    for from in 0..graph.blocks.len() {
        for &head in &graph.after[from] {
            if graph.dominates(head, from) {
                let (latches, body) = bodies.entry(head).or_default();
                latches.push(from);
                body.insert(head);
                let mut todo = vec![from];
                while let Some(at) = todo.pop() {
                    if body.insert(at) {
                        todo.extend(&graph.before[at]);
                    }
                }
            }
        }
    }
    let mut found: Vec<(usize, Loop<'ctx>)> = Vec::new();
    for (&head, (latches, body)) in &bodies {
        let outside: Vec<usize> = graph.before[head]
            .iter()
            .copied()
            .filter(|b| !body.contains(b))
            .collect();
        let ([latch], [before]) = (latches.as_slice(), outside.as_slice()) else {
            continue;
        };
        let is_inner = |at: usize| {
            let mut others = bodies.iter().filter(|(other, _)| **other != head);
            others.any(|(other, (_, inner))| body.contains(other) && inner.contains(&at))
        };
        let mut own: Vec<usize> = body.iter().copied().filter(|at| !is_inner(*at)).collect();
        own.sort_unstable();
        let (each_round, some_rounds): (Vec<usize>, Vec<usize>) =
            own.into_iter().partition(|at| graph.dominates(*at, *latch));
        let block = |at: &usize| graph.blocks[*at];
        found.push((
            head,
            Loop {
                head: graph.blocks[head],
                before: graph.blocks[*before],
                latch: graph.blocks[*latch],
                blocks: body.iter().map(block).collect(),
                each_round: each_round.iter().map(block).collect(),
                some_rounds: some_rounds.iter().map(block).collect(),
            },
        ));
    }
    // The order of a hash map differs from run to run; PTX must not.
    found.sort_by_key(|(head, _)| *head);
    found.into_iter().map(|(_, found)| found).collect()
}

/// The blocks of a function that control can come to again from themselves.
pub(super) fn in_cycles(function: Value<'_>) -> HashSet<Block<'_>> {
    let graph = Graph::of(function);
    let again = |at: &usize| {
        let mut seen = HashSet::new();
        let mut todo = graph.after[*at].clone();
        while let Some(next) = todo.pop() {
            if seen.insert(next) {
                todo.extend(&graph.after[next]);
            }
        }
        seen.contains(at)
    };
    let cycles = (0..graph.blocks.len()).filter(again);
    cycles.map(|at| graph.blocks[at]).collect()
}

/// Blocks by number, with neighbours and nearest dominators.
struct Graph<'ctx> {
    blocks: Vec<Block<'ctx>>,
    after: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
    /// None for blocks that are not reached.
    dominator: Vec<Option<usize>>,
}

impl<'ctx> Graph<'ctx> {
    fn of(function: Value<'ctx>) -> Graph<'ctx> {
        let blocks = Block::all(function);
        let number: HashMap<Block<'ctx>, usize> =
            blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        let mut after = Vec::with_capacity(blocks.len());
        let mut before = vec![Vec::new(); blocks.len()];
        for (from, block) in blocks.iter().enumerate() {
            let mut next: Vec<usize> = block
                .successors()
                .iter()
                .filter_map(|b| number.get(b).copied())
                .collect();
            next.sort_unstable();
            next.dedup();
            for to in &next {
                before[*to].push(from);
            }
            after.push(next);
        }
        let mut graph = Graph {
            dominator: vec![None; blocks.len()],
            blocks,
            after,
            before,
        };
        if !graph.blocks.is_empty() {
            graph.find_dominators();
        }
        graph
    }

    /// By Cooper's, Harvey's and Kennedy's simple way.
    fn find_dominators(&mut self) {
        let order = self.postorder();
        let mut number = vec![0; self.blocks.len()];
        for (n, at) in order.iter().enumerate() {
            number[*at] = n;
        }
        self.dominator[0] = Some(0);
        let mut changed = true;
        while changed {
            changed = false;
            for &at in order.iter().rev().filter(|at| **at != 0) {
                let known = self.before[at].iter().copied();
                let known = known.filter(|b| self.dominator[*b].is_some());
                let common = known.reduce(|mut a, mut b| {
                    while a != b {
                        let lower = if number[a] < number[b] {
                            &mut a
                        } else {
                            &mut b
                        };
                        *lower = self.dominator[*lower].unwrap_or(0);
                    }
                    a
                });
                changed |= self.dominator[at] != common;
                self.dominator[at] = common;
            }
        }
    }

    fn postorder(&self) -> Vec<usize> {
        let mut seen = HashSet::from([0]);
        let mut order = Vec::new();
        let mut path = vec![(0, self.after[0].clone())];
        while let Some((at, next)) = path.last_mut() {
            match next.pop() {
                Some(to) if seen.insert(to) => path.push((to, self.after[to].clone())),
                Some(_) => {}
                None => {
                    order.push(*at);
                    path.pop();
                }
            }
        }
        order
    }

    fn dominates(&self, above: usize, mut at: usize) -> bool {
        loop {
            match self.dominator[at] {
                _ if at == above => return true,
                Some(next) if next != at => at = next,
                _ => return false,
            }
        }
    }
}
