//! What the instructions that a kernel reaches ask of the architecture: a kernel that uses clusters is compiled for sm_90, whatever the
//! build asked for, and one that does so behind `if arch() >= 90` is not.

use crate::llvm::{Module, Value};
use crate::lower::{asm, atomics};
use std::collections::HashSet;

/// The least architecture and PTX version for the kernels of `names` together, after optimisation.
pub(super) fn of(module: &Module<'_>, names: &[&str]) -> (u32, u32) {
    let mut todo: Vec<Value<'_>> = names.iter().filter_map(|n| module.function(n)).collect();
    let mut seen: HashSet<Value<'_>> = todo.iter().copied().collect();
    let mut least = (0, 0);
    while let Some(value) = todo.pop() {
        let next: Vec<Value<'_>> = if value.as_function().is_some() {
            value
                .instructions()
                .into_iter()
                .flat_map(|instruction| {
                    if let Some(text) = instruction.as_call().and_then(|c| c.callee().asm_text()) {
                        let (sm, ptx) = asm::needs(&text);
                        least = (least.0.max(sm), least.1.max(ptx));
                    }
                    let (sm, ptx) = atomics::needs(instruction, module.context());
                    least = (least.0.max(sm), least.1.max(ptx));
                    instruction.operands()
                })
                .collect()
        } else if value.as_global().is_some() {
            value.initializer().into_iter().collect()
        } else {
            value.operands()
        };
        todo.extend(
            next.into_iter()
                .filter(|v| v.is_constant() && seen.insert(*v)),
        );
    }
    least
}
