//! Ballots of whole warps and counts of whole blocks are constants where no thread can have returned.
//!
//! ```text
//! present = vote.sync.ballot(-1, true)             present = -1
//! if present == -1 { 5 shuffles }            ─▶    if true { 5 shuffles }
//! else { a shuffle for each lane }
//! here = barrier.red.popc(0, true)                 barrier.sync(0); here = 256
//! ```
//! Reductions ask which threads take part, since those that returned, or ended by a panic, do not. A kernel that fixes its block answers where all of its threads arrive:
//!
//! - every path from the entry to an end of the kernel passes through the block of the question, which is in no cycle; or
//! - paths that leave before do so at a branch where all threads arrive, too, and whose condition is the same in all of them (block indices, sizes and parameters): then the whole block
//!   leaves there, or none of it.
//!
//! What LLVM knows of constants removes the other ways afterwards.

use super::Changed;
use super::loops::Graph;
use crate::hash::HashSet;
use crate::llvm::{Attribute, Block, Module, Op, Value};

const BALLOT: &str = "llvm.nvvm.vote.ballot.sync";
const COUNT: &str = "llvm.nvvm.barrier.cta.red.popc.aligned.all";
const BARRIER: &str = "llvm.nvvm.barrier.cta.sync.aligned.all";
/// Registers with the same number in all threads of a block.
const OF_THE_BLOCK: [&str; 3] = ["ctaid.", "nctaid.", "ntid."];
/// How deep the computation of a condition is looked into.
const DEPTH: u32 = 12;
/// Blocks of a function that is not looked into: time is quadratic in the worst case.
const MOST_BLOCKS: usize = 2000;

/// Answers the questions of all kernels that fix their block.
pub(crate) fn answer_all<'ctx>(module: &mut Module<'ctx>, changed: &mut Changed<'ctx>) {
    for function in super::defined(module) {
        if answer(module, function) {
            changed.0.insert(function);
        }
    }
}

/// Answers the questions of a function; returns whether it has changed.
fn answer<'ctx>(module: &mut Module<'ctx>, function: Value<'ctx>) -> bool {
    let Some(threads) = threads_of_block(function) else {
        return false;
    };
    let calls = function.instructions().into_iter();
    let asked: Vec<Question<'ctx>> = calls.filter_map(|c| Question::of(c, threads)).collect();
    if asked.is_empty() {
        return false;
    }
    let Some(flow) = Flow::of(function) else {
        return false;
    };
    let known = asked.into_iter().filter(|question| {
        let block = question.call.block();
        block.is_some_and(|block| flow.all_threads_arrive(block))
    });
    let known: Vec<Question<'ctx>> = known.collect();
    for question in &known {
        question.answer(module);
    }
    !known.is_empty()
}

/// The threads of each block of a kernel, if the kernel fixes them.
fn threads_of_block(function: Value<'_>) -> Option<u64> {
    let text = function.string_attribute(Attribute::FUNCTION, "nvvm.reqntid")?;
    let sizes = text.split(',').map(|size| size.trim().parse::<u64>().ok());
    sizes.product()
}

/// A call whose result says which threads take part, or how many.
struct Question<'ctx> {
    call: Value<'ctx>,
    /// The result if none has returned.
    all: u64,
    is_barrier: bool,
}

impl<'ctx> Question<'ctx> {
    fn of(call: Value<'ctx>, threads: u64) -> Option<Self> {
        let callee = call.as_call()?.callee().as_function()?.name();
        let numbers: Vec<Option<u64>> = call.args().iter().map(|arg| arg.as_integer()).collect();
        let (all, is_barrier) = match (callee.as_str(), &numbers[..]) {
            (BALLOT, [Some(0xffff_ffff), Some(1)]) if threads.is_multiple_of(32) => {
                (0xffff_ffff, false)
            }
            (COUNT, [Some(0), Some(1)]) => (threads, true),
            _ => return None,
        };
        Some(Question {
            call,
            all,
            is_barrier,
        })
    }

    fn answer(&self, module: &mut Module<'ctx>) {
        let number = module.i32_type();
        if self.is_barrier {
            let barrier = module.declare(BARRIER, module.void_type().function(&[number]));
            module.call_before(self.call, barrier, &[number.integer(0)]);
        }
        self.call.replace_all_uses_with(number.integer(self.all));
        // SAFETY: all its uses were replaced, and the handle ends here.
        unsafe { self.call.erase_instruction() };
    }
}

/// The control flow of a function, and where threads leave it.
pub(super) struct Flow<'ctx> {
    graph: Graph<'ctx>,
    /// Blocks in cycles.
    cycles: HashSet<Block<'ctx>>,
    /// Blocks that call what may not return.
    ending_calls: Vec<bool>,
}

