//! Differential fuzzing of the passes: generated functions behave equally before and after a pass.
//!
//! A function is [generated](generator) from a seed and [interpreted](interpreter) by the rules of IR, poison included. Then it [runs](compare) on the
//! host, unchanged and transformed by a pass; where the outcome of a call is defined and a result is not poison, all three must agree on results,
//! memory, and the trace of convergent calls, volatile and atomic accesses. For functions with convergent calls, the traces of several threads are
//! [replayed](warp), to compare which threads make each call together.
//!
//! The tests take seconds, from fixed seeds. `WARPLOOM_FUZZ_SECONDS=600 cargo test -p warploom-build differential_fuzzing` runs each for ten minutes,
//! with one seed after the other; `WARPLOOM_FUZZ_SEED=7` sets the first one, to repeat a failure. A function that fails is [shrunk](shrink).

mod compare;
mod counted_loops;
mod function;
mod generator;
mod host;
mod interpreter;
mod kernels;
mod printer;
mod shrink;
mod straight_line;
mod warp;

use super::{
    Changed, bit_counts, bounds_check_hoisting, canonical_counters, case_analysis, case_selection,
    counting_loops, division_versioning, early_checks, early_loops, float_arithmetic,
    gather_batching, group_unrolling, index_narrowing, jump_threading, length_versioning,
    load_sinking, local_arrays, loop_rotation, memcpy_expansion, participation,
    pointer_strength_reduction, range_versioning, saturating_casts, sincos_merging, step_narrowing,
    trailing_zeros, wide_min_max, wide_multiply,
};
use crate::llvm::{Block, Machine, Module, Passes, Value};
use compare::{Meetings, Suite, check, check_arrivals};
use std::cell::Cell;

/// Runs a pass on each function with a body; returns how many it changed.
fn each(module: &Module<'_>, mut lower: impl FnMut(Value<'_>) -> bool) -> usize {
    let functions = module.functions().into_iter();
    let defined = functions.filter(|f| !f.is_declaration());
    defined.filter(|f| lower(*f)).count()
}

fn texts(module: &Module<'_>) -> Vec<String> {
    let functions = module.functions().into_iter();
    functions.map(Value::to_text).collect()
}

/// Straight-line arithmetic, mostly of indices.
const STRAIGHT: Suite = Suite {
    seed: 1,
    functions: 600,
    calls: 12,
    threads: 1,
    meetings: Meetings::Kept,
    unrolls: false,
    prepare: |_| {},
    function: straight_line::function,
    input: straight_line::input,
};

/// Counted loops with checks, gathers and strided reads.
const LOOPS: Suite = Suite {
    seed: 1,
    functions: 400,
    calls: 16,
    threads: 1,
    meetings: Meetings::Kept,
    unrolls: false,
    prepare: |_| {},
    function: counted_loops::function,
    input: counted_loops::input,
};

#[test]
fn narrow_arithmetic_is_the_same() {
    let compared = check(&STRAIGHT, |module| {
        let mut changed = 0;
        // As in the pipeline: narrowing an expression may make another one narrow.
        for _ in 0..2 {
            changed += each(module, index_narrowing::narrow);
            module.run(Passes::tidy(), None).unwrap();
        }
        each(module, index_narrowing::merge_addresses);
        changed
    });
    compared.are_enough(400, 20_000, 0);
}

/// Most arguments are small, so that both versions are run.
#[test]
fn versioned_divisions_do_the_same() {
    let divided = Suite {
        function: kernels::with_division,
        functions: 200,
        ..KERNELS
    };
    let version = |module: &mut Module<'_>| division_versioning::version_all(module).unwrap();
    let compared = check(&divided, |module| {
        let changed = changed(module, version);
        each(module, index_narrowing::narrow);
        changed
    });
    compared.are_enough(100, 1500, 10);
    let straight = Suite {
        functions: 200,
        ..STRAIGHT
    };
    let compared = check(&straight, |module| {
        let changed = changed(module, version);
        index_narrowing::narrow_all(module).unwrap();
        changed
    });
    compared.are_enough(10, 5_000, 0);
}

