//! The pipeline: a crate's module of host IR in, PTX for each architecture out.
//!
//! [`compile`] runs all passes, from top to bottom; [`passes`](crate::passes) says what each requires and keeps, [`contract`] what
//! holds between the stages. Must not know: cargo, the link line, the output file.

mod availability; // what no device has
mod contract; // what holds of IR between the stages
mod copies; // what copies of the process compile
mod debug_labels; // what line information leaves beside lines
mod dependent_launch; // kernels that wait for those ahead of them
mod emitted; // what code generation makes
#[cfg(test)]
mod fast_math_tests;
mod image_groups; // which kernels share an image
mod images; // which kernels are compiled for which architecture
mod last_result; // what is not compiled again
#[cfg(test)]
mod last_result_tests;
#[cfg(test)]
mod lines_tests;
mod link; // host IR: definitions from the crate's dependencies
#[cfg(test)]
mod loops_tests;
mod requirements; // what instructions need of the architecture
mod shared_bytes; // static shared memory of each kernel
#[cfg(test)]
mod tests;
mod warp_groups; // accumulators in registers

use crate::archive::ArchiveError;
use crate::instrument;
use crate::llvm::{LlvmError, Machine, Module, Value};
use crate::lower::{
    atomics, formatted_panics, host_code, kernels, local_atomics, locations, panics, retarget,
    shared, statics, symbols, target_queries,
};
use crate::opt::{
    Changed, bit_counts, bounds_check_hoisting, canonical_counters, case_analysis, case_selection,
    counting_loops, division_versioning, early_checks, early_loops, float_arithmetic,
    gather_batching, group_unrolling, index_narrowing, jump_threading, length_versioning,
    load_sinking, local_arrays, loop_rotation, memcpy_expansion, optimise, participation,
    pointer_strength_reduction, range_versioning, saturating_casts, sincos_merging, step_narrowing,
    trailing_zeros, wide_min_max, wide_multiply,
};
use crate::options::{Arch, Options};
use crate::passes::{Outcome, Pass, Runner, Stage};
use crate::roots;
use crate::watch::Watch;
use copies::Emulated;
use emitted::Emitted;
pub(crate) use images::{Part, Program};
use images::{Schedule, Target, Unit};
use last_result::Keyed;
pub(crate) use last_result::LastResult;
use std::path::PathBuf;

/// Why there is no PTX.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PipelineError {
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error(transparent)]
    Llvm(#[from] LlvmError),
    /// Problems of kernels, one text each.
    #[error("{}", .0.join("\n"))]
    Kernels(Vec<String>),
    /// What it should have compiled is compiled again without copies.
    #[error("a copy of the process that makes PTX has ended before its time")]
    Copy,
}

impl PipelineError {
    fn of(problems: Vec<String>) -> Result<(), PipelineError> {
        if problems.is_empty() {
            return Ok(());
        }
        Err(PipelineError::Kernels(problems))
    }

    /// Both results, or the problems of both.
    fn of_both<A, B>(
        a: Result<A, PipelineError>,
        b: Result<B, PipelineError>,
    ) -> Result<(A, B), PipelineError> {
        match (a, b) {
            (Err(PipelineError::Kernels(mut all)), Err(PipelineError::Kernels(more))) => {
                for problem in more {
                    if !all.contains(&problem) {
                        all.push(problem);
                    }
                }
                Err(PipelineError::Kernels(all))
            }
            // What the copy would have found is not known yet.
            (Err(PipelineError::Copy), _) | (_, Err(PipelineError::Copy)) => {
                Err(PipelineError::Copy)
            }
            (a, b) => Ok((a?, b?)),
        }
    }
}

