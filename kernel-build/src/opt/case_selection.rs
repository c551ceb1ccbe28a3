//! A `match` whose arms only compute values computes them all, and selects.
//!
//! A `switch` is a tree of branches for a GPU, at which the threads of a warp part and meet again, and loads do not move past it: in a loop that counts what it
//! reads, each load waits for the arms of the one before. LLVM makes selections of two ways, but not of more:
//!
//! ```text
//! match byte {                                     zeros += (byte == b'0') as u32;
//!     b'0' => zeros += 1,                          ones += (byte == b'1') as u32;
//!     b'1' => ones += 1,
//!     _ => {}
//! }
//! ```
//! The arms are short, and touch no memory, call nothing, and divide nothing; all lead to one block. What an arm computes is poison at worst where it is not
//! chosen, and a selection drops it then. The loop is one block behind the pass, so that it is unrolled, and its loads do not wait.

use super::guard_merging::edges_to;
use super::{Changed, defined, loops};
use crate::llvm::{Block, Builder, Compare, LlvmError, Machine, Module, Op, Passes, Value};

/// What the arms and the selections cost at most, in instructions: about what parting and meeting again costs.
const COST: usize = 16;

/// Replaces such branches in the loops of a module, and notes the functions that it changes.
pub(crate) fn select_all<'ctx>(
    module: &mut Module<'ctx>,
    changed: &mut Changed<'ctx>,
    machine: &Machine<'_>,
) -> Result<(), LlvmError> {
    let own: Changed<'ctx> = Changed(defined(module).into_iter().filter(|f| select(*f)).collect());
    own.run(module, Passes::drop_unreached_blocks(), None)?;
    own.run(module, Passes::fold_branches(), Some(machine))?;
    changed.add(own);
    Ok(())
}

/// Replaces such branches in the loops of a function; returns whether there were any. Leaves blocks that control does not reach.
pub(super) fn select(function: Value<'_>) -> bool {
    let cycles = loops::in_cycles(function);
    let mut changed = false;
    for head in Block::all(function) {
        if cycles.contains(&head)
            && let Some(plan) = Plan::of(function, head)
        {
            plan.apply(function);
            changed = true;
        }
    }
    changed
}

/// A `switch` that becomes selections.
struct Plan<'ctx> {
    head: Block<'ctx>,
    /// Where all ways lead.
    end: Block<'ctx>,
    /// Blocks that only compute.
    arms: Vec<Block<'ctx>>,
    /// The block from which control comes to the end where no number fits.
    other: Block<'ctx>,
    /// The same of each number.
    cases: Vec<(Value<'ctx>, Block<'ctx>)>,
}

impl<'ctx> Plan<'ctx> {
    fn of(function: Value<'ctx>, head: Block<'ctx>) -> Option<Plan<'ctx>> {
        let mut cases = head.switch_cases();
        if cases.is_empty() {
            return None;
        }
        let mut other = head.successors()[0];
        if other.is_unreachable() {
            // An exhaustive match: one of the numbers stands for all that are left.
            (_, other) = cases.pop()?;
        }
        let (edges, from_head) = (edges_to(function), head.successors());
        let is_arm = |block: Block<'ctx>| {
            let own = from_head.iter().filter(|to| **to == block).count();
            block.successors().len() == 1
                && block.phis().is_empty()
                && edges.get(&block) == Some(&own)
        };
        let ways = || cases.iter().map(|(_, to)| *to).chain([other]);
        let end = ways().find_map(|to| is_arm(to).then(|| to.successors()[0]));
        let end = end.unwrap_or(other);
        if end == head || end.phis().is_empty() {
            return None;
        }
        let mut arms: Vec<Block<'ctx>> = Vec::new();
        for to in ways().filter(|to| *to != end) {
            if !is_arm(to) || to == head || to.successors()[0] != end {
                return None;
            }
            if !arms.contains(&to) {
                arms.push(to);
            }
        }
        let way = |to: Block<'ctx>| if to == end { head } else { to };
        let plan = Plan {
            other: way(other),
            cases: cases.into_iter().map(|(n, to)| (n, way(to))).collect(),
            head,
            end,
            arms,
        };
        (plan.cost()? <= COST).then_some(plan)
    }

    /// `None` if something may not be computed where it was not before.
    fn cost(&self) -> Option<usize> {
        let mut cost = self.cases.len();
        for arm in &self.arms {
            let all = arm.instructions();
            let (_, computed) = all.split_last()?;
            if !computed.iter().all(|i| COMPUTES.contains(&i.op())) {
                return None;
            }
            cost += computed.len();
        }
        for phi in self.end.phis() {
            let other = from(phi, self.other)?;
            for (_, way) in &self.cases {
                cost += usize::from(from(phi, *way)? != other);
            }
        }
        Some(cost)
    }

    fn apply(&self, function: Value<'ctx>) {
        let last = self.head.terminator();
        for arm in &self.arms {
            let computed = arm.instructions();
            for instruction in &computed[..computed.len() - 1] {
                instruction.move_before(last);
            }
        }
        let before = Builder::before(last);
        let number = last.operands()[0];
        let is = |n: &Value<'ctx>| before.compare(Compare::Eq, number, *n);
        let chosen: Vec<Value<'ctx>> = self.cases.iter().map(|(n, _)| is(n)).collect();
        let mut selected = Vec::new();
        for phi in self.end.phis() {
            let Some(other) = from(phi, self.other) else {
                continue;
            };
            let mut value = other;
            for (chosen, (_, way)) in chosen.iter().zip(&self.cases) {
                if let Some(own) = from(phi, *way).filter(|own| *own != other) {
                    value = before.select(*chosen, own, value);
                }
            }
            selected.push((phi, value));
        }
        // The branch stays behind, where nothing leads to it.
        let front = self.head.split_before(last, &Block::all(function));
        Builder::at_end(front).br(self.end);
        for (phi, value) in selected {
            phi.add_incoming(value, front);
        }
    }
}

/// What a phi is where control comes from a block.
fn from<'ctx>(phi: Value<'ctx>, block: Block<'ctx>) -> Option<Value<'ctx>> {
    let mut all = phi.incoming().into_iter();
    all.find(|(_, b)| *b == block).map(|(value, _)| value)
}

/// What does nothing but compute a value, at a low cost, for whatever operands.
const COMPUTES: [Op; 27] = [
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Shl,
    Op::LShr,
    Op::AShr,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Trunc,
    Op::ZExt,
    Op::SExt,
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FNeg,
    Op::FPTrunc,
    Op::FPExt,
    Op::FPToUI,
    Op::FPToSI,
    Op::UIToFP,
    Op::SIToFP,
    Op::BitCast,
    Op::ICmp,
    Op::FCmp,
    Op::Select,
    Op::GetElementPtr,
];