#[test]
fn wide_minima_are_the_same() {
    // Loops merge them.
    for (suite, changed, results) in [(&STRAIGHT, 200, 20_000), (&KERNELS, 50, 1000)] {
        let compared = check(suite, |module| {
            let before = texts(module);
            wide_min_max::widen(module);
            let after = texts(module);
            after.iter().zip(before).filter(|(a, b)| *a != b).count()
        });
        compared.are_enough(changed, results, 0);
    }
}

#[test]
fn products_of_widened_factors_are_the_same() {
    let compared = check(&STRAIGHT, |module| {
        let before = texts(module);
        wide_multiply::widen_factors(module);
        let after = texts(module);
        after.iter().zip(before).filter(|(a, b)| *a != b).count()
    });
    compared.are_enough(200, 20_000, 0);
}

#[test]
fn trailing_zeros_are_the_same() {
    let zeros = Suite {
        function: straight_line::with_zeros,
        ..STRAIGHT
    };
    let compared = check(&zeros, |module| changed(module, trailing_zeros::count_all));
    compared.are_enough(400, 10_000, 0);
}

#[test]
fn saturating_casts_are_the_same() {
    let casts = Suite {
        function: straight_line::with_saturating_casts,
        ..STRAIGHT
    };
    let compared = check(&casts, |module| {
        changed(module, saturating_casts::convert_all)
    });
    compared.are_enough(400, 10_000, 0);
}

#[test]
fn canonical_counters_do_the_same() {
    for function in [LOOPS.function, counted_loops::tested_twice] {
        let compared = check(&Suite { function, ..LOOPS }, |module| {
            each(module, canonical_counters::canonicalise)
        });
        compared.are_enough(60, 1500, 1000);
    }
}

#[test]
fn hoisted_checks_do_the_same() {
    let compared = check(&LOOPS, |module| {
        each(module, canonical_counters::canonicalise);
        let changed = each(module, bounds_check_hoisting::hoist);
        module.verify().unwrap();
        module.run(Passes::unswitch_loops(), None).unwrap();
        changed
    });
    compared.are_enough(80, 1500, 1000);
}

/// The checks of a loop are hoisted behind its rotation, as in the pipeline.
#[test]
fn rotated_loops_do_the_same() {
    let unrotated = Suite {
        function: counted_loops::unrotated,
        ..LOOPS
    };
    let compared = check(&unrotated, |module| {
        let gpu = gpu(module);
        let mut rotated = Changed::default();
        loop_rotation::rotate_all(module, &mut rotated, &gpu).unwrap();
        module.verify().unwrap();
        each(module, canonical_counters::canonicalise);
        each(module, bounds_check_hoisting::hoist);
        module.verify().unwrap();
        module.run(Passes::unswitch_loops(), None).unwrap();
        rotated.0.len()
    });
    compared.are_enough(300, 1500, 1000);
}

#[test]
fn batched_gathers_do_the_same() {
    let compared = check(&LOOPS, |module| {
        each(module, canonical_counters::canonicalise);
        module.run(Passes::unswitch_loops(), None).unwrap();
        let changed = each(module, gather_batching::batch);
        module.verify().unwrap();
        module.run(Passes::after_instrumenting(), None).unwrap();
        changed
    });
    compared.are_enough(60, 1500, 1000);
}

#[test]
fn strength_reduced_pointers_are_the_same() {
    let compared = check(&LOOPS, |module| {
        module.run(Passes::unswitch_loops(), None).unwrap();
        each(module, pointer_strength_reduction::reduce)
    });
    compared.are_enough(40, 1500, 1000);
}

