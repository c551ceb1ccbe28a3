//! Which loops are treated before LLVM's O3, and which after it.
//!
//! O3 knows most loops, unrolls them well, and moves their addresses to where they are cheapest: passes in front of it would only disturb that. But where it does
//! not see a trip count, or copies checks that could be hoisted, later passes find less than they could have. So O3 is tried on a copy of the module first.

use super::add_recurrence::AddRecurrence;
use super::guard_merging::Check;
use super::loops::Loop;
use super::{
    Changed, bounds_check_hoisting, canonical_counters, defined, loops, optimise, within_limits,
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

/// Replaces a module by the one that is compiled further: by what O3 makes of it, or by its `simplified` form if a kernel has loops that are better treated before
/// O3. Returns the kernels with such loops. `loops` are the kernels of the simplified form that have loops.
pub(crate) fn choose<'ctx>(
    module: &mut Module<'ctx>,
    simplified: Module<'ctx>,
    mut loops: Changed<'ctx>,
    machine: &Machine<'_>,
) -> Result<Changed<'ctx>, LlvmError> {
    let early = if loops.is_empty() {
        optimise(module, Some(machine))?;
        HashSet::default()
    } else {
        try_o3(module, simplified.duplicate(), machine)?
    };
    loops.0.retain(|f| early.contains(&f.name()));
    if !loops.is_empty() {
        *module = simplified;
    }
    Ok(loops)
}

/// Optimises a module, and returns the names of the kernels in which more is left for loop passes than in the simplified form.
fn try_o3<'ctx>(
    module: &mut Module<'ctx>,
    mut simplified: Module<'ctx>,
    machine: &Machine<'_>,
) -> Result<HashSet<String>, LlvmError> {
    let before = rest(&simplified);
    optimise(module, Some(machine))?;
    let left = rest(&module.duplicate());

    let none = Rest::default();
    let of = |all: &HashMap<String, Rest>, name: &str| all.get(name).copied().unwrap_or(none);
    let is_early = |name: &&String| {
        let (before, left) = (of(&before, name), of(&left, name));
        let copied = left.checks > 0 && left.checks >= COPIED * before.checks;
        left.unknown > before.unknown || copied
    };
    let mut early: HashSet<String> = before.keys().filter(is_early).cloned().collect();
    // The first iterations of a loop may differ from the others, and O3 takes them out of it: the trip count is known behind O3 only.
    let peeled = defined(&simplified).into_iter().filter(|f| {
        let name = f.name();
        !early.contains(&name) && of(&left, &name).unknown > 0
    });
    let peeled = Changed(peeled.collect());
    let names: Vec<String> = peeled.0.iter().map(|f| f.name()).collect();
    peeled.optimise(&mut simplified, Some(machine))?;
    let after = rest(&simplified);
    let is_early = |name: &String| of(&left, name).unknown > of(&after, name).unknown;
    early.extend(names.into_iter().filter(is_early));
    Ok(early)
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
    use crate::opt::jump_threading;

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

    /// The names of the kernels with early loops, the module that was chosen, what O3 makes of it, and the simplified form.
    fn chosen(text: &str) -> (Vec<String>, [String; 3]) {
        let context = context();
        let machine = Machine::new(&context, TRIPLE, "sm_75", "+ptx71").unwrap();
        let mut module = Module::from_text(&context, text).unwrap();
        module.set_target(TRIPLE, &machine.data_layout());
        let mut optimised = module.duplicate();
        optimise(&mut optimised, Some(&machine)).unwrap();
        let mut simplified = module.duplicate();
        simplify(&mut simplified, &machine).unwrap();
        let loops = Changed::with_loops(&simplified).kernels();
        jump_threading::thread(&mut simplified, &loops).unwrap();
        let form = simplified.to_text();
        let early = choose(&mut module, simplified, loops, &machine).unwrap();
        let names = early.0.iter().map(|f| f.name()).collect();
        (names, [module.to_text(), optimised.to_text(), form])
    }

    #[test]
    fn without_early_loops_a_module_is_what_o3_makes_of_it() {
        let (early, [chosen, optimised, simplified]) = chosen(COUNTED);
        assert_eq!(early, [""; 0]);
        assert_eq!(chosen, optimised);
        assert_ne!(chosen, simplified);
    }

    #[test]
    fn with_early_loops_a_module_keeps_the_loops_of_the_source() {
        let (early, [chosen, optimised, simplified]) = chosen(INCLUSIVE);
        assert_eq!(early, ["inclusive"]);
        assert_eq!(chosen, simplified);
        assert_ne!(chosen, optimised);
    }

    #[test]
    fn a_module_without_loops_is_optimised() {
        let straight = "define ptx_kernel void @straight(ptr %x) {
  %once = load i32, ptr %x
  %again = load i32, ptr %x
  %sum = add i32 %once, %again
  store i32 %sum, ptr %x
  ret void
}
";
        let (early, [chosen, optimised, simplified]) = chosen(straight);
        assert_eq!(early, [""; 0]);
        assert_eq!(chosen, optimised);
        assert_ne!(chosen, simplified);
    }
}
