//! Bounds checks of indices that come from memory are decided for several rounds at once.
//!
//! `x[columns[k]]` has a check in each round that nothing before the loop can decide; with a way out in each round, neither LLVM nor ptxas
//! unrolls, and one element waits for the other. Where the loop only reads, and all that it reads in the next rounds whatever their checks say
//! is there, the indices of a group of rounds are read and looked at first:
//!
//! ```text
//! for k in from..to { sum += x[columns[k]] }
//!
//! if from..to is within columns, and x is not empty {
//!     while 16 rounds are left {                          then the same with 4 rounds
//!         let c = columns[k..k + 16]                      under way together
//!         if max(c) >= x.len() { break to the loop that there was }
//!         for c in c { sum += x[c] }                      under way together; no way out
//!     }
//! }
//! the loop that there was, from where they have got to    panics where it always did, with the same index
//! ```
//! What is read before the indices are known to be right is looked at load by load, whatever the checks of the loop say: each is of a kernel's
//! parameter, and its index grows evenly and its last value is known before the loop to be below the length. `beside` makes the groups of what is
//! planned here. All values from outside are settled (`freeze`) before they get there, and what loads are said to give is forgotten, for they may
//! be made where the loop that there was would not have come to.

use super::affine::Affine;
use super::loops::{self, Loop};
use super::rounds::Rounds;
use crate::llvm::{Block, Compare, Op, Type, TypeKind, Value};
use std::collections::HashSet;

/// Precedes the size of an element in a name that pointers to slices have as attribute; their number of elements is the next parameter.
pub(crate) const ELEMENTS: &str = "warploom.elements.";

/// Whether a function may have a loop for [`defer`].
pub(crate) fn is_wanted(function: Value<'_>) -> bool {
    let mut loops = loops::find(function).into_iter();
    loops.any(|found| Plan::of(&found).is_some())
}

/// Puts such groups beside loops; says whether there were any.
pub(crate) fn defer(function: Value<'_>) -> bool {
    let mut changed = false;
    // Blocks of one plan are not those of another: each is of an innermost loop.
    for found in loops::find(function) {
        if let Some(plan) = Plan::of(&found) {
            changed |= plan.carry_out(function, &found).is_some();
        }
    }
    changed
}

/// A slice that the kernel was given.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Slice<'ctx> {
    pub(super) pointer: Value<'ctx>,
    pub(super) len: Value<'ctx>,
    /// Bytes of an element.
    pub(super) size: u64,
}

/// A load at an address that grows evenly.
pub(super) struct Even<'ctx> {
    pub(super) load: Value<'ctx>,
    pub(super) slice: Slice<'ctx>,
    /// In bytes, from the slice's start.
    pub(super) offset: Affine<'ctx>,
    pub(super) bytes: u64,
}

/// An index that has to be below `len`, and is used only where it is.
pub(super) struct Gather<'ctx> {
    pub(super) index: Value<'ctx>,
    /// Of 32 bits, if that is what the index is made of.
    pub(super) narrow: Option<Value<'ctx>>,
    pub(super) len: Value<'ctx>,
}

pub(super) struct Plan<'ctx> {
    pub(super) rounds: Rounds<'ctx>,
    /// From the head to the latch.
    pub(super) way: Vec<Block<'ctx>>,
    pub(super) even: Vec<Even<'ctx>>,
    pub(super) gathers: Vec<Gather<'ctx>>,
    /// What depends on what is gathered, in this round or in one before.
    pub(super) late: HashSet<Value<'ctx>>,
    /// How many rounds are made at once, as long as so many are left.
    pub(super) groups: Vec<usize>,
}

/// A warp reads the cache lines of 32 rows: what a row has of a line is best read at once, before others have taken its place. Those of 4 shorten
/// what is left to single rounds.
const GROUPS: [usize; 2] = [16, 4];
/// Loads of a group: more would need more registers than those of a thread that shares a multiprocessor with a thousand others.
const LOADS: usize = 48;
/// Instructions of a group.
const SIZE: usize = 256;

