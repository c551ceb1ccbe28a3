//! From device IR to PTX, once per architecture.
//!
//! A kernel gets an image for each architecture that the build asks for, or for the least that has its instructions. One that asks for
//! `arch()` also gets one for each of [`TIERS`], where its code differs there: an H200 then runs what the device library has for it, though
//! the build said sm_75.

use super::{LinkError, Part, Program, assembly, dump, explain, machine, needs, undefined_symbols};
use crate::llvm::{Linkage, Machine, Module, Passes, Value};
use crate::lower::{
    answers, atomics, copies, counters, early_checks, kept_checks, kernels, late_checks,
    local_arrays, locations, narrow, panics, pinned_loads, products, retarget, statics, symbols,
    walks,
};
use crate::options::Arch;
use crate::reach;
use std::path::Path;
use warploom_manifest::Symbol;

/// Architectures for which the device library knows better ways: asynchronous copies and reductions of warps, then clusters.
const TIERS: [Arch; 2] = [Arch::sm(80), Arch::sm(90)];

/// Puts the images of all groups of kernels into their parts.
pub(super) fn make(
    program: &Program<'_>,
    groups: &[Vec<usize>],
    parts: &mut [Part],
    output: &Path,
) -> Result<(), LinkError> {
    let archs = &program.options.archs;
    let all: Vec<usize> = (0..groups.len()).collect();
    let mut rounds: Vec<(Arch, Vec<usize>)> =
        archs.iter().map(|arch| (*arch, all.clone())).collect();
    let asking: Vec<usize> = all
        .into_iter()
        .filter(|g| asks(program, &groups[*g]))
        .collect();
    let least = archs.iter().map(|arch| arch.sm).min().unwrap_or(0);
    for tier in TIERS
        .into_iter()
        .filter(|tier| tier.sm > least && !asking.is_empty())
    {
        if !archs.contains(&tier) {
            rounds.push((tier, asking.clone()));
        }
    }
    // In this order: an image is compared with those before it.
    rounds.sort_by_key(|round| std::cmp::Reverse(round.0.sm));
    while let Some((arch, wanted)) = rounds.pop() {
        let wanted: Vec<usize> = wanted
            .into_iter()
            .filter(|g| !parts[*g].has(arch))
            .collect();
        if wanted.is_empty() {
            continue;
        }
        let of_group = |g: &usize| groups[*g].clone();
        let kernels: Vec<usize> = wanted.iter().flat_map(of_group).collect();
        let optimized = optimize(program, arch, &kernels)?;
        let mut texts = String::new();
        for group in wanted {
            match emit(&optimized, program, &groups[group], arch)? {
                Emitted::Ptx(text, symbols) => {
                    let part = &mut parts[group];
                    if archs.contains(&arch) || part.texts.iter().all(|t| differ(&t.2, &text)) {
                        part.add_symbols(symbols);
                        texts.push_str(&text);
                        part.texts.push((arch.sm, arch.exact, text));
                    }
                }
                // Goes round again, for what it asks.
                Emitted::Needs(more) => match rounds.iter_mut().find(|r| r.0 == more) {
                    Some(round) if round.1.contains(&group) => {}
                    Some(round) => round.1.push(group),
                    None => rounds.push((more, vec![group])),
                },
            }
        }
        dump(output, &format!("{}.ptx", arch.name()), || texts);
    }
    Ok(())
}

/// Whether a kernel of the group can come to a branch on `arch()`.
fn asks(program: &Program<'_>, group: &[usize]) -> bool {
    let names: Vec<&str> = group.iter().map(|k| program.names[*k].as_str()).collect();
    program
        .module
        .function(ARCH)
        .is_some_and(|arch| needs::reaches(&program.module, &names, arch))
}

/// Whether two texts are different code.
fn differ(a: &str, b: &str) -> bool {
    let code = |text: &str| {
        let directive = |line: &&str| line.starts_with(".version") || line.starts_with(".target");
        let lines: Vec<String> = text
            .lines()
            .filter(|l| !directive(l))
            .map(str::to_owned)
            .collect();
        lines
    };
    code(a) != code(b)
}

/// What `arch()` calls.
const ARCH: &str = "__warploom.arch";

/// Optimises a copy of some kernels for one architecture and spells out what LLVM would not.
fn optimize<'ctx>(
    program: &Program<'ctx>,
    arch: Arch,
    kernels: &[usize],
) -> Result<Module<'ctx>, LinkError> {
    let mut copy = program.module.duplicate();
    let machine = machine(copy.context(), arch, 0)?;
    if kernels.len() != program.names.len() {
        drop_others(&mut copy, &program.names, kernels)?;
    }
    say_arch(&mut copy, arch);
    statics::show(&copy);
    copy.run(Passes::optimize(), Some(&machine))?;
    local_arrays::dissolve(&mut copy, &machine)?;
    take_checks_out_of_loops(&mut copy, &machine)?;
    narrow_indices(&mut copy)?;
    symbols::redirect(&mut copy);
    let mut unavailable = undefined_symbols(&copy);
    let foreign = assembly(&copy).filter(|text| program.host_assembly.contains(text));
    let thread_locals = copy
        .globals()
        .into_iter()
        .filter(|g| g.is_thread_local() && g.is_used());
    unavailable.extend(thread_locals.map(|g| g.name()));
    unavailable.extend(foreign.map(|text| format!("{}{text}", reach::ASM)));
    if !unavailable.is_empty() {
        return Err(LinkError::Kernels(explain(program, &unavailable)));
    }
    locations::number(&mut copy, &program.names)?;
    atomics::spell_out(&mut copy)?;
    copy.run(Passes::inline_always(), Some(&machine))?;
    if panics::mark(&copy, &program.names) {
        copy.run(Passes::inline_always(), Some(&machine))?;
    }
    let fused = program
        .roots
        .iter()
        .zip(&program.names)
        .filter(|(r, _)| r.fma);
    let fused: Vec<&str> = fused.map(|(_, n)| n.as_str()).collect();
    kernels::allow_contraction(&copy, &fused, program.options.fma);
    if !program.options.line_info {
        copy.strip_debug_info();
    }
    copies::spell_out(&copy);
    products::widen_factors(&copy);
    retarget::rename_for_ptx(&copy);
    Ok(copy)
}

