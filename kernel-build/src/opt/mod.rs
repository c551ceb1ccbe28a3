//! What speed needs: passes without which a kernel does the same, and takes longer.
//!
//! | analysis | what it says |
//! |---|---|
//! | [`loops`] | natural loops with one entry and one latch |
//! | [`add_recurrence`] | integers that grow by a loop-invariant step |
//! | [`back_edge`] | what values are where the latch branches back |
//! | [`trip_count`] | how many iterations a loop has, and the last value of an add recurrence |
//! | [`upper_bounds`] | which integers are small |
//!
//! Must not know: cargo, files. Each pass is fuzzed against the unchanged function (`differential_fuzzing`).

mod add_recurrence;
mod back_edge;
pub(crate) mod bit_counts;
pub(crate) mod bounds_check_hoisting;
pub(crate) mod canonical_counters;
pub(crate) mod case_analysis;
pub(crate) mod case_selection;
pub(crate) mod counting_loops;
#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod differential_fuzzing;
pub(crate) mod division_versioning;
pub(crate) mod early_checks;
pub(crate) mod early_loops;
pub(crate) mod float_arithmetic;
pub(crate) mod gather_batching;
pub(crate) mod group_unrolling;
mod guard_merging;
pub(crate) mod index_narrowing;
mod index_ranges;
pub(crate) mod jump_threading;
mod latch_folding;
pub(crate) mod length_versioning;
mod linear;
pub(crate) mod load_sinking;
pub(crate) mod local_arrays;
pub(crate) mod loop_rotation;
mod loops;
pub(crate) mod memcpy_expansion;
pub(crate) mod participation;
mod pointer_counters;
pub(crate) mod pointer_strength_reduction;
pub(crate) mod range_versioning;
mod region;
mod remaining_length;
pub(crate) mod saturating_casts;
pub(crate) mod sincos_merging;
pub(crate) mod step_narrowing;
pub(crate) mod trailing_zeros;
mod trip_count;
mod upper_bounds;
mod version_exits;
pub(crate) mod wide_min_max;
pub(crate) mod wide_multiply;

use crate::hash::HashSet;
use crate::llvm::{LlvmError, Machine, Module, Passes, Value};
use crate::lower::merged_constants;

/// The functions of a module that some passes have changed, for others that follow.
#[derive(Default)]
pub(crate) struct Changed<'ctx>(HashSet<Value<'ctx>>);

impl<'ctx> Changed<'ctx> {
    /// The functions with loops.
    pub(crate) fn with_loops(module: &Module<'ctx>) -> Changed<'ctx> {
        let functions = defined(module).into_iter();
        Changed(
            functions
                .filter(|f| !loops::in_cycles(*f).is_empty())
                .collect(),
        )
    }

    /// Those of them that are kernels: a function that is not inlined by now stays what it is.
    pub(crate) fn kernels(mut self) -> Changed<'ctx> {
        self.0.retain(|f| f.is_kernel());
        self
    }