#[test]
fn narrowed_steps_do_the_same() {
    let strided = Suite {
        function: counted_loops::with_small_strides,
        ..LOOPS
    };
    let compared = check(&strided, |module| {
        each(module, pointer_strength_reduction::reduce);
        let functions = module.functions().into_iter();
        let defined = functions.filter(|f| !f.is_declaration());
        defined
            .filter(|f| step_narrowing::narrow(module, *f))
            .count()
    });
    compared.are_enough(60, 1500, 0);
}

/// The same loops with convergent calls.
const CONVERGENT_LOOPS: Suite = Suite {
    functions: 200,
    threads: 2,
    function: counted_loops::convergent,
    ..LOOPS
};

/// Kernels: any control flow, convergent calls, memory.
const KERNELS: Suite = Suite {
    seed: 1,
    functions: 150,
    calls: 3,
    threads: 4,
    meetings: Meetings::Kept,
    unrolls: false,
    prepare: |_| {},
    function: kernels::function,
    input: kernels::input,
};

/// Kernels as the pipeline optimises them before its own passes.
const OPTIMISED_KERNELS: Suite = Suite {
    prepare: optimise,
    ..KERNELS
};

fn optimise(module: &mut Module<'_>) {
    let gpu = gpu(module);
    crate::opt::optimise(module, Some(&gpu)).unwrap();
}

/// Sets the target of a module; returns the machine for its passes.
fn gpu<'ctx>(module: &mut Module<'ctx>) -> Machine<'ctx> {
    let triple = "nvptx64-nvidia-cuda";
    let machine = Machine::new(module.context(), triple, "sm_75", "+ptx71").unwrap();
    module.set_target(triple, &machine.data_layout());
    machine
}

/// Runs a pass on a module; returns how many functions it changed.
fn changed(module: &mut Module<'_>, pass: impl FnOnce(&mut Module<'_>)) -> usize {
    let before = texts(module);
    pass(module);
    let after = texts(module);
    before.iter().filter(|text| !after.contains(text)).count()
}

/// The passes of the pipeline from `case-selection` to `pointer-strength-reduction`.
fn loop_passes<'ctx>(module: &mut Module<'ctx>) -> Changed<'ctx> {
    let mut loops = Changed::default();
    let gpu = gpu(module);
    case_selection::select_all(module, &mut loops, &gpu).unwrap();
    length_versioning::version_all(module, &mut loops);
    loops.each(module, canonical_counters::canonicalise);
    loops.each(module, range_versioning::version);
    loops.each(module, bounds_check_hoisting::hoist);
    let mut counted = Changed::default();
    counting_loops::replace_all(module, &mut counted);
    case_analysis::rewrite_all(module, &counted, &gpu).unwrap();
    loops.add(counted);
    bit_counts::replace_all(module, &mut loops);
    loops.each(module, bounds_check_hoisting::merge_guards);
    loops.each(module, gather_batching::is_candidate);
    loops.unswitch(module).unwrap();
    loops.again(module, gather_batching::batch);
    loops.again(module, pointer_strength_reduction::reduce);
    loops
}

#[test]
fn loop_passes_keep_convergent_calls() {
    let compared = check(&OPTIMISED_KERNELS, |module| {
        changed(module, |module| _ = loop_passes(module))
    });
    compared.are_enough(20, 3000, 20);
    compared.has_events(1000);
}

