//! Indices of chained iterators become add recurrences: the condition on which a loop goes on tells which of its minima and maxima are meant.
//!
//! `skip`, `step_by` and `zip` ask for what is left before each step, and take the smaller of it and the step; where the loop goes on, a whole step was left:
//!
//! ```text
//! step = min(len - i, 255)                         loop {
//! left = len.saturating_sub(max(i, i + step))          if i + 255 >= len { break }
//! next = max(i, i + step) + min(left, 255 - step)      … a[i + 255] …
//! if left <= 255 - step { break }                      i += 256
//! … a[next] …                                      }
//! i = next + 1
//! ```
//! All cases of minima, maxima, differences and selections are taken apart, as linear inequalities ([`linear`](super::linear)), with wrapping around as a case of its own.
//! What contradicts the condition is left out, and an order of the counter and a length, `i <= len`, that is shown to hold before the loop and after each iteration. If one
//! value is left for an index, it takes its place behind the condition, and the condition becomes the comparison that decides between the cases.

mod cases;
mod conditions;

use super::linear::Linear;
use super::loops::{self, Loop};
use super::{Changed, guard_merging};
use crate::hash::HashSet;
use crate::llvm::{
    Block, Builder, LlvmError, Machine, Module, Op, Passes, Predicate, TypeKind, Value,
};
use cases::{Case, Cases};
use conditions::intrinsic;
use std::collections::{BTreeMap, BTreeSet};

/// More cases are not taken apart.
const CASES: usize = 24;

/// The largest number of 64 bits.
const TOP: i128 = u64::MAX as i128;

/// Branches before a merge of values that are asked at most.
const BRANCHES: usize = 4;

/// Deeper expressions are numbers of their own.
const DEPTH: u32 = 24;

/// Rewrites such loops of these functions.
pub(crate) fn rewrite_all<'ctx>(
    module: &mut Module<'ctx>,
    functions: &Changed<'ctx>,
    machine: &Machine<'_>,
) -> Result<(), LlvmError> {
    functions.run(module, Passes::fold_branches(), Some(machine))?;
    functions.again(module, rewrite);
    Ok(())
}

/// Rewrites such loops of a function; returns whether there were any.
pub(crate) fn rewrite(function: Value<'_>) -> bool {
    let mut changed = false;
    for found in loops::find(function) {
        if let Some(plan) = Plan::of(function, &found) {
            plan.apply(&found);
            changed = true;
        }
    }
    changed
}

/// What takes the place of what.
struct Plan<'ctx> {
    /// The numbers by which the others are expressed.
    numbers: Vec<Value<'ctx>>,
    /// Values of the header, and what they are where the loop goes on.
    values: Vec<(Value<'ctx>, Linear)>,
    /// The loop goes on if this is not negative.
    goes_on: Linear,
}

