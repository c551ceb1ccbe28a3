//! The cases of the values of a loop: what holds in each, and what the values are then.

use super::conditions::{Choice, Part, as_selection, intrinsic, null_test};
use super::{BRANCHES, CASES, DEPTH};
use crate::hash::{HashMap, HashSet};
use crate::llvm::{Block, Op, Predicate, TypeKind, Value};
use crate::opt::gather_batching::Slice;
use crate::opt::linear::{Linear, contradict};
use crate::opt::loops::{self, Loop};
use crate::opt::upper_bounds::{DEPTH as BOUND_DEPTH, UpperBounds};
use std::cell::RefCell;

/// What holds in a case, and what the values are that were taken apart.
#[derive(Clone, Default)]
pub(super) struct Case<'ctx> {
    /// All of these are at least 0.
    pub(super) facts: Vec<Linear>,
    known: HashMap<Value<'ctx>, Linear>,
}

impl<'ctx> Case<'ctx> {
    /// With another inequality; `None` if it cannot hold.
    pub(super) fn with(&self, fact: Linear) -> Option<Case<'ctx>> {
        let mut case = self.clone();
        if !case.facts.contains(&fact) {
            case.facts.push(fact);
            if contradict(&case.facts) {
                return None;
            }
        }
        Some(case)
    }

    pub(super) fn implies(&self, fact: &Linear) -> bool {
        // Its opposite: at most -1.
        self.with(fact.times(-1).plus_constant(-1)).is_none()
    }

    /// With a value that is `found` in it.
    fn of(mut self, value: Value<'ctx>, found: Linear) -> (Linear, Case<'ctx>) {
        self.known.insert(value, found.clone());
        (found, self)
    }
}

type Values<'ctx> = Option<Vec<(Linear, Case<'ctx>)>>;

/// Takes the values of a loop apart.
pub(super) struct Cases<'ctx> {
    pub(super) numbers: RefCell<Vec<Value<'ctx>>>,
    bounds: UpperBounds<'ctx>,
    header: Block<'ctx>,
    /// Blocks in cycles: phis there are numbers of their own.
    cycles: HashSet<Block<'ctx>>,
    /// From where each block is reached.
    ways: HashMap<Block<'ctx>, Vec<Block<'ctx>>>,
}

