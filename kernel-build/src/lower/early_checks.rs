//! Bounds checks of a loop are decided before it.
//!
//! A check in each round keeps LLVM from unrolling, and ptxas from loading ahead of it. Where the index grows by the same step in each round,
//! one comparison before the loop says whether any check of it can fail:
//!
//! ```text
//! for k in 0..n { sum += a[row + k] }         fits = row + (n - 1) < a.len(), and nothing wraps around
//!                                             in the loop: if fits || row + k < a.len() …
//! ```
//! LLVM then makes two loops of it, one without checks and, for launches that do not fit, the one that there was: it panics where it always did,
//! with the same index, after the same stores. Nothing is assumed: `fits` is computed, and where it is false nothing has changed. A loop in which
//! threads meet stays one, and passes its checks over where they come in rows (`joined_checks`).

use super::affine::{Affine, Fixed};
use super::joined_checks;
use super::loops::{self, Loop};
use super::rounds::Rounds;
use crate::llvm::{Block, Builder, Compare, TypeKind, Value};
use counted_rounds::Counted;

#[path = "counted_rounds.rs"]
mod counted_rounds;

/// Adds such comparisons to a function; says whether there was a loop for it.
pub(crate) fn decide(function: Value<'_>) -> bool {
    let mut changed = false;
    for found in loops::find(function) {
        changed |= !found.has_meeting() && decide_loop(&found);
    }
    while decide_rows(function) {
        changed = true;
    }
    changed
}

/// Lets a loop in which threads meet pass over what is decided before it; says whether there was one.
fn decide_rows(function: Value<'_>) -> bool {
    for found in loops::find(function) {
        let Some(rounds) = Rounds::of(&found).filter(|_| found.has_meeting()) else {
            continue;
        };
        for blocks in [&found.each_round, &found.some_rounds] {
            let mut checks = checks(&found, &rounds, blocks);
            let of: Vec<_> = checks.iter().map(|check| check.at).collect();
            let rows = joined_checks::rows(function, &of);
            checks.retain(|check| rows.iter().any(|row| row.blocks().any(|b| b == check.at)));
            let before = Builder::before(found.before.terminator());
            if let Some(fits) = fits(&rounds, &checks, None, &before) {
                for row in &rows {
                    row.join(function, fits);
                }
                return true;
            }
        }
    }
    false
}

/// A branch in a loop that goes on where `index` is below `len`, or not above it, and to a panic otherwise.
struct Check<'ctx> {
    at: Block<'ctx>,
    index: Affine<'ctx>,
    len: Fixed<'ctx>,
    len_bits: u32,
    /// Whether `index == len` is right too, as for the end of a range.
    inclusive: bool,
    /// Whether the loop goes on where the condition is false.
    when_false: bool,
}

fn decide_loop(found: &Loop<'_>) -> bool {
    let Some(rounds) = Rounds::of(found) else {
        return false;
    };
    // What some rounds do not check may well be wrong in them, at a border say: it has a decision of its own.
    let always = decide_blocks(found, &rounds, &found.each_round);
    let sometimes = decide_blocks(found, &rounds, &found.some_rounds);
    always || sometimes
}

fn decide_blocks<'ctx>(found: &Loop<'ctx>, rounds: &Rounds<'ctx>, blocks: &[Block<'ctx>]) -> bool {
    let checks = checks(found, rounds, blocks);
    if checks.is_empty() {
        return false;
    }
    let before = Builder::before(found.before.terminator());
    // Beside its checks, how often a loop goes round can be decided early.
    let counted = Counted::of(found, rounds, &checks, &before);
    let Some(fits) = fits(rounds, &checks, counted.as_ref(), &before) else {
        return false;
    };
    if let Some(counted) = counted {
        counted.count(found, fits);
    }
    for check in checks {
        let Some(condition) = check.at.condition() else {
            continue;
        };
        let here = Builder::before(check.at.terminator());
        // Where the branch to the panic is taken if its condition is true: never, if all fits.
        check.at.set_condition(if check.when_false {
            let misfits = before.compare(Compare::Equal, fits, before.truth(false));
            here.select(misfits, condition, here.truth(false))
        } else {
            here.select(fits, here.truth(true), condition)
        });
    }
    true
}

/// The checks in such blocks that can be decided before a loop.
fn checks<'ctx>(
    found: &Loop<'ctx>,
    rounds: &Rounds<'ctx>,
    blocks: &[Block<'ctx>],
) -> Vec<Check<'ctx>> {
    let checks = blocks.iter().filter_map(|block| Check::of(*block, found));
    checks.filter(|c| rounds.reaches(&c.index)).collect()
}

/// Whether none of these checks fails, as instructions before the loop; `None` of none.
fn fits<'ctx>(
    rounds: &Rounds<'ctx>,
    checks: &[Check<'ctx>],
    counted: Option<&Counted<'ctx>>,
    before: &Builder<'ctx>,
) -> Option<Value<'ctx>> {
    if checks.is_empty() {
        return None;
    }
    let mut all: Vec<_> = counted.iter().flat_map(|c| c.valid.clone()).collect();
    let (held, others): (Vec<_>, Vec<_>) =
        checks.iter().partition(|check| rounds.holds(&check.index));
    for check in held {
        all.extend(rounds.held(&check.index, check.limit(before), before));
    }
    if !others.is_empty() {
        // Behind the counter the last round is what counts, not that it is before the end.
        let exact = others.iter().any(|check| !rounds.leads(&check.index));
        let limits = rounds.limits(before, exact);
        for check in others {
            all.extend(limits.conditions(&check.index, check.limit(before), before));
        }
        all.extend(limits.valid);
    }
    all.into_iter().reduce(|a, b| before.and(a, b))
}

impl<'ctx> Check<'ctx> {
    fn of(at: Block<'ctx>, found: &Loop<'ctx>) -> Option<Check<'ctx>> {
        let condition = at.condition()?;
        let [when_true, when_false] = at.successors()[..] else {
            return None;
        };
        let ends = |b: Block<'ctx>| !found.blocks.contains(&b) && b.is_end();
        let panics_when_false = match (ends(when_true), ends(when_false)) {
            (false, true) => true,
            (true, false) => false,
            _ => return None,
        };
        let mut how = condition.comparison()?;
        if !panics_when_false {
            how = how.negated();
        }
        let (mut index, mut len) = (condition.operands()[0], condition.operands()[1]);
        if found.is_fixed(index) {
            (index, len) = (len, index);
            how = how.exchanged();
        }
        let inclusive = match how {
            Compare::Below => false,
            Compare::NotGreater => true,
            _ => return None,
        };
        if !found.is_fixed(len) {
            return None;
        }
        let index = Affine::of(index, found)?.widened();
        Some(Check {
            at,
            len_bits: width(len)?,
            len: Fixed::of(len),
            index,
            inclusive,
            when_false: !panics_when_false,
        })
    }

    /// How the index is to be compared, and with what.
    fn limit(&self, before: &Builder<'ctx>) -> (Compare, Value<'ctx>) {
        let how = if self.inclusive {
            Compare::NotGreater
        } else {
            Compare::Below
        };
        let len = self.len.clone().widened(self.len_bits);
        (how, len.build(before, 64))
    }
}

fn width(value: Value<'_>) -> Option<u32> {
    match value.ty().kind() {
        TypeKind::Integer(bits @ (32 | 64)) => Some(bits),
        _ => None,
    }
}

#[cfg(test)]
#[path = "early_checks_tests.rs"]
mod tests;
