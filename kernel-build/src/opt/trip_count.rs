//! How many iterations a loop has, as far as that is known before it, and the largest values of its add recurrences.

use super::add_recurrence::{AddRecurrence, LoopInvariant};
use super::loops::Loop;
use crate::llvm::{Builder, Compare, Value};

/// The exit condition of a loop, from which its number of iterations follows.
pub(super) struct TripCount<'ctx> {
    /// The counter that the latch compares.
    pub(super) next: AddRecurrence<'ctx>,
    pub(super) bits: u32,
    pub(super) exit: ExitCondition<'ctx>,
}

/// How long a loop runs.
pub(super) enum ExitCondition<'ctx> {
    /// While `next != end`, where `next` grows by one.
    NotEqual(LoopInvariant<'ctx>),
    /// While `next < end`.
    Below(LoopInvariant<'ctx>),
    /// While `next != 0`, where `next` shrinks by one: `step_by` counts the iterations that are left.
    CountDown,
}

impl<'ctx> TripCount<'ctx> {
    /// Of a loop whose latch compares an add recurrence with a loop-invariant value.
    pub(super) fn of(found: &Loop<'ctx>) -> Option<TripCount<'ctx>> {
        let condition = found.latch.condition()?;
        let mut how = condition.comparison()?;
        let [when_true, when_false] = found.latch.successors()[..] else {
            return None;
        };
        // A check does not count: a loop that panics at its end leaves it elsewhere.
        match (when_true == found.header, when_false == found.header) {
            (true, false) if !when_false.is_unreachable() => {}
            (false, true) if !when_true.is_unreachable() => how = how.inverse(),
            _ => return None,
        }
        let (mut next, mut end) = (condition.operands()[0], condition.operands()[1]);
        if found.is_invariant(next) {
            (next, end) = (end, next);
            how = how.swapped();
        }
        if !found.is_invariant(end) {
            return None;
        }
        let next = AddRecurrence::of(next, found).filter(|n| n.narrow.is_empty())?;
        let mut end = LoopInvariant::of(end);
        if how == Compare::Ule {
            // `next <= 7` is `next < 8`.
            let LoopInvariant::Number(last) = end else {
                return None;
            };
            let limit = last
                .checked_add(1)
                .filter(|n| next.bits == 64 || n >> next.bits == 0)?;
            (how, end) = (Compare::Ult, LoopInvariant::Number(limit));
        }
        let down = LoopInvariant::Number(u64::MAX).widened(next.bits);
        // A counter that is compared for equality must count by one.
        let exit = match (how, &next.step) {
            (Compare::Ult, _) => ExitCondition::Below(end),
            (Compare::Ne, LoopInvariant::Number(1)) => ExitCondition::NotEqual(end),
            (Compare::Ne, step) if end == LoopInvariant::Number(0) => {
                let by_one = step.clone().widened(next.bits) == down;
                by_one.then_some(ExitCondition::CountDown)?
            }
            _ => return None,
        };
        Some(TripCount {
            bits: next.bits,
            next: next.widened(),
            exit,
        })
    }

    /// Whether the last value of a recurrence is known: the loop counts by one, or the recurrence grows in proportion to the counter.
    pub(super) fn bounds(&self, index: &AddRecurrence<'ctx>) -> bool {
        // Small constant steps only: a large one is a negative one.
        let grows = match &index.step {
            LoopInvariant::Number(step) => (1..1 << 31).contains(step),
            _ => true,
        };
        let told =
            |a: &AddRecurrence<'ctx>| self.counts_by_one() || times(a, &self.next.step).is_some();
        grows && told(index) && index.narrow.iter().all(told)
    }

    /// Whether an index shrinks in a loop that counts by one: its first value is the largest.
    pub(super) fn bounds_shrinking(&self, index: &AddRecurrence<'ctx>) -> bool {
        self.counts_by_one() && shrinks_by(index).is_some()
    }

    /// The same with other values in the place of its own.
    pub(super) fn mapped(
        &self,
        map: &mut dyn FnMut(Value<'ctx>) -> Value<'ctx>,
    ) -> TripCount<'ctx> {
        let next = self.next.mapped(map);
        let exit = match &self.exit {
            ExitCondition::NotEqual(end) => ExitCondition::NotEqual(end.mapped(map)),
            ExitCondition::Below(end) => ExitCondition::Below(end.mapped(map)),
            ExitCondition::CountDown => ExitCondition::CountDown,
        };
        TripCount {
            next,
            exit,
            ..*self
        }
    }

    /// Whether the counter grows, or shrinks, by one per iteration.
    pub(super) fn counts_by_one(&self) -> bool {
        matches!(self.exit, ExitCondition::CountDown) || self.next.step == LoopInvariant::Number(1)
    }

    /// Whether the counter is the next iteration's value of the index: then the end of the loop is a limit for the index too.
    pub(super) fn counter_is_next_of(&self, index: &AddRecurrence<'ctx>) -> bool {
        self.counts_by_one() || self.next.start.is_sum_of(&index.start, &self.next.step)
    }

    /// Whether the exit condition of the loop bounds an index in each iteration but the first.
    pub(super) fn exit_bounds(&self, index: &AddRecurrence<'ctx>) -> bool {
        self.exit_bound_of(index).is_some()
    }

    /// The end of the loop, for an index that has the counter's value of the previous iteration: it was below the end, or the loop would have ended.
    /// This holds whether anything wraps around or not.
    fn exit_bound_of(&self, index: &AddRecurrence<'ctx>) -> Option<&LoopInvariant<'ctx>> {
        let ExitCondition::Below(end) = &self.exit else {
            return None;
        };
        let is_counter = match &index.narrow[..] {
            [] => self.bits == 64,
            // Above the end of signed numbers the loop would go on, and the index be negative.
            [one] if one.signed => false,
            [one] => {
                let wide = |f: &LoopInvariant<'ctx>| f.clone().widened(one.bits);
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

    /// For an index with `exit_bounds`: if all of these are true, the comparison of the index with `len` is true in each iteration.
    pub(super) fn exit_bound_conditions(
        &self,
        index: &AddRecurrence<'ctx>,
        (how, len): (Compare, Value<'ctx>),
        builder: &Builder<'ctx>,
    ) -> Vec<Value<'ctx>> {
        let Some(end) = self.exit_bound_of(index) else {
            return vec![builder.boolean(false)];
        };
        let end = end.clone().widened(self.bits).build(builder, 64);
        let first = index.start.build(builder, 64);
        // In this order: where the loop is entered below its end only, LLVM sees that the second follows.
        vec![
            builder.compare(Compare::Ule, end, len),
            builder.compare(how, first, len),
        ]
    }

    /// With `exact` it costs a division by the step, of 32 bits.
    pub(super) fn limits(&self, builder: &Builder<'ctx>, exact: bool) -> Limits<'ctx> {
        let number = |n| builder.number(n, 64);
        let small = |value| builder.compare(Compare::Ult, value, number(1 << 62));
        let start = self.next.start.build(builder, 64);
        let by_one = self.counts_by_one();
        let mut valid = vec![small(start)];
        // How far the counter moves from the first iteration to the last.
        let distance = match &self.exit {
            ExitCondition::NotEqual(end) => {
                let end = end.clone().widened(self.bits).build(builder, 64);
                valid.push(small(end));
                // A start above the end would wrap around: excluded here.
                valid.push(builder.compare(Compare::Ule, start, end));
                builder.sub(end, start)
            }
            ExitCondition::Below(end) => {
                let step = self.next.step.build(builder, 64);
                let end = end.clone().widened(self.bits).build(builder, 64);
                valid.extend([small(step), small(end)]);
                // The counter's own narrow form must not wrap around: its last value is below `end + step`.
                if self.bits < 64 {
                    let most = builder.add(end, step);
                    valid.push(builder.compare(Compare::Ult, most, number(1 << self.bits)));
                }
                if exact && !by_one {
                    valid.push(builder.compare(Compare::Ule, end, number(1 << 32)));
                    valid.push(builder.compare(Compare::Ult, step, number(1 << 32)));
                    self.whole_steps(builder, [start, step, end])
                } else {
                    let last = builder.sub(builder.add(end, step), number(1));
                    let again = builder.compare(Compare::Ugt, last, start);
                    builder.select(again, builder.sub(last, start), number(0))
                }
            }
            // After the first iteration `next` is the number of those that are left. Started from none left it wraps around to the maximum, which is
            // excluded below.
            ExitCondition::CountDown => start,
        };
        if by_one {
            valid.push(builder.compare(Compare::Ult, distance, number(1 << 31)));
        }
        let step = if by_one {
            LoopInvariant::Number(1)
        } else {
            self.next.step.clone()
        };
        Limits {
            distance,
            step,
            valid,
        }
    }

    /// How far a counter moves by steps that may not divide the distance; costs a division of 32 bits.
    fn whole_steps(
        &self,
        builder: &Builder<'ctx>,
        [start, step, end]: [Value<'ctx>; 3],
    ) -> Value<'ctx> {
        let number = |n| builder.number(n, 64);
        let (no_step, one) = (builder.number(0, 32), builder.number(1, 32));
        let narrow = builder.trunc32(step);
        let stands = builder.compare(Compare::Eq, narrow, no_step);
        let divisor = builder.select(stands, one, narrow);
        let gap = builder.sub(builder.sub(end, number(1)), start);
        let whole = builder.widened(builder.divide(builder.trunc32(gap), divisor));
        let grown = builder.mul(builder.add(whole, number(1)), step);
        let again = builder.compare(Compare::Ult, start, end);
        builder.select(again, grown, number(0))
    }
}

/// How far the counter moves, as instructions in the preheader.
pub(super) struct Limits<'ctx> {
    distance: Value<'ctx>,
    /// The counter's step; one if it counts the iterations.
    step: LoopInvariant<'ctx>,
    /// All of these must be true for `distance` to be right.
    pub(super) valid: Vec<Value<'ctx>>,
}

/// By how much an index of 64 bits shrinks in each iteration, if that is a small constant.
fn shrinks_by(index: &AddRecurrence<'_>) -> Option<u64> {
    let LoopInvariant::Number(step) = index.step else {
        return None;
    };
    let by = step.wrapping_neg();
    let is_wide = index.bits == 64 && index.narrow.is_empty();
    (is_wide && (1..1 << 20).contains(&by)).then_some(by)
}

/// The constant ratio of the steps of a recurrence and of the counter, if there is one.
fn times<'ctx>(number: &AddRecurrence<'ctx>, counter: &LoopInvariant<'ctx>) -> Option<u64> {
    let step = number.step.clone().widened(number.bits);
    match (&step, counter) {
        (LoopInvariant::Number(fast), LoopInvariant::Number(slow)) => {
            let times = fast.checked_div(*slow)?;
            (times * slow == *fast && times < 1 << 20).then_some(times)
        }
        _ => (step == *counter).then_some(1),
    }
}

impl<'ctx> Limits<'ctx> {
    /// If all of these are true, the comparison of the index with `len` is true in each iteration.
    pub(super) fn conditions(
        &self,
        index: &AddRecurrence<'ctx>,
        (how, len): (Compare, Value<'ctx>),
        builder: &Builder<'ctx>,
    ) -> Vec<Value<'ctx>> {
        let mut all = Vec::new();
        if let Some(by) = shrinks_by(index) {
            let first = index.start.build(builder, 64);
            let less = builder.mul(builder.number(by, 64), self.distance);
            return vec![
                builder.compare(how, first, len),
                builder.compare(Compare::Ule, less, first),
            ];
        }
        let last = self.last(index, builder, &mut all);
        all.push(builder.compare(how, last, len));
        for narrow in &index.narrow {
            let last = self.last(&narrow.clone().widened(), builder, &mut all);
            all.push(builder.compare(Compare::Ult, last, builder.number(narrow.top(), 64)));
        }
        all
    }

    /// The number of iterations of a loop that counts by one, in 32 bits, if all of `valid` are true.
    pub(super) fn iterations(&self, builder: &Builder<'ctx>) -> Value<'ctx> {
        builder.add(builder.trunc32(self.distance), builder.number(1, 32))
    }

    /// The largest value of a recurrence, if the conditions that are pushed to `all` are true.
    pub(super) fn last(
        &self,
        of: &AddRecurrence<'ctx>,
        builder: &Builder<'ctx>,
        all: &mut Vec<Value<'ctx>>,
    ) -> Value<'ctx> {
        let start = of.start.build(builder, 64);
        all.push(builder.compare(Compare::Ult, start, builder.number(1 << 62, 64)));
        let number = |n| builder.number(n, 64);
        let grown = if self.step == LoopInvariant::Number(1) {
            let step = of.step.build(builder, 64);
            all.push(builder.compare(Compare::Ult, step, number(1 << 31)));
            builder.mul(step, self.distance)
        } else {
            let times = times(of, &self.step).unwrap_or(1);
            let most = number((1 << 62) / times.max(1));
            all.push(builder.compare(Compare::Ult, self.distance, most));
            builder.mul(number(times), self.distance)
        };
        builder.add(start, grown)
    }
}

#[cfg(test)]
#[path = "trip_count_tests.rs"]
mod tests;
