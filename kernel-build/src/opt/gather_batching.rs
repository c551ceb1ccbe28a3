//! Speculative gather batching: the bounds checks of indices that come from memory are decided for several iterations at once.
//!
//! `x[columns[k]]` has a check in each iteration that no condition in the preheader can decide; with an exit in each iteration neither LLVM nor ptxas
//! unrolls, and the loads wait for one another. If the loop only reads, and everything that the next iterations read unconditionally is in bounds,
//! the indices of a batch of iterations are loaded and checked first:
//!
//! ```text
//! for k in from..to { sum += x[columns[k]] }
//!
//! if from..to is within columns, and x is not empty {
//!     while 16 iterations are left {                      then the same with 4
//!         let c = columns[k..k + 16]                      all loads in flight
//!         if max(c) >= x.len() { break to the original loop }
//!         for c in c { sum += x[c] }                      all loads in flight; no exit
//!     }
//! }
//! the original loop, from the current iteration           panics where it did before, with the same index
//! ```
//! A load that is made before the indices are known to be in bounds is proved safe by itself, whatever the checks of the loop say: it is of a kernel's
//! parameter, its index is an add recurrence, and its last value is shown in the preheader to be below the length. [`groups`] builds the blocks that are
//! planned here. All loop-invariant values are frozen first, and the metadata of copied loads is dropped, since they may run in iterations that the
//! original loop would not have reached.

mod groups;

use super::add_recurrence::AddRecurrence;
use super::loops::{self, Loop};
use super::pointer_counters;
use super::trip_count::TripCount;
use crate::hash::HashSet;
use crate::llvm::{Block, Compare, Op, Type, TypeKind, Value};
use crate::lower::kernels::ELEMENTS;

/// Whether a function has a loop for [`batch`].
pub(crate) fn is_candidate(function: Value<'_>) -> bool {
    let mut loops = loops::find(function).into_iter();
    loops.any(|found| Plan::of(&found).is_some())
}

/// Adds such batches to the loops of a function; returns whether there were any.
pub(crate) fn batch(function: Value<'_>) -> bool {
    let mut changed = false;
    // Plans do not share blocks: each is of an innermost loop.
    for found in loops::find(function) {
        if let Some(plan) = Plan::of(&found) {
            changed |= plan.apply(function, &found).is_some();
        }
    }
    changed
}

/// A slice that is a parameter of the kernel.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Slice<'ctx> {
    pub(super) pointer: Value<'ctx>,
    pub(super) len: Value<'ctx>,
    /// Bytes of an element.
    pub(super) size: u64,
}

/// A load whose address is an add recurrence.
pub(super) struct StridedLoad<'ctx> {
    pub(super) load: Value<'ctx>,
    pub(super) slice: Slice<'ctx>,
    /// In bytes, from the slice's start.
    pub(super) offset: AddRecurrence<'ctx>,
    pub(super) bytes: u64,
}

/// An index that is checked against `len`, and used only if it is below.
pub(super) struct Gather<'ctx> {
    pub(super) index: Value<'ctx>,
    /// Its 32-bit source, if the index is a zero extension.
    pub(super) narrow: Option<Value<'ctx>>,
    pub(super) len: Value<'ctx>,
}

pub(super) struct Plan<'ctx> {
    pub(super) trip_count: TripCount<'ctx>,
    /// From the header to the latch.
    pub(super) path: Vec<Block<'ctx>>,
    pub(super) strided: Vec<StridedLoad<'ctx>>,
    pub(super) gathers: Vec<Gather<'ctx>>,
    /// What depends on gathered elements, of this iteration or of a previous one.
    pub(super) dependent: HashSet<Value<'ctx>>,
    /// How many iterations a batch has; the largest comes first.
    pub(super) groups: Vec<usize>,
}

/// A warp reads the cache lines of 32 rows: the elements that a row has in a line are best read together, before the line is evicted. Batches of 4
/// leave fewer single iterations.
const GROUPS: [usize; 2] = [16, 4];
/// Loads of a batch: more would need more registers than a thread has at full occupancy.
const LOADS: usize = 48;
/// Instructions of a batch.
const SIZE: usize = 256;

