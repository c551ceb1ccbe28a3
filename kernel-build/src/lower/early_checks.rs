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
//! with the same index, after the same stores. Nothing is assumed: `fits` is computed, and where it is false nothing has changed.

use super::affine::{Affine, Fixed};
use super::loops::{self, Loop};
use crate::llvm::{Block, Builder, Compare, TypeKind, Value};
use counted_rounds::Counted;

#[path = "counted_rounds.rs"]
mod counted_rounds;

/// Adds such comparisons to a function; says whether there was a loop for it.
pub(crate) fn decide(function: Value<'_>) -> bool {
    let mut changed = false;
    for found in loops::find(function) {
        changed |= decide_loop(&found);
    }
    changed
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

/// How far a loop goes.
pub(super) struct Rounds<'ctx> {
    /// What its last comparison is about: `next` of `next != end` or `next < end`.
    next: Affine<'ctx>,
    end: Fixed<'ctx>,
    bits: u32,
    below: bool,
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
    let checks: Vec<Check<'_>> = blocks
        .iter()
        .filter_map(|block| Check::of(*block, found))
        .filter(|check| rounds.reaches(&check.index))
        .collect();
    if checks.is_empty() {
        return false;
    }
    let before = Builder::before(found.before.terminator());
    // Behind the counter the last round is what counts, not that it is before the end.
    let exact = checks.iter().any(|check| !rounds.leads(&check.index));
    let limits = rounds.limits(&before, exact);
    // Beside its checks, how often a loop goes round can be decided early.
    let counted = Counted::of(found, rounds, &checks, &before);
    let fits = checks
        .iter()
        .flat_map(|check| limits.conditions(check, &before))
        .chain(limits.valid.iter().copied())
        .chain(counted.iter().flat_map(|c| c.valid.iter().copied()))
        .reduce(|a, b| before.and(a, b));
    let Some(fits) = fits else {
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
}

impl<'ctx> Rounds<'ctx> {
    /// Of a loop that ends with a comparison with what is fixed.
    pub(super) fn of(found: &Loop<'ctx>) -> Option<Rounds<'ctx>> {
        let condition = found.latch.condition()?;
        let mut how = condition.comparison()?;
        let [when_true, when_false] = found.latch.successors()[..] else {
            return None;
        };
        match (when_true == found.head, when_false == found.head) {
            (true, false) => {}
            (false, true) => how = how.negated(),
            _ => return None,
        }
        let (mut next, mut end) = (condition.operands()[0], condition.operands()[1]);
        if found.is_fixed(next) {
            (next, end) = (end, next);
            how = how.exchanged();
        }
        if !found.is_fixed(end) {
            return None;
        }
        let below = match how {
            Compare::Below => true,
            Compare::NotEqual => false,
            _ => return None,
        };
        let next = Affine::of(next, found).filter(|n| n.narrow.is_empty())?;
        // A counter that has to meet its end exactly counts by one.
        let one = next.step == Fixed::Number(1);
        (one || below).then(|| Rounds {
            bits: next.bits,
            next: next.widened(),
            end: Fixed::of(end),
            below,
        })
    }

    /// Whether the last value of a number can be told: the loop counts by one, or the number grows as the counter does.
    pub(super) fn reaches(&self, index: &Affine<'ctx>) -> bool {
        // Small constants alone: what is large counts down.
        let grows = match &index.step {
            Fixed::Number(step) => (1..1 << 31).contains(step),
            _ => true,
        };
        let by_one = self.next.step == Fixed::Number(1);
        let told = |a: &Affine<'ctx>| by_one || times(a, &self.next.step).is_some();
        grows && told(index) && index.narrow.iter().all(told)
    }

    /// The same of other values.
    pub(super) fn mapped(&self, map: &mut dyn FnMut(Value<'ctx>) -> Value<'ctx>) -> Rounds<'ctx> {
        Rounds {
            next: self.next.mapped(map),
            end: self.end.mapped(map),
            ..*self
        }
    }

    pub(super) fn count_by_one(&self) -> bool {
        self.next.step == Fixed::Number(1)
    }

    /// Whether the counter of a round is the index of the round before it: then the end of the loop is a limit for the index too.
    fn leads(&self, index: &Affine<'ctx>) -> bool {
        self.count_by_one() || self.next.start.is_sum_of(&index.start, &self.next.step)
    }

    /// With `exact` it costs a division by the step, of 32 bits.
    pub(super) fn limits(&self, builder: &Builder<'ctx>, exact: bool) -> Limits<'ctx> {
        let number = |n| builder.number(n, 64);
        let small = |value| builder.compare(Compare::Below, value, number(1 << 62));
        let start = self.next.start.build(builder, 64);
        let step = self.next.step.build(builder, 64);
        let end = self.end.clone().widened(self.bits).build(builder, 64);
        let mut valid = vec![small(start), small(step), small(end)];
        // The counter's own narrow form must not wrap around: its last value is below `end + step`.
        if self.bits < 64 && self.below {
            let most = builder.add(end, step);
            valid.push(builder.compare(Compare::Below, most, number(1 << self.bits)));
        }
        let by_one = self.next.step == Fixed::Number(1);
        // Of the counter from the first round to the last.
        let distance = if exact && self.below && !by_one {
            valid.push(builder.compare(Compare::NotGreater, end, number(1 << 32)));
            valid.push(builder.compare(Compare::Below, step, number(1 << 32)));
            let (no_step, one) = (builder.number(0, 32), builder.number(1, 32));
            let narrow = builder.narrowed(step);
            let stands = builder.compare(Compare::Equal, narrow, no_step);
            let divisor = builder.select(stands, one, narrow);
            let gap = builder.sub(builder.sub(end, number(1)), start);
            let whole = builder.widened(builder.divide(builder.narrowed(gap), divisor));
            let grown = builder.mul(builder.add(whole, number(1)), step);
            let again = builder.compare(Compare::Below, start, end);
            builder.select(again, grown, number(0))
        } else if self.below {
            let last = builder.sub(builder.add(end, step), number(1));
            let again = builder.compare(Compare::Greater, last, start);
            builder.select(again, builder.sub(last, start), number(0))
        } else {
            // From behind its end it would go round once: not with what is valid.
            valid.push(builder.compare(Compare::NotGreater, start, end));
            builder.sub(end, start)
        };
        if by_one {
            valid.push(builder.compare(Compare::Below, distance, number(1 << 31)));
        }
        Limits {
            distance,
            step: self.next.step.clone(),
            valid,
        }
    }
}

/// What is known of a loop before it begins, as instructions there.
pub(super) struct Limits<'ctx> {
    distance: Value<'ctx>,
    /// The counter's.
    step: Fixed<'ctx>,
    /// All of it must be true for `distance` to be right.
    pub(super) valid: Vec<Value<'ctx>>,
}

/// How many times as fast as a counter a number grows, where that can be told.
fn times<'ctx>(number: &Affine<'ctx>, counter: &Fixed<'ctx>) -> Option<u64> {
    let step = number.step.clone().widened(number.bits);
    match (&step, counter) {
        (Fixed::Number(fast), Fixed::Number(slow)) => {
            let times = fast.checked_div(*slow)?;
            (times * slow == *fast && times < 1 << 20).then_some(times)
        }
        _ => (step == *counter).then_some(1),
    }
}

impl<'ctx> Limits<'ctx> {
    /// All of them true: the check never fails.
    fn conditions(&self, check: &Check<'ctx>, builder: &Builder<'ctx>) -> Vec<Value<'ctx>> {
        let mut all = Vec::new();
        let last = self.last(&check.index, builder, &mut all);
        let len = check.len.clone().widened(check.len_bits).build(builder, 64);
        let how = if check.inclusive {
            Compare::NotGreater
        } else {
            Compare::Below
        };
        all.push(builder.compare(how, last, len));
        for narrow in &check.index.narrow {
            let bits = narrow.bits;
            let last = self.last(&narrow.clone().widened(), builder, &mut all);
            all.push(builder.compare(Compare::Below, last, builder.number(1 << bits, 64)));
        }
        all
    }

    /// The number of rounds of a loop that counts by one, in 32 bits, if all is `valid`.
    pub(super) fn rounds(&self, builder: &Builder<'ctx>) -> Value<'ctx> {
        builder.add(builder.narrowed(self.distance), builder.number(1, 32))
    }

    /// The largest value of a number, if the conditions that are added are true.
    pub(super) fn last(
        &self,
        of: &Affine<'ctx>,
        builder: &Builder<'ctx>,
        all: &mut Vec<Value<'ctx>>,
    ) -> Value<'ctx> {
        let start = of.start.build(builder, 64);
        all.push(builder.compare(Compare::Below, start, builder.number(1 << 62, 64)));
        let number = |n| builder.number(n, 64);
        let grown = if self.step == Fixed::Number(1) {
            let step = of.step.build(builder, 64);
            all.push(builder.compare(Compare::Below, step, number(1 << 31)));
            builder.mul(step, self.distance)
        } else {
            let times = times(of, &self.step).unwrap_or(1);
            let most = number((1 << 62) / times.max(1));
            all.push(builder.compare(Compare::Below, self.distance, most));
            builder.mul(number(times), self.distance)
        };
        builder.add(start, grown)
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