impl<'ctx> Plan<'ctx> {
    fn of(function: Value<'ctx>, found: &Loop<'ctx>) -> Option<Plan<'ctx>> {
        let header = found.header;
        let condition = header.condition()?;
        let inside = |b: &Block<'ctx>| found.blocks.contains(b);
        let (when, body) = match header.successors()[..] {
            [a, b] if inside(&a) && !inside(&b) => (true, a),
            [a, b] if inside(&b) && !inside(&a) => (false, b),
            _ => return None,
        };
        let body_only = body != header && guard_merging::edges_to(function).get(&body) == Some(&1);
        let targets = targets(found);
        if !body_only || targets.is_empty() {
            return None;
        }
        let cases = Cases::new(function, found);
        let mut start = Case::default();
        // The orders of counters and lengths that hold in each iteration.
        let mut orders = Vec::new();
        for (phi, len) in candidates(found) {
            if cases.is_kept(found, phi, len, condition, when) == Some(true) {
                orders.push((phi, len));
            }
        }
        for (phi, len) in orders {
            start = cases.with_order(start, phi, len)?;
        }
        let going_on = cases.split(condition, &start, when, DEPTH)?;
        let mut values = Vec::new();
        for target in targets {
            if let Some(value) = cases.only_value(target, &going_on) {
                values.push((target, value));
            }
        }
        if values.is_empty() {
            return None;
        }
        // An inequality of one of the cases that no case has in which the loop ends.
        let ending = cases.split(condition, &start, !when, DEPTH)?;
        let known = &start.facts;
        let candidates = going_on.iter().flat_map(|case| &case.facts);
        // The sides of the comparison are computed in 64 bits, whether the loop goes on or not.
        let fits = |side: &Linear| start.implies(&Linear::constant(TOP).minus(side));
        let decides = |fact: &&Linear| {
            !known.contains(fact)
                && is_comparison(fact)
                && sides(fact).iter().all(fits)
                && going_on.iter().all(|case| case.implies(fact))
                && ending
                    .iter()
                    .all(|case| case.with((*fact).clone()).is_none())
        };
        let goes_on = candidates.into_iter().find(decides)?.clone();
        let numbers = cases.numbers.into_inner();
        let shown = |linear: &Linear| {
            let mut used = linear.factors.keys();
            used.all(|n| {
                found.is_invariant(numbers[*n]) || found.header.phis().contains(&numbers[*n])
            })
        };
        values.retain(|(_, value)| shown(value) && is_sum(value));
        (shown(&goes_on) && !values.is_empty()).then_some(Plan {
            numbers,
            values,
            goes_on,
        })
    }

    fn apply(&self, found: &Loop<'ctx>) {
        let numbers = self.frozen(found);
        let at = Builder::before(found.header.terminator());
        let build = |linear: &Linear, bits: u32| {
            let values = linear.factors.keys().map(|n| wide(&at, numbers[n]));
            let constant = at.number(linear.constant as u64, 64);
            let sum = values.reduce(|a, b| at.add(a, b));
            let sum = sum.map_or(constant, |sum| at.add(sum, constant));
            if bits == 32 { at.trunc32(sum) } else { sum }
        };
        let replaced = self.values.iter().map(|(old, new)| match old.ty().kind() {
            TypeKind::Integer(bits) => (*old, build(new, bits)),
            _ => (*old, *old),
        });
        let replaced: Vec<(Value<'ctx>, Value<'ctx>)> = replaced.collect();
        for block in found.blocks.iter().filter(|b| **b != found.header) {
            for instruction in block.instructions() {
                instruction.replace_operands(&replaced);
            }
        }
        for phi in found.header.phis() {
            for (index, (value, from)) in (0..).zip(phi.incoming()) {
                let new = replaced.iter().find(|(old, _)| *old == value);
                if let Some((_, new)) = new.filter(|_| from == found.latch) {
                    phi.set_operand(index, *new);
                }
            }
        }
        let how = match self.goes_on.constant {
            ..0 => Predicate::Ult,
            _ => Predicate::Ule,
        };
        let [lower, upper] = sides(&self.goes_on).map(|side| build(&side, 64));
        let goes_on = at.compare_as(how, lower, upper);
        let first = found.header.successors().into_iter().next();
        let when_true = first.is_some_and(|b| found.blocks.contains(&b));
        found.header.set_condition(match when_true {
            true => goes_on,
            false => at.xor(goes_on, at.boolean(true)),
        });
    }

    /// The numbers of the expressions: what was frozen in the loop must not be poison now.
    fn frozen(&self, found: &Loop<'ctx>) -> BTreeMap<usize, Value<'ctx>> {
        let before = Builder::before(found.preheader.terminator());
        let of_values = self.values.iter().map(|(_, value)| value);
        let used = of_values
            .chain([&self.goes_on])
            .flat_map(|l| l.factors.keys().copied());
        let used: BTreeSet<usize> = used.collect();
        let frozen = used.into_iter().map(|n| {
            let number = self.numbers[n];
            let invariant = found.is_invariant(number);
            (
                n,
                if invariant {
                    before.freeze(number)
                } else {
                    number
                },
            )
        });
        let frozen: BTreeMap<usize, Value<'ctx>> = frozen.collect();
        let counters = found.header.phis().into_iter();
        for phi in counters.filter(|phi| frozen.values().any(|number| number == phi)) {
            for (index, (value, from)) in (0..).zip(phi.incoming()) {
                if from == found.preheader {
                    phi.set_operand(index, before.freeze(value));
                }
            }
        }
        frozen
    }
}

/// A number of 32 or 64 bits in 64.
fn wide<'ctx>(at: &Builder<'ctx>, value: Value<'ctx>) -> Value<'ctx> {
    match value.ty().kind() {
        TypeKind::Integer(64) => value,
        _ => at.widened(value),
    }
}

