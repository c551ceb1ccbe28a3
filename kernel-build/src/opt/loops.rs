//! The natural loops of a function that have one entering edge and one latch.

use crate::llvm::{Block, Value};
use std::collections::{HashMap, HashSet};

/// A loop whose header has two predecessors: one outside of the loop, one inside.
pub(super) struct Loop<'ctx> {
    pub(super) header: Block<'ctx>,
    /// The only block outside of the loop that branches to the header.
    pub(super) preheader: Block<'ctx>,
    /// The only block inside of the loop that branches to the header.
    pub(super) latch: Block<'ctx>,
    pub(super) blocks: HashSet<Block<'ctx>>,
    /// The blocks that every iteration executes (they dominate the latch), without those of inner loops.
    pub(super) every_iteration: Vec<Block<'ctx>>,
    /// The blocks that an iteration may skip, without those of inner loops.
    pub(super) some_iterations: Vec<Block<'ctx>>,
}

impl<'ctx> Loop<'ctx> {
    /// Whether a value is the same in each iteration.
    pub(super) fn is_invariant(&self, value: Value<'ctx>) -> bool {
        value.block().is_none_or(|b| !self.blocks.contains(&b))
    }

    /// Whether it was said to stay as it is, since it is run rarely.
    pub(super) fn is_kept(&self) -> bool {
        self.latch.terminator().keeps_loop()
    }

    /// Whether it contains a convergent operation (a barrier, a shuffle): such a loop must not be duplicated.
    pub(super) fn has_convergent_op(&self) -> bool {
        let instructions = self.blocks.iter().flat_map(|b| b.instructions());
        instructions
            .filter_map(Value::as_call)
            .any(Value::is_convergent)
    }
}

/// All loops of a function that have this form.
pub(super) fn find<'ctx>(function: Value<'ctx>) -> Vec<Loop<'ctx>> {
    let graph = Graph::of(function);
    let mut bodies: HashMap<usize, (Vec<usize>, HashSet<usize>)> = HashMap::new();
    for from in 0..graph.blocks.len() {
        for &head in &graph.successors[from] {
            if graph.dominates(head, from) {
                let (latches, body) = bodies.entry(head).or_default();
                latches.push(from);
                body.insert(head);
                let mut todo = vec![from];
                while let Some(at) = todo.pop() {
                    if body.insert(at) {
                        todo.extend(&graph.predecessors[at]);
                    }
                }
            }
        }
    }
    let mut found: Vec<(usize, Loop<'ctx>)> = Vec::new();
    for (&head, (latches, body)) in &bodies {
        let outside: Vec<usize> = graph.predecessors[head]
            .iter()
            .copied()
            .filter(|b| !body.contains(b))
            .collect();
        let ([latch], [preheader]) = (latches.as_slice(), outside.as_slice()) else {
            continue;
        };
        let is_inner = |at: usize| {
            let mut others = bodies.iter().filter(|(other, _)| **other != head);
            others.any(|(other, (_, inner))| body.contains(other) && inner.contains(&at))
        };
        let mut own: Vec<usize> = body.iter().copied().filter(|at| !is_inner(*at)).collect();
        own.sort_unstable();
        let (every_iteration, some_iterations): (Vec<usize>, Vec<usize>) =
            own.into_iter().partition(|at| graph.dominates(*at, *latch));
        let block = |at: &usize| graph.blocks[*at];
        found.push((
            head,
            Loop {
                header: graph.blocks[head],
                preheader: graph.blocks[*preheader],
                latch: graph.blocks[*latch],
                blocks: body.iter().map(block).collect(),
                every_iteration: every_iteration.iter().map(block).collect(),
                some_iterations: some_iterations.iter().map(block).collect(),
            },
        ));
    }
    // The order of a hash map differs from run to run; PTX must not.
    found.sort_by_key(|(head, _)| *head);
    found.into_iter().map(|(_, found)| found).collect()
}

/// Whether each cycle of a function is a natural loop: then what is in no inner loop executes at most once per iteration.
pub(super) fn is_reducible(function: Value<'_>) -> bool {
    let graph = Graph::of(function);
    let order = graph.postorder();
    let mut number = vec![0; graph.blocks.len()];
    for (n, at) in order.iter().enumerate() {
        number[*at] = n;
    }
    let forward = |from: usize, to: usize| number[to] < number[from];
    order.iter().all(|from| {
        let mut successors = graph.successors[*from].iter();
        successors.all(|to| forward(*from, *to) || graph.dominates(*to, *from))
    })
}

/// The blocks of a function that are in a cycle of its control flow graph, as far as its entry reaches them.
pub(super) fn in_cycles(function: Value<'_>) -> HashSet<Block<'_>> {
    let graph = Graph::of(function);
    let components = graph.components().into_iter();
    let cycles =
        components.filter(|all| all.len() > 1 || graph.successors[all[0]].contains(&all[0]));
    cycles.flatten().map(|at| graph.blocks[at]).collect()
}

/// Blocks by number, with successors, predecessors and immediate dominators.
pub(super) struct Graph<'ctx> {
    pub(super) blocks: Vec<Block<'ctx>>,
    pub(super) successors: Vec<Vec<usize>>,
    pub(super) predecessors: Vec<Vec<usize>>,
    /// None for blocks that are not reached.
    dominator: Vec<Option<usize>>,
}

