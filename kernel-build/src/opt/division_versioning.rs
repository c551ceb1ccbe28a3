//! Divisions of indices, versioned by their width.
//!
//! A GPU divides 32-bit numbers in about 20 instructions, and 64-bit numbers in a function of about 70. Indices have 64 bits, and nearly always fit into 32.
//! LLVM asks before each division whether its operands do, and joins both results in 64 bits:
//!
//! ```text
//! row = i / width                                  if (i | width) >> 32 == 0 {
//! x = i % width                                        row = zext (i as u32 / width as u32)  …     all that follows, in 32 bits
//! t = row % time                                   } else {
//! …                                                    row = i / width  …                          all that follows, as it was
//!                                                  }
//! ```
//! Here one condition decides for all divisions, and all that follows exists twice, so that the quotients are known to be narrow where they are used:
//! [`index_narrowing`](super::index_narrowing) then divides in 32 bits, and multiplies narrow factors. The numbers that are asked for are computed from thread
//! and block indices and parameters; a division of what comes from memory is left alone, since threads of a warp could differ in the answer.
//!
//! Where a check of the narrow version fails, it goes to the start of the wide one if it can, see [`version_exits`].

use super::loops::{self, Graph};
use super::region::{Before, Region};
use super::upper_bounds::{DEPTH, UpperBounds};
use super::{Changed, has_aligned_op, version_exits};
use crate::hash::HashSet;
use crate::llvm::{Block, Builder, Compare, LlvmError, Module, Op, Passes, TypeKind, Value};

/// Instructions that are copied at most.
const SIZE: usize = 1000;

/// What the divisions must save at least, see [`Division::saves`].
const WORTH: u32 = 2;

/// Versions the divisions of a module.
pub(crate) fn version_all(module: &mut Module<'_>) -> Result<(), LlvmError> {
    let mut changed = Changed::default();
    changed.each(module, version);
    // The panics that the narrow versions do not reach.
    changed.run(module, Passes::drop_unreached_blocks(), None)
}

/// Makes a version for indices of 32 bits of what follows the first division of a function; returns whether there was one. Leaves blocks that control does
/// not reach.
pub(super) fn version(function: Value<'_>) -> bool {
    let Some(plan) = Plan::of(function) else {
        return false;
    };
    plan.apply(function);
    true
}

/// A division whose operands are narrow if some numbers are.
struct Division<'ctx> {
    at: usize,
    instruction: Value<'ctx>,
    indices: Vec<Value<'ctx>>,
}

impl Division<'_> {
    /// A division by a constant is a multiplication.
    fn saves(&self) -> u32 {
        let by = self.instruction.operands()[1];
        if by.as_integer().is_some() { 1 } else { WORTH }
    }
}

/// Where the function parts, and on what.
struct Plan<'ctx> {
    graph: Graph<'ctx>,
    head: usize,
    /// What stands before it in the head is shared.
    first: Value<'ctx>,
    /// The numbers that are asked for.
    indices: Vec<Value<'ctx>>,
}

impl<'ctx> Plan<'ctx> {
    fn of(function: Value<'ctx>) -> Option<Plan<'ctx>> {
        let all = function.instructions();
        if !all.iter().copied().any(is_wide_division) {
            return None;
        }
        let graph = Graph::of(function);
        let bounds = UpperBounds::of(function);
        let mut divisions = Vec::new();
        for (at, block) in graph.blocks.iter().enumerate() {
            if at != 0 && graph.immediate_dominator(at).is_none() {
                continue;
            }
            for instruction in block.instructions() {
                let indices = indices(instruction, &bounds);
                divisions.extend(indices.map(|indices| Division {
                    at,
                    instruction,
                    indices,
                }));
            }
        }
        let cycles = loops::in_cycles(function);
        let head = head(&cycles, &graph, divisions.iter().map(|d| d.at))?;
        let in_head = divisions.iter().find(|d| d.at == head);
        let end = graph.blocks[head].terminator();
        let mut plan = Plan {
            first: in_head.map_or(end, |d| d.instruction),
            indices: Vec::new(),
            head,
            graph,
        };
        let before = plan.before();
        divisions.retain(|d| d.indices.iter().all(|i| before.can_move(*i, DEPTH)));
        if divisions.iter().map(Division::saves).sum::<u32>() < WORTH {
            return None;
        }
        let divided: HashSet<usize> = divisions.iter().map(|d| d.at).collect();
        for index in divisions.into_iter().flat_map(|d| d.indices) {
            if !plan.indices.contains(&index) {
                plan.indices.push(index);
            }
        }
        plan.can_be_copied(&cycles, &divided).then_some(plan)
    }

    /// Whether the code that is copied is short, has no variables in memory, and no thread waits for others in it. Beside a loop, a division outside of it
    /// takes little time.
    fn can_be_copied(&self, cycles: &HashSet<Block<'ctx>>, divided: &HashSet<usize>) -> bool {
        let region = Region::of(&self.graph, self.head);
        let loops = region.blocks().iter().any(|b| cycles.contains(b));
        let in_loops = divided
            .iter()
            .any(|at| cycles.contains(&self.graph.blocks[*at]));
        (!loops || in_loops) && can_be_copied(&region, self.first)
    }

    fn before(&self) -> Before<'ctx> {
        Before::new(&self.graph, self.head, self.first)
    }

