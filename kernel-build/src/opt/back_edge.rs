//! What values are where a loop's latch branches back: the latch's condition says it.
//!
//! `RangeInclusive` stays at its last value when it is over, so the next value of its counter is `i == n ? n : i + 1`, or `min(i, n - 1) + 1`. Where the latch
//! branches back the range is not over, and both are `i + 1`.

use super::loops::Loop;
use crate::llvm::{Block, Builder, Op, Predicate, TypeKind, Value};

/// Longer chains are left as they are.
const DEPTH: u32 = 4;

/// Conditions with their values where the back edge is taken.
pub(super) struct BackEdge<'ctx> {
    latch: Block<'ctx>,
    known: Vec<(Value<'ctx>, bool)>,
}

impl<'ctx> BackEdge<'ctx> {
    /// `None` if the latch has no condition.
    pub(super) fn of(found: &Loop<'ctx>) -> Option<BackEdge<'ctx>> {
        let condition = found.latch.condition()?;
        let back = match found.latch.successors()[..] {
            [yes, no] if yes != no => yes == found.header,
            _ => return None,
        };
        let mut known = Vec::new();
        expand(condition, back, &mut known);
        let latch = found.latch;
        Some(BackEdge { latch, known })
    }

    /// The simpler value that a value has on the back edge, made in the latch; `None` if there is none.
    pub(super) fn simplified(&self, value: Value<'ctx>) -> Option<Value<'ctx>> {
        self.resolve(value, None, DEPTH)
    }

    /// Whether `next`, the next value of `counter`, is known to be at most `end`: it is compared itself, or it is `counter + 1`, and `counter` is less.
    /// `at_most` says how they are compared, as unsigned or signed numbers.
    pub(super) fn is_next_at_most(
        &self,
        at_most: Predicate,
        [counter, next, end]: [Value<'ctx>; 3],
    ) -> bool {
        let Some(less) = strict(at_most) else {
            return false;
        };
        let next = self.simplified(next).unwrap_or(next);
        let is_one_more = next.block().is_some()
            && next.op() == Op::Add
            && next.operands()[0] == counter
            && next.operands()[1].as_integer() == Some(1);
        self.known.iter().any(|(condition, holds)| {
            let Some(said) = said(*condition, *holds) else {
                return false;
            };
            let said = match condition.operands()[..] {
                [a, b] if b == end => (a, said),
                [a, b] if a == end => (b, said.swapped()),
                _ => return false,
            };
            said == (next, at_most)
                || said == (next, less)
                || is_one_more && said == (counter, less)
        })
    }

    /// Makes the latch compare the simpler values too: `i == n || (i == n ? n : i + 1) > n` becomes `i == n || i + 1 > n`. Where a comparison gets another
    /// result than before, one of the others has decided.
    pub(super) fn simplify_condition(&self) -> bool {
        let Some(condition) = self.latch.condition().filter(|_| self.known.len() > 1) else {
            return false;
        };
        let changed = self
            .without_implied(condition)
            .or_else(|| self.rebuilt(condition, DEPTH));
        if let Some(new) = changed {
            self.latch.set_condition(new);
        }
        changed.is_some()
    }

    /// The condition without what follows from the rest of it.
    fn without_implied(&self, condition: Value<'ctx>) -> Option<Value<'ctx>> {
        let operands = condition.operands();
        let [a, b] = match condition.op() {
            Op::Or | Op::And => [operands[0], operands[1]],
            Op::Select if operands[1].as_integer() == Some(1) => [operands[0], operands[2]],
            Op::Select if operands[2].as_integer() == Some(0) => [operands[0], operands[1]],
            _ => return None,
        };
        let is_known = |c: Value<'ctx>| self.known.iter().any(|(known, _)| *known == c);
        (is_known(a) && self.is_implied(b)).then_some(a)
    }

    /// Whether a comparison follows from the others: `i + 1 <= n` from `i < n`.
    fn is_implied(&self, comparison: Value<'ctx>) -> bool {
        let Some((_, holds)) = self.known.iter().find(|(c, _)| *c == comparison) else {
            return false;
        };
        let Some(strict) = said(comparison, *holds).and_then(strict) else {
            return false;
        };
        let (next, end) = (comparison.operands()[0], comparison.operands()[1]);
        let next = self.resolve(next, Some(comparison), DEPTH).unwrap_or(next);
        if next.block().is_none()
            || next.op() != Op::Add
            || next.operands()[1].as_integer() != Some(1)
        {
            return false;
        }
        let counter = next.operands()[0];
        self.known.iter().any(|(c, holds)| {
            let said = said(*c, *holds);
            *c != comparison && said == Some(strict) && c.operands() == [counter, end]
        })
    }

    /// The value of a condition, if it is known.
    fn truth(&self, condition: Value<'ctx>, without: Option<Value<'ctx>>) -> Option<bool> {
        let mut known = self.known.iter().filter(|(c, _)| Some(*c) != without);
        if let Some((_, holds)) = known.find(|(c, _)| *c == condition) {
            return Some(*holds);
        }
        let is_not = condition.block().is_some()
            && condition.op() == Op::Xor
            && condition.operands()[1].as_integer() == Some(1);
        let holds = is_not.then(|| self.truth(condition.operands()[0], without))?;
        holds.map(|holds| !holds)
    }

    /// The condition with simpler values in its comparisons; they may be poison where the loop is left, and must not decide then.
    fn rebuilt(&self, condition: Value<'ctx>, depth: u32) -> Option<Value<'ctx>> {
        self.known.iter().find(|(c, _)| *c == condition)?;
        let old = condition.operands();
        let builder = Builder::before(self.latch.terminator());
        if condition.predicate().is_some() {
            let other = |o: &Value<'ctx>| self.resolve(*o, Some(condition), DEPTH);
            let new: Vec<Option<Value<'ctx>>> = old.iter().map(other).collect();
            if new.iter().all(Option::is_none) {
                return None;
            }
            let mut operands = old
                .into_iter()
                .zip(new)
                .map(|(old, new)| new.unwrap_or(old));
            let copy = builder.copy(condition, |old| operands.next().unwrap_or(old));
            copy.drop_poison_flags();
            return Some(copy);
        }
        let depth = depth.checked_sub(1)?;
        let new: Vec<Option<Value<'ctx>>> = old.iter().map(|o| self.rebuilt(*o, depth)).collect();
        // The unchanged part is asked first: unlike an `or`, a `select` whose first operand decides is no poison.
        match (condition.op(), &new[..]) {
            (Op::Or, [None, Some(b)]) => Some(builder.select(old[0], builder.boolean(true), *b)),
            (Op::Or, [Some(a), None]) => Some(builder.select(old[1], builder.boolean(true), *a)),
            (Op::And, [None, Some(b)]) => Some(builder.select(old[0], *b, builder.boolean(false))),
            (Op::And, [Some(a), None]) => Some(builder.select(old[1], *a, builder.boolean(false))),
            (Op::Xor, [Some(a), None]) => Some(builder.xor(*a, old[1])),
            (Op::Select, [None, Some(a), None]) => Some(builder.select(old[0], *a, old[2])),
            (Op::Select, [None, None, Some(b)]) => Some(builder.select(old[0], old[1], *b)),
            _ => None,
        }
    }

    /// `without` is a condition that must not be assumed.
    fn resolve(
        &self,
        value: Value<'ctx>,
        without: Option<Value<'ctx>>,
        depth: u32,
    ) -> Option<Value<'ctx>> {
        value.block().filter(|_| depth > 0)?;
        match value.op() {
            Op::Select => {
                let operands = value.operands();
                let holds = self.truth(operands[0], without)?;
                let chosen = if holds { operands[1] } else { operands[2] };
                self.resolve(chosen, without, depth - 1).or(Some(chosen))
            }
            Op::ZExt => {
                let holds = self.truth(value.operands()[0], without)?;
                let TypeKind::Integer(bits @ (32 | 64)) = value.ty().kind() else {
                    return None;
                };
                let builder = Builder::before(self.latch.terminator());
                Some(builder.number(u64::from(holds), bits))
            }
            Op::Add => {
                let operands = value.operands();
                let new = |o: Value<'ctx>| self.resolve(o, without, depth - 1);
                let (a, b) = (new(operands[0]), new(operands[1]));
                if a.is_none() && b.is_none() {
                    return None;
                }
                let builder = Builder::before(self.latch.terminator());
                Some(builder.add(a.unwrap_or(operands[0]), b.unwrap_or(operands[1])))
            }
            // `chunks` takes nothing from what is left, and stays where it is, when it is over.
            Op::Sub | Op::GetElementPtr => {
                let [base, by] = value.operands()[..] else {
                    return None;
                };
                let by = self.resolve(by, without, depth - 1)?;
                let builder = Builder::before(self.latch.terminator());
                match value.op() {
                    Op::Sub => Some(builder.sub(base, by)),
                    // The address that is a constant ahead is that of the next element, in a loop that compares pointers.
                    _ if by.as_integer().is_some() => None,
                    _ => Some(builder.element(value, base, by)),
                }
            }
            Op::Call => {
                let least = match value.callee().name() {
                    name if name.starts_with("llvm.umin.") => Predicate::Ule,
                    name if name.starts_with("llvm.smin.") => Predicate::Sle,
                    _ => return None,
                };
                let (a, b) = (value.operands()[0], value.operands()[1]);
                let mut known = self.known.iter().filter(|(c, _)| Some(*c) != without);
                known
                    .any(|(c, holds)| implies(*c, *holds, least, a, b))
                    .then_some(a)
            }
            _ => None,
        }
    }
}

/// Adds a condition, and what it is made of, with their values.
fn expand<'ctx>(condition: Value<'ctx>, holds: bool, known: &mut Vec<(Value<'ctx>, bool)>) {
    known.push((condition, holds));
    if condition.block().is_none() || known.len() > 16 {
        return;
    }
    let constant = |value: Value<'ctx>| value.as_integer();
    let operands = condition.operands();
    match (condition.op(), holds) {
        (Op::Or, false) | (Op::And, true) => {
            expand(operands[0], holds, known);
            expand(operands[1], holds, known);
        }
        (Op::Select, false) if constant(operands[1]) == Some(1) => {
            expand(operands[0], false, known);
            expand(operands[2], false, known);
        }
        (Op::Select, true) if constant(operands[2]) == Some(0) => {
            expand(operands[0], true, known);
            expand(operands[1], true, known);
        }
        (Op::Xor, _) if constant(operands[1]) == Some(1) => expand(operands[0], !holds, known),
        _ => {}
    }
}

/// Whether a comparison's result says that `a` is at most `b`.
fn implies<'ctx>(
    condition: Value<'ctx>,
    holds: bool,
    least: Predicate,
    a: Value<'ctx>,
    b: Value<'ctx>,
) -> bool {
    let Some(predicate) = condition.predicate() else {
        return false;
    };
    let predicate = if holds {
        predicate
    } else {
        predicate.inverse()
    };
    let operands = condition.operands();
    let (predicate, limit) = match () {
        () if operands[0] == a => (predicate, operands[1]),
        () if operands[1] == a => (predicate.swapped(), operands[0]),
        () => return false,
    };
    let strict = match least {
        Predicate::Ule => Predicate::Ult,
        _ => Predicate::Slt,
    };
    if limit == b {
        return predicate == least || predicate == strict;
    }
    let signed = least == Predicate::Sle;
    let (Some(limit), Some(b)) = (limit.as_number(signed), b.as_number(signed)) else {
        return false;
    };
    predicate == least && limit <= b || predicate == strict && limit - 1 <= b
}

/// What a comparison says that is known to hold, or not to.
fn said(comparison: Value<'_>, holds: bool) -> Option<Predicate> {
    let predicate = comparison.predicate()?;
    Some(if holds {
        predicate
    } else {
        predicate.inverse()
    })
}

/// `<` for `<=`.
fn strict(at_most: Predicate) -> Option<Predicate> {
    match at_most {
        Predicate::Ule => Some(Predicate::Ult),
        Predicate::Sle => Some(Predicate::Slt),
        _ => None,
    }
}

#[cfg(test)]
#[path = "back_edge_tests.rs"]
mod tests;
