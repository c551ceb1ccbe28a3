//! Where jumps are threaded, and where they are not.

use super::dissolve;
use crate::llvm::tests::context;
use crate::llvm::{Context, Machine, Module};

/// A loop over the four bytes of a number as LLVM leaves it: the second question is in `said`.
const BYTES: &str = "
define ptx_kernel void @count(ptr addrspace(1) %bins, i32 %word) {
start:
  %array = alloca [4 x i8]
  store i32 %word, ptr %array
  br label %next
next:
  %i = phi i64 [ 0, %start ], [ %i2, %use ]
  %end = icmp eq i64 %i, 4
  br i1 %end, label %said, label %some
some:
  %p = getelementptr i8, ptr %array, i64 %i
  %b = load i8, ptr %p
  %z = zext i8 %b to i64
  %up = add nuw nsw i64 %i, 1
  br label %said
said:
  %i2 = phi i64 [ 4, %next ], [ %up, %some ]
  %v = phi i64 [ 0, %next ], [ %z, %some ]
  br i1 %end, label %done, label %use
use:
  %q = getelementptr i32, ptr addrspace(1) %bins, i64 %v
  %old = atomicrmw add ptr addrspace(1) %q, i32 1 monotonic
  br label %next
done:
  ret void
}
declare void @meet() convergent
";

fn dissolved<'ctx>(context: &'ctx Context, text: &str) -> Module<'ctx> {
    let triple = "nvptx64-nvidia-cuda";
    let machine = Machine::new(context, triple, "sm_75", "+ptx71").unwrap();
    let mut module = Module::from_text(context, text).unwrap();
    module.set_target(triple, &machine.data_layout());
    dissolve(&mut module, &machine).unwrap();
    module.verify().unwrap();
    module
}

fn count(module: &Module<'_>, function: &str, what: &str) -> usize {
    let function = module.function(function).unwrap();
    let instructions = function.instructions();
    instructions
        .iter()
        .filter(|i| i.to_text().contains(what))
        .count()
}

#[test]
fn an_array_that_is_walked_leaves_local_memory() {
    let context = context();
    let module = dissolved(&context, BYTES);
    assert_eq!(count(&module, "count", "alloca"), 0);
    assert_eq!(count(&module, "count", "atomicrmw"), 4);
    assert_eq!(count(&module, "count", "br "), 0);
}

/// Threads of a warp could come to two copies of the call, and wait for each other.
#[test]
fn a_block_in_which_lanes_meet_is_not_copied() {
    let context = context();
    let meeting = BYTES.replace(
        "  br i1 %end, label %done, label %use",
        "  call void @meet() convergent\n  br i1 %end, label %done, label %use",
    );
    let module = dissolved(&context, &meeting);
    assert_eq!(count(&module, "count", "@meet"), 1);
    assert_eq!(count(&module, "count", "alloca"), 1);
}

/// Which element is read is known at run time only: nothing is gained, so nothing is changed.
#[test]
fn an_array_that_has_to_stay_keeps_its_function_as_it_is() {
    let context = context();
    let chosen = BYTES
        .replace("i32 %word)", "i32 %word, i64 %which)")
        .replace("ptr %array, i64 %i\n", "ptr %array, i64 %which\n")
        .replace(
            "%word, ptr %array",
            "%word, ptr %array\n  call void @meet()",
        );
    let before = Module::from_text(&context, &chosen).unwrap();
    let module = dissolved(&context, &chosen);
    let instructions = |m: &Module<'_>| {
        let function = m.function("count").unwrap();
        let instructions = function.instructions();
        let texts: Vec<String> = instructions.iter().map(|i| i.to_text()).collect();
        texts
    };
    assert_eq!(instructions(&before), instructions(&module));
}

#[test]
fn functions_without_arrays_are_left_alone() {
    let context = context();
    let without = BYTES
        .replace("@count", "@plain")
        .replace("  %array = alloca [4 x i8]\n", "")
        .replace("%array", "@bytes")
        .replace(
            "declare void @meet() convergent\n",
            "@bytes = global [4 x i8] zeroinitializer\n",
        );
    let module = dissolved(&context, &format!("{BYTES}{without}"));
    assert_eq!(count(&module, "count", "alloca"), 0);
    assert_eq!(count(&module, "plain", "phi"), 3);
    assert_eq!(count(&module, "plain", "atomicrmw"), 1);
}
