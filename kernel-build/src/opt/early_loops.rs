//! Which loops are treated before LLVM's O3, and which after it.
//!
//! O3 knows most loops, unrolls them well, and moves their addresses to where they are cheapest: passes in front of it would only disturb that. But where it does
//! not see a trip count, or copies checks that could be hoisted, later passes find less than they could have. So O3 is tried on a copy of the module first.

use super::add_recurrence::AddRecurrence;
use super::guard_merging::Check;
use super::loops::Loop;
use super::{
    Changed, bounds_check_hoisting, canonical_counters, defined, jump_threading, loops, optimise,
    within_limits,
};
use crate::hash::{HashMap, HashSet};
use crate::llvm::{Block, LlvmError, Machine, Module, Op, Passes, Value};
use crate::lower::symbols::free_register_reads;

/// What loop passes leave in a function.
#[derive(Clone, Copy, Default)]
struct Rest {
    /// Loops without a known trip count.
    unknown: usize,
    /// Checks that are not hoisted.
    checks: usize,
}

/// Checks that O3 has copied into an unrolled loop: so many for one.
const COPIED: usize = 4;

/// The functions of a module whose loops are better treated before O3.
#[derive(Default)]
pub(crate) struct EarlyLoops<'ctx> {
    names: HashSet<String>,
    /// The module behind O3, if that was tried.
    optimised: Option<Module<'ctx>>,
}

impl<'ctx> EarlyLoops<'ctx> {
    /// `simplified` is what [`simplify`] has made of the module, if it did already.
    pub(crate) fn find(
        module: &Module<'ctx>,
        simplified: Option<Module<'ctx>>,
        machine: &Machine<'_>,
    ) -> Result<EarlyLoops<'ctx>, LlvmError> {
        let mut threaded = match simplified {
            Some(simplified) => simplified,
            None => {
                let mut copy = module.duplicate();
                simplify(&mut copy, machine)?;
                copy
            }
        };
        let mut functions = Changed::with_loops(&threaded);
        // Of others nothing is asked, and a function that is not inlined by now stays what it is.
        functions.0.retain(|f| f.is_kernel());
        if functions.is_empty() {
            return Ok(EarlyLoops::default());
        }
        jump_threading::thread(&mut threaded, &functions)?;
        functions.again(&threaded, canonical_counters::canonicalise);
        functions.hoist_invariants(&mut threaded, machine)?;
        let before = rest(&threaded);
        let mut optimised = module.duplicate();
        optimise(&mut optimised, Some(machine))?;
        let left = rest(&optimised.duplicate());

        let none = Rest::default();
        let of = |all: &HashMap<String, Rest>, name: &str| all.get(name).copied().unwrap_or(none);
        let is_early = |name: &&String| {
            let (before, left) = (of(&before, name), of(&left, name));
            let copied = left.checks > 0 && left.checks >= COPIED * before.checks;
            left.unknown > before.unknown || copied
        };
        let mut early: HashSet<String> = before.keys().filter(is_early).cloned().collect();
        // The first iterations of a loop may differ from the others, and O3 takes them out of it: the trip count is known behind O3 only.
        let peeled = defined(&threaded).into_iter().filter(|f| {
            let name = f.name();
            !early.contains(&name) && of(&left, &name).unknown > 0
        });
        let peeled = Changed(peeled.collect());
        let names: Vec<String> = peeled.0.iter().map(|f| f.name()).collect();
        peeled.optimise(&mut threaded, Some(machine))?;
        let after = rest(&threaded);
        early.extend(
            names
                .into_iter()
                .filter(|name| of(&left, name).unknown > of(&after, name).unknown),
        );
        Ok(EarlyLoops {
            optimised: Some(optimised),
            names: early,
        })
    }

    /// Whether a kernel has some.
    pub(crate) fn contains(&self, kernel: &str) -> bool {
        self.names.contains(kernel)
    }

    /// The module behind O3, once: that is what becomes of its kernels without such loops.
    pub(crate) fn take_optimised(&mut self) -> Option<Module<'ctx>> {
        self.optimised.take()
    }

    /// Inlines, and keeps values in registers: the form in which loops are still those of the source. A module without such loops stays as it is.
    pub(crate) fn simplify(
        &self,
        module: &mut Module<'_>,
        machine: &Machine<'_>,
    ) -> Result<(), LlvmError> {
        let has_some = |f: &Value<'_>| self.contains(&f.name());
        if !defined(module).iter().any(has_some) {
            return Ok(());
        }
        simplify(module, machine)
    }

    /// Those of them that have loops.
    pub(crate) fn functions(&self, module: &Module<'ctx>) -> Changed<'ctx> {
        let mut all = Changed::with_loops(module);
        all.0.retain(|f| self.contains(&f.name()));
        all
    }
}

