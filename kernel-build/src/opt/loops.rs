//! The natural loops of a function that have one entering edge and one latch.

use crate::hash::{HashMap, HashSet};
use crate::llvm::{Block, Value};

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

/// A natural loop, by numbers of blocks.
struct Body {
    head: usize,
    latches: Vec<usize>,
    blocks: Vec<usize>,
    /// For each block of the function, whether it is one of them.
    has: Vec<bool>,
}

/// All natural loops, in the order of their heads.
fn bodies(graph: &Graph<'_>) -> Vec<Body> {
    let count = graph.blocks.len();
    let mut of_head: Vec<Option<Body>> = (0..count).map(|_| None).collect();
    for from in 0..count {
        for &head in &graph.successors[from] {
            if !graph.dominates(head, from) {
                continue;
            }
            let body = of_head[head].get_or_insert_with(|| {
                let mut has = vec![false; count];
                has[head] = true;
                Body {
                    head,
                    latches: vec![],
                    blocks: vec![head],
                    has,
                }
            });
            body.latches.push(from);
            let mut todo = vec![from];
            while let Some(at) = todo.pop() {
                if !std::mem::replace(&mut body.has[at], true) {
                    body.blocks.push(at);
                    todo.extend(&graph.predecessors[at]);
                }
            }
        }
    }
    of_head.into_iter().flatten().collect()
}

/// All loops of a function that have this form, in the order of their headers.
pub(super) fn find<'ctx>(function: Value<'ctx>) -> Vec<Loop<'ctx>> {
    let graph = Graph::of(function);
    let bodies = bodies(&graph);
    let block = |at: &usize| graph.blocks[*at];
    let mut found = Vec::new();
    for body in &bodies {
        let outside = graph.predecessors[body.head].iter().copied();
        let outside: Vec<usize> = outside.filter(|b| !body.has[*b]).collect();
        let ([latch], [preheader]) = (body.latches.as_slice(), outside.as_slice()) else {
            continue;
        };
        // By block, not by loop: a kernel of a hundred nested iterators has as many loops.
        let mut is_own = body.has.clone();
        for inner in bodies
            .iter()
            .filter(|b| b.head != body.head && body.has[b.head])
        {
            inner.blocks.iter().for_each(|at| is_own[*at] = false);
        }
        let own = (0..graph.blocks.len()).filter(|at| is_own[*at]);
        let (every_iteration, some_iterations): (Vec<usize>, Vec<usize>) =
            own.partition(|at| graph.dominates(*at, *latch));
        found.push(Loop {
            header: block(&body.head),
            preheader: block(preheader),
            latch: block(latch),
            blocks: body.blocks.iter().map(block).collect(),
            every_iteration: every_iteration.iter().map(block).collect(),
            some_iterations: some_iterations.iter().map(block).collect(),
        });
    }
    found
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
    /// Of each block, when a walk of the tree of dominators enters it and leaves it.
    walk: Vec<(usize, usize)>,
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
            walk: vec![(0, 0); blocks.len()],
            blocks,
            successors,
            predecessors,
        };
        if !graph.blocks.is_empty() {
            graph.find_dominators();
            graph.walk_dominators();
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

    fn walk_dominators(&mut self) {
        let mut below = vec![Vec::new(); self.blocks.len()];
        for at in 1..self.blocks.len() {
            if let Some(above) = self.dominator[at] {
                below[above].push(at);
            }
        }
        let mut time = 0;
        let mut path = vec![0];
        self.walk[0].0 = time;
        while let Some(&at) = path.last() {
            time += 1;
            if let Some(next) = below[at].pop() {
                self.walk[next].0 = time;
                path.push(next);
            } else {
                self.walk[at].1 = time;
                path.pop();
            }
        }
    }

    fn postorder(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.blocks.len()];
        self.visit(0, &mut seen, &mut order, |_| true);
        order
    }

    /// Appends what a block reaches within a part of the graph and was not seen before, in postorder.
    fn visit(
        &self,
        start: usize,
        seen: &mut [bool],
        order: &mut Vec<usize>,
        is_part: impl Fn(usize) -> bool,
    ) {
        if std::mem::replace(&mut seen[start], true) {
            return;
        }
        let mut path = vec![(start, self.successors[start].clone())];
        while let Some((at, next)) = path.last_mut() {
            match next.pop() {
                Some(to) if is_part(to) && !std::mem::replace(&mut seen[to], true) => {
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
        let (mut seen, mut order) = (vec![false; self.blocks.len()], Vec::new());
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

    pub(super) fn dominates(&self, above: usize, at: usize) -> bool {
        if at == above {
            return true;
        }
        let is_reached = self.dominator[above].is_some() && self.dominator[at].is_some();
        let ((begin, end), (first, last)) = (self.walk[above], self.walk[at]);
        is_reached && begin < first && last < end
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
