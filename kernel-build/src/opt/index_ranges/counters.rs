//! Between which values the counters of loops stay.

use super::{Bound, Condition, Range, Ranges, SMALL, is_wide};
use crate::llvm::{Op, Predicate, Value};
use crate::opt::loops::Loop;

impl<'ctx> Ranges<'_, 'ctx> {
    /// Of a number that grows by a constant in each iteration of a loop, until the latch finds it at the end.
    pub(super) fn counter(
        &mut self,
        phi: Value<'ctx>,
        found: &Loop<'ctx>,
        depth: u32,
    ) -> Option<Range<'ctx>> {
        let incoming = phi.incoming();
        let from = |block| incoming.iter().find(|(_, b)| *b == block).map(|(v, _)| *v);
        let (start, next) = (from(found.preheader)?, from(found.latch)?);
        let start = self.range(start, depth)?;
        if next.block().is_none() || next.op() != Op::Add {
            return None;
        }
        let [number, step] = next.operands().try_into().ok()?;
        if let Some(end) = end_of_step(number, step).filter(|_| number == phi) {
            let (start, end) = (
                start.not_negative()?,
                self.range(end, depth)?.not_negative()?,
            );
            let most = Bound::larger(start.most.clone(), end.most.clone());
            return start.combine(&end, start.least.clone(), most);
        }
        let step = step.as_integer().filter(|_| number == phi)?;
        let step = i128::from(step);
        (1..1 << 20).contains(&step).then_some(())?;
        if let Some(most) = self.iterations_left(found, depth) {
            let last = Bound::Number(step * (most - 1));
            let most = Bound::sum(start.most.clone(), last);
            let range = Range::between(start.least.clone(), most).with_conditions_of(&start)?;
            return range.with_next(step, phi);
        }
        let condition = found.latch.condition()?;
        let mut how = condition.predicate()?;
        match found.latch.successors()[..] {
            [a, b] if a == found.header && b != a => {}
            [a, b] if b == found.header && b != a => how = how.inverse(),
            _ => return None,
        }
        let [mut counted, mut end] = condition.operands().try_into().ok()?;
        if counted != phi && counted != next {
            (counted, end) = (end, counted);
            how = how.swapped();
        }
        // What is compared is so much ahead of this iteration's number, and the loop goes on up to this number.
        let ahead = match () {
            () if counted == next => step,
            () if counted == phi => 0,
            () => return None,
        };
        let end = self.range(end, depth).filter(|_| found.is_invariant(end))?;
        let (end, last) = match how {
            Predicate::Ult => (end.not_negative()?, -1),
            Predicate::Ule => (end.not_negative()?, 0),
            Predicate::Slt => (end, -1),
            Predicate::Sle => (end, 0),
            Predicate::Ne if step == 1 => {
                let first = Bound::sum(start.most.clone(), Bound::Number(ahead));
                (
                    end.clone()
                        .provided(Condition::AtMost(first, end.least.clone()))?,
                    -1,
                )
            }
            _ => return None,
        };
        let last = Bound::sum(end.most.clone(), Bound::Number(last + step - ahead));
        let most = Bound::larger(start.most.clone(), last);
        let range = start.combine(&end, start.least.clone(), most)?;
        let range = match how {
            Predicate::Ult | Predicate::Ule => range.not_negative()?,
            _ => range,
        };
        range.with_next(step, phi)
    }

    /// The most iterations of a loop that counts those that are left, as `step_by` does: its latch goes back until `left - 1` is 0.
    fn iterations_left(&mut self, found: &Loop<'ctx>, depth: u32) -> Option<i128> {
        let condition = found.latch.condition()?;
        let [less, end] = condition.operands().try_into().ok()?;
        let goes_back = match (condition.predicate()?, &found.latch.successors()[..]) {
            (Predicate::Ne, [back, other]) | (Predicate::Eq, [other, back]) => {
                *back == found.header && *other != found.header
            }
            _ => false,
        };
        if !goes_back || end.as_integer() != Some(0) || less.block().is_none() {
            return None;
        }
        let [left, by] = less.operands().try_into().ok()?;
        let is_down = match less.op() {
            Op::Add => by.as_number(true) == Some(-1),
            Op::Sub => by.as_integer() == Some(1),
            _ => false,
        };
        let is_counter = left.block() == Some(found.header) && left.op() == Op::Phi;
        if !is_down || !is_counter {
            return None;
        }
        let incoming = left.incoming();
        let from = |block| incoming.iter().find(|(_, b)| *b == block).map(|(v, _)| *v);
        let (start, next) = (from(found.preheader)?, from(found.latch)?);
        let range = self.range(start, depth)?;
        let (least, most) = (range.least.limits().0, range.most.limits().1);
        let is_known = range.conditions.is_empty() && least >= 1 && most <= SMALL;
        (next == less && is_known).then_some(most)
    }

    /// Of `i + (i < end)`, the next value of a range that is not over: at most `end`, or `i`.
    pub(super) fn stepped(&mut self, sum: Value<'ctx>, depth: u32) -> Option<Range<'ctx>> {
        let [number, more] = sum.operands().try_into().ok()?;
        let end = end_of_step(number, more)?;
        let (number, end) = (self.range(number, depth)?, self.range(end, depth)?);
        let (number, end) = (number.not_negative()?, end.not_negative()?);
        let most = Bound::larger(number.most.clone(), end.most.clone());
        number.combine(&end, number.least.clone(), most)
    }
}

impl<'ctx> Range<'ctx> {
    /// Of a counter whose next value, so much larger, does not wrap around either.
    fn with_next(self, step: i128, counter: Value<'ctx>) -> Option<Range<'ctx>> {
        let bits = if is_wide(counter) { 64 } else { 32 };
        let next = Bound::sum(self.most.clone(), Bound::Number(step));
        let fits = Range::between(self.least.clone(), next).in_bits(bits)?;
        self.with_conditions_of(&fits)
    }
}

/// The end of `more`, if it is `number < end` as a number.
fn end_of_step<'ctx>(number: Value<'ctx>, more: Value<'ctx>) -> Option<Value<'ctx>> {
    let is = |value: Value<'ctx>, op| value.block().is_some() && value.op() == op;
    if !is(more, Op::ZExt) {
        return None;
    }
    let (mut condition, mut holds) = (more.operands()[0], true);
    if is(condition, Op::Xor) && condition.operands()[1].as_integer() == Some(1) {
        (condition, holds) = (condition.operands()[0], false);
    }
    let mut how = condition.predicate()?;
    if !holds {
        how = how.inverse();
    }
    let [mut a, mut b] = condition.operands().try_into().ok()?;
    if a != number {
        (a, b) = (b, a);
        how = how.swapped();
    }
    (a == number && how == Predicate::Ult).then_some(b)
}
