//! Between which values an integer stays, as expressions of values that are known at one place before it.
//!
//! Numbers are exact here: a range holds if none of the operations that an integer is computed from wraps around, and the conditions that come with the range
//! say so. Where they hold, the integer is what unlimited arithmetic would give, so that its bounds are those of its operands, combined.
//!
//! ```text
//! x.saturating_sub(2).min(width - 1)               0 ..= width - 1, if width - 1 >= 0
//! y * width + x, y <= bottom, x <= right           at most bottom * width + right, if all of them are small
//! ```

mod bounds;

use super::gather_batching::Slice;
use super::loops::Loop;
use super::region::Before;
use super::upper_bounds::{DEPTH as BOUND_DEPTH, UpperBounds};
use crate::llvm::{Block, Op, Predicate, TypeKind, Value};
pub(super) use bounds::{Bound, Condition};
use std::collections::HashMap;

/// Deeper expressions are not analysed.
const DEPTH: u32 = 16;

/// A number that may be large is asked whether it is below this: products of two such numbers do not wrap around in 64 bits.
const SMALL: i128 = 1 << 31;

/// Lengths and other numbers that are known to be below this are not asked.
const LARGE: i128 = 1 << 62;

/// An integer is at least `least` and at most `most` if all conditions hold.
#[derive(Clone)]
pub(super) struct Range<'ctx> {
    pub(super) least: Bound<'ctx>,
    pub(super) most: Bound<'ctx>,
    pub(super) conditions: Vec<Condition<'ctx>>,
}

/// The ranges of the integers of a function.
pub(super) struct Ranges<'a, 'ctx> {
    /// What is known where the bounds are computed.
    before: &'a Before<'ctx>,
    bounds: &'a UpperBounds<'ctx>,
    loops: HashMap<Block<'ctx>, &'a Loop<'ctx>>,
    found: HashMap<Value<'ctx>, Option<Range<'ctx>>>,
}

impl<'ctx> Range<'ctx> {
    fn between(least: Bound<'ctx>, most: Bound<'ctx>) -> Range<'ctx> {
        let conditions = Vec::new();
        Range {
            least,
            most,
            conditions,
        }
    }

    fn number(n: i128) -> Range<'ctx> {
        Range::between(Bound::Number(n), Bound::Number(n))
    }

    /// With another condition; `None` if it cannot hold, or not be computed.
    pub(super) fn provided(mut self, condition: Condition<'ctx>) -> Option<Range<'ctx>> {
        match condition.known() {
            Some(true) => Some(self),
            Some(false) => None,
            None => {
                condition.fits().then_some(())?;
                if !self.conditions.contains(&condition) {
                    self.conditions.push(condition);
                }
                Some(self)
            }
        }
    }

    pub(super) fn with_conditions_of(self, other: &Range<'ctx>) -> Option<Range<'ctx>> {
        let mut all = other.conditions.iter().cloned();
        all.try_fold(self, Range::provided)
    }

    fn not_negative(self) -> Option<Range<'ctx>> {
        let least = self.least.clone();
        self.provided(Condition::AtMost(Bound::Number(0), least))
    }

    /// Of an operation whose result has so many bits.
    fn in_bits(self, bits: u32) -> Option<Range<'ctx>> {
        if bits == 64 {
            return (self.least.fits() && self.most.fits()).then_some(self);
        }
        let (least, most) = (self.least.clone(), self.most.clone());
        let limit = |n: i128| Bound::Number(n);
        self.provided(Condition::AtMost(limit(-SMALL), least))?
            .provided(Condition::AtMost(most, limit(SMALL - 1)))
    }

    fn combine(
        &self,
        other: &Range<'ctx>,
        least: Bound<'ctx>,
        most: Bound<'ctx>,
    ) -> Option<Range<'ctx>> {
        Range::between(least, most)
            .with_conditions_of(self)?
            .with_conditions_of(other)
    }

    fn either(&self, other: &Range<'ctx>) -> Option<Range<'ctx>> {
        let least = Bound::smaller(self.least.clone(), other.least.clone());
        let most = Bound::larger(self.most.clone(), other.most.clone());
        self.combine(other, least, most)
    }
}

