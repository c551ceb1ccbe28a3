//! The pipeline: a crate's module of host IR in, PTX for each architecture out.
//!
//! [`compile`] runs all passes, from top to bottom; [`passes`](crate::passes) says what each requires and keeps, [`contract`] what
//! holds between the stages. Must not know: cargo, the link line, the output file.

mod availability; // what no device has
mod contract; // what holds of IR between the stages
mod image_groups; // which kernels share an image
mod images; // which kernels are compiled for which architecture
mod link; // host IR: definitions from the crate's dependencies
#[cfg(test)]
mod loops_tests;
mod requirements; // what instructions need of the architecture
#[cfg(test)]
mod tests;

use crate::archive::ArchiveError;
use crate::instrument;
use crate::llvm::{LlvmError, Machine, Module, Passes};
use crate::lower::{
    atomics, kernels, locations, panics, retarget, shared, statics, symbols, target_queries,
};
use crate::opt::{
    Changed, bounds_check_hoisting, canonical_counters, gather_batching, index_narrowing,
    local_arrays, memcpy_expansion, pointer_strength_reduction, sincos_merging, wide_multiply,
};
use crate::options::{Arch, Options};
use crate::passes::{Outcome, Pass, Runner, Stage};
use crate::roots;
use images::Schedule;
pub(crate) use images::{Part, Program};
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
}

impl PipelineError {
    fn of(problems: Vec<String>) -> Result<(), PipelineError> {
        if problems.is_empty() {
            return Ok(());
        }
        Err(PipelineError::Kernels(problems))
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
    compile_with(module, input, &Runner::new(&input.options.passes_off))
}

/// Runs a pass unless it is switched off; the value is what the pass returns, or its default.
macro_rules! pass {
    ($runner:ident: $pass:ident => $work:expr) => {
        if $runner.starts(Pass::$pass) {
            Outcome::into_result($work)?
        } else {
            Default::default()
        }
    };
}

/// The passes, in their order. Host IR becomes device IR once, then a copy of it becomes PTX for each architecture.
fn compile_with(
    mut module: Module<'_>,
    input: &Input<'_>,
    run: &Runner<'_>,
) -> Result<Compiled, PipelineError> {
    let (m, options) = (&mut module, input.options);

    pass!(run: MarkConvergent => retarget::mark_convergent(m));
    pass!(run: ExposeRoots => roots::expose(m));
    let roots = roots::of(m, options.max_registers).map_err(PipelineError::Kernels)?;
    if roots.is_empty() {
        return Ok(Compiled::default());
    }
    let owned = statics::owned(m);
    pass!(run: KeepReached => link::keep_reached(m, &roots));
    let mut definitions = link::Definitions::of(input.archives)?;
    loop {
        pass!(run: SincosMerging => sincos_merging::merge(m));
        pass!(run: RemainderCalls => symbols::call_remainders(m));
        pass!(run: RedirectSymbols => symbols::redirect(m));
        let linked: bool = pass!(run: LinkDefinitions => definitions.link(m));
        if !linked {
            break;
        }
        pass!(run: MarkConvergent => retarget::mark_convergent(m));
    }
    pass!(run: Internalise => link::internalise(m, &roots));
    contract::check(m, Stage::Linking, &roots::symbols(&roots))?;

    let host_assembly = availability::assembly(m).collect();
    let whole = instrument::copy(m, options.instrumented);
    let (layout, mut problems) = (gpu(m, Arch::sm(75), 0)?.data_layout(), Vec::new());
    pass!(run: BindIntrinsics => symbols::bind_intrinsics(m, &mut problems));
    pass!(run: PlaceShared => shared::place(m, &mut problems));
    let statics = pass!(run: PlaceStatics => Ok(statics::place(m, &owned, &mut problems)));
    pass!(run: LinkLibrary => link::library(m, &layout, &mut problems));
    PipelineError::of(problems)?;
    let calls = availability::Calls::of(m, &roots, host_assembly);
    let names: Vec<String> = pass!(run: AddKernels => kernels::add(m, &roots, &layout));
    (input.dump)("device.ll", &|| m.to_text());
    let instrumented = instrument::build(whole, &roots, &names, input.target, input.dump)?;
    pass!(run: InlineRequired => kernels::inline(m, &roots, &names));
    pass!(run: StateIndexFacts => kernels::state_index_facts(m, &roots, &names));
    contract::check(m, Stage::Lowering, &names)?;

    let program = Program {
        module,
        roots,
        names,
        calls,
        statics,
        options,
    };
    let mut schedule = Schedule::of(&program);
    while let Some((arch, kernels)) = schedule.next() {
        let mut copy = program.module.duplicate();
        let (m, names) = (&mut copy, &program.names);
        let gpu = &gpu(m, arch, 0)?;
        pass!(run: SelectKernels => program.select(m, &kernels));
        pass!(run: AnswerTargetQueries => target_queries::answer_for(m, arch));
        pass!(run: Optimise => m.run(Passes::optimize(), Some(gpu)));
        pass!(run: LocalArrays => local_arrays::promote(m, gpu));
        let mut loops = Changed::default();
        pass!(run: CanonicalCounters => loops.each(m, canonical_counters::canonicalise));
        pass!(run: BoundsCheckHoisting => loops.each(m, bounds_check_hoisting::hoist));
        pass!(run: GuardMerging => loops.each(m, bounds_check_hoisting::merge_guards));
        loops.each(m, gather_batching::is_candidate);
        pass!(run: LoopUnswitching => loops.unswitch(m));
        pass!(run: GatherBatching => loops.again(m, gather_batching::batch));
        pass!(run: PointerStrengthReduction => loops.again(m, pointer_strength_reduction::reduce));
        pass!(run: OptimiseLoops => loops.run(m, Passes::optimize(), Some(gpu)));
        pass!(run: IndexNarrowing => index_narrowing::narrow_all(m));
        pass!(run: AddressMerging => index_narrowing::merge_all_addresses(m));

        pass!(run: RedirectSymbols => symbols::redirect(m));
        program.check_availability(m)?;
        contract::check(m, Stage::Optimisation, names)?;
        pass!(run: NumberLocations => locations::number(m, names));
        pass!(run: ExpandAtomics => atomics::expand(m));
        pass!(run: InlinePanics => panics::inline(m, names, gpu));
        pass!(run: AllowContraction => program.allow_contraction(m));
        pass!(run: StripDebugInfo => program.strip_debug_info(m));
        pass!(run: MemcpyExpansion => memcpy_expansion::expand(m));
        pass!(run: WideMultiply => wide_multiply::widen_factors(m));
        pass!(run: RenameForPtx => retarget::rename_for_ptx(m));
        contract::check(m, Stage::Emission, names)?;
        schedule.emit(copy, input.dump)?;
    }
    Ok(schedule.finish(instrumented))
}

/// The oldest PTX version that has what the architecture and the code need, so that older drivers accept it.
fn gpu<'ctx>(module: &Module<'ctx>, arch: Arch, least: u32) -> Result<Machine<'ctx>, LlvmError> {
    let version = match arch.sm {
        ..=80 => 71,
        81..=89 => 78,
        90 => 80,
        _ => 86,
    };
    let version = format!("+ptx{}", least.max(version));
    Machine::new(module.context(), retarget::TRIPLE, &arch.name(), &version)
}
