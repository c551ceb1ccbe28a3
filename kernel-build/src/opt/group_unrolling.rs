//! Loops whose trip count is expensive to compute are unrolled where several iterations are left.
//!
//! LLVM unrolls a loop if its trip count is cheap to compute. For `at += stride; at < end` that takes a division, and for ends that are minima or saturated
//! differences several instructions: such a loop stays as it is, and each iteration waits for the loads of its own. Whether a group of iterations is left takes no trip
//! count, but one comparison:
//!
//! ```text
//! do {                                             while at + 3 * stride < end {          at: of the next iteration
//!     sum += a[at];                                    sum += a[at]; … sum += a[at + 3 * stride];          all loads in flight
//!     at += stride;                                    at += 4 * stride;
//! } while at < end;                                }
//!                                                  the original loop, for the iterations that are left
//! ```
//! Nothing is executed that the loop does not execute, in the same order. The iterations that are left over come last: threads of a warp with different trip counts
//! have their groups in common.

use super::add_recurrence::{AddRecurrence, LoopInvariant};
use super::loops::{self, Loop};
use super::{Changed, defined};
use crate::hash::{HashMap, HashSet};
use crate::llvm::{Block, Builder, LlvmError, Module, Op, Passes, Predicate, Value};

/// Iterations of a group, for loops that are small enough.
const GROUPS: [usize; 2] = [4, 2];

/// Instructions of a group, about as many as LLVM makes (`-unroll-partial-threshold`).
const SIZE: usize = 200;

/// Loads of a group.
const LOADS: usize = 32;

/// Unrolls such loops of a module.
pub(crate) fn unroll_all(module: &mut Module<'_>) -> Result<(), LlvmError> {
    let has_some = |f: &Value<'_>| loops::find(*f).iter().any(|l| Plan::of(l).is_some());
    let functions = defined(module).into_iter().filter(has_some);
    let functions = Changed(functions.collect());
    // What is used behind a loop goes through phis then.
    functions.run(module, Passes::close_loops(), None)?;
    for function in defined(module) {
        unroll(function);
    }
    Ok(())
}

/// Unrolls such loops of a function in which what is used behind a loop goes through phis; returns whether there were any.
pub(super) fn unroll(function: Value<'_>) -> bool {
    let mut changed = false;
    // Plans do not share blocks: each loop has one.
    for found in loops::find(function) {
        if let Some(plan) = Plan::of(&found) {
            changed |= plan.apply(function, &found).is_some();
        }
    }
    changed
}

/// How a loop of one block is unrolled.
struct Plan<'ctx> {
    size: usize,
    /// What the latch compares with the end.
    counter: Value<'ctx>,
    step: LoopInvariant<'ctx>,
    end: Value<'ctx>,
    wide: bool,
}