impl<'a, 'ctx> Ranges<'a, 'ctx> {
    pub(super) fn new(
        before: &'a Before<'ctx>,
        bounds: &'a UpperBounds<'ctx>,
        loops: &'a [Loop<'ctx>],
    ) -> Ranges<'a, 'ctx> {
        Ranges {
            before,
            bounds,
            loops: loops.iter().map(|found| (found.header, found)).collect(),
            found: HashMap::new(),
        }
    }

    /// The range of an integer of 32 or 64 bits.
    pub(super) fn of(&mut self, value: Value<'ctx>) -> Option<Range<'ctx>> {
        self.range(value, DEPTH)
    }

    /// The range of a number that an index is compared with: the length of a slice is positive as a signed number too.
    pub(super) fn of_length(&mut self, value: Value<'ctx>) -> Option<Range<'ctx>> {
        if !Slice::is_length(value) {
            return self.of(value);
        }
        let bound = Bound::Value(value, (0, i128::from(i64::MAX)));
        Some(Range::between(bound.clone(), bound))
    }

    fn range(&mut self, value: Value<'ctx>, depth: u32) -> Option<Range<'ctx>> {
        let bits = match value.ty().kind() {
            TypeKind::Integer(bits @ (32 | 64)) => bits,
            _ => return None,
        };
        if let Some(number) = value.as_number(true) {
            return Some(Range::number(number));
        }
        if let Some(found) = self.found.get(&value) {
            return found.clone();
        }
        // Until it is found: a number that depends on itself has none.
        self.found.insert(value, None);
        let found = if self.before.can_move(value, BOUND_DEPTH) {
            self.known(value)
        } else if depth == 0 {
            None
        } else {
            self.computed(value, bits, depth - 1)
        };
        self.found.insert(value, found.clone());
        found
    }

    /// Of a value that is known where the bounds are computed.
    fn known(&self, value: Value<'ctx>) -> Option<Range<'ctx>> {
        let most = i128::from(self.bounds.upper_bound(value, BOUND_DEPTH));
        let limits = match is_wide(value) {
            true if most < LARGE => (0, most),
            true => (0, SMALL - 1),
            false if most < SMALL => (0, most),
            false => (-SMALL, SMALL - 1),
        };
        let bound = Bound::Value(value, limits);
        let range = Range::between(bound.clone(), bound);
        if is_wide(value) && most >= LARGE {
            return range.provided(Condition::Small(value));
        }
        Some(range)
    }

    fn computed(&mut self, value: Value<'ctx>, bits: u32, depth: u32) -> Option<Range<'ctx>> {
        if let Some(remainder) = self.bounds.remainder(value) {
            return self.remainder(remainder.divisor, depth);
        }
        let operands = value.operands();
        let operand = |i: usize| operands.get(i).copied();
        match value.op() {
            Op::Add => {
                if let Some(range) = self.stepped(value, depth) {
                    return Some(range);
                }
                let (a, b) = self.two(&operands, depth)?;
                sum(&a, &b)?.in_bits(bits)
            }
            Op::Or if value.is_disjoint() => {
                let (a, b) = self.two(&operands, depth)?;
                sum(&a.not_negative()?, &b.not_negative()?)?.in_bits(bits)
            }
            Op::Sub => {
                let (a, b) = self.two(&operands, depth)?;
                let least = Bound::difference(a.least.clone(), b.most.clone());
                let most = Bound::difference(a.most.clone(), b.least.clone());
                a.combine(&b, least, most)?.in_bits(bits)
            }
            Op::Mul => {
                let (a, b) = self.two(&operands, depth)?;
                product(&a, &b)?.in_bits(bits)
            }
            Op::Shl => {
                let by = operand(1)?.as_integer().filter(|by| *by < 31)?;
                let a = self.range(operand(0)?, depth)?;
                product(&a, &Range::number(1 << by))?.in_bits(bits)
            }
            Op::ZExt => match operand(0)?.ty().kind() {
                TypeKind::Integer(narrow @ (1 | 8 | 16)) => {
                    let most = Bound::Number((1 << narrow) - 1);
                    Some(Range::between(Bound::Number(0), most))
                }
                _ => self.range(operand(0)?, depth)?.not_negative(),
            },
            Op::SExt => self.range(operand(0)?, depth),
            Op::Trunc if bits == 32 => self.range(operand(0)?, depth)?.in_bits(32),
            Op::And => {
                let mask = operand(1)?.as_number(true).filter(|mask| *mask >= 0)?;
                Some(Range::between(Bound::Number(0), Bound::Number(mask)))
            }
            Op::URem => self.remainder(operand(1)?, depth),
            Op::UDiv | Op::LShr => {
                let by = operand(1)?.as_integer()?;
                let by = match value.op() {
                    Op::UDiv => i128::from(by),
                    _ => 1 << Some(by).filter(|by| *by < 63)?,
                };
                let a = self.range(operand(0)?, depth)?.not_negative()?;
                let least = Bound::quotient(a.least.clone(), by);
                let most = Bound::quotient(a.most.clone(), by);
                Range::between(least, most).with_conditions_of(&a)
            }
            Op::Select => {
                let (a, b) = (
                    self.range(operand(1)?, depth)?,
                    self.range(operand(2)?, depth)?,
                );
                a.either(&b)
            }
            Op::Phi => self.phi(value, depth),
            Op::Call => self.call(value, depth),
            _ => None,
        }
    }

    /// The ranges of two operands.
    fn two(&mut self, operands: &[Value<'ctx>], depth: u32) -> Option<(Range<'ctx>, Range<'ctx>)> {
        let [a, b] = operands.try_into().ok()?;
        Some((self.range(a, depth)?, self.range(b, depth)?))
    }

    /// Of a remainder: less than the divisor, whatever is divided.
    fn remainder(&mut self, divisor: Value<'ctx>, depth: u32) -> Option<Range<'ctx>> {
        let by = self.range(divisor, depth)?.not_negative()?;
        let most = Bound::difference(by.most.clone(), Bound::Number(1));
        Range::between(Bound::Number(0), most).with_conditions_of(&by)
    }

    fn call(&mut self, call: Value<'ctx>, depth: u32) -> Option<Range<'ctx>> {
        let name = call.callee().as_function()?.name();
        let name = name.strip_prefix("llvm.")?;
        let [of, by] = call.args().try_into().ok()?;
        let (a, b) = (self.range(of, depth), self.range(by, depth));
        let not_negative = |a: Option<Range<'ctx>>| a.and_then(Range::not_negative);
        if name.starts_with("umin.") {
            // Of a number that is not known, the other one is a bound.
            return match (not_negative(a), not_negative(b)) {
                (Some(a), Some(b)) => {
                    let least = Bound::smaller(a.least.clone(), b.least.clone());
                    let most = Bound::smaller(a.most.clone(), b.most.clone());
                    a.combine(&b, least, most)
                }
                (Some(a), None) | (None, Some(a)) => {
                    Range::between(Bound::Number(0), a.most.clone()).with_conditions_of(&a)
                }
                (None, None) => None,
            };
        }
        if name.starts_with("usub.sat.") {
            let a = not_negative(a)?;
            // Of what is taken a constant counts.
            let by = by.as_number(false).unwrap_or(0);
            let rest = Bound::difference(a.most.clone(), Bound::Number(by));
            let most = Bound::larger(rest, Bound::Number(0));
            return Range::between(Bound::Number(0), most).with_conditions_of(&a);
        }
        let (a, b) = match name {
            _ if name.starts_with("umax.") => (not_negative(a)?, not_negative(b)?),
            _ => (a?, b?),
        };
        if name.starts_with("umax.") || name.starts_with("smax.") {
            let least = Bound::larger(a.least.clone(), b.least.clone());
            let most = Bound::larger(a.most.clone(), b.most.clone());
            a.combine(&b, least, most)
        } else if name.starts_with("smin.") {
            let least = Bound::smaller(a.least.clone(), b.least.clone());
            let most = Bound::smaller(a.most.clone(), b.most.clone());
            a.combine(&b, least, most)
        } else {
            None
        }
    }

    /// Of `i + (i < end)`, the next value of a range that is not over: at most `end`, or `i`.
    fn stepped(&mut self, sum: Value<'ctx>, depth: u32) -> Option<Range<'ctx>> {
        let [number, more] = sum.operands().try_into().ok()?;
        let end = end_of_step(number, more)?;
        let (number, end) = (self.range(number, depth)?, self.range(end, depth)?);
        let (number, end) = (number.not_negative()?, end.not_negative()?);
        let most = Bound::larger(number.most.clone(), end.most.clone());
        number.combine(&end, number.least.clone(), most)
    }

    fn phi(&mut self, phi: Value<'ctx>, depth: u32) -> Option<Range<'ctx>> {
        let at_header = phi.block().and_then(|b| self.loops.get(&b).copied());
        if let Some(found) = at_header {
            return self.counter(phi, found, depth);
        }
        let mut all = phi.incoming().into_iter();
        let first = self.range(all.next()?.0, depth)?;
        all.try_fold(first, |range, (value, _)| {
            range.either(&self.range(value, depth)?)
        })
    }

    /// Of a number that grows by a constant in each iteration of a loop, until the latch finds it at the end.
    fn counter(&mut self, phi: Value<'ctx>, found: &Loop<'ctx>, depth: u32) -> Option<Range<'ctx>> {
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
        // The next number does not wrap around either.
        let bits = if is_wide(phi) { 64 } else { 32 };
        let next = Bound::sum(range.most.clone(), Bound::Number(step));
        let fits = Range::between(range.least.clone(), next).in_bits(bits)?;
        range.with_conditions_of(&fits)
    }
}

fn sum<'ctx>(a: &Range<'ctx>, b: &Range<'ctx>) -> Option<Range<'ctx>> {
    let least = Bound::sum(a.least.clone(), b.least.clone());
    let most = Bound::sum(a.most.clone(), b.most.clone());
    a.combine(b, least, most)
}

/// The range of a product: of numbers that are not negative, or with a constant.
fn product<'ctx>(a: &Range<'ctx>, b: &Range<'ctx>) -> Option<Range<'ctx>> {
    let (a, b) = match (&a.least, &b.least) {
        (Bound::Number(_), _) if a.least == a.most => (b, a),
        _ => (a, b),
    };
    if let Bound::Number(by) = b.least
        && b.least == b.most
    {
        let (least, most) = match by {
            0.. => (&a.least, &a.most),
            _ => (&a.most, &a.least),
        };
        let least = Bound::product(least.clone(), Bound::Number(by));
        let most = Bound::product(most.clone(), Bound::Number(by));
        return a.combine(b, least, most);
    }
    let (a, b) = (a.clone().not_negative()?, b.clone().not_negative()?);
    let least = Bound::product(a.least.clone(), b.least.clone());
    let most = Bound::product(a.most.clone(), b.most.clone());
    a.combine(&b, least, most)
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

fn is_wide(value: Value<'_>) -> bool {
    value.ty().kind() == TypeKind::Integer(64)
}
