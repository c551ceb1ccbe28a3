//! What the instructions that a kernel reaches ask of the architecture: a kernel that uses clusters is compiled for sm_90, whatever the
//! build asked for, and one that does so behind `if arch() >= 90` is not.

use crate::llvm::{Module, Value};
use crate::lower::{asm, atomics};
use std::collections::HashSet;

/// The least architecture and PTX version for the kernels of `names` together, after optimisation.
pub(super) fn of(module: &Module<'_>, names: &[&str]) -> (u32, u32) {
    let mut least = (0, 0);
    let mut raise = |(sm, ptx): (u32, u32)| least = (least.0.max(sm), least.1.max(ptx));
    visit(module, names, |value| {
        if let Some(text) = value.as_call().and_then(|c| c.callee().asm_text()) {
            raise(asm::needs(&text));
        }
        raise(atomics::needs(value, module.context()));
    });
    least
}

/// Whether the kernels of `names` refer to `function`.
pub(crate) fn reaches<'ctx>(module: &Module<'ctx>, names: &[&str], function: Value<'ctx>) -> bool {
    let mut found = false;
    visit(module, names, |instruction| {
        found |= instruction.operands().contains(&function)
    });
    found
}

/// Calls `each` with every instruction that the kernels of `names` reach.
fn visit<'ctx>(module: &Module<'ctx>, names: &[&str], mut each: impl FnMut(Value<'ctx>)) {
    let mut todo: Vec<Value<'_>> = names.iter().filter_map(|n| module.function(n)).collect();
    let mut seen: HashSet<Value<'_>> = todo.iter().copied().collect();
    while let Some(value) = todo.pop() {
        let mut next: Vec<Value<'_>> = Vec::new();
        if value.as_function().is_some() {
            for instruction in value.instructions() {
                each(instruction);
                next.extend(instruction.operands());
            }
        } else if value.as_global().is_some() {
            next.extend(value.initializer());
        } else {
            next = value.operands();
        }
        todo.extend(
            next.into_iter()
                .filter(|v| v.is_constant() && seen.insert(*v)),
        );
    }
}
