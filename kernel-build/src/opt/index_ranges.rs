//! Between which values an integer stays, as expressions of values that are known at one place before it.
//!
//! Numbers are exact here: a range holds if none of the operations that an integer is computed from wraps around, and the conditions that come with the range
//! say so. Where they hold, the integer is what unlimited arithmetic would give, so that its bounds are those of its operands, combined.
//!
//! ```text
//! x.saturating_sub(2).min(width - 1)               0 ..= width - 1, if width - 1 >= 0
//! y * width + x, y <= bottom, x <= right           at most bottom * width + right, if all of them are small
//! ```

mod bounds; // expressions of values that are known
mod counters; // numbers that loops count

use super::gather_batching::Slice;
use super::loops::Loop;
use super::region::Before;
use super::upper_bounds::{DEPTH as BOUND_DEPTH, UpperBounds};
use crate::hash::HashMap;
use crate::llvm::{Block, Op, TypeKind, Value};
pub(super) use bounds::{Bound, Condition};

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
            found: HashMap::default(),
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
            self.known(value, bits, depth)
        } else if depth == 0 {
            None
        } else {
            self.computed(value, bits, depth - 1)
        };
        self.found.insert(value, found.clone());
        found
    }

    /// Of a value that is known where the bounds are computed.
    fn known(&mut self, value: Value<'ctx>, bits: u32, depth: u32) -> Option<Range<'ctx>> {
        let most = i128::from(self.bounds.upper_bound(value, BOUND_DEPTH));
        if let Some(limits) = self.limits(value, bits, depth).filter(|l| l.1 < most) {
            let bound = Bound::Value(value, limits);
            return Some(Range::between(bound.clone(), bound));
        }
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

    /// Between which numbers it is, if what it is computed from says so on no condition.
    fn limits(&mut self, value: Value<'ctx>, bits: u32, depth: u32) -> Option<(i128, i128)> {
        value.block()?;
        let range = self.computed(value, bits, depth.checked_sub(1)?)?;
        let (least, most) = (range.least.limits().0, range.most.limits().1);
        (range.conditions.is_empty() && least >= 0 && most < SMALL).then_some((least, most))
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

fn is_wide(value: Value<'_>) -> bool {
    value.ty().kind() == TypeKind::Integer(64)
}
