//! Steps of addresses that are known to fit into 32 bits are multiplied from 32 bits.
//!
//! The address `step` elements further takes an addition of 64 bits, two instructions; if the distance in bytes is a product of 32-bit numbers in 64 bits
//! (`mul.wide.u32`), ptxas multiplies and adds in one (`IMAD.WIDE`), wherever the product stands. A step that is a `usize` of the launch has 64 bits, but where
//! [`bounds_check_hoisting`](super::bounds_check_hoisting) and others have left out checks, a condition before the loop says that it is small:
//!
//! ```text
//! if step < 1 << 31 && … {                         if step < 1 << 31 && … {
//!                                                      bytes = (step as u32) * 4: u64
//!     loop { …; p = p + step * 4 }                     loop { …; p = p + bytes }
//! }                                                }
//! ```
//! LLVM would drop what such a condition makes superfluous: this must run after it.
//!
//! 16 elements of a column take 71 to 87 instructions instead of 87 to 103. With a thread per column that makes 1.22 and 1.17 times the speed (bicg_kernel1,
//! mvt_kernel2), with a thread for each element of a product of matrices 0.96 and 0.97 times (mm2_kernel1, mm3_kernel; NVIDIA H100, 2026-11-26). Why the latter are
//! slower is not known.

use super::loops::Graph;
use crate::hash::HashMap;
use crate::llvm::{Block, Builder, Module, Op, Predicate, TypeKind, Value};

/// The end of the numbers of 32 bits.
const END: u64 = 1 << 32;

/// Parts of a condition that are examined.
const PARTS: usize = 32;

/// Narrows such steps of a module.
pub(crate) fn narrow_all(module: &Module<'_>) {
    for function in super::defined(module) {
        narrow(module, function);
    }
}

/// Narrows such steps of a function; returns whether there were any.
pub(super) fn narrow<'ctx>(module: &Module<'ctx>, function: Value<'ctx>) -> bool {
    let graph = Graph::of(function);
    let known = Known::of(&graph);
    if known.0.is_empty() {
        return false;
    }
    let mut products: HashMap<(usize, Value<'ctx>, u64), Value<'ctx>> = HashMap::default();
    let mut frozen = Vec::new();
    for at in 0..graph.blocks.len() {
        for address in graph.blocks[at].instructions() {
            let Some((base, step, times)) = step_of(module, address) else {
                continue;
            };
            let Some((since, small)) = known.since(&graph, at, step) else {
                continue;
            };
            let bytes = products.entry((since, step, times)).or_insert_with(|| {
                let builder = Builder::before(graph.blocks[since].first());
                let narrow = builder.widened(builder.trunc32(step));
                builder.mul(narrow, builder.number(times, 64))
            });
            let moved = Builder::before(address).byte_offset(base, *bytes);
            address.replace_all_uses_with(moved);
            frozen.extend(small.frozen.filter(|f| !frozen.contains(f)));
        }
    }
    for condition in frozen {
        let builder = Builder::before(condition);
        condition.replace_all_uses_with(with_frozen_parts(&builder, condition.operands()[0]));
    }
    !products.is_empty()
}

/// Of an address that is some elements from another one: that one, how many elements, a number of 64 bits that is no constant, and their size.
fn step_of<'ctx>(
    module: &Module<'ctx>,
    address: Value<'ctx>,
) -> Option<(Value<'ctx>, Value<'ctx>, u64)> {
    let (base, step, element) = address.as_element()?;
    let size = module.distance(element);
    let (step, times) = match shifted(step) {
        Some((number, by)) => (number, size << by),
        None => (step, size),
    };
    let is_wide = step.ty().kind() == TypeKind::Integer(64) && !step.is_constant();
    let is_extended = step.block().is_some() && step.op() == Op::ZExt;
    (is_wide && !is_extended && (1..END).contains(&times)).then_some((base, step, times))
}

/// A number that is shifted to the left, and how far.
fn shifted(value: Value<'_>) -> Option<(Value<'_>, u32)> {
    if value.block().is_none() || value.op() != Op::Shl {
        return None;
    }
    let operands = value.operands();
    let by = operands[1].as_integer().filter(|by| *by < 16)?;
    Some((operands[0], by as u32))
}

/// A number that is below 2^32, or poison.
struct Small<'ctx> {
    number: Value<'ctx>,
    /// The part of the condition that it is a part of, if that is frozen as a whole: another part may be poison, and then this one may be false.
    frozen: Option<Value<'ctx>>,
}

/// Which numbers are small from the start of which blocks on.
struct Known<'ctx>(HashMap<usize, Vec<Small<'ctx>>>);

