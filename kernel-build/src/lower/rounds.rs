//! How often a loop goes round, as far as that is known before it, and how far its numbers get by then.

use super::affine::{Affine, Fixed};
use super::loops::Loop;
use crate::llvm::{Builder, Compare, Value};

/// How far a loop goes.
pub(super) struct Rounds<'ctx> {
    /// What its last comparison is about.
    pub(super) next: Affine<'ctx>,
    pub(super) bits: u32,
    pub(super) until: Until<'ctx>,
}

/// How long a loop goes on.
pub(super) enum Until<'ctx> {
    /// While `next != end`, where `next` grows by one.
    Meets(Fixed<'ctx>),
    /// While `next < end`.
    Passes(Fixed<'ctx>),
    /// While `next != 0`, where `next` shrinks by one: `step_by` counts the rounds that are left.
    NoneLeft,
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
        let next = Affine::of(next, found).filter(|n| n.narrow.is_empty())?;
        let end = Fixed::of(end);
        let down = Fixed::Number(u64::MAX).widened(next.bits);
        // A counter that has to meet its end exactly counts by one.
        let until = match (how, &next.step) {
            (Compare::Below, _) => Until::Passes(end),
            (Compare::NotEqual, Fixed::Number(1)) => Until::Meets(end),
            (Compare::NotEqual, step) if end == Fixed::Number(0) => {
                let by_one = step.clone().widened(next.bits) == down;
                by_one.then_some(Until::NoneLeft)?
            }
            _ => return None,
        };
        Some(Rounds {
            bits: next.bits,
            next: next.widened(),
            until,
        })
    }

    /// Whether the last value of a number can be told: the loop counts by one, or the number grows as the counter does.
    pub(super) fn reaches(&self, index: &Affine<'ctx>) -> bool {
        // Small constants alone: what is large counts down.
        let grows = match &index.step {
            Fixed::Number(step) => (1..1 << 31).contains(step),
            _ => true,
        };
        let told = |a: &Affine<'ctx>| self.count_by_one() || times(a, &self.next.step).is_some();
        grows && told(index) && index.narrow.iter().all(told)
    }

    /// The same of other values.
    pub(super) fn mapped(&self, map: &mut dyn FnMut(Value<'ctx>) -> Value<'ctx>) -> Rounds<'ctx> {
        let next = self.next.mapped(map);
        let until = match &self.until {
            Until::Meets(end) => Until::Meets(end.mapped(map)),
            Until::Passes(end) => Until::Passes(end.mapped(map)),
            Until::NoneLeft => Until::NoneLeft,
        };
        Rounds {
            next,
            until,
            ..*self
        }
    }

    /// Whether the counter tells the rounds.
    pub(super) fn count_by_one(&self) -> bool {
        matches!(self.until, Until::NoneLeft) || self.next.step == Fixed::Number(1)
    }

    /// Whether the counter of a round is the index of the round before it: then the end of the loop is a limit for the index too.
    pub(super) fn leads(&self, index: &Affine<'ctx>) -> bool {
        self.count_by_one() || self.next.start.is_sum_of(&index.start, &self.next.step)
    }

    /// Whether the loop itself says what an index is below, in each round but the first.
    pub(super) fn holds(&self, index: &Affine<'ctx>) -> bool {
        self.end_of(index).is_some()
    }

    /// Of an index that is what the counter was a round ago, whether something wraps around or not: the loop has gone on because that was below its end.
    fn end_of(&self, index: &Affine<'ctx>) -> Option<&Fixed<'ctx>> {
        let Until::Passes(end) = &self.until else {
            return None;
        };
        let is_counter = match &index.narrow[..] {
            [] => self.bits == 64,
            [one] => {
                let wide = |f: &Fixed<'ctx>| f.clone().widened(one.bits);
                self.bits == one.bits
                    && wide(&one.start) == index.start
                    && wide(&one.step) == index.step
            }
            _ => false,
        };
        let lags = index.step == self.next.step
            && self.next.start.is_sum_of(&index.start, &self.next.step);
        (is_counter && lags).then_some(end)
    }

    /// Where `holds`, all of them true: such an index is always so compared with `len`.
    pub(super) fn held(
        &self,
        index: &Affine<'ctx>,
        (how, len): (Compare, Value<'ctx>),
        builder: &Builder<'ctx>,
    ) -> Vec<Value<'ctx>> {
        let Some(end) = self.end_of(index) else {
            return vec![builder.truth(false)];
        };
        let end = end.clone().widened(self.bits).build(builder, 64);
        let first = index.start.build(builder, 64);
        // In this order: where the loop is entered below its end only, LLVM sees that the second follows.
        vec![
            builder.compare(Compare::NotGreater, end, len),
            builder.compare(how, first, len),
        ]
    }

    /// With `exact` it costs a division by the step, of 32 bits.
    pub(super) fn limits(&self, builder: &Builder<'ctx>, exact: bool) -> Limits<'ctx> {
        let number = |n| builder.number(n, 64);
        let small = |value| builder.compare(Compare::Below, value, number(1 << 62));
        let start = self.next.start.build(builder, 64);
        let by_one = self.count_by_one();
        let mut valid = vec![small(start)];
        // Of the counter from the first round to the last.
        let distance = match &self.until {
            Until::Meets(end) => {
                let end = end.clone().widened(self.bits).build(builder, 64);
                valid.push(small(end));
                // From behind its end it would go round once: not with what is valid.
                valid.push(builder.compare(Compare::NotGreater, start, end));
                builder.sub(end, start)
            }
            Until::Passes(end) => {
                let step = self.next.step.build(builder, 64);
                let end = end.clone().widened(self.bits).build(builder, 64);
                valid.extend([small(step), small(end)]);
                // The counter's own narrow form must not wrap around: its last value is below `end + step`.
                if self.bits < 64 {
                    let most = builder.add(end, step);
                    valid.push(builder.compare(Compare::Below, most, number(1 << self.bits)));
                }
                if exact && !by_one {
                    valid.push(builder.compare(Compare::NotGreater, end, number(1 << 32)));
                    valid.push(builder.compare(Compare::Below, step, number(1 << 32)));
                    self.whole_steps(builder, [start, step, end])
                } else {
                    let last = builder.sub(builder.add(end, step), number(1));
                    let again = builder.compare(Compare::Greater, last, start);
                    builder.select(again, builder.sub(last, start), number(0))
                }
            }
            // Behind the first round as many are left as it says. One that goes round from none left says the most that there is: not valid.
            Until::NoneLeft => start,
        };
        if by_one {
            valid.push(builder.compare(Compare::Below, distance, number(1 << 31)));
        }
        let step = if by_one {
            Fixed::Number(1)
        } else {
            self.next.step.clone()
        };
        Limits {
            distance,
            step,
            valid,
        }
    }

    /// How far a counter gets by steps that may not divide the way, by a division of 32 bits.
    fn whole_steps(
        &self,
        builder: &Builder<'ctx>,
        [start, step, end]: [Value<'ctx>; 3],
    ) -> Value<'ctx> {
        let number = |n| builder.number(n, 64);
        let (no_step, one) = (builder.number(0, 32), builder.number(1, 32));
        let narrow = builder.narrowed(step);
        let stands = builder.compare(Compare::Equal, narrow, no_step);
        let divisor = builder.select(stands, one, narrow);
        let gap = builder.sub(builder.sub(end, number(1)), start);
        let whole = builder.widened(builder.divide(builder.narrowed(gap), divisor));
        let grown = builder.mul(builder.add(whole, number(1)), step);
        let again = builder.compare(Compare::Below, start, end);
        builder.select(again, grown, number(0))
    }
}

/// What is known of a loop before it begins, as instructions there.
pub(super) struct Limits<'ctx> {
    distance: Value<'ctx>,
    /// The counter's; one, where it counts the rounds.
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
    /// All of them true: the index is always so compared with `len`.
    pub(super) fn conditions(
        &self,
        index: &Affine<'ctx>,
        (how, len): (Compare, Value<'ctx>),
        builder: &Builder<'ctx>,
    ) -> Vec<Value<'ctx>> {
        let mut all = Vec::new();
        let last = self.last(index, builder, &mut all);
        all.push(builder.compare(how, last, len));
        for narrow in &index.narrow {
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

#[cfg(test)]
#[path = "rounds_tests.rs"]
mod tests;
