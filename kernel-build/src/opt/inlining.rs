//! Functions that kernels call become part of them, as nvcc does it, up to a size.
//!
//! ```text
//! sort(&mut items); sort(&mut others);       two copies of `sort`, with the items in registers
//! ```
//! LLVM inlines what has one call, and what is short. A closure or a generic helper that is called from two places stays a function if it has more than about 500
//! instructions, and on a branch that is taken seldom already if it has a hundred: what its argument points to, as the variables that a closure captures, is then in
//! local memory, and so is all that ptxas saves around the call. No kernel of the benchmarks has such a call, so that there is no time of one.
//!
//! Left alone are recursive functions, what is marked `#[inline(never)]` or `#[cold]`, what only panics call, and what would make a function too long.

use super::{LARGE_FUNCTION, defined, early_loops};
use crate::llvm::{Attribute, Block, LlvmError, Machine, Module, Value};
use std::collections::{HashMap, HashSet};

/// What was not inlined at first may call more of that kind.
const ROUNDS: u32 = 3;

/// Requires that such functions are inlined. They are found in a copy in which LLVM has inlined what it inlines by itself; the copy is returned, if nothing is left.
pub(crate) fn require<'ctx>(
    module: &Module<'ctx>,
    machine: &Machine<'_>,
) -> Result<Option<Module<'ctx>>, LlvmError> {
    for _ in 0..ROUNDS {
        let mut copy = module.duplicate();
        early_loops::simplify(&mut copy, machine)?;
        let left = left(&copy);
        if left.is_empty() {
            return Ok(Some(copy));
        }
        if let Some(always_inline) = Attribute::named(module.context(), "alwaysinline", 0) {
            let functions = left.iter().filter_map(|name| module.function(name));
            functions.for_each(|f| f.add_attribute(Attribute::FUNCTION, always_inline));
        }
    }
    Ok(None)
}

/// The names of the functions that are to be inlined and are not: of those that kernels reach, which LLVM has not been told of yet.
fn left(module: &Module<'_>) -> HashSet<String> {
    let mut calls: HashMap<Value<'_>, Vec<Value<'_>>> = HashMap::new();
    let mut todo = defined(module);
    if todo.iter().any(|f| f.is_kernel()) {
        todo.retain(|f| f.is_kernel());
    }
    while let Some(function) = todo.pop() {
        calls.entry(function).or_insert_with(|| {
            let callees = callees(function);
            todo.extend(&callees);
            callees
        });
    }
    let mut sizes = Sizes {
        calls: &calls,
        known: HashMap::new(),
    };
    let (mut chosen, mut kept) = (HashSet::new(), HashSet::new());
    for (function, callees) in &calls {
        for callee in callees {
            let is_short = matches!(sizes.of(*function), Size::Of(size) if size <= LARGE_FUNCTION);
            if is_short && matches!(sizes.of(*callee), Size::Of(_)) {
                chosen.insert(*callee);
            } else {
                kept.insert(*callee);
            }
        }
    }
    let left = chosen.difference(&kept);
    let untold = left.filter(|f| !f.has_attribute("alwaysinline"));
    untold.map(|f| f.name()).collect()
}

/// What is known of a function.
#[derive(Clone, Copy)]
enum Size {
    /// Its calls are being looked into.
    Open,
    /// It calls itself.
    Recursive,
    /// How long it is with all that it calls.
    Of(usize),
}

struct Sizes<'a, 'ctx> {
    calls: &'a HashMap<Value<'ctx>, Vec<Value<'ctx>>>,
    known: HashMap<Value<'ctx>, Size>,
}

impl<'ctx> Sizes<'_, 'ctx> {
    fn of(&mut self, function: Value<'ctx>) -> Size {
        if let Some(known) = self.known.get(&function) {
            return *known;
        }
        self.known.insert(function, Size::Open);
        let mut size = Size::Of(function.instructions().len());
        for callee in self.calls.get(&function).into_iter().flatten() {
            size = match (size, self.of(*callee)) {
                (_, Size::Open) => Size::Recursive,
                (Size::Of(own), Size::Of(more)) => Size::Of(own.saturating_add(more)),
                (own, _) => own,
            };
        }
        self.known.insert(function, size);
        size
    }
}

/// What a function calls, once for each call, but for what panics call, and what must stay a function.
fn callees(function: Value<'_>) -> Vec<Value<'_>> {
    let blocks = Block::all(function).into_iter();
    let calls = blocks
        .filter(|block| !block.is_unreachable())
        .flat_map(|block| block.instructions())
        .filter_map(Value::as_call);
    let callees = calls.filter_map(|call| call.callee().as_function());
    callees.filter(can_be_inlined).collect()
}

fn can_be_inlined(function: &Value<'_>) -> bool {
    let is_kept = |name: &&str| function.has_attribute(name);
    !function.is_declaration() && !["noinline", "cold", "optnone"].iter().any(is_kept)
}