/// Numbers of the loop that a block behind its condition or the next iteration uses, and that are made of minima, maxima or the like.
fn targets<'ctx>(found: &Loop<'ctx>) -> Vec<Value<'ctx>> {
    let all = found.blocks.iter().flat_map(|b| b.instructions());
    let own: HashSet<Value<'ctx>> = all.collect();
    let of_phis = found.header.phis().into_iter().flat_map(Value::incoming);
    let of_phis = of_phis
        .filter(|(_, from)| *from == found.latch)
        .map(|(v, _)| v);
    let others = found.blocks.iter().filter(|b| **b != found.header);
    let used = others
        .flat_map(|b| b.instructions())
        .flat_map(Value::operands);
    let used: HashSet<Value<'ctx>> = used.chain(of_phis).collect();
    let is_number = |v: &Value<'ctx>| matches!(v.ty().kind(), TypeKind::Integer(32 | 64));
    let mut blocks: Vec<Block<'ctx>> = found.every_iteration.clone();
    blocks.retain(|b| *b != found.header);
    blocks.insert(0, found.header);
    let mut all: Vec<Value<'ctx>> = blocks.iter().flat_map(|b| b.instructions()).collect();
    all.retain(|v| {
        used.contains(v) && is_number(v) && v.op() != Op::Phi && is_chosen(*v, &own, DEPTH)
    });
    all
}

/// Whether a minimum, a maximum, a saturated difference or a selection of the header is part of a value.
fn is_chosen<'ctx>(value: Value<'ctx>, own: &HashSet<Value<'ctx>>, depth: u32) -> bool {
    if !own.contains(&value) || depth == 0 {
        return false;
    }
    match value.op() {
        Op::Phi | Op::Load => false,
        Op::Call => intrinsic(value).is_some(),
        _ => value
            .operands()
            .iter()
            .any(|o| is_chosen(*o, own, depth - 1)),
    }
}

/// Counters, and the lengths that they may be at most.
fn candidates<'ctx>(found: &Loop<'ctx>) -> Vec<(Value<'ctx>, Value<'ctx>)> {
    let mut lengths: Vec<Value<'ctx>> = Vec::new();
    for instruction in found.header.instructions() {
        let asks = match instruction.op() {
            Op::Sub | Op::ICmp => true,
            Op::Call => intrinsic(instruction).is_some(),
            _ => false,
        };
        for operand in instruction.operands().into_iter().filter(|_| asks) {
            let is_length = operand.ty().kind() == TypeKind::Integer(64)
                && found.is_invariant(operand)
                && !operand.is_constant()
                && !lengths.contains(&operand);
            if is_length {
                lengths.push(operand);
            }
        }
    }
    let phis = found.header.phis().into_iter();
    let counters = phis.filter(|phi| phi.ty().kind() == TypeKind::Integer(64));
    let pairs = counters.flat_map(|phi| lengths.iter().map(move |len| (phi, *len)));
    pairs.collect()
}

/// Whether an inequality compares one number with another, or with a constant.
fn is_comparison(fact: &Linear) -> bool {
    let ones = |sign: i128| fact.factors.values().filter(|f| **f == sign).count();
    ones(-1) == 1 && ones(1) == 1 && fact.factors.len() == 2 && fact.constant.abs() < 1 << 40
}

/// What an inequality compares: `len - i - 256 >= 0` is `i + 255 < len`, and `len - i + 1 >= 0` is `i <= len + 1`.
fn sides(fact: &Linear) -> [Linear; 2] {
    let side = |sign: i128, constant| Linear {
        factors: fact
            .factors
            .iter()
            .filter(|(_, f)| **f == sign)
            .map(|(n, _)| (*n, 1))
            .collect(),
        constant,
    };
    match fact.constant {
        less @ ..0 => [side(-1, -less - 1), side(1, 0)],
        more => [side(-1, 0), side(1, more)],
    }
}

/// Whether it is a number, or two, and a constant.
fn is_sum(value: &Linear) -> bool {
    let factors = value.factors.values();
    factors.clone().all(|f| *f == 1)
        && factors.count() <= 2
        && (0..1 << 40).contains(&value.constant)
}
