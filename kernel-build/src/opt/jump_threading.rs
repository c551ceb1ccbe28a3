//! One test where Rust's iterators make two: jump threading, where threads of a warp still meet before what they must execute together.
//!
//! `for i in 0..=n` asks twice per iteration whether it is over: in `next`, and in the loop, on the result of `next`; a flag carries what the last iteration
//! knew to the next one. `chain`, `peekable`, `Option`s that a loop carries and `return` in a loop are alike. The trip count is not known then, and the loop
//! is neither unrolled nor are its checks hoisted.
//!
//! ```text
//! next:  i = phi …; over = phi [false, start], [last, body]      next:  i = phi …
//!        if over { goto done } else { goto body }          →     body:  …
//! body:  …; last = i == n                                              if i == n { goto done } else { goto next }
//!        goto next
//! ```
//! Jump threading redirects the edge from `body` to where `next` would go. LLVM leaves that out for GPUs: an edge that is redirected past a block where the
//! threads of a warp meet again lets some of them run ahead, to an `.aligned` barrier for example (llvm-project#213868, llvm-project#213870).
//!
//! In functions with such operations edges are therefore redirected within regions only. A region is entered at one block, has no convergent operation, and
//! is left to one block, except by panics. All of its threads meet there, as before, whatever way they take inside; no convergent operation is executed earlier.

use super::loops::Graph;
use super::{Changed, LARGE_FUNCTION, has_aligned_op, latch_folding};
use crate::hash::HashSet;
use crate::llvm::{Attribute, Block, Builder, Context, LlvmError, Module, Op, Passes, Value};

/// Begins the text of the calls that keep a block as it is while jumps are threaded.
const MARK: &str = "// keeps ";

/// Blocks behind a loop that may be added to its region, so that it is left to one block only.
const MOST_ADDED: usize = 16;

/// Threads jumps of these functions, but of the largest.
pub(crate) fn thread<'ctx>(
    module: &mut Module<'ctx>,
    functions: &Changed<'ctx>,
) -> Result<(), LlvmError> {
    let all = functions.0.iter().copied();
    let small = |f: &Value<'_>| f.instructions().len() < LARGE_FUNCTION;
    Changed(all.filter(small).collect()).thread_jumps(module)
}

impl<'ctx> Changed<'ctx> {
    /// Runs LLVM's jump threading and CFG simplification; where a function has `.aligned` operations, on [`regions`] only.
    fn thread_jumps(&self, module: &mut Module<'ctx>) -> Result<(), LlvmError> {
        let context = module.context();
        let functions = self.0.iter().copied();
        let aligned: Vec<Value<'ctx>> = functions.filter(|f| has_aligned_op(*f)).collect();
        for function in &aligned {
            keep_others(context, *function, &regions(*function));
        }
        let threaded = self.run(module, Passes::thread_jumps(), None);
        self.again(module, latch_folding::fold);
        let rotated = threaded.and_then(|()| self.run(module, Passes::rotate_loops(), None));
        aligned.into_iter().for_each(remove_marks);
        rotated
    }
}

/// Puts a convergent call into each block outside of the regions: such a block is neither copied, nor left out, nor merged with another.
fn keep_others<'ctx>(
    context: &'ctx Context,
    function: Value<'ctx>,
    regions: &HashSet<Block<'ctx>>,
) {
    let Some(convergent) = Attribute::named(context, "convergent", 0) else {
        return;
    };
    let blocks = Block::all(function).into_iter();
    for (number, block) in blocks.filter(|b| !regions.contains(b)).enumerate() {
        // With a number: equal calls of two blocks could become one.
        let mark = Builder::before(block.first()).ptx_line(&format!("{MARK}{number}"));
        mark.add_call_attribute(Attribute::FUNCTION, convergent);
    }
}

fn remove_marks(function: Value<'_>) {
    for call in function
        .instructions()
        .into_iter()
        .filter_map(Value::as_call)
    {
        let text = call.callee().asm_text();
        if text.is_some_and(|text| text.starts_with(MARK)) {
            // SAFETY: a call without a result, of which no other handle is left.
            unsafe { call.erase_instruction() };
        }
    }
}

/// The blocks of all regions of a function in which edges may be redirected.
fn regions(function: Value<'_>) -> HashSet<Block<'_>> {
    let graph = Graph::of(function);
    let convergent: Vec<bool> = graph.blocks.iter().map(|b| has_convergent_op(*b)).collect();
    let returns = graph.that_return();
    let mut found = HashSet::default();
    let mut todo: Vec<HashSet<usize>> = vec![(0..graph.blocks.len()).collect()];
    while let Some(within) = todo.pop() {
        for cycle in graph.cycles_within(&within) {
            match region(&graph, &cycle, &convergent, &returns) {
                Some(region) => found.extend(region),
                // Inner loops: what is left without the blocks where it is entered.
                None => {
                    let inner = cycle.iter().copied();
                    let inner = inner.filter(|at| !graph.is_entered_at(*at, &cycle));
                    todo.push(inner.collect());
                }
            }
        }
    }
    found.into_iter().map(|at| graph.blocks[at]).collect()
}

/// The region of a loop nest: its blocks, and those behind it that are needed so that it is left to one block; `None` if it has no such region.
fn region(
    graph: &Graph<'_>,
    cycle: &HashSet<usize>,
    convergent: &[bool],
    returns: &[bool],
) -> Option<HashSet<usize>> {
    let entries = cycle.iter().filter(|at| graph.is_entered_at(**at, cycle));
    if entries.count() != 1 || cycle.iter().any(|at| convergent[*at]) {
        return None;
    }
    let mut region = cycle.clone();
    for _ in 0..=MOST_ADDED {
        let mut exits: Vec<usize> = region
            .iter()
            .flat_map(|at| &graph.successors[*at])
            .copied()
            .filter(|to| !region.contains(to) && returns[*to])
            .collect();
        exits.sort_unstable();
        exits.dedup();
        if exits.len() <= 1 {
            return Some(region);
        }
        let entered_from_region =
            |at: &usize| graph.predecessors[*at].iter().all(|b| region.contains(b));
        let next = exits
            .into_iter()
            .find(|at| !convergent[*at] && entered_from_region(at))?;
        region.insert(next);
    }
    None
}

fn has_convergent_op(block: Block<'_>) -> bool {
    let instructions = block.instructions().into_iter();
    let mut calls = instructions.filter_map(Value::as_call);
    calls.any(Value::is_convergent)
}

impl Graph<'_> {
    /// Whether a block of a set has a predecessor outside.
    fn is_entered_at(&self, at: usize, set: &HashSet<usize>) -> bool {
        self.predecessors[at].iter().any(|from| !set.contains(from))
    }

    /// For each block, whether a return can be reached from it.
    fn that_return(&self) -> Vec<bool> {
        let mut returns = vec![false; self.blocks.len()];
        let ends = |at: &usize| self.blocks[*at].terminator().op() == Op::Return;
        let mut todo: Vec<usize> = (0..self.blocks.len()).filter(ends).collect();
        while let Some(at) = todo.pop() {
            if !std::mem::replace(&mut returns[at], true) {
                todo.extend(&self.predecessors[at]);
            }
        }
        returns
    }
}

#[cfg(test)]
#[path = "jump_threading_tests.rs"]
mod tests;
