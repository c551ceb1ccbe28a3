//! Constants whose addresses merge with others move into global memory by name.
//!
//! ```text
//! before   %p = getelementptr i8, ptr @table, i64 %i              %q = phi ptr [ %local, … ], [ %p, … ]
//! after    %p = getelementptr i8, ptr addrspacecast (ptr addrspace(1) @table to ptr), i64 %i
//! ```
//! LLVM 22's address space inference does not count what is computed from a generic constant alone: it takes `%q` for an address of local memory,
//! has no such address for `%p`, and leaves a null operand, on which the next pass crashes. Conversions of integers to text choose between a table and a
//! buffer, and are such code. NVPTX moves all constants there in the end, so that the others stay where LLVM optimises them best.

use crate::hash::HashSet;
use crate::llvm::{Linkage, Module, Op, TypeKind, Value};

const GLOBAL: u32 = 1;

/// Moves the constants whose addresses merge with others; must run right before address space inference.
pub(crate) fn place(module: &mut Module<'_>) {
    let mut merged: Vec<Value<'_>> = Vec::new();
    for function in module.functions() {
        for instruction in function.instructions() {
            let merges = matches!(instruction.op(), Op::Phi | Op::Select);
            if merges && instruction.ty().kind() == TypeKind::Pointer(0) {
                for constant in constants(instruction) {
                    if !merged.contains(&constant) {
                        merged.push(constant);
                    }
                }
            }
        }
    }
    for old in merged {
        let Some(initializer) = old.initializer() else {
            continue;
        };
        let name = old.name();
        old.set_name("");
        let new = module.add_global(&name, old.value_type(), GLOBAL);
        new.set_initializer(initializer);
        new.set_alignment(old.alignment());
        new.set_linkage(Linkage::Internal);
        if old.is_constant_global() {
            new.set_constant_global();
        }
        old.replace_all_uses_with(new.cast_to_generic());
        // SAFETY: its uses were just replaced, and the handle ends here.
        unsafe { old.delete_global() };
    }
}

/// The generic variables from which addresses are computed that merge in `value`.
fn constants<'ctx>(value: Value<'ctx>) -> Vec<Value<'ctx>> {
    let mut seen = HashSet::from_iter([value]);
    let mut todo = vec![value];
    let mut found = Vec::new();
    while let Some(value) = todo.pop() {
        let next = if value.as_global().is_some() {
            let is_generic = value.ty().kind() == TypeKind::Pointer(0);
            let is_ours = value.has_local_linkage() && !value.is_declaration();
            if is_generic && is_ours && !value.is_thread_local() {
                found.push(value);
            }
            vec![]
        } else if let Some(base) = value.base_of_address() {
            vec![base]
        } else if value.block().is_some() && matches!(value.op(), Op::Phi | Op::Select) {
            value.operands()
        } else {
            vec![]
        };
        todo.extend(next.into_iter().filter(|v| seen.insert(*v)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::place;
    use crate::llvm::tests::context;
    use crate::llvm::{Machine, Module, Passes};

    const MERGED: &str = "
target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
@table = internal constant [8 x i8] c\"abcdefgh\"
@alone = internal constant [8 x i8] c\"12345678\"
define ptx_kernel void @k(ptr addrspace(1) %out, i1 %c, i64 %i, i64 %j, i8 %b) {
  %buffer = alloca [8 x i8]
  %e = getelementptr i8, ptr %buffer, i64 %j
  store i8 %b, ptr %e
  %s = getelementptr i8, ptr @alone, i64 %j
  %w = load i8, ptr %s
  store i8 %w, ptr addrspace(1) %out
  br i1 %c, label %t, label %a
t:
  %p = getelementptr i8, ptr @table, i64 %i
  call void @llvm.nvvm.barrier0()
  br label %a
a:
  %q = phi ptr [ %buffer, %0 ], [ %p, %t ]
  %v = load volatile i8, ptr %q
  store i8 %v, ptr addrspace(1) %out
  ret void
}
";

    #[test]
    fn a_table_that_merges_with_a_buffer_survives_inference() {
        let context = context();
        let mut module = Module::from_text(&context, MERGED).unwrap();
        let gpu = Machine::new(&context, "nvptx64-nvidia-cuda", "sm_75", "").unwrap();
        place(&mut module);
        let inference = Passes::infer_address_spaces();
        module.run(inference, Some(&gpu)).unwrap();
        module.verify().unwrap();
        let text = module.to_text();
        assert!(
            text.contains("@table = internal addrspace(1) constant"),
            "{text}"
        );
        assert!(text.contains("@alone = internal constant"), "{text}");
        assert!(
            text.contains("phi ptr ["),
            "the merged address is generic: {text}"
        );
    }
}