impl<'ctx> Flow<'ctx> {
    /// None for one that is too large.
    pub(super) fn of(function: Value<'ctx>) -> Option<Self> {
        let graph = Graph::of(function);
        if graph.blocks.len() > MOST_BLOCKS {
            return None;
        }
        let ends = |block: &Block<'ctx>| {
            let calls = block.instructions().into_iter();
            calls.filter_map(Value::as_call).any(may_end)
        };
        Some(Flow {
            ending_calls: graph.blocks.iter().map(ends).collect(),
            cycles: super::loops::in_cycles(function),
            graph,
        })
    }

    /// Whether all threads of a block of the launch execute this block of code once, and none has returned then; or none executes it.
    pub(super) fn all_threads_arrive(&self, block: Block<'ctx>) -> bool {
        let Some(at) = self.graph.blocks.iter().position(|b| *b == block) else {
            return false;
        };
        if self.cycles.contains(&block) || self.ending_calls[at] {
            return false;
        }
        let reaching = self.reaching(at);
        let mut left = HashSet::default();
        let mut before: Vec<usize> = (0..self.graph.blocks.len())
            .filter(|b| *b != at && self.graph.dominates(*b, at))
            .collect();
        // From the entry on: each of two dominators dominates the other, or is dominated by it.
        before.sort_by(|a, b| {
            self.graph
                .dominates(*b, *a)
                .cmp(&self.graph.dominates(*a, *b))
        });
        for branch in before {
            let decides = self.graph.blocks[branch].condition();
            if decides.is_some_and(|c| is_uniform(c, DEPTH)) && self.all_pass(branch, &left) {
                let next = self.graph.successors[branch].iter();
                left.extend(next.filter(|to| !reaching[**to]).map(|to| (branch, *to)));
            }
        }
        self.all_pass(at, &left)
    }

    /// The blocks from which a path leads to this one.
    fn reaching(&self, at: usize) -> Vec<bool> {
        let mut reaching = vec![false; self.graph.blocks.len()];
        let mut todo = vec![at];
        while let Some(at) = todo.pop() {
            if !std::mem::replace(&mut reaching[at], true) {
                todo.extend(&self.graph.predecessors[at]);
            }
        }
        reaching
    }

    /// Whether each path from the entry to where a thread leaves passes through this block, without these edges.
    fn all_pass(&self, through: usize, without: &HashSet<(usize, usize)>) -> bool {
        let mut seen = vec![false; self.graph.blocks.len()];
        let mut todo = vec![0];
        while let Some(at) = todo.pop() {
            if at == through || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            let next = &self.graph.successors[at];
            if next.is_empty() || self.ending_calls[at] {
                return false;
            }
            todo.extend(next.iter().filter(|to| !without.contains(&(at, **to))));
        }
        true
    }
}

/// Whether a thread may end in what is called.
fn may_end(call: Value<'_>) -> bool {
    let callee = call.callee();
    if let Some(text) = callee.asm_text() {
        return ["exit", "ret", "trap"].iter().any(|end| text.contains(end));
    }
    let Some(function) = callee.as_function() else {
        return true;
    };
    let returns = function.name().starts_with("llvm.") || function.has_attribute("willreturn");
    !returns || function.has_attribute("noreturn")
}

/// Whether a value is the same in all threads of a block.
fn is_uniform(value: Value<'_>, depth: u32) -> bool {
    if value.is_constant() {
        return value.as_integer().is_some();
    }
    if value.as_param().is_some() {
        return true;
    }
    if depth == 0 || value.block().is_none() {
        return false;
    }
    let all = |operands: Vec<Value<'_>>| operands.iter().all(|one| is_uniform(*one, depth - 1));
    match value.op() {
        Op::Call => value.callee().as_function().is_some_and(|callee| {
            let name = callee.name();
            match name.strip_prefix("llvm.nvvm.read.ptx.sreg.") {
                Some(register) => OF_THE_BLOCK.iter().any(|of| register.starts_with(of)),
                None => {
                    let is_minimum = ["llvm.umin.", "llvm.umax.", "llvm.smin.", "llvm.smax."];
                    is_minimum.iter().any(|of| name.starts_with(of)) && all(value.args())
                }
            }
        }),
        Op::Load => is_in_parameter(value.operands()[0], depth) && !value.is_volatile(),
        Op::ICmp | Op::Select | Op::UDiv | Op::URem | Op::Xor | Op::AShr | Op::SExt => {
            all(value.operands())
        }
        _ => value.is_arithmetic() && all(value.operands()),
    }
}

/// Whether an address is in a parameter of the kernel that lies in memory and is only read, at the same place in all threads.
fn is_in_parameter(address: Value<'_>, depth: u32) -> bool {
    if let Some((function, index)) = address.as_param() {
        let has = |name| function.has_attribute_at(index as u32 + 1, name);
        return has("byval") && has("readonly");
    }
    if depth == 0 || address.block().is_none() || address.op() != Op::GetElementPtr {
        return false;
    }
    let operands = address.operands();
    let (base, steps) = operands.split_at(1);
    is_in_parameter(base[0], depth - 1) && steps.iter().all(|one| is_uniform(*one, depth - 1))
}
