//! A kernel's panics are written into the kernel, each where it happens.
//!
//! ptxas treats a kernel with a call in it differently: it takes the registers that the convention of calls reserves (32 instead of 10 for saxpy), and no
//! longer believes that uniform registers keep their values, which are two more instructions for each access to global memory. A kernel whose only
//! calls are panics, and not many, needs none of that:
//!
//! ```text
//!   @%p1 bra  wrong;                                  @%p1 bra  wrong;
//!   …                                                 …
//! wrong: call panic_bounds_check, (%i, %n, place);    wrong: … the body of panic_bounds_check …
//! ```
//! Several places do not jump to one copy: ptxas would take it for the place where their threads meet again, and let those that panic wait there for
//! the others, which may wait at a barrier for them.

use crate::hash::HashSet;
use crate::llvm::{Attribute, Builder, Linkage, LlvmError, Machine, Module, Op, Passes, Value};

/// Kernels with more panics call them. One in place is some thirty machine instructions, a call some fifteen: 16 panics are 600 instructions and 20
/// registers (sm_90, ptxas 13.0), 33 calls are as many.
const MOST_PANICS: usize = 16;

/// Longer bodies stay functions: `core::fmt` does not belong in a kernel.
const MOST_INSTRUCTIONS: usize = 100;

/// How many functions may stand between a kernel and the one that writes the record: core has functions for single texts.
const MOST_DEEP: usize = 4;

/// Keeps the functions that panic as they are until [`release`]. In the module of one image many are called once only; LLVM would make their arguments constants or inline
/// them, and unroll a loop with such a call further than one with a call that others have too.
pub(crate) fn keep(module: &Module<'_>) {
    panicking(module).for_each(|f| f.set_linkage(Linkage::External));
}

/// Ends [`keep`]: those that nothing calls can be dropped again.
pub(crate) fn release(module: &Module<'_>) {
    panicking(module).for_each(|f| f.set_linkage(Linkage::Internal));
}

fn panicking<'ctx>(module: &Module<'ctx>) -> impl Iterator<Item = Value<'ctx>> {
    let functions = module.functions().into_iter();
    functions.filter(|f| !f.is_declaration() && !f.is_kernel() && f.has_attribute("noreturn"))
}

/// Inlines what must be inlined, and then the panics of kernels that call nothing else.
pub(crate) fn inline(
    module: &mut Module<'_>,
    kernels: &[String],
    machine: &Machine<'_>,
) -> Result<(), LlvmError> {
    module.run(Passes::inline_always(), Some(machine))?;
    if mark(module, kernels) {
        module.run(Passes::inline_always(), Some(machine))?;
    }
    Ok(())
}

/// Marks the calls of panic functions in kernels that call nothing else for the inliner, and the calls in these functions; says whether there were any.
fn mark(module: &Module<'_>, kernels: &[String]) -> bool {
    let Some(inline) = Attribute::named(module.context(), "alwaysinline", 0) else {
        return false;
    };
    let kernels = kernels.iter().filter_map(|name| module.function(name));
    let callers = kernels.filter(|k| panics(*k).is_some_and(|all| all <= MOST_PANICS));
    let mut todo: Vec<Value<'_>> = callers.collect();
    let mut seen: HashSet<Value<'_>> = todo.iter().copied().collect();
    let mut changed = false;
    while let Some(caller) = todo.pop() {
        for (call, panic) in calls(caller) {
            let Some(panic) = panic else { continue };
            if calls(panic).next().is_none() {
                // For those who read the PTX.
                Builder::before(call).ptx_line(&format!("// {}", panic.name()));
            } else if seen.insert(panic) {
                todo.push(panic);
            }
            call.remove_call_attribute(Attribute::FUNCTION, "noinline");
            call.add_call_attribute(Attribute::FUNCTION, inline);
            changed = true;
        }
    }
    changed
}

/// How many calls a function has, if all are panics that can be written in place.
fn panics(function: Value<'_>) -> Option<usize> {
    let mut count = 0;
    for (_, callee) in calls(function) {
        count += in_place(callee?, MOST_DEEP)?;
    }
    Some(count)
}

/// How many copies of panics a call of this function becomes; `None` if it returns, is long, or calls other functions.
fn in_place(function: Value<'_>, depth: usize) -> Option<usize> {
    let instructions = function.instructions();
    let ends = !function.is_declaration()
        && instructions.len() <= MOST_INSTRUCTIONS
        && instructions.iter().all(|i| i.op() != Op::Return);
    let mut count = 0;
    for (_, callee) in calls(function) {
        count += in_place(callee?, depth.checked_sub(1)?)?;
    }
    ends.then_some(count.max(1))
}

/// The calls of a function that become calls in PTX, and the functions where they are known.
fn calls(function: Value<'_>) -> impl Iterator<Item = (Value<'_>, Option<Value<'_>>)> {
    let instructions = function.instructions().into_iter();
    instructions.filter_map(Value::as_call).filter_map(|call| {
        let called = call.callee().as_function();
        let intrinsic = called.is_some_and(|f| f.name().starts_with("llvm."));
        (!intrinsic && call.callee().asm_text().is_none()).then_some((call, called))
    })
}

#[cfg(test)]
#[path = "panics_tests.rs"]
mod tests;
