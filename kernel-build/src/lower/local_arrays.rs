//! Loops over small arrays by value, without local memory.
//!
//! `for byte in word.to_le_bytes()` asks twice in each round whether there is another element: `next` does, and the loop looks at what `next` said. LLVM
//! makes one question of the two where it threads jumps: a block that goes on to where its predecessor already knows is left out. For GPUs it does not,
//! since threads of a warp that would meet in that block then meet later. But as long as there are two questions LLVM does not see how often the
//! loop runs: it stays rolled, and the array, indexed by a number, in local memory. Where threading gets an array out of there it is done, and nowhere else.
//!
//! Calls in which lanes meet are never copied: LLVM leaves blocks with `convergent` calls as they are.

use crate::llvm::{LlvmError, Machine, Module, Passes, Value};
use std::collections::HashMap;

/// Bytes of local variables, of each function that has any.
type Sizes = HashMap<String, u64>;

/// Threads the jumps of functions that need less local memory then. Call after optimisation.
pub(crate) fn dissolve(module: &mut Module<'_>, machine: &Machine<'_>) -> Result<(), LlvmError> {
    let mut chosen = sizes(module);
    while !chosen.is_empty() {
        let mut attempt = module.duplicate();
        thread_jumps(&mut attempt, &chosen, machine)?;
        let left = sizes(&attempt);
        let tried = chosen.len();
        chosen.retain(|name, before| left.get(name).is_none_or(|after| after < before));
        if chosen.len() == tried {
            *module = attempt;
            break;
        }
    }
    Ok(())
}

fn thread_jumps(
    module: &mut Module<'_>,
    chosen: &Sizes,
    machine: &Machine<'_>,
) -> Result<(), LlvmError> {
    let others = |f: &Value<'_>| !f.is_declaration() && !chosen.contains_key(&f.name());
    let held = module.functions().into_iter().filter(others);
    let held: Vec<_> = held.filter(|f| f.hold_still()).collect();
    module.run(Passes::thread_jumps(), None)?;
    module.run(Passes::optimize(), Some(machine))?;
    // Some of them may be gone, with what called them.
    let left = module.functions();
    held.into_iter()
        .filter(|f| left.contains(f))
        .for_each(|f| f.let_go());
    Ok(())
}

fn sizes(module: &Module<'_>) -> Sizes {
    let mut sizes = Sizes::new();
    for function in module.functions() {
        let variables = function.instructions().into_iter();
        let bytes: u64 = variables
            .filter_map(Value::local_type)
            .map(|ty| module.store_size(ty))
            .sum();
        if bytes > 0 {
            sizes.insert(function.name(), bytes);
        }
    }
    sizes
}

#[cfg(test)]
#[path = "local_arrays_tests.rs"]
mod tests;