impl<'ctx> Plan<'ctx> {
    fn of(found: &Loop<'ctx>) -> Option<Plan<'ctx>> {
        let block = found.header;
        let end_of_block = block.terminator();
        if found.blocks.len() != 1 || end_of_block.forbids_unrolling() {
            return None;
        }
        let condition = block.condition()?;
        let mut how = condition.predicate()?;
        match block.successors()[..] {
            [a, b] if a == block && b != a && !b.is_unreachable() => {}
            [a, b] if b == block && b != a && !a.is_unreachable() => how = how.inverse(),
            _ => return None,
        }
        let [mut counter, mut end] = condition.operands().try_into().ok()?;
        if found.is_invariant(counter) {
            (counter, end) = (end, counter);
            how = how.swapped();
        }
        let recurrence = AddRecurrence::of(counter, found).filter(|r| r.narrow.is_empty())?;
        let by_one = recurrence.step == LoopInvariant::Number(1);
        let grows = match &recurrence.step {
            LoopInvariant::Number(step) => (1..1 << 31).contains(step),
            _ => true,
        };
        let ends = matches!(how, Predicate::Ult) || how == Predicate::Ne && by_one;
        if !found.is_invariant(end) || found.is_invariant(counter) || !grows || !ends {
            return None;
        }
        let (mut instructions, mut loads) = (0, 0);
        for instruction in block
            .instructions()
            .into_iter()
            .filter(|i| *i != end_of_block)
        {
            match instruction.op() {
                Op::Load | Op::Store
                    if instruction.is_volatile() || instruction.ordering() != 0 =>
                {
                    return None;
                }
                Op::Load => loads += 1,
                Op::Call if instruction.is_convergent() => return None,
                Op::AtomicRmw | Op::CmpXchg | Op::Fence => return None,
                _ => {}
            }
            instructions += usize::from(instruction.op() != Op::Phi);
        }
        let fits = |size: &usize| size * instructions <= SIZE && size * loads <= LOADS;
        let size = GROUPS.into_iter().find(fits)?;
        let early = block
            .instructions()
            .into_iter()
            .any(|i| is_early_load(i, found));
        early.then_some(Plan {
            size,
            counter,
            wide: recurrence.bits == 64,
            step: recurrence.step.widened(recurrence.bits),
            end,
        })
    }

    /// `None` if the blocks around the loop do not allow it, and then nothing has changed.
    fn apply(&self, function: Value<'ctx>, found: &Loop<'ctx>) -> Option<()> {
        let block = found.header;
        let exit = *block.successors().iter().find(|b| **b != block)?;
        let phis = block.phis();
        let from = |from| phis.iter().map(move |phi| incoming(*phi, from));
        let first: Vec<_> = from(found.preheader).collect::<Option<_>>()?;
        let next: Vec<_> = from(found.latch).collect::<Option<_>>()?;
        if found.preheader.successors().len() != 1 || is_used_behind(function, found) {
            return None;
        }
        let original = found.preheader;
        let guard = original.split_off_front(&Block::all(function));
        let (group, tail) = (original.new_before(), original.new_before());

        // In the preheader: the counter's first value, and whether a group is left with it.
        let at = Builder::at_end(guard);
        let begin: HashMap<_, _> = phis.iter().copied().zip(first.iter().copied()).collect();
        let mut known = begin.clone();
        let counter = first_value(self.counter, found, &at, &mut known);
        let (step, end) = (self.step.build(&at, 64), self.widened(self.end, &at));
        let counter = self.widened(counter, &at);
        let number = |n| at.number(n, 64);
        let less = |a, b| at.compare_as(Predicate::Ult, a, b);
        let last = at.add(counter, at.mul(step, number(self.size as u64 - 2)));
        let mut fits = vec![less(counter, end), less(last, end)];
        if !matches!(self.step, LoopInvariant::Number(_)) {
            let less_one = at.sub(step, number(1));
            fits.push(less(less_one, number((1 << 31) - 1)));
        }
        if self.wide {
            fits.push(less(end, number(1 << 62)));
        }
        let ahead = at.mul(step, number(self.size as u64 - 1));
        let fits = fits.into_iter().reduce(|a, b| at.and(a, b))?;
        // An iteration may end the thread before it compares what is poison.
        at.cond_br(at.freeze(fits), group, original);

        // A group of iterations.
        let at = Builder::at_end(group);
        let merged: Vec<Value<'ctx>> = phis.iter().map(|phi| at.phi(phi.ty())).collect();
        let mut now = merged.clone();
        let mut values = HashMap::default();
        for _ in 0..self.size {
            values = phis.iter().copied().zip(now.iter().copied()).collect();
            let end_of_block = block.terminator();
            for instruction in block.instructions() {
                if instruction.op() == Op::Phi || instruction == end_of_block {
                    continue;
                }
                let copy = at.copy(instruction, |o| value(o, &values));
                values.insert(instruction, copy);
            }
            now = next.iter().map(|v| value(*v, &values)).collect();
        }
        for ((phi, first), last) in merged.iter().zip(&first).zip(&now) {
            phi.add_incoming(*first, guard);
            phi.add_incoming(*last, group);
        }
        let counter = self.widened(value(self.counter, &values), &at);
        let more = at.compare_as(Predicate::Ult, at.add(counter, ahead), end);
        at.cond_br(more, group, tail);

        // What is left.
        let at = Builder::at_end(tail);
        let again = value(block.condition()?, &values);
        if block.successors().first() == Some(&block) {
            at.cond_br(again, original, exit);
        } else {
            at.cond_br(again, exit, original);
        }
        for phi in exit.phis() {
            if let Some(last) = incoming(phi, block) {
                phi.add_incoming(value(last, &values), tail);
            }
        }
        let at = Builder::before(original.terminator());
        for ((phi, first), last) in phis.iter().zip(&first).zip(&now) {
            let resumed = at.phi(phi.ty());
            resumed.add_incoming(*first, guard);
            resumed.add_incoming(*last, tail);
            let index = phi.incoming().iter().position(|(_, b)| *b == original)?;
            phi.set_operand(index as u32, resumed);
        }
        // It has few iterations now.
        block.terminator().keep_loop();
        Some(())
    }

    fn widened(&self, value: Value<'ctx>, at: &Builder<'ctx>) -> Value<'ctx> {
        if self.wide { value } else { at.widened(value) }
    }
}

