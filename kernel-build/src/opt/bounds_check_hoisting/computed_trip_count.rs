//! The trip count of a grid-stride loop is computed in its preheader.
//!
//! LLVM unrolls a loop only if its trip count is cheap to compute, which it is not if the step is known at launch only: `at += stride; at < end` takes
//! a division. For the version of a loop without checks it is computed, with a division of 32 bits, if the loop is small and has many iterations:
//!
//! ```text
//! while at < end { out[at] = a[at]; at += stride }     if fits: left = (end - 1 - at) / stride + 1
//!                                                      do { out[at] = a[at]; at += stride; left -= 1 } while left != 0
//! ```
//! ptxas then issues four loads before the first store. A loop of fewer than four iterations keeps its checks: they cost less than the division.

use super::Check;
use crate::llvm::{Block, Builder, Compare, Value};
use crate::opt::add_recurrence::LoopInvariant;
use crate::opt::loops::Loop;
use crate::opt::trip_count::{ExitCondition, TripCount};

/// The trip count of a loop that takes a division to compute, which LLVM would not insert.
pub(super) struct ComputedTripCount<'ctx> {
    iterations: Value<'ctx>,
    /// All of these must be true for `iterations` to be right.
    pub(super) valid: Vec<Value<'ctx>>,
}

impl<'ctx> ComputedTripCount<'ctx> {
    /// Of a loop with these checks, if LLVM can unroll it then.
    pub(super) fn of(
        found: &Loop<'ctx>,
        trip_count: &TripCount<'ctx>,
        checks: &[Check<'ctx>],
        builder: &Builder<'ctx>,
    ) -> Option<ComputedTripCount<'ctx>> {
        is_straight(found, checks)
            .then(|| trip_count.counted(builder))
            .flatten()
    }

    /// Replaces the exit condition by one on the computed count if all fits.
    pub(super) fn count(&self, found: &Loop<'ctx>, fits: Value<'ctx>) {
        let Some(again) = found.latch.condition() else {
            return;
        };
        let head = Builder::before(found.header.first());
        let left = head.phi(self.iterations.ty());
        let here = Builder::before(found.latch.terminator());
        let less = here.sub(left, here.number(1, 32));
        left.add_incoming(self.iterations, found.preheader);
        left.add_incoming(less, found.latch);
        let how = if found.latch.successors().first() == Some(&found.header) {
            Compare::Ne
        } else {
            Compare::Eq
        };
        let over = here.compare(how, less, here.number(0, 32));
        found.latch.set_condition(here.select(fits, over, again));
    }
}

/// In steps: the trip count is computed if the end is at least so far from the second iteration's counter; two make four iterations.
const LONG: u64 = 2;

/// The largest loop, in instructions, that is unrolled four times (`-unroll-partial-threshold`).
const SMALL: usize = 40;

impl<'ctx> TripCount<'ctx> {
    /// Of a loop whose step is known at launch only. Of 64 bits: the counter is compared as it is.
    fn counted(&self, builder: &Builder<'ctx>) -> Option<ComputedTripCount<'ctx>> {
        let ExitCondition::Below(end) = &self.exit else {
            return None;
        };
        if self.bits != 64 || matches!(self.next.step, LoopInvariant::Number(_)) {
            return None;
        }
        let number = |n| builder.number(n, 64);
        let start = self.next.start.build(builder, 64);
        let step = self.next.step.build(builder, 64);
        let end = end.build(builder, 64);
        let gap = builder.sub(builder.sub(end, number(1)), start);
        let narrow = builder.trunc32(step);
        let stands = builder.compare(Compare::Eq, narrow, builder.number(0, 32));
        let divisor = builder.select(stands, builder.number(1, 32), narrow);
        let whole = builder.divide(builder.trunc32(gap), divisor);
        let long = builder.compare(Compare::Ule, builder.mul(step, number(LONG)), gap);
        Some(ComputedTripCount {
            iterations: builder.add(whole, builder.number(2, 32)),
            // That number, plus one, fits into 32 bits even if the step is one.
            valid: vec![
                builder.compare(Compare::Ult, start, end),
                builder.compare(Compare::Ult, end, number(u32::MAX.into())),
                builder.compare(Compare::Ult, step, number(1 << 32)),
                builder.compare(Compare::Ult, number(0), step),
                long,
            ],
        })
    }
}

/// Whether checks and the latch have the only branches of a loop, and it is small enough for LLVM to unroll.
fn is_straight<'ctx>(found: &Loop<'ctx>, checks: &[Check<'ctx>]) -> bool {
    let goes_on = |block: &Block<'ctx>| {
        *block == found.latch
            || block.successors().len() == 1
            || checks.iter().any(|check| check.at == *block)
    };
    let size: usize = found.blocks.iter().map(|b| b.instructions().len()).sum();
    found.blocks.len() == found.every_iteration.len()
        && found.every_iteration.iter().all(goes_on)
        && size <= SMALL
}