impl<'ctx> Plan<'ctx> {
    fn of(found: &Loop<'ctx>) -> Option<Plan<'ctx>> {
        let path = path(found)?;
        // Larger steps are those of threads that share the loop: each has too few iterations to profit.
        let trip_count = TripCount::of(found).filter(TripCount::counts_by_one)?;
        // `bounds_check_hoisting` has handled add recurrences: where one is still checked, it does not fit.
        let checked = path
            .iter()
            .filter(|b| **b != found.latch && b.condition().is_some());
        let gathers: Vec<Gather<'_>> = checked
            .map(|b| Gather::of(*b, found))
            .collect::<Option<_>>()?;
        let mut strided = Vec::new();
        let mut gathered = 0;
        let mut size = 0;
        for instruction in path.iter().flat_map(|b| b.instructions()) {
            size += 1;
            match instruction.op() {
                Op::Load if is_gathered(instruction, &gathers) => gathered += 1,
                Op::Load => {
                    strided.push(
                        StridedLoad::of(instruction, found)
                            .filter(|e| trip_count.bounds(&e.offset))?,
                    );
                }
                _ if is_speculatable(instruction) => {}
                _ => return None,
            }
        }
        let dependent = dependent(found, &path, &gathers);
        // No index depends on a gathered element.
        let known = gathers.iter().all(|g| !dependent.contains(&g.index));
        let loads = strided.len() + gathered;
        let fits = |n: &usize| n * loads <= LOADS && n * size <= SIZE;
        let groups: Vec<usize> = GROUPS.into_iter().filter(fits).collect();
        (gathered > 0 && known && !groups.is_empty()).then_some(Plan {
            trip_count,
            path,
            strided,
            gathers,
            dependent,
            groups,
        })
    }
}

/// What depends on the loads of gathered elements.
fn dependent<'ctx>(
    found: &Loop<'ctx>,
    path: &[Block<'ctx>],
    gathers: &[Gather<'ctx>],
) -> HashSet<Value<'ctx>> {
    let mut dependent = HashSet::default();
    loop {
        let before = dependent.len();
        for instruction in path.iter().flat_map(|b| b.instructions()) {
            let mut from = instruction.operands();
            if instruction.op() == Op::Phi {
                let incoming = instruction.incoming().into_iter();
                from = incoming
                    .filter(|(_, b)| *b == found.latch)
                    .map(|(v, _)| v)
                    .collect();
            }
            let gathered = instruction.op() == Op::Load && is_gathered(instruction, gathers);
            if gathered || from.iter().any(|v| dependent.contains(v)) {
                dependent.insert(instruction);
            }
        }
        if dependent.len() == before {
            return dependent;
        }
    }
}

/// The blocks of a loop from header to latch, if each iteration executes all of them, and all exits before the latch panic.
fn path<'ctx>(found: &Loop<'ctx>) -> Option<Vec<Block<'ctx>>> {
    let mut path = vec![found.header];
    loop {
        let at = *path.last()?;
        let (inside, outside): (Vec<_>, Vec<_>) = at
            .successors()
            .into_iter()
            .partition(|b| found.blocks.contains(b));
        let ([next], true) = (&inside[..], outside.len() <= 1) else {
            return None;
        };
        if at == found.latch {
            return (path.len() == found.blocks.len() && outside.len() == 1).then_some(path);
        }
        if !outside.into_iter().all(panics) || path.contains(next) {
            return None;
        }
        path.push(*next);
    }
}

fn panics(block: Block<'_>) -> bool {
    let next = block.successors();
    block.is_unreachable() || matches!(next[..], [next] if next.is_unreachable())
}