impl<'ctx> Graph<'ctx> {
    pub(super) fn of(function: Value<'ctx>) -> Graph<'ctx> {
        let blocks = Block::all(function);
        let number: HashMap<Block<'ctx>, usize> =
            blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        let mut successors = Vec::with_capacity(blocks.len());
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (from, block) in blocks.iter().enumerate() {
            let mut next: Vec<usize> = block
                .successors()
                .iter()
                .filter_map(|b| number.get(b).copied())
                .collect();
            next.sort_unstable();
            next.dedup();
            for to in &next {
                predecessors[*to].push(from);
            }
            successors.push(next);
        }
        let mut graph = Graph {
            dominator: vec![None; blocks.len()],
            blocks,
            successors,
            predecessors,
        };
        if !graph.blocks.is_empty() {
            graph.find_dominators();
        }
        graph
    }

    /// The algorithm of Cooper, Harvey and Kennedy.
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
                let known = self.predecessors[at].iter().copied();
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
        let mut order = Vec::new();
        self.visit(0, &mut HashSet::new(), &mut order, |_| true);
        order
    }

    /// Appends what a block reaches within a part of the graph and was not seen before, in postorder.
    fn visit(
        &self,
        start: usize,
        seen: &mut HashSet<usize>,
        order: &mut Vec<usize>,
        is_part: impl Fn(usize) -> bool,
    ) {
        if !seen.insert(start) {
            return;
        }
        let mut path = vec![(start, self.successors[start].clone())];
        while let Some((at, next)) = path.last_mut() {
            match next.pop() {
                Some(to) if is_part(to) && seen.insert(to) => {
                    path.push((to, self.successors[to].clone()));
                }
                Some(_) => {}
                None => {
                    order.push(*at);
                    path.pop();
                }
            }
        }
    }

    /// The strongly connected components of what the entry reaches.
    fn components(&self) -> Vec<Vec<usize>> {
        if self.blocks.is_empty() {
            return vec![];
        }
        self.components_of(&self.postorder())
    }

    /// The cycles of a part of the graph: strongly connected components with an edge inside.
    pub(super) fn cycles_within(&self, part: &HashSet<usize>) -> Vec<HashSet<usize>> {
        let mut starts: Vec<usize> = part.iter().copied().collect();
        starts.sort_unstable();
        let (mut seen, mut order) = (HashSet::new(), Vec::new());
        for start in starts {
            self.visit(start, &mut seen, &mut order, |at| part.contains(&at));
        }
        let components = self.components_of(&order).into_iter();
        let cycles =
            components.filter(|all| all.len() > 1 || self.successors[all[0]].contains(&all[0]));
        cycles.map(|all| all.into_iter().collect()).collect()
    }

    /// The strongly connected components of the blocks of a postorder, by Kosaraju's algorithm: time is linear in blocks and edges, because one
    /// kernel may have thousands of checks.
    fn components_of(&self, order: &[usize]) -> Vec<Vec<usize>> {
        let mut open = vec![false; self.blocks.len()];
        for at in order {
            open[*at] = true;
        }
        let mut components = Vec::new();
        for first in order.iter().copied().rev() {
            let mut component = Vec::new();
            let mut todo = vec![first];
            while let Some(at) = todo.pop() {
                if std::mem::replace(&mut open[at], false) {
                    component.push(at);
                    todo.extend(&self.predecessors[at]);
                }
            }
            if !component.is_empty() {
                components.push(component);
            }
        }
        components
    }

    /// The block that is on every way to another, and nearest to it; `None` for the entry and for what is not reached.
    pub(super) fn immediate_dominator(&self, at: usize) -> Option<usize> {
        self.dominator[at].filter(|above| *above != at)
    }

    pub(super) fn dominates(&self, above: usize, mut at: usize) -> bool {
        loop {
            match self.dominator[at] {
                _ if at == above => return true,
                Some(next) if next != at => at = next,
                _ => return false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Block, in_cycles};
    use crate::llvm::Module;
    use crate::llvm::tests::context;

    #[test]
    fn blocks_of_cycles_are_told_from_those_between_them() {
        let context = context();
        let module = Module::from_text(
            &context,
            "define void @f(i1 %c) {
entry:
  br label %self
self:
  br i1 %c, label %self, label %between
between:
  br i1 %c, label %outer, label %left
outer:
  br label %inner
inner:
  br i1 %c, label %inner, label %latch
latch:
  br i1 %c, label %outer, label %left
left:
  ret void
unreached:
  br label %unreached
}
define void @straight() {
  ret void
}
",
        )
        .unwrap();
        let functions = module.functions();
        let cyclic = |name: &str| {
            let function = functions.iter().find(|f| f.name() == name).unwrap();
            let cycles = in_cycles(*function);
            let blocks = Block::all(*function).into_iter();
            blocks.map(|b| cycles.contains(&b)).collect::<Vec<_>>()
        };
        let (no, yes) = (false, true);
        assert_eq!(cyclic("f"), [no, yes, no, yes, yes, yes, no, no]);
        assert_eq!(cyclic("straight"), [no]);
    }
}
