//! Complete unrolling of loops that index local arrays, as nvcc does it: with constant indices the elements are registers.
//!
//! LLVM weighs the length of the code against the instructions that constants save, not against local memory.

use crate::llvm::{Module, Op, Type, Value};
use crate::opt::loops::{self, Loop};

/// Machine instructions of an access to local memory are few, but each takes the time of one to global memory: so many instructions may come of a loop.
const MOST_INSTRUCTIONS: u64 = 4096;

/// Larger arrays stay in memory: a thread has 255 registers.
const MOST_ELEMENTS: u64 = 64;

/// Whether a function has such loops.
pub(super) fn is_of_use(module: &Module<'_>, function: Value<'_>) -> bool {
    let found = loops::find(function);
    found.iter().any(|l| indexes_array(module, l))
}

/// Requests it for these loops.
pub(super) fn request(module: &Module<'_>, function: Value<'_>) {
    for found in loops::find(function) {
        if indexes_array(module, &found) {
            found.latch.terminator().request_full_unrolling();
        }
    }
}

/// Whether a loop has an access to an element of a small local array that differs from iteration to iteration, and is short enough for that array.
fn indexes_array(module: &Module<'_>, found: &Loop<'_>) -> bool {
    let instructions: Vec<Value<'_>> = found.blocks.iter().flat_map(|b| b.instructions()).collect();
    let len = instructions.len() as u64;
    instructions.iter().any(|access| {
        let (address, ty) = match access.op() {
            Op::Load => (access.operands()[0], access.ty()),
            Op::Store => (access.operands()[1], access.operands()[0].ty()),
            _ => return false,
        };
        if found.is_invariant(address) {
            return false;
        }
        let Some(array) = array(address) else {
            return false;
        };
        let bytes = module.store_size(array);
        let elements = bytes.div_ceil(module.store_size(ty).max(1));
        elements <= MOST_ELEMENTS && len * elements <= MOST_INSTRUCTIONS
    })
}

/// The type of the local variable that an address points into.
fn array(mut address: Value<'_>) -> Option<Type<'_>> {
    loop {
        if let Some(ty) = address.local_type() {
            return Some(ty);
        }
        address = match address.base_of_address() {
            Some(base) => base,
            None if address.block().is_some() && address.op() == Op::AddrSpaceCast => {
                address.operands()[0]
            }
            None => return None,
        };
    }
}

#[cfg(test)]
mod tests {
    use crate::llvm::tests::context;
    use crate::llvm::{Machine, Module};
    use crate::opt::local_arrays::promote;

    /// Local variables after the pass: a loop of `count` iterations writes as many elements, with `steps` multiplications for each, and another one reads them;
    /// LLVM has left both as they are.
    fn arrays(count: &str, elements: u64, steps: usize) -> usize {
        let step = |n: usize| {
            format!(
                "  %x{n} = mul i32 %x{}, %k\n  %k{n} = xor i32 %x{n}, {n}\n",
                n - 1
            )
        };
        let steps_text: String = (1..=steps).map(step).collect();
        let text = format!(
            "define ptx_kernel void @f(ptr addrspace(1) %p, i32 %k, i64 %n) {{
start:
  %array = alloca [{elements} x i32]
  br label %write
write:
  %i = phi i64 [ 0, %start ], [ %next, %write ]
  %x0 = trunc i64 %i to i32
{steps_text}  %at = getelementptr i32, ptr %array, i64 %i
  store i32 %x{steps}, ptr %at
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %next, {count}
  br i1 %again, label %write, label %read, !llvm.loop !0
read:
  %j = phi i64 [ 0, %write ], [ %j2, %read ]
  %from = getelementptr i32, ptr %array, i64 %j
  %v = load i32, ptr %from
  %to = getelementptr i32, ptr addrspace(1) %p, i64 %j
  store volatile i32 %v, ptr addrspace(1) %to
  %j2 = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j2, {count}
  br i1 %more, label %read, label %end, !llvm.loop !1
end:
  ret void
}}
!0 = distinct !{{!0, !2}}
!1 = distinct !{{!1, !2}}
!2 = !{{!\"llvm.loop.unroll.disable\"}}
"
        );
        let context = context();
        let triple = "nvptx64-nvidia-cuda";
        let machine = Machine::new(&context, triple, "sm_75", "+ptx71").unwrap();
        let mut module = Module::from_text(&context, &text).unwrap();
        module.set_target(triple, &machine.data_layout());
        promote(&mut module, &machine).unwrap();
        module.verify().unwrap();
        let function = module.function("f").unwrap();
        let variables = function.instructions().into_iter();
        variables.filter(|i| i.is_alloca()).count()
    }

    #[test]
    fn a_long_loop_over_a_small_array_becomes_straight_code() {
        assert_eq!(arrays("19", 19, 60), 0);
    }

    #[test]
    fn arrays_and_loops_above_the_limits_stay_in_memory() {
        assert_eq!(arrays("70", 70, 60), 1, "elements");
        assert_eq!(arrays("19", 19, 110), 1, "instructions");
        assert_eq!(arrays("%n", 19, 60), 1, "no constant trip count");
    }
}