/// Whether a load does not wait for one of the iteration before: its address depends on numbers and addresses only that grow by the same step each time.
fn is_early_load<'ctx>(load: Value<'ctx>, found: &Loop<'ctx>) -> bool {
    if load.op() != Op::Load {
        return false;
    }
    let (mut todo, mut seen) = (load.operands(), HashSet::default());
    while let Some(value) = todo.pop() {
        if found.is_invariant(value) || !seen.insert(value) {
            continue;
        }
        match value.op() {
            Op::Phi if value.block() == Some(found.header) => {
                let is_number = AddRecurrence::of(value, found).is_some();
                if !is_number && !is_stepped_pointer(value, found) {
                    return false;
                }
            }
            Op::Load => return false,
            _ => todo.extend(value.operands()),
        }
    }
    true
}

/// Whether a pointer grows by the same step in each iteration.
fn is_stepped_pointer<'ctx>(phi: Value<'ctx>, found: &Loop<'ctx>) -> bool {
    let mut next = incoming(phi, found.latch);
    while let Some((base, by)) = next.and_then(Value::as_gep) {
        if !found.is_invariant(by) {
            return false;
        }
        if base == phi {
            return true;
        }
        next = Some(base);
    }
    false
}

/// The value of the first iteration, computed before the loop.
fn first_value<'ctx>(
    of: Value<'ctx>,
    found: &Loop<'ctx>,
    at: &Builder<'ctx>,
    known: &mut HashMap<Value<'ctx>, Value<'ctx>>,
) -> Value<'ctx> {
    if let Some(value) = known.get(&of) {
        return *value;
    }
    if found.is_invariant(of) {
        return of;
    }
    let operands = of.operands().into_iter();
    let operands: Vec<_> = operands.map(|o| first_value(o, found, at, known)).collect();
    let mut operands = operands.into_iter();
    let copy = at.copy(of, |old| operands.next().unwrap_or(old));
    known.insert(of, copy);
    copy
}

fn value<'ctx>(of: Value<'ctx>, copies: &HashMap<Value<'ctx>, Value<'ctx>>) -> Value<'ctx> {
    copies.get(&of).copied().unwrap_or(of)
}

/// Whether something behind a loop of one block uses a value of it, and is no phi of the exit.
fn is_used_behind(function: Value<'_>, found: &Loop<'_>) -> bool {
    let own: HashSet<Value<'_>> = found.header.instructions().into_iter().collect();
    Block::all(function)
        .into_iter()
        .filter(|b| *b != found.header)
        .any(|block| {
            block.instructions().into_iter().any(|i| match i.op() {
                Op::Phi => i
                    .incoming()
                    .iter()
                    .any(|(v, from)| own.contains(v) && *from != found.header),
                _ => i.operands().iter().any(|o| own.contains(o)),
            })
        })
}

/// The value of a phi on the edge from `block`.
fn incoming<'ctx>(phi: Value<'ctx>, block: Block<'ctx>) -> Option<Value<'ctx>> {
    let mut all = phi.incoming().into_iter();
    all.find(|(_, b)| *b == block).map(|(v, _)| v)
}
