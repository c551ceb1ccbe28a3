//! Ways from one version of a piece of code to the other, instead of panics.
//!
//! Two versions of the same code begin with the same values. As long as the first one has only read memory, it need not panic: where a check fails, it goes to
//! the start of the second one, which fails there too. So the checks of the first version share one exit, and its loads are made behind them, as
//! [`load_sinking`] does it. A check behind a store is made before the store, if its condition can be computed there:
//!
//! ```text
//! if i >= a.len() { panic }                        if i >= a.len() || j >= a.len() { goto second }
//! x[n] = a[i]                                      x[n] = a[i]
//! if j >= a.len() { panic }                        y[n] = a[j]                  both loads in flight
//! y[n] = a[j]
//! ```
//! The second version still stores what the program stores before it panics.

use super::gather_batching::is_speculatable;
use super::guard_merging::{self, Check};
use super::load_sinking;
use super::loops::Graph;
use super::region::{Before, Region};
use super::upper_bounds::DEPTH;
use crate::hash::HashSet;
use crate::llvm::{Block, Builder, Compare, Op, Value};

/// Lets a version of code go to the start of another one where its checks fail. Leaves blocks that control does not reach.
pub(super) fn leave_where_checks_fail<'ctx>(
    function: Value<'ctx>,
    version: &Region<'ctx>,
    other: Block<'ctx>,
) {
    let effects = Effects::of(version);
    let checks = version.blocks().iter().filter_map(|at| Check::of(*at));
    let mut left: Vec<Check<'ctx>> = checks.filter(|c| !effects.precede_end(c.at)).collect();
    let blocks: HashSet<Block<'ctx>> = left.iter().map(|check| check.at).collect();
    // Where values come together in a panic, each way to it has its own: all ways are left, or none.
    let is_left = |phi: Value<'ctx>| phi.incoming().iter().all(|(_, from)| blocks.contains(from));
    left.retain(|check| check.panic.phis().into_iter().all(is_left));
    for check in &mut left {
        check
            .at
            .redirect(|old| if old == check.panic { other } else { old });
        check.panic = other;
    }
    let edges = guard_merging::edges_to(function);
    let alone = |next: Block<'ctx>| edges.get(&next) == Some(&1) && next.phis().is_empty();
    let checks = left.into_iter().filter(|check| alone(check.next));
    load_sinking::sink_below_checks(&checks.map(|check| (check.at, check)).collect());
    for (block, effect) in effects.first {
        check_before_effects(function, block, effect, other);
    }
}

/// Makes the checks that follow the first effect of a version before it, as far as their conditions can be computed there.
fn check_before_effects<'ctx>(
    function: Value<'ctx>,
    block: Block<'ctx>,
    effect: Value<'ctx>,
    other: Block<'ctx>,
) {
    let graph = Graph::of(function);
    let Some(at) = graph.blocks.iter().position(|b| *b == block) else {
        return;
    };
    let mut before = Before::new(&graph, at, effect);
    let mut checks = following_checks(function, block);
    checks.retain(|check| {
        let condition = check.at.condition();
        condition.is_some_and(|c| before.can_move(c, DEPTH)) && check.panic.phis().is_empty()
    });
    if checks.is_empty() {
        return;
    }
    for condition in checks.iter().filter_map(|check| check.at.condition()) {
        before.hoist(condition);
    }
    let front = block.split_before(effect, &graph.blocks);
    let end = Builder::at_end(front);
    let passes = checks.iter().filter_map(|check| {
        // Its operands may be poison where the check before it fails.
        let condition = end.freeze(check.at.condition()?);
        let when_true = check.at.successors().first() == Some(&check.next);
        Some(if when_true {
            condition
        } else {
            end.compare(Compare::Eq, condition, end.boolean(false))
        })
    });
    if let Some(all) = passes.reduce(|a, b| end.and(a, b)) {
        end.cond_br(all, block, other);
    }
    for check in checks {
        // SAFETY: a branch has no result, and the handle ends here.
        unsafe { check.at.terminator().erase_instruction() };
        Builder::at_end(check.at).br(check.next);
    }
}

/// The checks that a block is always followed by, unless one of them fails.
fn following_checks<'ctx>(function: Value<'ctx>, first: Block<'ctx>) -> Vec<Check<'ctx>> {
    let edges = guard_merging::edges_to(function);
    let mut found = Vec::new();
    let mut at = Some(first);
    while let Some(block) = at {
        let check = Check::of(block);
        let next = match (&check, &block.successors()[..]) {
            (Some(check), _) => Some(check.next),
            (None, [next]) => Some(*next),
            _ => None,
        };
        found.extend(check);
        at = next.filter(|next| edges.get(next) == Some(&1) && next.phis().is_empty());
    }
    found
}

/// Where a region writes memory, or does something else that must not be done twice.
struct Effects<'ctx> {
    /// Blocks with an effect that no other one precedes, and the effect.
    first: Vec<(Block<'ctx>, Value<'ctx>)>,
    /// Blocks with an effect, and those that are reached from one.
    preceded: HashSet<Block<'ctx>>,
}

impl<'ctx> Effects<'ctx> {
    fn of(region: &Region<'ctx>) -> Effects<'ctx> {
        let effect = |block: &Block<'ctx>| {
            let (end, all) = (block.terminator(), block.instructions().into_iter());
            let first = all.filter(|i| *i != end).find(|i| is_effect(*i));
            first.map(|effect| (*block, effect))
        };
        let mut first: Vec<_> = region.blocks().iter().filter_map(effect).collect();
        let mut todo: Vec<Block<'ctx>> = first.iter().flat_map(|(b, _)| b.successors()).collect();
        let mut preceded = HashSet::default();
        while let Some(block) = todo.pop() {
            if region.blocks().contains(&block) && preceded.insert(block) {
                todo.extend(block.successors());
            }
        }
        let with_effects: Vec<Block<'ctx>> = first.iter().map(|(block, _)| *block).collect();
        first.retain(|(block, _)| !preceded.contains(block) && !block.is_unreachable());
        preceded.extend(with_effects);
        Effects { first, preceded }
    }

    /// Whether there may have been an effect where a block ends.
    fn precede_end(&self, block: Block<'ctx>) -> bool {
        self.preceded.contains(&block)
    }
}

fn is_effect(instruction: Value<'_>) -> bool {
    match instruction.op() {
        Op::Load => instruction.is_volatile() || instruction.ordering() != 0,
        Op::UDiv | Op::URem => false,
        _ => !is_speculatable(instruction),
    }
}