/// What the pipeline needs beside the module.
pub(crate) struct Input<'a> {
    pub(crate) options: &'a Options,
    /// The crate's dependencies.
    pub(crate) archives: &'a [PathBuf],
    /// The crate target's name.
    pub(crate) target: &'a str,
    /// Gets intermediate results, each with the extension of a file.
    pub(crate) dump: instrument::Show<'a>,
    /// Where the result is kept for the next link; `None` compiles everything, and writes all that is dumped.
    pub(crate) last_result: Option<&'a LastResult>,
    /// Is told how far the pipeline has come, and chooses kernels.
    pub(crate) watch: &'a dyn Watch,
}

/// What the pipeline produces.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    /// Kernels that share images, with their PTX.
    pub(crate) parts: Vec<Part>,
    /// An object file for the emulator; empty if there is none.
    pub(crate) instrumented: Vec<u8>,
}

/// Compiles a crate's own module.
pub(crate) fn compile(module: Module<'_>, input: &Input<'_>) -> Result<Compiled, PipelineError> {
    let runner = Runner::new(&input.options.passes_off, input.watch);
    compile_with(module, input, &runner)
}

/// Runs a pass unless it is switched off; the value is what the pass returns, or its default.
macro_rules! pass {
    ($runner:ident, $module:ident: $pass:ident => $work:expr) => {
        if $runner.starts(Pass::$pass, $module) {
            Outcome::into_result($work)?
        } else {
            Default::default()
        }
    };
}

/// The step that makes code for the emulator.
pub(crate) const INSTRUMENTED: &str = "the instrumented code";

/// The passes, in their order. Host IR becomes device IR once, then a copy of it becomes PTX for each architecture.
fn compile_with(
    mut module: Module<'_>,
    input: &Input<'_>,
    run: &Runner<'_>,
) -> Result<Compiled, PipelineError> {
    let (m, options) = (&mut module, input.options);

    pass!(run, m: MarkConvergent => retarget::mark_convergent(m));
    pass!(run, m: ExposeRoots => roots::expose(m));
    let mut roots = roots::of(m, options.max_registers).map_err(PipelineError::Kernels)?;
    input.watch.choose(&mut roots);
    if roots.is_empty() {
        return Ok(Compiled::default());
    }
    let owned = statics::owned(m);
    pass!(run, m: KeepReached => link::keep_reached(m, &roots));
    let mut definitions = link::Definitions::of(input.archives)?;
    loop {
        pass!(run, m: SincosMerging => sincos_merging::merge(m));
        pass!(run, m: RemainderCalls => symbols::call_remainders(m));
        pass!(run, m: RedirectSymbols => symbols::redirect(m));
        let linked: bool = pass!(run, m: LinkDefinitions => definitions.link(m));
        if !linked {
            break;
        }
        pass!(run, m: MarkConvergent => retarget::mark_convergent(m));
    }
    let entries: Vec<Value<'_>> = roots.iter().map(|root| root.entry).collect();
    pass!(run, m: PortableHostCode => host_code::make_portable(m, &entries));
    pass!(run, m: Internalise => link::internalise(m, &roots));
    contract::check(m, Stage::Linking, &roots::symbols(&roots))?;
    let last = input.last_result.map(|l| l.keyed(m, &roots, &owned, input));
    if let Some(compiled) = last.as_ref().and_then(Keyed::load) {
        return Ok(compiled);
    }

    let host_assembly = availability::assembly(m).collect();
    let whole = instrument::copy(m, options.instrumented);
    let (layout, mut problems) = (gpu(m, Arch::sm(75), 0)?.data_layout(), Vec::new());
    pass!(run, m: BindIntrinsics => symbols::bind_intrinsics(m, &mut problems));
    let shared = pass!(run, m: PlaceShared => Ok(shared::place(m, &mut problems)));
    let statics = pass!(run, m: PlaceStatics => Ok(statics::place(m, &owned, &mut problems)));
    pass!(run, m: LinkLibrary => link::library(m, &layout, &mut problems));
    PipelineError::of(problems)?;
    let calls = availability::Calls::of(m, &roots, host_assembly);
    let names: Vec<String> = pass!(run, m: AddKernels => kernels::add(m, &roots, &layout));
    (input.dump)("device.ll", &|| m.to_text());
    let emulated = Emulated::begin(whole, (&roots, &names), input, run)?;
    pass!(run, m: InlineRequired => kernels::inline(m, &roots, &names));
    pass!(run, m: UnmarkFloats => float_arithmetic::unmark(m));
    pass!(run, m: FormattedPanics => formatted_panics::lower(m));
    pass!(run, m: StateIndexFacts => kernels::state_index_facts(m, &roots, &names));
    pass!(run, m: StripDebugInfo => if !options.line_info { m.strip_debug_info() });
    contract::check(m, Stage::Lowering, &names)?;

    let program = Program {
        module,
        roots,
        names,
        calls,
        statics,
        shared,
        options,
    };
    let mut schedule = Schedule::of(&program);
    copies::compile_all(&mut schedule, input, run)?;
    let facts = (&*program.roots, &*program.names);
    let instrumented = emulated.finish(facts, input, run)?;
    let compiled = schedule.finish(instrumented);
    if let Some(last) = last {
        last.store(&compiled);
    }
    Ok(compiled)
}

