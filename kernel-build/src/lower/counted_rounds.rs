//! The rounds of a grid's thread are counted before its loop.
//!
//! LLVM unrolls a loop if its number of rounds is cheap to tell, which it is not where the step is the launch's: `at += stride; at < end`
//! takes a division. For the version of a loop without checks it is done, of 32 bits, if the loop is small and has many rounds:
//!
//! ```text
//! while at < end { out[at] = a[at]; at += stride }     if fits: left = (end - 1 - at) / stride + 1
//!                                                      do { out[at] = a[at]; at += stride; left -= 1 } while left != 0
//! ```
//! ptxas then loads four elements ahead of the first that is stored. A loop of fewer rounds than these four keeps its checks: they are less than
//! the division.

use super::Check;
use crate::llvm::{Block, Builder, Compare, Value};
use crate::lower::affine::Fixed;
use crate::lower::loops::Loop;
use crate::lower::rounds::{Rounds, Until};

/// How many rounds a loop has whose counter tells it by a division alone, which LLVM would not do for it.
pub(super) struct Counted<'ctx> {
    rounds: Value<'ctx>,
    /// All of it must be true for `rounds` to be right.
    pub(super) valid: Vec<Value<'ctx>>,
}

impl<'ctx> Counted<'ctx> {
    /// Of a loop with such checks, if that lets it be unrolled.
    pub(super) fn of(
        found: &Loop<'ctx>,
        rounds: &Rounds<'ctx>,
        checks: &[Check<'ctx>],
        builder: &Builder<'ctx>,
    ) -> Option<Counted<'ctx>> {
        is_straight(found, checks)
            .then(|| rounds.counted(builder))
            .flatten()
    }

    /// Lets the loop end behind its last round if all fits, as it would anyway.
    pub(super) fn count(&self, found: &Loop<'ctx>, fits: Value<'ctx>) {
        let Some(again) = found.latch.condition() else {
            return;
        };
        let head = Builder::before(found.head.first());
        let left = head.phi(self.rounds.ty());
        let here = Builder::before(found.latch.terminator());
        let less = here.sub(left, here.number(1, 32));
        left.add_incoming(self.rounds, found.before);
        left.add_incoming(less, found.latch);
        let how = if found.latch.successors().first() == Some(&found.head) {
            Compare::NotEqual
        } else {
            Compare::Equal
        };
        let over = here.compare(how, less, here.number(0, 32));
        found.latch.set_condition(here.select(fits, over, again));
    }
}

/// In steps, how far the end must be from the second round's place for rounds to be counted: with two there are four of them.
const LONG: u64 = 2;

/// Of how many instructions a loop is unrolled four times at most (`-unroll-partial-threshold`).
const SMALL: usize = 40;

impl<'ctx> Rounds<'ctx> {
    /// Of a loop whose step is the launch's, as of one over all that a grid's thread has; of 64 bits, which are exactly what is compared.
    fn counted(&self, builder: &Builder<'ctx>) -> Option<Counted<'ctx>> {
        let Until::Passes(end) = &self.until else {
            return None;
        };
        if self.bits != 64 || matches!(self.next.step, Fixed::Number(_)) {
            return None;
        }
        let number = |n| builder.number(n, 64);
        let start = self.next.start.build(builder, 64);
        let step = self.next.step.build(builder, 64);
        let end = end.build(builder, 64);
        let gap = builder.sub(builder.sub(end, number(1)), start);
        let narrow = builder.narrowed(step);
        let stands = builder.compare(Compare::Equal, narrow, builder.number(0, 32));
        let divisor = builder.select(stands, builder.number(1, 32), narrow);
        let whole = builder.divide(builder.narrowed(gap), divisor);
        let long = builder.compare(Compare::NotGreater, builder.mul(step, number(LONG)), gap);
        Some(Counted {
            rounds: builder.add(whole, builder.number(2, 32)),
            // That many rounds, and one more, are a number of 32 bits even where the step is one.
            valid: vec![
                builder.compare(Compare::Below, start, end),
                builder.compare(Compare::Below, end, number(u32::MAX.into())),
                builder.compare(Compare::Below, step, number(1 << 32)),
                builder.compare(Compare::Below, number(0), step),
                long,
            ],
        })
    }
}

/// Whether nothing but checks and the end branches in a loop, and it is small enough for LLVM to unroll.
fn is_straight<'ctx>(found: &Loop<'ctx>, checks: &[Check<'ctx>]) -> bool {
    let goes_on = |block: &Block<'ctx>| {
        *block == found.latch
            || block.successors().len() == 1
            || checks.iter().any(|check| check.at == *block)
    };
    let size: usize = found.blocks.iter().map(|b| b.instructions().len()).sum();
    found.blocks.len() == found.each_round.len()
        && found.each_round.iter().all(goes_on)
        && size <= SMALL
}