impl<'ctx> Cases<'ctx> {
    pub(super) fn new(function: Value<'ctx>, found: &Loop<'ctx>) -> Cases<'ctx> {
        let mut ways: HashMap<Block<'ctx>, Vec<Block<'ctx>>> = HashMap::default();
        for from in Block::all(function) {
            for to in from.successors() {
                ways.entry(to).or_default().push(from);
            }
        }
        Cases {
            ways,
            numbers: RefCell::new(vec![]),
            bounds: UpperBounds::of(function),
            header: found.header,
            cycles: loops::in_cycles(function),
        }
    }

    /// Whether a counter is at most a length before the loop, and after each iteration if it was before.
    pub(super) fn is_kept(
        &self,
        found: &Loop<'ctx>,
        phi: Value<'ctx>,
        len: Value<'ctx>,
        condition: Value<'ctx>,
        when: bool,
    ) -> Option<bool> {
        let incoming = phi.incoming();
        let from = |block| incoming.iter().find(|(_, b)| *b == block).map(|(v, _)| *v);
        let (first, next) = (from(found.preheader)?, from(found.latch)?);
        let at_most = |value: Value<'ctx>, cases: Vec<Case<'ctx>>| {
            for case in cases {
                for (len, case) in self.values(len, &case, DEPTH)? {
                    for (value, case) in self.values(value, &case, DEPTH)? {
                        if !case.implies(&len.minus(&value)) {
                            return Some(false);
                        }
                    }
                }
            }
            Some(true)
        };
        if !at_most(first, vec![Case::default()])? {
            return Some(false);
        }
        let start = self.with_order(Case::default(), phi, len)?;
        at_most(next, self.split(condition, &start, when, DEPTH)?)
    }

    /// A case in which a counter is at most a length.
    pub(super) fn with_order(
        &self,
        case: Case<'ctx>,
        phi: Value<'ctx>,
        len: Value<'ctx>,
    ) -> Option<Case<'ctx>> {
        let (counter, case) = self.own_number(phi, case);
        match &self.values(len, &case, DEPTH)?[..] {
            [(len, case)] => case.with(len.minus(&counter)),
            _ => Some(case),
        }
    }

    /// What a value is in all of these cases, if it is the same.
    pub(super) fn only_value(&self, value: Value<'ctx>, cases: &[Case<'ctx>]) -> Option<Linear> {
        let mut only: Option<Linear> = None;
        for case in cases {
            for (found, case) in self.values(value, case, DEPTH)? {
                let same = only.as_ref().is_none_or(|o| {
                    o == &found || case.implies(&o.minus(&found)) && case.implies(&found.minus(o))
                });
                if !same {
                    return None;
                }
                only.get_or_insert(found);
            }
        }
        only
    }

    /// A value as a number of its own, in a case where it has its bounds.
    fn own_number(&self, value: Value<'ctx>, mut case: Case<'ctx>) -> (Linear, Case<'ctx>) {
        let mut numbers = self.numbers.borrow_mut();
        let index = numbers.iter().position(|v| *v == value).unwrap_or_else(|| {
            numbers.push(value);
            numbers.len() - 1
        });
        let number = Linear::number(index);
        let most = match Slice::is_length(value) {
            true => i128::from(i64::MAX),
            false => i128::from(self.bounds.upper_bound(value, BOUND_DEPTH)),
        };
        for fact in [number.clone(), Linear::constant(most).minus(&number)] {
            if !case.facts.contains(&fact) {
                case.facts.push(fact);
            }
        }
        case.of(value, number)
    }

    /// The values of an integer in a case, each with the case in which it is that.
    fn values(&self, value: Value<'ctx>, case: &Case<'ctx>, depth: u32) -> Values<'ctx> {
        let TypeKind::Integer(bits @ (32 | 64)) = value.ty().kind() else {
            return None;
        };
        if let Some(number) = value.as_number(false) {
            return Some(vec![(Linear::constant(number), case.clone())]);
        }
        if let Some(known) = case.known.get(&value) {
            return Some(vec![(known.clone(), case.clone())]);
        }
        let found = match depth {
            0 => None,
            _ => self.taken_apart(value, case, bits, depth - 1),
        };
        let found = match found {
            Some(found) => {
                let named = found.into_iter().map(|(found, case)| case.of(value, found));
                named.collect()
            }
            None => vec![self.own_number(value, case.clone())],
        };
        (found.len() <= CASES).then_some(found)
    }

    fn taken_apart(
        &self,
        value: Value<'ctx>,
        case: &Case<'ctx>,
        bits: u32,
        depth: u32,
    ) -> Values<'ctx> {
        value.block()?;
        let operands = value.operands();
        let sums = |sum: fn(&Linear, &Linear) -> Linear| {
            let pairs = self.pairs(operands[0], operands[1], case, depth)?;
            let exact = pairs.into_iter().map(|(a, b, case)| (sum(&a, &b), case));
            Some(wrapped(exact, bits))
        };
        let mut all = Vec::new();
        match value.op() {
            Op::Freeze => return self.values(operands[0], case, depth),
            Op::ZExt if operands[0].ty().kind() == TypeKind::Integer(1) => {
                for holds in [true, false] {
                    let cases = self.split(operands[0], case, holds, depth)?.into_iter();
                    all.extend(cases.map(|c| (Linear::constant(i128::from(holds)), c)));
                }
            }
            Op::ZExt => return self.values(operands[0], case, depth),
            Op::Add => return sums(Linear::plus),
            Op::Or if value.is_disjoint() => return sums(Linear::plus),
            Op::Sub => return sums(Linear::minus),
            // `!x` of a number below a power of two.
            Op::Xor => {
                let mask = operands[1].as_number(false)?;
                (mask & (mask + 1) == 0).then_some(())?;
                for (x, case) in self.values(operands[0], case, depth)? {
                    let rest = Linear::constant(mask).minus(&x);
                    case.implies(&rest).then_some(())?;
                    all.push((rest, case));
                }
            }
            Op::Select => {
                for (holds, chosen) in [(true, operands[1]), (false, operands[2])] {
                    for case in self.split(operands[0], case, holds, depth)? {
                        all.extend(self.values(chosen, &case, depth)?);
                    }
                }
            }
            Op::Phi => {
                let at = value.block()?;
                (at != self.header && !self.cycles.contains(&at)).then_some(())?;
                for (value, from) in value.incoming() {
                    for case in self.on_edge(from, at, case, depth)? {
                        all.extend(self.values(value, &case, depth)?);
                    }
                }
            }
            Op::Call => {
                let choice = intrinsic(value)?;
                for (a, b, case) in self.pairs(operands[0], operands[1], case, depth)? {
                    let (not_less, less) = (a.minus(&b), b.minus(&a).plus_constant(-1));
                    let (first, second) = match choice {
                        Choice::Least => (b, a),
                        Choice::Most => (a, b),
                        Choice::Rest => (not_less.clone(), Linear::constant(0)),
                    };
                    all.extend(case.with(not_less).map(|case| (first, case)));
                    all.extend(case.with(less).map(|case| (second, case)));
                }
            }
            _ => return None,
        }
        Some(all)
    }

    /// The values of two integers, each pair with the case in which they are that.
    fn pairs(
        &self,
        a: Value<'ctx>,
        b: Value<'ctx>,
        case: &Case<'ctx>,
        depth: u32,
    ) -> Option<Vec<(Linear, Linear, Case<'ctx>)>> {
        let mut pairs = Vec::new();
        for (a, case) in self.values(a, case, depth)? {
            for (b, case) in self.values(b, &case, depth)? {
                pairs.push((a.clone(), b, case));
            }
        }
        (pairs.len() <= CASES).then_some(pairs)
    }

    /// The cases in which control reaches an edge: those of the branches that lead to it without another way.
    fn on_edge(
        &self,
        mut from: Block<'ctx>,
        mut to: Block<'ctx>,
        case: &Case<'ctx>,
        depth: u32,
    ) -> Option<Vec<Case<'ctx>>> {
        let mut all = vec![case.clone()];
        for _ in 0..BRANCHES {
            if let (Some(condition), [a, b]) = (from.condition(), &from.successors()[..])
                && a != b
            {
                let mut split = Vec::new();
                for case in &all {
                    split.extend(self.split(condition, case, *a == to, depth)?);
                }
                all = split;
            }
            let Some([before]) = self.ways.get(&from).map(Vec::as_slice) else {
                break;
            };
            (from, to) = (*before, from);
        }
        (all.len() <= CASES).then_some(all)
    }

    /// The cases in which a condition holds, or does not.
    pub(super) fn split(
        &self,
        condition: Value<'ctx>,
        case: &Case<'ctx>,
        holds: bool,
        depth: u32,
    ) -> Option<Vec<Case<'ctx>>> {
        if let Some(known) = condition.as_integer() {
            return Some(if (known != 0) == holds {
                vec![case.clone()]
            } else {
                vec![]
            });
        }
        if condition.block().is_none() || depth == 0 {
            return Some(vec![case.clone()]);
        }
        let operands = condition.operands();
        let depth = depth - 1;
        if condition.op() == Op::Xor && operands[1].as_integer() == Some(1) {
            return self.split(operands[0], case, !holds, depth);
        }
        if let Some((which, when_true, when_false)) = as_selection(condition) {
            let mut all = Vec::new();
            for (chosen, part) in [(true, when_true), (false, when_false)] {
                for case in self.split(which, case, chosen, depth)? {
                    match part {
                        Part::Is(value) if value != holds => {}
                        Part::Is(_) => all.push(case),
                        Part::Asks(part) => all.extend(self.split(part, &case, holds, depth)?),
                    }
                }
            }
            return (all.len() <= CASES).then_some(all);
        }
        if let Some(is_null) = null_test(condition) {
            return Some(if is_null == holds {
                vec![]
            } else {
                vec![case.clone()]
            });
        }
        let Some(mut how) = condition.predicate() else {
            return Some(vec![case.clone()]);
        };
        if !matches!(operands[0].ty().kind(), TypeKind::Integer(32 | 64)) {
            return Some(vec![case.clone()]);
        }
        if !holds {
            how = how.inverse();
        }
        let mut all = Vec::new();
        for (a, case) in self.values(operands[0], case, depth)? {
            for (b, case) in self.values(operands[1], &case, depth)? {
                let (not_less, not_more) = (a.minus(&b), b.minus(&a));
                let (more, less) = (not_less.plus_constant(-1), not_more.plus_constant(-1));
                let cases = match how {
                    Predicate::Eq => vec![case.with(not_less).and_then(|c| c.with(not_more))],
                    Predicate::Ne => vec![case.with(more), case.with(less)],
                    Predicate::Ugt => vec![case.with(more)],
                    Predicate::Uge => vec![case.with(not_less)],
                    Predicate::Ult => vec![case.with(less)],
                    Predicate::Ule => vec![case.with(not_more)],
                    _ => vec![Some(case)],
                };
                all.extend(cases.into_iter().flatten());
            }
        }
        (all.len() <= CASES).then_some(all)
    }
}

/// Sums and differences of so many bits, with the cases in which they wrap around.
fn wrapped<'ctx>(
    exact: impl Iterator<Item = (Linear, Case<'ctx>)>,
    bits: u32,
) -> Vec<(Linear, Case<'ctx>)> {
    let end = Linear::constant(1 << bits);
    let mut all = Vec::new();
    for (value, case) in exact {
        let fits = case
            .with(value.clone())
            .and_then(|c| c.with(end.minus(&value).plus_constant(-1)));
        all.extend(fits.map(|case| (value.clone(), case)));
        let above = value.minus(&end);
        all.extend(case.with(above.clone()).map(|case| (above, case)));
        let below = value.times(-1).plus_constant(-1);
        all.extend(case.with(below).map(|case| (value.plus(&end), case)));
    }
    all
}