impl<'ctx> Plan<'ctx> {
    fn of(found: &Loop<'ctx>) -> Option<Plan<'ctx>> {
        let way = way(found)?;
        // Larger steps are those of threads that share the loop: each has too few rounds to gain by it.
        let rounds = Rounds::of(found).filter(Rounds::count_by_one)?;
        // What grows evenly was decided before the loop, by `early_checks`: where that is still checked, it does not fit.
        let checked = way
            .iter()
            .filter(|b| **b != found.latch && b.condition().is_some());
        let gathers: Vec<Gather<'_>> = checked
            .map(|b| Gather::of(*b, found))
            .collect::<Option<_>>()?;
        let mut even = Vec::new();
        let mut gathered = 0;
        let mut size = 0;
        for instruction in way.iter().flat_map(|b| b.instructions()) {
            size += 1;
            match instruction.op() {
                Op::Load if is_gathered(instruction, &gathers) => gathered += 1,
                Op::Load => {
                    even.push(Even::of(instruction, found).filter(|e| rounds.reaches(&e.offset))?);
                }
                _ if is_harmless(instruction) => {}
                _ => return None,
            }
        }
        let late = late(found, &way, &gathers);
        // No index depends on what another one finds.
        let known = gathers.iter().all(|g| !late.contains(&g.index));
        let loads = even.len() + gathered;
        let fits = |n: &usize| n * loads <= LOADS && n * size <= SIZE;
        let groups: Vec<usize> = GROUPS.into_iter().filter(fits).collect();
        (gathered > 0 && known && !groups.is_empty()).then_some(Plan {
            rounds,
            way,
            even,
            gathers,
            late,
            groups,
        })
    }
}

/// What depends on the loads that `gathers` are for.
fn late<'ctx>(
    found: &Loop<'ctx>,
    way: &[Block<'ctx>],
    gathers: &[Gather<'ctx>],
) -> HashSet<Value<'ctx>> {
    let mut late = HashSet::new();
    loop {
        let before = late.len();
        for instruction in way.iter().flat_map(|b| b.instructions()) {
            let mut from = instruction.operands();
            if instruction.op() == Op::Phi {
                let incoming = instruction.incoming().into_iter();
                from = incoming
                    .filter(|(_, b)| *b == found.latch)
                    .map(|(v, _)| v)
                    .collect();
            }
            let gathered = instruction.op() == Op::Load && is_gathered(instruction, gathers);
            if gathered || from.iter().any(|v| late.contains(v)) {
                late.insert(instruction);
            }
        }
        if late.len() == before {
            return late;
        }
    }
}

/// The blocks of a loop from its head to its latch, if each round passes all of them, and what leaves before the latch panics.
fn way<'ctx>(found: &Loop<'ctx>) -> Option<Vec<Block<'ctx>>> {
    let mut way = vec![found.head];
    loop {
        let at = *way.last()?;
        let (inside, outside): (Vec<_>, Vec<_>) = at
            .successors()
            .into_iter()
            .partition(|b| found.blocks.contains(b));
        let ([next], true) = (&inside[..], outside.len() <= 1) else {
            return None;
        };
        if at == found.latch {
            return (way.len() == found.blocks.len() && outside.len() == 1).then_some(way);
        }
        if !outside.into_iter().all(panics) || way.contains(next) {
            return None;
        }
        way.push(*next);
    }
}

fn panics(block: Block<'_>) -> bool {
    let next = block.successors();
    block.is_end() || matches!(next[..], [next] if next.is_end())
}

impl<'ctx> Slice<'ctx> {
    fn of(mut pointer: Value<'ctx>) -> Option<Slice<'ctx>> {
        let given = pointer;
        while pointer.block().is_some() && pointer.op() == Op::AddrSpaceCast {
            pointer = pointer.operands()[0];
        }
        let (function, index) = pointer.as_param()?;
        let names = function.string_attributes(index as u32 + 1);
        let size = names.iter().find_map(|n| n.strip_prefix(ELEMENTS))?;
        Some(Slice {
            pointer: given,
            len: *function.params().get(index + 1)?,
            size: size.parse().ok().filter(|size| *size != 0)?,
        })
    }
}

impl<'ctx> Even<'ctx> {
    fn of(load: Value<'ctx>, found: &Loop<'ctx>) -> Option<Even<'ctx>> {
        let bytes = size(load.ty())?;
        let mut address = *load.operands().first()?;
        let mut offset = Affine::nothing();
        while address.block().is_some() && address.op() == Op::Element {
            let [base, index] = address.operands()[..] else {
                return None;
            };
            let index = Affine::of(index, found).filter(|i| i.bits == 64)?;
            offset = offset.plus(index.scaled(size(address.element_type())?));
            address = base;
        }
        let plain = !load.is_volatile() && load.ordering() == 0;
        plain.then_some(Even {
            load,
            slice: Slice::of(address)?,
            offset,
            bytes,
        })
    }
}

