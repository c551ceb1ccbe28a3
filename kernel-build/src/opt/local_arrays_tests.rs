//! Which counters are resolved, and what becomes of their loops.

use super::{promote, resolve_counters};
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

/// The same with a counter that is not resolved, so that threading jumps is what remains.
fn with_unresolved_counter() -> String {
    let unresolved = BYTES.replace(
        "%up = add nuw nsw i64 %i, 1",
        "%same = mul i64 %i, 1\n  %up = add nuw nsw i64 %same, 1",
    );
    assert_ne!(unresolved, BYTES);
    unresolved
}

fn dissolved<'ctx>(context: &'ctx Context, text: &str) -> Module<'ctx> {
    let triple = "nvptx64-nvidia-cuda";
    let machine = Machine::new(context, triple, "sm_75", "+ptx71").unwrap();
    let mut module = Module::from_text(context, text).unwrap();
    module.set_target(triple, &machine.data_layout());
    promote(&mut module, &machine).unwrap();
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
fn an_array_of_an_unrolled_loop_leaves_local_memory() {
    let context = context();
    let module = dissolved(&context, BYTES);
    assert_eq!(count(&module, "count", "alloca"), 0);
    assert_eq!(count(&module, "count", "atomicrmw"), 4);
    assert_eq!(count(&module, "count", "br "), 0);
}

/// All threads of a warp make each call together, as before: the trip count is a constant.
#[test]
fn a_loop_with_a_convergent_call_is_unrolled() {
    let context = context();
    let convergent = BYTES.replace(
        "  br i1 %end, label %done, label %use",
        "  call void @meet() convergent\n  br i1 %end, label %done, label %use",
    );
    let module = dissolved(&context, &convergent);
    assert_eq!(count(&module, "count", "@meet"), 5);
    assert_eq!(count(&module, "count", "alloca"), 0);
    assert_eq!(count(&module, "count", "br "), 0);
}

/// The same with an operation of the whole warp behind the loop.
#[test]
fn an_array_before_an_aligned_operation_leaves_local_memory() {
    let context = context();
    let barrier = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";
    let text = BYTES.replace("done:\n  ret", &format!("done:\n  {barrier}\n  ret"));
    assert_ne!(text, BYTES);
    let declaration = "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent\n";
    let module = dissolved(&context, &(text + declaration));
    assert_eq!(count(&module, "count", "barrier"), 1);
    assert_eq!(count(&module, "count", "alloca"), 0);
    assert_eq!(count(&module, "count", "br "), 0);
}

/// The branch whose threads must reconverge in `said` before the barrier stays if the loop cannot be unrolled.
#[test]
fn control_flow_is_unchanged_if_the_trip_count_is_not_constant() {
    let context = context();
    let text = BYTES
        .replace("i32 %word)", "i32 %word, i64 %n)")
        .replace("icmp eq i64 %i, 4", "icmp eq i64 %i, %n");
    let module = Module::from_text(&context, &text).unwrap();
    assert!(resolve_counters(module.function("count").unwrap()));
    module.verify().unwrap();
    assert_eq!(count(&module, "count", "br "), 5);
    assert_eq!(count(&module, "count", "add nuw nsw i64 %i, 1"), 2);
    assert_eq!(
        count(&module, "count", "%i = phi i64 [ 0, %start ], [ %0, %use ]"),
        1
    );
}

