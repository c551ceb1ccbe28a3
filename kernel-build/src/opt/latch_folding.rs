//! Latch folding: what an iterator does between its last test and the next iteration is done before the test, which then is the latch.
//!
//! `enumerate().map(…).sum()` leaves its loop in the middle, and then counts. LLVM would rotate such a loop until the first bounds check is its latch, and
//! the number of iterations were that after which the check fails.
//!
//! ```text
//! body:  …; if i + 1 == n { goto done }            body:  …; count += 1
//! latch: count += 1; goto body                            if i + 1 == n { goto done } else { goto body }
//! ```

use super::gather_batching::is_speculatable;
use super::loops;
use crate::hash::HashSet;
use crate::llvm::{Block, Op, Value};

/// More instructions would be executed for nothing where the loop ends.
const MOST: usize = 8;

/// Folds the latches of a function's loops; returns whether there were any.
pub(super) fn fold(function: Value<'_>) -> bool {
    let mut changed = false;
    for found in loops::find(function) {
        changed |= fold_latch(found.latch, &found.blocks).is_some();
    }
    changed
}

fn fold_latch<'ctx>(latch: Block<'ctx>, of: &HashSet<Block<'ctx>>) -> Option<()> {
    let [_] = latch.successors()[..] else {
        return None;
    };
    let leads_here = |b: &&Block<'ctx>| b.successors().contains(&latch);
    let mut before = of.iter().filter(leads_here);
    let (exit, None) = (before.next()?, before.next()) else {
        return None;
    };
    let leaves = |b: Block<'ctx>| !of.contains(&b) && !b.is_unreachable();
    exit.condition()?;
    let ends = exit.successors().into_iter().any(leaves);
    let end = latch.terminator();
    let all = latch.instructions().into_iter();
    let moved: Vec<Value<'ctx>> = all.filter(|i| *i != end).collect();
    let folds = |i: &Value<'ctx>| !matches!(i.op(), Op::Phi | Op::Branch) && is_speculatable(*i);
    if !ends || moved.is_empty() || moved.len() > MOST || !moved.iter().all(folds) {
        return None;
    }
    for instruction in moved {
        instruction.move_before(exit.terminator());
    }
    Some(())
}

#[cfg(test)]
#[path = "latch_folding_tests.rs"]
mod tests;