/// Inlines, and makes variables values. Reads of registers do not keep jumps from being threaded here; elsewhere they stay where they are, which takes fewer registers.
pub(crate) fn simplify(module: &mut Module<'_>, machine: &Machine<'_>) -> Result<(), LlvmError> {
    defined(module).into_iter().for_each(free_register_reads);
    within_limits(module, |module| {
        module.run(Passes::inline_and_simplify(), Some(machine))
    })
}

/// By the names of the kernels of a copy, on which the loop passes are tried too.
fn rest(module: &Module<'_>) -> HashMap<String, Rest> {
    let of = |function: Value<'_>| {
        canonical_counters::canonicalise(function);
        bounds_check_hoisting::hoist(function);
        let found = loops::find(function);
        let blocks = Block::all(function).into_iter();
        // A hoisted one asks the condition of the preheader first.
        let is_left = |b: &Block<'_>| {
            let condition = Check::of(*b).and_then(|_| b.condition());
            condition.is_some_and(|c| c.block().is_some() && c.op() == Op::ICmp)
        };
        let rest = Rest {
            unknown: found.iter().filter(|l| !is_counted(l)).count(),
            checks: blocks.filter(is_left).count(),
        };
        (function.name(), rest)
    };
    let kernels = defined(module).into_iter().filter(|f| f.is_kernel());
    kernels.map(of).collect()
}

/// Whether the latch compares a counter: O3 leaves other steps than one where it has unrolled a loop.
fn is_counted(found: &Loop<'_>) -> bool {
    let Some(condition) = found.latch.condition() else {
        return false;
    };
    let ends = found.latch.successors().into_iter();
    let panics = ends.filter(|b| b.is_unreachable()).count() > 0;
    condition.comparison().is_some() && !panics && {
        let (a, b) = (condition.operands()[0], condition.operands()[1]);
        let (counter, end) = if found.is_invariant(a) {
            (b, a)
        } else {
            (a, b)
        };
        found.is_invariant(end) && AddRecurrence::of(counter, found).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::tests::context;
    use crate::lower::retarget::TRIPLE;

    const COUNTED: &str = "define ptx_kernel void @counted(ptr %x, i64 %n) {
start:
  br label %next
next:
  %i = phi i64 [ 0, %start ], [ %more, %next ]
  %at = getelementptr i32, ptr %x, i64 %i
  store volatile i32 1, ptr %at
  %more = add nuw i64 %i, 1
  %goes.on = icmp ult i64 %more, %n
  br i1 %goes.on, label %next, label %done
done:
  ret void
}
";

    /// `for i in 0..=8`, of which O3 loses the trip count.
    const INCLUSIVE: &str = "define ptx_kernel void @inclusive(ptr %x) {
start:
  br label %next
next:
  %i = phi i32 [ 0, %start ], [ %i1, %body ]
  %over = phi i1 [ false, %start ], [ %over1, %body ]
  %within = icmp ule i32 %i, 8
  %is.left = xor i1 %over, true
  %goes.on = and i1 %is.left, %within
  br i1 %goes.on, label %some, label %done
some:
  %more = icmp ult i32 %i, 8
  br i1 %more, label %step, label %last
step:
  %up = add nuw i32 %i, 1
  br label %body
last:
  br label %body
body:
  %i1 = phi i32 [ %up, %step ], [ %i, %last ]
  %over1 = phi i1 [ %over, %step ], [ true, %last ]
  store volatile i32 1, ptr %x
  br label %next
done:
  ret void
}
";

    /// The module behind O3 that is found with early loops, and what O3 makes of it.
    fn optimised(text: &str) -> (Option<String>, String) {
        let context = context();
        let machine = Machine::new(&context, TRIPLE, "sm_75", "+ptx71").unwrap();
        let mut module = Module::from_text(&context, text).unwrap();
        module.set_target(TRIPLE, &machine.data_layout());
        let mut early = EarlyLoops::find(&module, None, &machine).unwrap();
        let found = early.take_optimised().map(|m| m.to_text());
        assert!(early.take_optimised().is_none());
        optimise(&mut module, Some(&machine)).unwrap();
        (found, module.to_text())
    }

    #[test]
    fn a_module_without_early_loops_is_optimised_once() {
        let (found, expected) = optimised(COUNTED);
        assert_eq!(found.as_ref(), Some(&expected));
    }

    #[test]
    fn kernels_beside_early_loops_are_optimised_once() {
        let (found, expected) = optimised(INCLUSIVE);
        assert_eq!(found.as_ref(), Some(&expected));
    }
}