/// The pass makes constants of what only the threads of a GPU could answer. So what it concludes is compared, and not what functions return.
#[test]
fn all_threads_arrive_where_the_pass_says_so() {
    let suite = Suite {
        functions: 2000,
        calls: 6,
        ..KERNELS
    };
    let several_ends = Cell::new(0);
    let claims = check_arrivals(&suite, |function| {
        let flow = participation::Flow::of(function).unwrap();
        let blocks = Block::all(function).into_iter();
        let (known, ends): (Vec<Block<'_>>, Vec<Block<'_>>) = (
            blocks
                .clone()
                .filter(|b| flow.all_threads_arrive(*b))
                .collect(),
            blocks.filter(|b| b.successors().is_empty()).collect(),
        );
        let calls = known.iter().flat_map(|b| b.instructions());
        let calls = calls.filter_map(Value::as_call);
        let of_fuzz = calls.filter(|call| call.is_convergent());
        let sites: Vec<u64> = of_fuzz
            .filter_map(|call| call.args()[0].as_integer())
            .collect();
        if ends.len() > 1 {
            several_ends.set(several_ends.get() + sites.len());
        }
        sites
    });
    let several_ends = several_ends.get();
    assert!(
        claims > 500 && several_ends > 300,
        "{claims}, {several_ends}"
    );
}

/// Each sum and product of floats goes through a marked call that returns it.
fn with_marked_calls(text: &str) -> String {
    let mut lines = String::new();
    for line in text.lines() {
        let result = line
            .trim()
            .split_once(" = f")
            .filter(|_| line.contains(" float "));
        let Some((name, _)) = result.filter(|(name, _)| name.ends_with(".r")) else {
            lines += &format!("{line}\n");
            continue;
        };
        let marked = line.replacen(name, &format!("{name}.before"), 1);
        lines += &format!(
            "{marked}\n  {name} = call float @llvm.copysign.f32(float {name}.before, float {name}.before) convergent\n"
        );
    }
    lines + "declare float @llvm.copysign.f32(float, float)\n"
}

#[test]
fn unmarked_floats_do_the_same() {
    let calls = Cell::new(0);
    let compared = check(&KERNELS, |module| {
        let text = with_marked_calls(&module.to_text());
        *module = Module::from_text(module.context(), &text).unwrap();
        calls.set(calls.get() + text.matches("= call float @llvm.copysign").count());
        changed(module, |module| {
            float_arithmetic::unmark(module);
            let functions = module.functions().into_iter();
            let mut marked = functions
                .flat_map(Value::instructions)
                .filter_map(Value::as_call)
                .filter(|call| call.callee().name().starts_with("llvm.copysign"));
            assert!(!marked.any(Value::is_convergent));
            thread_jumps(module);
            loop_passes(module);
        })
    });
    compared.are_enough(80, 3000, 10);
    compared.has_events(1000);
    assert!(calls.get() >= 50, "{} calls of arithmetic", calls.get());
}

/// A quarter of the calls have short arrays, and constants go up to their 32 elements, so that both versions are run.
#[test]
fn versioned_lengths_do_the_same() {
    let lengths = Suite {
        function: kernels::with_lengths,
        functions: 300,
        ..KERNELS
    };
    let compared = check(&lengths, |module| each(module, length_versioning::version));
    compared.are_enough(100, 1000, 100);
}

#[test]
fn counting_loops_do_the_same() {
    let loops = Suite {
        function: kernels::with_counting_loop,
        functions: 400,
        ..KERNELS
    };
    let compared = check(&loops, |module| {
        changed(module, |module| {
            counting_loops::replace_all(module, &mut Changed::default());
        })
    });
    compared.are_enough(100, 1000, 10);
}

/// A quarter of the calls have short arrays, so that both versions are run.
#[test]
fn versioned_ranges_do_the_same() {
    let nests = Suite {
        prepare: thread_jumps,
        function: kernels::with_nest,
        functions: 400,
        ..KERNELS
    };
    let compared = check(&nests, |module| {
        each(module, canonical_counters::canonicalise);
        each(module, range_versioning::version)
    });
    compared.are_enough(80, 1000, 100);
}

#[test]
fn cases_do_the_same() {
    let chained = Suite {
        function: kernels::with_chained_iterator,
        functions: 600,
        ..KERNELS
    };
    let compared = check(&chained, |module| each(module, case_analysis::rewrite));
    compared.are_enough(60, 1000, 0);
}