    /// Runs a pass on all functions; it returns whether it has changed one, or will.
    pub(crate) fn each(&mut self, module: &Module<'ctx>, pass: fn(Value<'ctx>) -> bool) {
        self.0
            .extend(defined(module).into_iter().filter(|f| pass(*f)));
    }

    /// With other functions.
    pub(crate) fn add(&mut self, others: Changed<'ctx>) {
        self.0.extend(others.0);
    }

    /// Runs a pass on the changed functions, and keeps those of which it returns that it has changed them.
    pub(crate) fn only(&mut self, module: &Module<'ctx>, pass: fn(Value<'ctx>) -> bool) {
        let all = defined(module).into_iter();
        self.0 = all.filter(|f| self.0.contains(f) && pass(*f)).collect();
    }

    /// Runs a pass on the changed functions.
    pub(crate) fn again<T>(&self, module: &Module<'ctx>, pass: fn(Value<'ctx>) -> T) {
        for function in defined(module).into_iter().filter(|f| self.0.contains(f)) {
            pass(function);
        }
    }

    /// Runs passes of LLVM on the changed functions; no others are changed.
    pub(crate) fn run(
        &self,
        module: &mut Module<'ctx>,
        passes: Passes,
        machine: Option<&Machine<'_>>,
    ) -> Result<(), LlvmError> {
        if self.0.is_empty() {
            return Ok(());
        }
        for other in defined(module).into_iter().filter(|f| !self.0.contains(f)) {
            other.add_optnone();
        }
        module.run(passes, machine)?;
        // Not from those that got it: LLVM replaces a function whose arguments it removes by a new one with the same attributes.
        defined(module).into_iter().for_each(Value::remove_optnone);
        Ok(())
    }

    /// Moves what does not change out of the loops of these functions.
    pub(crate) fn hoist_invariants(
        &self,
        module: &mut Module<'ctx>,
        machine: &Machine<'_>,
    ) -> Result<(), LlvmError> {
        self.run(module, Passes::hoist_invariants(), Some(machine))
    }

    /// Optimises the changed functions as [`optimise`] does all.
    pub(crate) fn optimise(
        &self,
        module: &mut Module<'ctx>,
        machine: Option<&Machine<'_>>,
    ) -> Result<(), LlvmError> {
        within_limits(module, |module| {
            self.run(module, Passes::optimize(), machine)?;
            merged_constants::place(module);
            self.run(module, Passes::infer_address_spaces(), machine)
        })
    }

    /// Duplicates loops of the changed functions on loop-invariant conditions.
    ///
    /// Without a target machine jump threading and CFG simplification ignore that threads of a warp must reconverge before an `.aligned` operation:
    /// they can redirect an edge past the block where they do, without copying any convergent operation. So functions with such operations get only
    /// the passes that keep all blocks where control flow joins.
    pub(crate) fn unswitch(&self, module: &mut Module<'ctx>) -> Result<(), LlvmError> {
        let functions = self.0.iter().copied();
        let (aligned, others) = functions.partition(|f| has_aligned_op(*f));
        Changed(others).run(module, Passes::unswitch_loops(), None)?;
        Changed(aligned).run(module, Passes::unswitch_loops_with_aligned_ops(), None)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// LLVM's optimisation of a module, as a whole.
pub(crate) fn optimise(
    module: &mut Module<'_>,
    machine: Option<&Machine<'_>>,
) -> Result<(), LlvmError> {
    within_limits(module, |module| {
        module.run(Passes::optimize(), machine)?;
        merged_constants::place(module);
        module.run(Passes::infer_address_spaces(), machine)
    })
}

/// Instructions of a function from which on passes of LLVM have other limits. The sum of 3000 checked elements took 9 s more with InstCombine's
/// sinking, and 4 s more with the usual limits of the other two.
const LARGE_FUNCTION: usize = 10_000;

/// Runs passes of LLVM, with the limits for large functions if the module has one.
fn within_limits<'ctx, T>(
    module: &mut Module<'ctx>,
    passes: impl FnOnce(&mut Module<'ctx>) -> T,
) -> T {
    if module.largest_function() < LARGE_FUNCTION {
        return passes(module);
    }
    let context = module.context();
    // SAFETY: the device linker has one thread, and the tests of this crate optimise no module with a large function.
    unsafe { context.with_limits_for_large_functions(|| passes(module)) }
}

/// Whether a function contains an operation that all threads of a warp must execute together (`.aligned`), itself or in a function that it calls. What an
/// indirect call calls is not known, so it counts as one.
fn has_aligned_op(function: Value<'_>) -> bool {
    let mut seen = HashSet::from_iter([function]);
    let mut todo = vec![function];
    while let Some(function) = todo.pop() {
        let instructions = function.instructions().into_iter();
        for callee in instructions.filter_map(Value::as_call).map(Value::callee) {
            let called = callee.as_function();
            let text = callee.asm_text().or_else(|| called.map(Value::name));
            if text.is_none_or(|text| is_aligned(&text)) {
                return true;
            }
            todo.extend(called.filter(|f| seen.insert(*f)));
        }
    }
    false
}

/// Whether PTX, or the name of an intrinsic, is an operation of whole warps. `bar.` is short for `barrier.` with `.aligned`; `bar.warp.sync` is not.
fn is_aligned(text: &str) -> bool {
    let short = |at: usize| !text[at..].starts_with("bar.warp.");
    let mut bars = text.match_indices("bar.").map(|(at, _)| at);
    text.contains("aligned") || text.contains("barrier0") || bars.any(short)
}

fn defined<'ctx>(module: &Module<'ctx>) -> Vec<Value<'ctx>> {
    let functions = module.functions().into_iter();
    functions.filter(|f| !f.is_declaration()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::tests::context;
    use crate::lower::retarget::TRIPLE;

    /// Whether a function with this instruction has an operation of whole warps.
    fn is_found(instruction: &str) -> bool {
        let context = context();
        let text = format!(
            "
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
declare void @llvm.nvvm.bar.warp.sync(i32) convergent
declare void @plain() convergent
define void @waits() convergent {{
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}}
define void @calls(ptr %function) {{
  {instruction}
  ret void
}}
"
        );
        let module = Module::from_text(&context, &text).unwrap();
        has_aligned_op(module.function("calls").unwrap())
    }

    #[test]
    fn operations_of_whole_warps_are_found() {
        for found in [
            "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) convergent",
            "call void asm sideeffect \"barrier.cluster.wait.aligned;\", \"\"() convergent",
            "call void asm sideeffect \"bar.sync 0;\", \"\"() convergent",
            "call void asm sideeffect \"bar.cta.red.popc.u32 $0, 0, p;\", \"\"() convergent",
            "call void @waits() convergent",
            "call void %function() convergent",
        ] {
            assert!(is_found(found), "{found}");
        }
        for other in [
            "call void @plain() convergent",
            "call void @llvm.nvvm.bar.warp.sync(i32 -1) convergent",
            "call void asm sideeffect \"bar.warp.sync -1;\", \"\"() convergent",
            "call void asm sideeffect \"mbarrier.arrive.shared.b64 _, [$0];\", \"\"() convergent",
            "call void asm sideeffect \"barrier.sync 1;\", \"\"() convergent",
        ] {
            assert!(!is_found(other), "{other}");
        }
    }

    #[test]
    fn functions_that_llvm_replaces_are_optimised_again() {
        let context = context();
        let mut module = Module::from_text(
            &context,
            "
define void @changed(ptr %p) {
  call void @unchanged(ptr %p, i32 1)
  ret void
}
define internal void @unchanged(ptr %p, i32 %dead) {
  store volatile i32 0, ptr %p
  ret void
}
",
        )
        .unwrap();
        let changed = Changed(HashSet::from_iter([module.function("changed").unwrap()]));
        changed.optimise(&mut module, None).unwrap();
        let unchanged = module.function("unchanged").unwrap();
        assert!(
            !unchanged.to_text().contains("dead"),
            "the argument is removed"
        );
        assert!(!unchanged.has_attribute("optnone"));
    }

    /// A loop of at most two rounds, which LLVM's own unrolling leaves: each reads a row of a tile of 18 by 18 cells. An array has the rows, so that they are known only
    /// when the loop is unrolled.
    const TILE: &str = "
declare range(i32 0, 16) i32 @x()
declare range(i32 0, 256) i32 @slot()
declare void @panic() noreturn
define ptx_kernel void @f(ptr %tile) {
start:
  %rows = alloca [2 x i64]
  %x.short = call range(i32 0, 16) i32 @x() memory(none) nounwind
  %slot.short = call range(i32 0, 256) i32 @slot() memory(none) nounwind
  %x = zext i32 %x.short to i64
  %slot = zext i32 %slot.short to i64
  %x2 = add i64 %x, 2
  store i64 %x, ptr %rows
  %second = getelementptr i64, ptr %rows, i64 1
  store i64 %x2, ptr %second
  br label %next
next:
  %k = phi i64 [ 0, %start ], [ %k1, %in.bounds ]
  %i = phi i64 [ %slot, %start ], [ %i1, %in.bounds ]
  %from = getelementptr i64, ptr %rows, i64 %k
  %row = load i64, ptr %from
  %first = mul i64 %row, 18
  %at = add i64 %first, %x
  %is.in = icmp ult i64 %at, 324
  br i1 %is.in, label %in.bounds, label %out
in.bounds:
  %cell = getelementptr i32, ptr %tile, i64 %at
  %value = load volatile i32, ptr %cell
  %k1 = add i64 %k, 1
  %i1 = add i64 %i, 256
  %more = icmp ult i64 %i1, 432
  br i1 %more, label %next, label %done
out:
  call void @panic()
  unreachable
done:
  ret void
}
";

    #[test]
    fn checks_that_ranges_decide_behind_unrolled_loops_are_dropped() {
        let context = context();
        let machine = Machine::new(&context, TRIPLE, "sm_75", "+ptx71").unwrap();
        let mut module = Module::from_text(&context, TILE).unwrap();
        module.set_target(TRIPLE, &machine.data_layout());
        optimise(&mut module, Some(&machine)).unwrap();
        let text = module.function("f").unwrap().to_text();
        assert!(!text.contains("@panic"), "{text}");
    }
}