    fn apply(self, function: Value<'ctx>) {
        let mut before = self.before();
        for index in &self.indices {
            before.hoist(*index);
        }
        let region = Region::of(&self.graph, self.head);
        let head = self.graph.blocks[self.head];
        let front = head.split_before(self.first, &self.graph.blocks);
        let wide = region.copy(function);
        let guard = Builder::at_end(front);
        // A branch on poison is undefined where the division might not have been reached.
        let frozen = self.indices.iter().map(|index| guard.freeze(*index));
        let any = frozen.reduce(|a, b| guard.or(a, b));
        let end = guard.number(1 << 32, 64);
        let narrow = any.map(|any| guard.compare(Compare::Ult, any, end));
        guard.cond_br(narrow.unwrap_or(guard.boolean(false)), head, wide);
        let start = Builder::before(self.first);
        let instructions: Vec<Value<'ctx>> = region.instructions().collect();
        for index in self.indices {
            let narrow = start.widened(start.trunc32(index));
            for instruction in &instructions {
                instruction.replace_operands(&[(index, narrow)]);
            }
        }
        version_exits::leave_where_checks_fail(function, &region, wide);
    }
}

/// Whether the code of a region from an instruction of its head on is short, has no variables in memory, and no thread waits for others in it.
pub(super) fn can_be_copied<'ctx>(region: &Region<'ctx>, first: Value<'ctx>) -> bool {
    let waits = |i: Value<'_>| i.as_call().is_some_and(Value::is_convergent) && !is_panic(i);
    // The head comes first.
    let copied = || region.instructions().skip_while(|i| *i != first);
    copied().count() <= SIZE && !copied().any(|i| waits(i) || i.is_alloca())
}

/// The block that dominates all of these and is in no loop.
pub(super) fn head<'ctx>(
    cycles: &HashSet<Block<'ctx>>,
    graph: &Graph<'ctx>,
    blocks: impl Iterator<Item = usize>,
) -> Option<usize> {
    let above = |at| graph.immediate_dominator(at).unwrap_or(0);
    let mut head = blocks.reduce(|mut common, at| {
        while !graph.dominates(common, at) {
            common = above(common);
        }
        common
    })?;
    while cycles.contains(&graph.blocks[head]) {
        head = above(head);
    }
    Some(head)
}

fn is_wide_division(instruction: Value<'_>) -> bool {
    matches!(instruction.op(), Op::UDiv | Op::URem)
        && instruction.ty().kind() == TypeKind::Integer(64)
}

/// The numbers that must be narrow so that both operands of a division are; `None` for what is no division, or narrow, or of other numbers.
fn indices<'ctx>(instruction: Value<'ctx>, bounds: &UpperBounds<'ctx>) -> Option<Vec<Value<'ctx>>> {
    let mut found = Vec::new();
    let all_are = is_wide_division(instruction)
        && instruction
            .operands()
            .into_iter()
            .all(|v| add_indices(v, bounds, &mut found, DEPTH));
    (all_are && !found.is_empty()).then_some(found)
}

/// Adds the numbers that must be narrow so that this one is.
fn add_indices<'ctx>(
    value: Value<'ctx>,
    bounds: &UpperBounds<'ctx>,
    found: &mut Vec<Value<'ctx>>,
    depth: u32,
) -> bool {
    if bounds.is_narrow(value) {
        return true;
    }
    if depth == 0 || value.as_integer().is_some() {
        return false;
    }
    // A quotient or a remainder is at most the dividend.
    let dividend = match value.op() {
        _ if value.block().is_none() => None,
        Op::UDiv | Op::URem | Op::LShr | Op::Freeze => value.operands().first().copied(),
        _ => bounds.remainder(value).map(|r| r.dividend),
    };
    let before = found.len();
    if dividend.is_some_and(|v| add_indices(v, bounds, found, depth - 1)) {
        return true;
    }
    found.truncate(before);
    let is_found = is_index(value, DEPTH);
    if is_found {
        found.push(value);
    }
    is_found
}

/// Whether a number depends on thread and block indices and parameters alone.
fn is_index(value: Value<'_>, depth: u32) -> bool {
    if value.block().is_none() {
        return value.as_integer().is_some() || value.as_param().is_some();
    }
    let operands = || value.operands().into_iter();
    match value.op() {
        _ if depth == 0 => false,
        // A parameter that is passed in memory.
        Op::Load => value.operands()[0].as_param().is_some(),
        Op::Call => {
            let name = value.callee().as_function().map(Value::name);
            name.is_some_and(|n| n.starts_with("llvm.nvvm.read.ptx.sreg."))
        }
        Op::Add | Op::Sub | Op::Mul | Op::UDiv | Op::URem | Op::Shl | Op::LShr => {
            operands().all(|v| is_index(v, depth - 1))
        }
        Op::And | Op::Or | Op::Xor | Op::ZExt | Op::SExt | Op::Trunc | Op::Freeze => {
            operands().all(|v| is_index(v, depth - 1))
        }
        _ => false,
    }
}

/// Whether a call never returns, and threads do not wait for others in it.
fn is_panic(call: Value<'_>) -> bool {
    let returns = |f: Value<'_>| f.instructions().iter().any(|i| i.op() == Op::Return);
    let ends = call.block().is_some_and(Block::is_unreachable);
    let callee = call.callee().as_function();
    ends && callee.is_some_and(|f| !returns(f) && !has_aligned_op(f))
}