#[test]
fn unrolled_groups_do_the_same() {
    let compared = check(&LOOPS, |module| {
        each(module, canonical_counters::canonicalise);
        each(module, bounds_check_hoisting::hoist);
        module.run(Passes::unswitch_loops(), None).unwrap();
        each(module, group_unrolling::unroll)
    });
    compared.are_enough(60, 1500, 1000);
}

#[test]
fn early_checks_do_the_same() {
    let conditional = Suite {
        function: kernels::with_conditional_loads,
        functions: 300,
        ..KERNELS
    };
    let compared = check(&conditional, |module| each(module, early_checks::hoist));
    compared.are_enough(150, 1000, 100);
}

#[test]
fn counted_bits_are_the_same() {
    let counting = Suite {
        function: kernels::with_bit_loop,
        functions: 400,
        ..KERNELS
    };
    let compared = check(&counting, |module| {
        changed(module, |module| {
            bit_counts::replace_all(module, &mut Changed::default());
        })
    });
    compared.are_enough(100, 3000, 10);
}

#[test]
fn selected_cases_do_the_same() {
    let select = |module: &mut Module<'_>| {
        each(module, case_selection::select);
        module.run(Passes::drop_unreached_blocks(), None).unwrap();
    };
    let matches = Suite {
        function: kernels::with_match,
        functions: 400,
        ..KERNELS
    };
    let compared = check(&matches, |module| changed(module, select));
    compared.are_enough(150, 3000, 10);
    // Threads that have parted meet where they did.
    let compared = check(&KERNELS, |module| changed(module, select));
    compared.are_enough(1, 1500, 10);
    compared.has_events(1000);
}

#[test]
fn merged_guards_do_the_same() {
    let compared = check(&CONVERGENT_LOOPS, |module| {
        each(module, canonical_counters::canonicalise);
        each(module, bounds_check_hoisting::hoist);
        each(module, bounds_check_hoisting::merge_guards)
    });
    compared.are_enough(20, 1500, 1000);
    compared.has_events(1000);
}

#[test]
fn promoted_local_arrays_do_the_same() {
    let arrays = Suite {
        unrolls: true,
        function: kernels::with_array_loop,
        ..KERNELS
    };
    let compared = check(&arrays, |module| {
        let gpu = gpu(module);
        changed(module, |module| {
            local_arrays::promote(module, &gpu).unwrap()
        })
    });
    compared.are_enough(10, 3000, 5);
    compared.has_events(300);
}

/// Nests of any kind: of a loop whose first block only begins another one.
#[test]
fn merged_nests_do_the_same() {
    let nests = Suite {
        prepare: |module| {
            thread_jumps(module);
            module.run(Passes::close_loops(), None).unwrap();
        },
        function: kernels::with_nest,
        functions: 400,
        ..KERNELS
    };
    let compared = check(&nests, |module| {
        each(module, local_arrays::loop_merging::merge)
    });
    compared.are_enough(40, 1000, 50);
}

/// Without the optimisation that follows: each convergent call stays where it is.
#[test]
fn resolved_counters_keep_convergent_calls() {
    for function in [kernels::with_array_loop, kernels::function] {
        let suite = Suite {
            function,
            ..KERNELS
        };
        let compared = check(&suite, |module| {
            each(module, local_arrays::resolve_counters)
        });
        compared.are_enough(10, 3000, 5);
        compared.has_events(300);
    }
}

/// No convergent call is copied, and threads that meet before an operation of whole warps still do.
#[test]
fn threaded_jumps_do_the_same() {
    for function in [
        kernels::function,
        kernels::with_array_loop,
        kernels::with_inclusive_loop,
    ] {
        let suite = Suite {
            meetings: Meetings::KeptWithAligned,
            function,
            ..KERNELS
        };
        let compared = check(&suite, |module| changed(module, thread_jumps));
        compared.are_enough(80, 3000, 10);
        compared.has_events(1000);
    }
}