/// Bounds checks that can be decided before a loop are; what that makes possible is done in the functions that had such loops, and there alone.
fn take_checks_out_of_loops(
    module: &mut Module<'_>,
    machine: &Machine<'_>,
) -> Result<(), LinkError> {
    let defined = module
        .functions()
        .into_iter()
        .filter(|f| !f.is_declaration());
    let (changed, others): (Vec<_>, Vec<_>) = defined.partition(|f| {
        // The first tells the others how far loops go.
        let plain = counters::make_plain(*f);
        let decided = early_checks::decide(*f);
        let grouped = late_checks::is_wanted(*f);
        // Groups read ahead anyway; where nothing else is done, nothing is moved again either.
        let again = plain || decided;
        let pinned = again && !grouped && pinned_loads::pin(*f);
        again || grouped || pinned
    });
    if changed.is_empty() {
        return Ok(());
    }
    let held = others
        .into_iter()
        .filter(|f| f.hold_still())
        .collect::<Vec<_>>();
    module.run(Passes::split_loops(), None)?;
    for function in &changed {
        late_checks::defer(*function);
        walks::walk(*function);
    }
    module.run(Passes::optimize(), Some(machine))?;
    // Some of them may be gone, with what called them.
    let left = module.functions();
    held.into_iter()
        .filter(|f| left.contains(f))
        .for_each(|f| f.let_go());
    left.into_iter()
        .filter(|f| changed.contains(f))
        .for_each(kept_checks::hide_steps);
    Ok(())
}

/// What is left of an expression may be narrow in turn.
fn narrow_indices(module: &mut Module<'_>) -> Result<(), LinkError> {
    const ROUNDS: u32 = 3;
    for _ in 0..ROUNDS {
        let (changed, others): (Vec<_>, Vec<_>) = defined(module)
            .into_iter()
            .partition(|f| narrow::narrow(*f));
        if changed.is_empty() {
            break;
        }
        let held: Vec<_> = others.into_iter().filter(|f| f.hold_still()).collect();
        module.run(Passes::tidy(), None)?;
        held.into_iter().for_each(|f| f.let_go());
    }
    let (joined, others): (Vec<_>, Vec<_>) = defined(module)
        .into_iter()
        .partition(|f| narrow::join_addresses(*f));
    if joined.is_empty() {
        return Ok(());
    }
    let held: Vec<_> = others.into_iter().filter(|f| f.hold_still()).collect();
    // Code generation would take up what is left of the two additions.
    module.run(Passes::drop_unused(), None)?;
    held.into_iter().for_each(|f| f.let_go());
    Ok(())
}

fn defined<'ctx>(module: &Module<'ctx>) -> Vec<Value<'ctx>> {
    let functions = module.functions().into_iter();
    functions.filter(|f| !f.is_declaration()).collect()
}

/// Answers `arch()` and `feature_set()`, so that branches on them are gone before anybody asks what they need.
fn say_arch(module: &mut Module<'_>, arch: Arch) {
    answers::put(module, ARCH, arch.sm);
    let specific = if arch.exact { arch.sm } else { 0 };
    answers::put(module, "__warploom.arch_specific", specific);
    answers::put(module, "__warploom.instrumented", 0);
}

fn drop_others(
    module: &mut Module<'_>,
    names: &[String],
    kernels: &[usize],
) -> Result<(), LinkError> {
    for (kernel, name) in names.iter().enumerate() {
        if !kernels.contains(&kernel)
            && let Some(function) = module.function(name)
        {
            function.set_linkage(Linkage::Internal);
        }
    }
    statics::hide(module);
    module.run(Passes::drop_unreachable(), None)?;
    statics::show(module);
    Ok(())
}

/// What became of a group of kernels.
enum Emitted {
    Ptx(String, Vec<Symbol>),
    /// It uses instructions that the architecture lacks.
    Needs(Arch),
}

/// PTX for one group of kernels.
fn emit(
    optimized: &Module<'_>,
    program: &Program<'_>,
    group: &[usize],
    arch: Arch,
) -> Result<Emitted, LinkError> {
    let names = &program.names;
    let own: Vec<&str> = group.iter().map(|k| names[*k].as_str()).collect();
    let (mut sm, mut ptx) = needs::of(optimized, &own);
    for declared in group.iter().map(|k| program.roots[*k].needs()) {
        (sm, ptx) = (sm.max(declared.0), ptx.max(declared.1));
    }
    if sm > arch.sm {
        return Ok(Emitted::Needs(Arch::sm(sm)));
    }
    let mut part = optimized.duplicate();
    drop_others(&mut part, names, group)?;
    let machine = machine(optimized.context(), arch, ptx)?;
    let symbols =
        statics::of_image(&part, &program.statics).map_err(|e| LinkError::Kernels(vec![e]))?;
    Ok(Emitted::Ptx(part.emit(&machine)?, symbols))
}