/// The first test decides the second one if they test the same, or the opposite.
#[test]
fn counters_are_resolved_if_one_test_decides_the_other() {
    let second = "  br i1 %end, label %done, label %use";
    let exits = |condition: &str, targets: &str| format!("  {condition}\n  br i1 %c, {targets}");
    let (done, stay) = ("label %done, label %use", "label %use, label %done");
    let cases = [
        (second.to_owned(), "%0"),
        (second.replace(done, stay), "%i2"),
        (exits("%c = xor i1 %end, true", stay), "%0"),
        (exits("%c = xor i1 %end, true", done), "%i2"),
        (exits("%c = icmp ne i64 %i, 4", stay), "%0"),
        (exits("%c = icmp ne i64 %i, 4", done), "%i2"),
        (exits("%c = icmp eq i64 %i, 4", done), "%0"),
        (exits("%c = icmp eq i64 %i, 3", done), "%i2"),
        (exits("%c = icmp eq i64 %i2, 4", done), "%i2"),
        (exits("%c = icmp ugt i64 %i, 4", done), "%i2"),
    ];
    for (end, next) in cases {
        let context = context();
        let text = BYTES.replace(second, &end);
        let module = Module::from_text(&context, &text).unwrap();
        let function = module.function("count").unwrap();
        assert_eq!(resolve_counters(function), next != "%i2", "{end}");
        module.verify().unwrap();
        let text = function.to_text();
        let phi = format!("%i = phi i64 [ 0, %start ], [ {next}, %use ]");
        assert!(text.contains(&phi), "{end}: {text}");
    }
}

/// In a cycle with two entries a block can run several times per iteration, although no inner loop is found.
#[test]
fn functions_with_irreducible_control_flow_are_unchanged() {
    let context = context();
    let text = BYTES.replace(
        "done:\n  ret void",
        "done:\n  br i1 %end, label %one, label %two\none:\n  br label %two\ntwo:\n  br label %one",
    );
    assert_ne!(text, BYTES);
    let module = Module::from_text(&context, &text).unwrap();
    assert!(!resolve_counters(module.function("count").unwrap()));
}

/// What memory holds is not computed again in the latch.
#[test]
fn a_counter_from_memory_is_not_resolved() {
    let context = context();
    let text = BYTES.replace("%up = add nuw nsw i64 %i, 1", "%up = add i64 %i, %z");
    assert_ne!(text, BYTES);
    let module = Module::from_text(&context, &text).unwrap();
    assert!(!resolve_counters(module.function("count").unwrap()));
}

#[test]
fn jumps_are_threaded_if_the_counter_is_not_resolved() {
    let context = context();
    let module = dissolved(&context, &with_unresolved_counter());
    assert_eq!(count(&module, "count", "alloca"), 0);
    assert_eq!(count(&module, "count", "br "), 0);
}

/// Threads of a warp could execute two copies of the call, and wait for each other.
#[test]
fn a_block_with_a_convergent_call_is_not_copied() {
    let context = context();
    let convergent = with_unresolved_counter().replace(
        "  br i1 %end, label %done, label %use",
        "  call void @meet() convergent\n  br i1 %end, label %done, label %use",
    );
    let module = dissolved(&context, &convergent);
    assert_eq!(count(&module, "count", "@meet"), 1);
    assert_eq!(count(&module, "count", "alloca"), 1);
}

/// The barrier is behind the loop, in a block that threading would not copy; but some threads would jump past the block where a warp reconverges.
#[test]
fn jumps_of_a_function_with_an_aligned_operation_are_not_threaded() {
    let context = context();
    let barrier = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";
    let assembly = "call void asm sideeffect \"barrier.cluster.wait.aligned;\", \"\"() convergent";
    let wrapped = "call void @waits() convergent";
    for operation in [barrier, assembly, wrapped] {
        let declarations = "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
define void @waits() noinline convergent {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
";
        // Too large an array for its loop to be unrolled without that.
        let plain = with_unresolved_counter().replace("[4 x i8]", "[80 x i8]");
        assert_eq!(count(&dissolved(&context, &plain), "count", "alloca"), 0);
        let text = plain.replace("done:\n  ret", &format!("done:\n  {operation}\n  ret"));
        assert_ne!(text, plain);
        let text = text + declarations;
        let before = Module::from_text(&context, &text).unwrap();
        let module = dissolved(&context, &text);
        let body = |m: &Module<'_>| m.function("count").unwrap().to_text();
        assert_eq!(body(&module), body(&before));
    }
}

/// Which element is read is known at run time only: nothing is gained, so nothing is changed.
#[test]
fn a_function_whose_array_stays_is_unchanged() {
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
fn functions_without_arrays_are_unchanged() {
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