/// The images of a unit: device IR becomes PTX.
fn compile_unit(
    schedule: &Schedule<'_, '_>,
    unit: &Unit,
    input: &Input<'_>,
    run: &Runner<'_>,
) -> Result<Vec<Emitted>, PipelineError> {
    let program = schedule.program;
    let mut whole = program.module.duplicate();
    let m = &mut whole;
    let to = Target {
        arch: unit.arch,
        machine: &gpu(m, unit.arch, 0)?,
        run,
        dump: input.dump,
    };
    run.compiles_for(&unit.arch.name());
    pass!(run, m: SelectKernels => program.select(m, &unit.kernels));
    pass!(run, m: AnswerTargetQueries => target_queries::answer_for(m, unit.arch));
    schedule.images(whole, &unit.groups, &to)
}

/// The module of one image becomes what code generation takes, or the architecture is known that its kernels seem to need instead. Each image has a module of its
/// own, so that the code of a kernel does not depend on other kernels of its crate.
fn compile_image<'ctx>(
    schedule: &Schedule<'_, 'ctx>,
    m: &mut Module<'ctx>,
    group: usize,
    to: &Target<'_>,
) -> Result<Option<Arch>, PipelineError> {
    let (program, gpu, run) = (schedule.program, to.machine, to.run);
    let names = &program.names;
    pass!(run, m: FastMath => program.separate_fast_math(m, schedule.group(group)));
    // In this form loops are still those of the source.
    let mut simplified = m.duplicate();
    let s = &mut simplified;
    pass!(run, s: Simplify => early_loops::simplify(s, gpu));
    run.enters("the search for the architecture that kernels need", s);
    if let Some(other) = schedule.other_arch(s, group, to.arch)? {
        return Ok(Some(other));
    }
    let loops = Changed::with_loops(s).kernels();
    pass!(run, s: JumpThreading => jump_threading::thread(s, &loops));
    pass!(run, s: CanonicalCounters => loops.again(s, canonical_counters::canonicalise));
    pass!(run, s: HoistInvariants => loops.hoist_invariants(s, gpu));
    let mut early: Changed<'_> =
        pass!(run, m: EarlyLoops => early_loops::choose(m, simplified, loops, gpu));
    let is_optimised = early.is_empty();
    pass!(run, m: RangeVersioning => early.again(m, range_versioning::version_kernel));
    pass!(run, m: BoundsCheckHoisting => early.only(m, bounds_check_hoisting::hoist));
    pass!(run, m: LoopUnswitching => early.unswitch(m));
    // Before the loops without checks are unrolled.
    pass!(run, m: PointerStrengthReduction => early.again(m, pointer_strength_reduction::reduce));
    pass!(run, m: Optimise => if is_optimised { Ok(()) } else { optimise(m, Some(gpu)) });

    panics::keep(m);
    pass!(run, m: LocalArrays => local_arrays::promote(m, gpu));
    let mut loops = Changed::default();
    pass!(run, m: CaseSelection => case_selection::select_all(m, &mut loops, gpu));
    pass!(run, m: LoopRotation => loop_rotation::rotate_all(m, &mut loops, gpu));
    pass!(run, m: LengthVersioning => length_versioning::version_all(m, &mut loops));
    pass!(run, m: CanonicalCounters => loops.each(m, canonical_counters::canonicalise));
    pass!(run, m: RangeVersioning => loops.each(m, range_versioning::version_kernel));
    pass!(run, m: BoundsCheckHoisting => loops.each(m, bounds_check_hoisting::hoist));
    let mut counted = Changed::default();
    pass!(run, m: CountingLoops => counting_loops::replace_all(m, &mut counted));
    pass!(run, m: CaseAnalysis => case_analysis::rewrite_all(m, &counted, gpu));
    loops.add(counted);
    pass!(run, m: BitCounts => bit_counts::replace_all(m, &mut loops));
    pass!(run, m: GuardMerging => loops.each(m, bounds_check_hoisting::merge_guards));
    loops.each(m, gather_batching::is_candidate);
    pass!(run, m: LoopUnswitching => loops.unswitch(m));
    pass!(run, m: GatherBatching => loops.again(m, gather_batching::batch));
    pass!(run, m: PointerStrengthReduction => loops.again(m, pointer_strength_reduction::reduce));
    pass!(run, m: Participation => participation::answer_all(m, &mut loops));
    pass!(run, m: OptimiseLoops => loops.optimise(m, Some(gpu)));
    pass!(run, m: GroupUnrolling => group_unrolling::unroll_all(m));
    pass!(run, m: DivisionVersioning => division_versioning::version_all(m));
    pass!(run, m: IndexNarrowing => index_narrowing::narrow_all(m));
    pass!(run, m: AddressMerging => index_narrowing::merge_all_addresses(m));

    pass!(run, m: RedirectSymbols => symbols::redirect(m));
    program.check_availability(m)?;
    program.check_shared_bytes(m)?;
    contract::check(m, Stage::Optimisation, names)?;
    pass!(run, m: NumberLocations => locations::number(m, names));
    pass!(run, m: LocalAtomics => local_atomics::lower(m, names));
    pass!(run, m: ExpandAtomics => atomics::expand(m));
    pass!(run, m: EarlyChecks => early_checks::hoist_all(m));
    pass!(run, m: LoadSinking => load_sinking::sink_all(m));
    panics::release(m);
    pass!(run, m: InlinePanics => panics::inline(m, names, gpu));
    program.check_warp_groups(m)?;
    pass!(run, m: AllowContraction => program.allow_contraction(m));
    pass!(run, m: MemcpyExpansion => memcpy_expansion::expand(m));
    pass!(run, m: WideMinMax => wide_min_max::widen(m));
    pass!(run, m: TrailingZeros => trailing_zeros::count_all(m));
    pass!(run, m: StepNarrowing => step_narrowing::narrow_all(m));
    pass!(run, m: WideMultiply => wide_multiply::widen_factors(m));
    pass!(run, m: SaturatingCasts => saturating_casts::convert_all(m));
    pass!(run, m: RenameForPtx => retarget::rename_for_ptx(m));
    contract::check(m, Stage::Emission, names)?;
    Ok(None)
}

/// The oldest PTX version that has what the architecture and the code need, so that older drivers accept it.
fn gpu<'ctx>(module: &Module<'ctx>, arch: Arch, least: u32) -> Result<Machine<'ctx>, LlvmError> {
    let version = match arch.sm {
        ..=80 => 71,
        81..=89 => 78,
        90 => 80,
        91..=102 => 86,
        120 => 87,
        103 | 121 => 88,
        _ => 90,
    };
    let version = format!("+ptx{}", least.max(version));
    Machine::new(module.context(), retarget::TRIPLE, &arch.name(), &version)
}
