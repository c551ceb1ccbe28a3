//! What conditions and intrinsics consist of.

use crate::llvm::{Op, Predicate, Value};
use crate::opt::gather_batching::Slice;

/// Which of two numbers an intrinsic takes.
#[derive(Clone, Copy)]
pub(super) enum Choice {
    Least,
    Most,
    /// The difference, if it is not negative.
    Rest,
}

/// Which one of LLVM's functions chooses between two numbers.
pub(super) fn intrinsic(call: Value<'_>) -> Option<Choice> {
    let name = call.callee().as_function()?.name();
    let known = [
        ("llvm.umin.", Choice::Least),
        ("llvm.umax.", Choice::Most),
        ("llvm.usub.sat.", Choice::Rest),
    ];
    known
        .into_iter()
        .find(|(start, _)| name.starts_with(start))
        .map(|(_, choice)| choice)
}

/// A truth value that is known, or a condition.
#[derive(Clone, Copy)]
pub(super) enum Part<'ctx> {
    Is(bool),
    Asks(Value<'ctx>),
}

/// Of `a && b`, `a || b` and `a ? b : c`: the first condition, and what follows from it.
pub(super) fn as_selection<'ctx>(
    condition: Value<'ctx>,
) -> Option<(Value<'ctx>, Part<'ctx>, Part<'ctx>)> {
    let operands = condition.operands();
    let part = |value: Value<'ctx>| match value.as_integer() {
        Some(known) => Part::Is(known != 0),
        None => Part::Asks(value),
    };
    match (condition.op(), &operands[..]) {
        (Op::Select, [a, b, c]) => Some((*a, part(*b), part(*c))),
        (Op::And, [a, b]) => Some((*a, part(*b), Part::Is(false))),
        (Op::Or, [a, b]) => Some((*a, Part::Is(true), part(*b))),
        _ => None,
    }
}

/// Whether a condition asks if the address of an element is null, which it never is: `true` if it holds for null.
pub(super) fn null_test(condition: Value<'_>) -> Option<bool> {
    let how = condition.predicate()?;
    let [mut address, null] = condition.operands().try_into().ok()?;
    if !null.is_null_pointer() {
        return None;
    }
    while let Some(base) = address.base_of_address().filter(|_| address.is_inbounds()) {
        address = base;
    }
    Slice::of(address)?;
    match how {
        Predicate::Eq => Some(true),
        Predicate::Ne => Some(false),
        _ => None,
    }
}
