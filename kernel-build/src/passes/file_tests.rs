//! Pass-level tests: a file of `tests/passes/` names a pass, then comes IR, then what the pass makes of it.
//!
//! `; pass: NAME` is the first line. `; ir:`, `; ir-next:`, `; ir-not:` and `; ir-count: N` are those of the PTX tests (`tests/ptx.rs`), on the printed
//! functions: texts in their order, a text in the next line, a text nowhere, a text so many times. `; unchanged` says that the pass changes nothing.

use super::Pass;
use crate::llvm::tests::context;
use crate::llvm::{Machine, Module, Passes, Value};
use crate::lower::retarget::TRIPLE;
use crate::lower::{atomics, local_atomics};
use crate::opt::{
    Changed, bit_counts, bounds_check_hoisting, canonical_counters, case_analysis, case_selection,
    counting_loops, division_versioning, early_checks, float_arithmetic, gather_batching,
    group_unrolling, index_narrowing, jump_threading, length_versioning, load_sinking,
    local_arrays, loop_rotation, memcpy_expansion, participation, pointer_strength_reduction,
    range_versioning, saturating_casts, sincos_merging, step_narrowing, trailing_zeros,
    wide_min_max, wide_multiply,
};
use std::collections::HashSet;
use std::path::Path;

fn apply<'ctx>(pass: Pass, m: &mut Module<'ctx>, gpu: &Machine<'ctx>) {
    let mut loops = Changed::with_loops(m);
    match pass {
        Pass::UnmarkFloats => float_arithmetic::unmark(m),
        Pass::SincosMerging => sincos_merging::merge(m),
        Pass::JumpThreading => jump_threading::thread(m, &loops).unwrap(),
        Pass::HoistInvariants => loops.hoist_invariants(m, gpu).unwrap(),
        Pass::LocalArrays => local_arrays::promote(m, gpu).unwrap(),
        Pass::CanonicalCounters => loops.each(m, canonical_counters::canonicalise),
        Pass::BoundsCheckHoisting => loops.each(m, bounds_check_hoisting::hoist),
        Pass::RangeVersioning => loops.each(m, range_versioning::version_kernel),
        Pass::CaseAnalysis => loops.again(m, case_analysis::rewrite),
        Pass::GroupUnrolling => group_unrolling::unroll_all(m).unwrap(),
        Pass::EarlyChecks => early_checks::hoist_all(m),
        Pass::BitCounts => bit_counts::replace_all(m, &mut Changed::default()),
        Pass::CaseSelection => {
            case_selection::select_all(m, &mut Changed::default(), gpu).unwrap();
        }
        Pass::LoopRotation => loop_rotation::rotate_all(m, &mut Changed::default(), gpu).unwrap(),
        Pass::LengthVersioning => length_versioning::version_all(m, &mut Changed::default()),
        Pass::Participation => participation::answer_all(m, &mut Changed::default()),
        Pass::CountingLoops => counting_loops::replace_all(m, &mut Changed::default()),
        Pass::GuardMerging => loops.each(m, bounds_check_hoisting::merge_guards),
        Pass::LoopUnswitching => loops.unswitch(m).unwrap(),
        Pass::GatherBatching => {
            // It needs the form of loops that unswitching leaves.
            m.run(Passes::unswitch_loops(), None).unwrap();
            loops.again(m, gather_batching::batch);
        }
        Pass::PointerStrengthReduction => loops.again(m, pointer_strength_reduction::reduce),
        Pass::DivisionVersioning => division_versioning::version_all(m).unwrap(),
        Pass::IndexNarrowing => index_narrowing::narrow_all(m).unwrap(),
        Pass::AddressMerging => index_narrowing::merge_all_addresses(m).unwrap(),
        Pass::LocalAtomics => local_atomics::lower(m, &["kernel".to_owned()]).unwrap(),
        Pass::ExpandAtomics => atomics::expand(m).unwrap(),
        Pass::LoadSinking => load_sinking::sink_all(m),
        Pass::MemcpyExpansion => memcpy_expansion::expand(m),
        Pass::WideMinMax => wide_min_max::widen(m),
        Pass::TrailingZeros => trailing_zeros::count_all(m),
        Pass::SaturatingCasts => saturating_casts::convert_all(m),
        Pass::StepNarrowing => step_narrowing::narrow_all(m),
        Pass::WideMultiply => wide_multiply::widen_factors(m),
        required => panic!("{required:?} has no file tests"),
    }
}

/// What is wrong with a file; `None` if it is as expected.
fn problem(text: &str) -> Option<String> {
    let name = text.lines().next()?.strip_prefix("; pass: ")?;
    let pass = Pass::ALL.iter().find(|p| p.row().name == name)?;
    let context = context();
    let gpu = Machine::new(&context, TRIPLE, "sm_75", "+ptx71").unwrap();
    let mut module = Module::from_text(&context, text).unwrap();
    module.set_target(TRIPLE, &gpu.data_layout());
    let functions = |m: &Module<'_>| {
        let defined = m.functions().into_iter().filter(|f| !f.is_declaration());
        defined.map(Value::to_text).collect::<String>()
    };
    let before = functions(&module);
    apply(*pass, &mut module, &gpu);
    module.verify().unwrap();
    let after = functions(&module);
    let lines: Vec<&str> = after.lines().collect();
    let mut at = 0;
    for line in text.lines() {
        let Some((directive, rest)) = line
            .strip_prefix("; ")
            .map(|l| l.split_once(": ").unwrap_or((l, "")))
        else {
            continue;
        };
        let rest = rest.trim();
        let holds = match directive {
            "unchanged" => before == after,
            "ir" => {
                let found = lines[at..].iter().position(|l| l.contains(rest));
                at += found.map_or(0, |found| found + 1);
                found.is_some()
            }
            "ir-next" => {
                at += 1;
                lines.get(at - 1).is_some_and(|l| l.contains(rest))
            }
            "ir-not" => !after.contains(rest),
            "ir-count" => {
                let (count, what) = rest.split_once(' ')?;
                after.matches(what).count().to_string() == count
            }
            _ => true,
        };
        if !holds {
            return Some(format!("`{line}` does not hold after the pass:\n{after}"));
        }
    }
    None
}

#[test]
fn files_say_what_passes_do() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    let mut tested = HashSet::new();
    let mut problems = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let first = text.lines().next().unwrap_or_default();
        assert!(
            first.starts_with("; pass: "),
            "{}: no pass is named",
            path.display()
        );
        assert!(
            text.contains("\n; ir") || text.contains("\n; unchanged"),
            "{}: nothing is expected",
            path.display()
        );
        tested.insert(first.trim_start_matches("; pass: ").to_owned());
        problems.extend(problem(&text).map(|p| format!("{}: {p}", path.display())));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    for name in super::optional() {
        assert!(
            tested.contains(name),
            "no file of tests/passes is about {name}"
        );
    }
}