impl<'ctx> Gather<'ctx> {
    /// Of a block that ends with a check.
    fn of(at: Block<'ctx>, found: &Loop<'ctx>) -> Option<Gather<'ctx>> {
        let condition = at.condition()?;
        let mut how = condition.comparison()?;
        if !found.blocks.contains(at.successors().first()?) {
            how = how.negated();
        }
        let (mut index, mut len) = (condition.operands()[0], condition.operands()[1]);
        if found.is_fixed(index) {
            (index, len) = (len, index);
            how = how.exchanged();
        }
        let is_index = index.block().is_some_and(|b| found.blocks.contains(&b))
            && index.op() != Op::Phi
            && index.ty().kind() == TypeKind::Integer(64)
            && Affine::of(index, found).is_none();
        let is_check = how == Compare::Below && is_index && found.is_fixed(len);
        let from = (is_check && index.op() == Op::ZExt).then(|| index.operands()[0]);
        let narrow = from.filter(|n| n.ty().kind() == TypeKind::Integer(32));
        is_check.then_some(Gather { index, narrow, len })
    }
}

/// Whether a load is of an element whose index is held below the length of its slice.
fn is_gathered<'ctx>(load: Value<'ctx>, gathers: &[Gather<'ctx>]) -> bool {
    let address = load.operands()[0];
    if address.block().is_none() || address.op() != Op::Element {
        return false;
    }
    let [base, index] = address.operands()[..] else {
        return false;
    };
    let fits = |slice: Slice<'ctx>| {
        let held = |g: &Gather<'ctx>| g.index == index && g.len == slice.len;
        size(address.element_type()) == Some(slice.size)
            && size(load.ty()) == Some(slice.size)
            && gathers.iter().any(held)
    };
    !load.is_volatile() && load.ordering() == 0 && Slice::of(base).is_some_and(fits)
}

/// Whether an instruction does nothing but compute, whatever its operands are.
pub(super) fn is_harmless(instruction: Value<'_>) -> bool {
    // What copies of the loop do not need is left out of them.
    const LEFT_OUT: &str = "llvm.experimental.noalias.scope.decl";
    const FUNCTIONS: [&str; 8] = [
        "llvm.fma.",
        "llvm.fmuladd.",
        "llvm.fabs.",
        "llvm.umin.",
        "llvm.umax.",
        "llvm.smin.",
        "llvm.smax.",
        LEFT_OUT,
    ];
    match instruction.op() {
        Op::Add | Op::Sub | Op::Mul | Op::Shl | Op::Or | Op::ZExt | Op::Phi | Op::Element => true,
        Op::LShr | Op::And | Op::Xor | Op::Trunc | Op::Select => true,
        Op::Branch | Op::AddrSpaceCast => true,
        Op::Call => {
            let name = instruction.callee().as_function().map(Value::name);
            name.is_some_and(|n| FUNCTIONS.iter().any(|f| n.starts_with(f)))
        }
        // Other arithmetic but for division of integers: conversions, comparisons, fneg, freeze.
        Op::Other(op) => {
            matches!(op, 9 | 11 | 13 | 16 | 22 | 32..=38 | 41..=43 | 66 | 68)
        }
        _ => false,
    }
}

/// Bytes of a plain number.
pub(super) fn size(ty: Type<'_>) -> Option<u64> {
    match ty.kind() {
        TypeKind::Integer(bits @ (8 | 16 | 32 | 64)) => Some(u64::from(bits) / 8),
        TypeKind::Half => Some(2),
        TypeKind::Float => Some(4),
        TypeKind::Double => Some(8),
        _ => None,
    }
}

#[cfg(test)]
#[path = "late_checks_tests.rs"]
mod tests;
