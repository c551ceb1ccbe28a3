//! Kernels that multiply with warp groups: their accumulators are in registers, and they call no function that returns.
//!
//! Otherwise ptxas lets each product wait for the one before (its messages C7509 to C7520), or the accumulator would be copied through memory while the tensor
//! cores write its registers. Panics do not matter: what calls them does not go on.

use super::{PipelineError, Program};
use crate::llvm::{Module, Op, Value};
use crate::roots::Root;

/// In the text of each instruction that starts a product.
const PRODUCT: &str = "wgmma.mma_async";

impl Program<'_, '_> {
    /// Fails with one message per kernel for which that does not hold.
    pub(super) fn check_warp_groups(&self, module: &Module<'_>) -> Result<(), PipelineError> {
        let mut problems = Vec::new();
        for (root, name) in self.roots.iter().zip(&self.names) {
            let Some(kernel) = module.function(name).filter(|f| !f.is_declaration()) else {
                continue;
            };
            let what = problem(kernel);
            problems.extend(what.map(|what| explain(root, &what)));
        }
        PipelineError::of(problems)
    }
}

/// What is wrong with a kernel that multiplies with warp groups, or that calls a function which does.
fn problem(kernel: Value<'_>) -> Option<String> {
    let instructions = kernel.instructions();
    let products: Vec<Value<'_>> = instructions.iter().copied().filter(is_product).collect();
    let mut called = instructions.iter().filter_map(|i| i.as_call());
    let called = called.find_map(|call| {
        let function = call.callee().as_function();
        let known = function.is_some_and(|f| f.name().starts_with("llvm.") || !can_return(f));
        let matters = !products.is_empty() || function.is_some_and(multiplies);
        (call.callee().asm_text().is_none() && !known && matters).then(|| {
            let name = function.map_or_else(|| "a pointer".to_owned(), |f| f.name());
            format!(
                "calls `{:#}`, and a call between products makes each wait for the one before; give the function `#[inline(always)]`",
                rustc_demangle::demangle(&name)
            )
        })
    });
    let in_memory = || {
        let stored = |i: &Value<'_>| {
            i.op() == Op::Store && is_local(i.operands()[1]) && of_product(i.operands()[0])
        };
        let loaded = |p: &Value<'_>| {
            p.args()
                .into_iter()
                .any(|a| a.op() == Op::Load && is_local(a.operands()[0]))
        };
        (instructions.iter().any(stored) || products.iter().any(loaded)).then(|| {
            "keeps an accumulator in local memory instead of registers: it is indexed by a variable, or its address is kept; use `for_each`, `map` and constant indices, and unroll loops over accumulators".to_owned()
        })
    };
    called.or_else(in_memory)
}

fn is_product(value: &Value<'_>) -> bool {
    let text = value.as_call().and_then(|call| call.callee().asm_text());
    text.is_some_and(|text| text.contains(PRODUCT))
}

/// Whether a function itself multiplies with warp groups.
fn multiplies(function: Value<'_>) -> bool {
    function.instructions().iter().any(is_product)
}

/// Whether the value is a register that a product has written.
fn of_product(value: Value<'_>) -> bool {
    value.operands().first().is_some_and(is_product)
}

/// Whether an address is that of a local variable.
fn is_local(mut address: Value<'_>) -> bool {
    while let Some(base) = address.base_of_address() {
        address = base;
    }
    address.is_alloca()
}

/// Whether a function returns: panics do not.
fn can_return(function: Value<'_>) -> bool {
    function.is_declaration() || function.instructions().iter().any(|i| i.op() == Op::Return)
}

/// The message for a kernel.
fn explain(root: &Root<'_>, what: &str) -> String {
    let Root {
        base, file, line, ..
    } = root;
    format!(
        "kernel `{base}` multiplies with warp groups and {what}\n  kernel `{base}` at {file}:{line}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::tests::context;

    const CALL: &str =
        "call { float, float } asm sideeffect \"wgmma.mma_async {$0, $1};\", \"=f,=f,0,1\"";

    /// What is wrong with a kernel of this body.
    fn problem_of(body: &str) -> Option<String> {
        let context = context();
        let text = format!(
            "declare void @returns()\ndefine void @panics() {{\n  unreachable\n}}\ndefine void @kernel(float %a, i64 %i) {{\n{body}  ret void\n}}\n"
        );
        let module = Module::from_text(&context, &text).unwrap();
        module.verify().unwrap();
        problem(module.function("kernel").unwrap())
    }

    #[test]
    fn accumulators_in_registers_are_fine() {
        let two = format!(
            "  %d = {CALL}(float %a, float 0.0)\n  %x = extractvalue {{ float, float }} %d, 0\n  %e = {CALL}(float %x, float 0.0)\n"
        );
        assert_eq!(problem_of(&two), None);
        let panics = format!("{two}  call void @panics()\n");
        assert_eq!(problem_of(&panics), None);
    }

    #[test]
    fn accumulators_in_local_memory_are_refused() {
        let stored = format!(
            "  %m = alloca [2 x float]\n  %d = {CALL}(float %a, float 0.0)\n  %x = extractvalue {{ float, float }} %d, 1\n  %p = getelementptr float, ptr %m, i64 %i\n  store float %x, ptr %p\n"
        );
        assert!(problem_of(&stored).unwrap().contains("in local memory"));
        let loaded = format!(
            "  %m = alloca [2 x float]\n  %p = getelementptr float, ptr %m, i64 %i\n  %x = load float, ptr %p\n  %d = {CALL}(float %x, float 0.0)\n"
        );
        assert!(problem_of(&loaded).unwrap().contains("in local memory"));
    }

    #[test]
    fn calls_that_return_are_refused() {
        let called = format!("  %d = {CALL}(float %a, float 0.0)\n  call void @returns()\n");
        assert!(problem_of(&called).unwrap().contains("calls `returns`"));
    }

    #[test]
    fn other_kernels_may_call_and_have_arrays() {
        assert_eq!(
            problem_of("  %m = alloca [2 x float]\n  call void @returns()\n"),
            None
        );
    }
}