impl<'ctx> Slice<'ctx> {
    pub(super) fn of(mut pointer: Value<'ctx>) -> Option<Slice<'ctx>> {
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

impl Slice<'_> {
    /// Whether a value is the length of such a slice, which has no more bytes than a signed number can say.
    pub(super) fn is_length(value: Value<'_>) -> bool {
        let before = value.as_param().and_then(|(function, index)| {
            let index = index.checked_sub(1)?;
            function.params().into_iter().nth(index)
        });
        before
            .and_then(Slice::of)
            .is_some_and(|slice| slice.len == value)
    }
}

impl<'ctx> StridedLoad<'ctx> {
    fn of(load: Value<'ctx>, found: &Loop<'ctx>) -> Option<StridedLoad<'ctx>> {
        let bytes = size(load.ty())?;
        let mut address = *load.operands().first()?;
        let mut offset = AddRecurrence::zero();
        loop {
            if let Some((first, by)) = pointer_counters::moves_by(address, found) {
                offset = offset.plus(AddRecurrence::stepping_by(by));
                address = first;
            }
            if address.block().is_none() || address.op() != Op::GetElementPtr {
                break;
            }
            let [base, index] = address.operands()[..] else {
                return None;
            };
            let index = AddRecurrence::of(index, found).filter(|i| i.bits == 64)?;
            offset = offset.plus(index.scaled(stride(address.element_type())?));
            address = base;
        }
        let plain = !load.is_volatile() && load.ordering() == 0;
        plain.then_some(StridedLoad {
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
            how = how.inverse();
        }
        let (mut index, mut len) = (condition.operands()[0], condition.operands()[1]);
        if found.is_invariant(index) {
            (index, len) = (len, index);
            how = how.swapped();
        }
        let is_index = index.block().is_some_and(|b| found.blocks.contains(&b))
            && index.op() != Op::Phi
            && index.ty().kind() == TypeKind::Integer(64)
            && AddRecurrence::of(index, found).is_none();
        let is_check = how == Compare::Ult && is_index && found.is_invariant(len);
        let from = (is_check && index.op() == Op::ZExt).then(|| index.operands()[0]);
        let narrow = from.filter(|n| n.ty().kind() == TypeKind::Integer(32));
        is_check.then_some(Gather { index, narrow, len })
    }
}

/// Whether a load is of an element whose index is checked against the length of its slice.
fn is_gathered<'ctx>(load: Value<'ctx>, gathers: &[Gather<'ctx>]) -> bool {
    let address = load.operands()[0];
    if address.block().is_none() || address.op() != Op::GetElementPtr {
        return false;
    }
    let [base, index] = address.operands()[..] else {
        return false;
    };
    let fits = |slice: Slice<'ctx>| {
        let held = |g: &Gather<'ctx>| g.index == index && g.len == slice.len;
        stride(address.element_type()) == Some(slice.size)
            && size(load.ty()) == Some(slice.size)
            && gathers.iter().any(held)
    };
    !load.is_volatile() && load.ordering() == 0 && Slice::of(base).is_some_and(fits)
}

/// Whether an instruction has no side effects and no undefined behaviour, whatever its operands are: it can be speculated.
pub(super) fn is_speculatable(instruction: Value<'_>) -> bool {
    // Not copied.
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
        Op::Add | Op::Sub | Op::Mul | Op::Shl | Op::Or | Op::ZExt | Op::Phi | Op::GetElementPtr => {
            true
        }
        Op::LShr | Op::And | Op::Xor | Op::Trunc | Op::Select => true,
        Op::Branch | Op::AddrSpaceCast => true,
        Op::Call => {
            let name = instruction.callee().as_function().map(Value::name);
            name.is_some_and(|n| FUNCTIONS.iter().any(|f| n.starts_with(f)))
        }
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FNeg | Op::ICmp | Op::FCmp => true,
        Op::AShr | Op::SExt | Op::BitCast | Op::Freeze => true,
        Op::FPToUI | Op::FPToSI | Op::UIToFP | Op::SIToFP | Op::FPTrunc | Op::FPExt => true,
        _ => false,
    }
}

/// Bytes from one element to the next. Since version 23 LLVM's instruction combiner makes arrays of bytes of all element types.
fn stride(element: Type<'_>) -> Option<u64> {
    size(element).or_else(|| element.byte_array())
}

/// Bytes of a scalar.
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
#[path = "gather_batching_tests.rs"]
mod tests;