impl<'ctx> Known<'ctx> {
    fn of(graph: &Graph<'ctx>) -> Known<'ctx> {
        let mut known = HashMap::default();
        for at in 0..graph.blocks.len() {
            // The latch of a loop branches to its header too.
            let others = graph.predecessors[at].iter().copied();
            let others = others.filter(|from| !graph.dominates(at, *from));
            let [from] = others.collect::<Vec<_>>()[..] else {
                continue;
            };
            let found = said_by(graph.blocks[from], graph.blocks[at]);
            if !found.is_empty() && graph.immediate_dominator(at).is_some() {
                known.insert(at, found);
            }
        }
        Known(known)
    }

    /// The block on every way to `at` from whose start on a number is small.
    fn since(
        &self,
        graph: &Graph<'ctx>,
        mut at: usize,
        number: Value<'ctx>,
    ) -> Option<(usize, &Small<'ctx>)> {
        loop {
            let mut here = self.0.get(&at).into_iter().flatten();
            if let Some(small) = here.find(|s| s.number == number) {
                return Some((at, small));
            }
            at = graph.immediate_dominator(at)?;
        }
    }
}

/// The numbers that are small where a block branches to another.
fn said_by<'ctx>(from: Block<'ctx>, to: Block<'ctx>) -> Vec<Small<'ctx>> {
    let mut small = Vec::new();
    let (Some(condition), [yes, no]) = (from.condition(), &from.successors()[..]) else {
        return small;
    };
    if *yes != to || yes == no {
        return small;
    }
    let (mut todo, mut parts) = (vec![(condition, None)], 0);
    while let Some((part, frozen)) = todo.pop() {
        parts += 1;
        if parts > PARTS {
            break;
        }
        if let Some(both) = conjunction(part) {
            todo.extend(both.map(|part| (part, frozen)));
        } else if let Some(limit) = UpperLimit::of(part) {
            let numbers = limit.small().into_iter();
            small.extend(numbers.map(|number| Small { number, frozen }));
        } else if part.block().is_some() && part.op() == Op::Freeze && frozen.is_none() {
            todo.push((part.operands()[0], Some(part)));
        }
    }
    small
}

/// The two parts of a truth value that is true if both are.
fn conjunction(value: Value<'_>) -> Option<[Value<'_>; 2]> {
    value.block()?;
    match (value.op(), &value.operands()[..]) {
        (Op::And, [a, b]) => Some([*a, *b]),
        (Op::Select, [a, b, other]) if other.as_integer() == Some(0) => Some([*a, *b]),
        _ => None,
    }
}

/// `number - less < end`, in 64 bits.
struct UpperLimit<'ctx> {
    number: Value<'ctx>,
    /// 0 or 1.
    less: u64,
    end: u64,
}

impl<'ctx> UpperLimit<'ctx> {
    fn of(comparison: Value<'ctx>) -> Option<UpperLimit<'ctx>> {
        let how = comparison.block().and_then(|_| comparison.predicate())?;
        let [number, end] = comparison.operands().try_into().ok()?;
        let end = end.as_integer()?;
        if how != Predicate::Ult || number.ty().kind() != TypeKind::Integer(64) {
            return None;
        }
        let is = |v: Value<'ctx>, op| v.block().is_some() && v.op() == op;
        let by = |n: u64| number.operands().get(1).and_then(|v| v.as_integer()) == Some(n);
        let is_less = is(number, Op::Add) && by(u64::MAX) || is(number, Op::Sub) && by(1);
        Some(UpperLimit {
            number: if is_less {
                number.operands()[0]
            } else {
                number
            },
            less: u64::from(is_less),
            end,
        })
    }

    /// The numbers that are below 2^32 where this is true: all whose bits it has.
    fn small(&self) -> Vec<Value<'ctx>> {
        if self.end > END - self.less {
            return vec![];
        }
        let (mut all, mut seen) = (vec![self.number], 0);
        while let Some(number) = all.get(seen).copied() {
            seen += 1;
            if is_union(number) && self.less == 0 && all.len() < PARTS {
                all.extend(number.operands());
            }
        }
        all
    }
}

/// Whether a number has the bits of two others.
fn is_union(number: Value<'_>) -> bool {
    number.block().is_some() && number.op() == Op::Or
}

/// The same condition, of which each part is frozen for itself.
fn with_frozen_parts<'ctx>(builder: &Builder<'ctx>, condition: Value<'ctx>) -> Value<'ctx> {
    if let Some([a, b]) = conjunction(condition) {
        let [a, b] = [a, b].map(|part| with_frozen_parts(builder, part));
        return builder.and(a, b);
    }
    let Some(limit) = UpperLimit::of(condition) else {
        return builder.freeze(condition);
    };
    let mut number = with_frozen_bits(builder, limit.number);
    if limit.less != 0 {
        number = builder.sub(number, builder.number(limit.less, 64));
    }
    builder.compare_as(Predicate::Ult, number, builder.number(limit.end, 64))
}

fn with_frozen_bits<'ctx>(builder: &Builder<'ctx>, number: Value<'ctx>) -> Value<'ctx> {
    if is_union(number) {
        let bits = number.operands().into_iter();
        let frozen = bits.map(|bits| with_frozen_bits(builder, bits));
        if let Some(all) = frozen.reduce(|a, b| builder.operation(Op::Or, a, b)) {
            return all;
        }
    }
    builder.freeze(number)
}