#[test]
fn threaded_jumps_of_counted_loops_do_the_same() {
    for suite in [LOOPS, CONVERGENT_LOOPS] {
        let compared = check(&suite, |module| changed(module, thread_jumps));
        compared.are_enough(100, 1500, 1000);
    }
}

fn thread_jumps(module: &mut Module<'_>) {
    let loops = Changed::with_loops(module);
    jump_threading::thread(module, &loops).unwrap();
    assert!(!module.to_text().contains(" asm sideeffect \"// keeps"));
}

/// What remains of a loop over an inclusive range when its jumps are threaded.
#[test]
fn counters_of_inclusive_ranges_do_the_same() {
    let suite = Suite {
        prepare: thread_jumps,
        function: kernels::with_inclusive_loop,
        ..KERNELS
    };
    let compared = check(&suite, |module| {
        each(module, canonical_counters::canonicalise)
    });
    compared.are_enough(30, 3000, 10);
    compared.has_events(300);
}

#[test]
fn sunk_loads_do_the_same() {
    for function in [kernels::function, kernels::with_array_loop] {
        let suite = Suite {
            function,
            ..KERNELS
        };
        let compared = check(&suite, |module| each(module, load_sinking::sink));
        compared.are_enough(30, 3000, 10);
    }
    let compared = check(&LOOPS, |module| each(module, load_sinking::sink));
    compared.are_enough(60, 1500, 1000);
}

#[test]
fn merged_sines_and_cosines_are_the_same() {
    let compared = check(&KERNELS, |module| changed(module, sincos_merging::merge));
    compared.are_enough(30, 3000, 20);
}

#[test]
fn expanded_copies_do_the_same() {
    let compared = check(&KERNELS, |module| {
        changed(module, |module| memcpy_expansion::expand(module))
    });
    compared.are_enough(20, 3000, 20);
}

/// All passes of the optimisation stage and those of the emission stage that make code faster, in the order of the pipeline.
#[test]
fn all_passes_together_do_the_same() {
    for function in [kernels::function, kernels::with_inclusive_loop] {
        let suite = Suite {
            meetings: Meetings::OfWholeWarps,
            unrolls: true,
            function,
            ..KERNELS
        };
        let compared = check(&suite, |module| changed(module, all_passes));
        compared.are_enough(100, 3000, 10);
        compared.has_events(1000);
        compared.has_meetings(20);
    }
}

fn all_passes(module: &mut Module<'_>) {
    sincos_merging::merge(module);
    let gpu = gpu(module);
    let mut simplified = module.duplicate();
    early_loops::simplify(&mut simplified, &gpu).unwrap();
    let loops = Changed::with_loops(&simplified).kernels();
    jump_threading::thread(&mut simplified, &loops).unwrap();
    loops.again(&simplified, canonical_counters::canonicalise);
    loops.hoist_invariants(&mut simplified, &gpu).unwrap();
    let mut loops = early_loops::choose(module, simplified, loops, &gpu).unwrap();
    loops.again(module, range_versioning::version);
    loops.only(module, bounds_check_hoisting::hoist);
    loops.unswitch(module).unwrap();
    loops.again(module, pointer_strength_reduction::reduce);
    crate::opt::optimise(module, Some(&gpu)).unwrap();
    local_arrays::promote(module, &gpu).unwrap();
    let loops = loop_passes(module);
    loops.optimise(module, Some(&gpu)).unwrap();
    group_unrolling::unroll_all(module).unwrap();
    division_versioning::version_all(module).unwrap();
    index_narrowing::narrow_all(module).unwrap();
    index_narrowing::merge_all_addresses(module).unwrap();
    early_checks::hoist_all(module);
    load_sinking::sink_all(module);
    memcpy_expansion::expand(module);
    trailing_zeros::count_all(module);
    wide_multiply::widen_factors(module);
    saturating_casts::convert_all(module);
}
