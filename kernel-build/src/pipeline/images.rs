//! Which kernels are compiled for which architecture, and the images that come of it.
//!
//! A kernel gets an image for each architecture that the build asks for, or for the least that has its instructions. One that asks for
//! `arch()` also gets one for each of [`TIERS`], if its code differs there: an H200 then runs what the device library has for it, though
//! the build said sm_75. One with `dependent_launch` gets one for sm_90, where it begins with a wait. One that asks for `feature_set()` also gets one for `sm_90a`, if its code differs there, and one for `sm_100a` if it
//! has instructions of that architecture alone.

mod moved; // kernels that leave for the architecture that they need

use super::availability::Calls;
use super::emitted::{self, Emitted};
use super::requirements;
use super::{
    Compiled, PipelineError, compile_image, debug_labels, dependent_launch, gpu, image_groups,
};
use crate::fork::Forked;
use crate::instrument::Show;
use crate::llvm::{Linkage, LlvmError, Machine, Module, Passes};
use crate::lower::shared::Array;
use crate::lower::target_queries::{ARCH, ARCH_SPECIFIC};
use crate::lower::{fast_math, kernels, statics};
use crate::options::{Arch, Options};
use crate::passes::Runner;
use crate::reach::References;
use crate::roots::Root;
use moved::Moved;
use serde::{Deserialize, Serialize};
use warploom_manifest::{Kernel, Symbol};

/// Architectures for which the device library has faster code: asynchronous copies and reductions of warps, then clusters.
const TIERS: [Arch; 2] = [Arch::sm(80), Arch::sm(90)];

/// The architecture with features of its own for which there is code behind `feature_set()`: products of warp groups.
const SPECIFIC_TIER: Arch = Arch::exactly(90);

/// The one that has tensor memory. Few kernels use it, so only those that do are compiled for it.
const TENSOR_MEMORY_TIER: Arch = Arch::exactly(100);

/// Device IR before optimisation, and what is known about it.
pub(crate) struct Program<'a, 'ctx> {
    pub(super) module: Module<'ctx>,
    pub(super) roots: Vec<Root<'ctx>>,
    /// The kernels' names in the PTX.
    pub(super) names: Vec<String>,
    pub(super) calls: Calls,
    /// Those that the host can ask for.
    pub(super) statics: Vec<Symbol>,
    pub(super) shared: Vec<Array>,
    pub(super) options: &'a Options,
}

impl<'ctx> Program<'_, 'ctx> {
    /// Drops all kernels of a copy of the module but these.
    pub(super) fn select(&self, copy: &mut Module<'_>, kernels: &[usize]) -> Result<(), LlvmError> {
        for (kernel, name) in self.names.iter().enumerate() {
            if !kernels.contains(&kernel)
                && let Some(function) = copy.function(name)
            {
                function.set_linkage(Linkage::Internal);
            }
        }
        statics::hide(copy);
        copy.run(Passes::drop_unreachable(), None)?;
        statics::show(copy);
        Ok(())
    }

    /// Gives kernels with `fast_math` code of their own, of a copy of the module for an architecture.
    pub(super) fn separate_fast_math(
        &self,
        copy: &mut Module<'ctx>,
        kernels: &[usize],
    ) -> Result<(), LlvmError> {
        let is_fast = |kernel: &usize| self.roots[*kernel].fast_math;
        let (fast, others): (Vec<usize>, Vec<usize>) = kernels.iter().partition(|k| is_fast(k));
        if fast.is_empty() {
            return Ok(());
        }
        if others.is_empty() {
            return fast_math::relax(copy);
        }
        let mut relaxed = copy.duplicate();
        self.select(&mut relaxed, &fast)?;
        fast_math::relax(&mut relaxed)?;
        self.select(copy, &others)?;
        fast_math::join(copy, relaxed)
    }

    pub(super) fn allow_contraction(&self, copy: &Module<'_>) {
        let kernels = self.roots.iter().zip(&self.names);
        let fused: Vec<&str> = kernels
            .filter(|(root, _)| root.fma)
            .map(|(_, name)| name.as_str())
            .collect();
        kernels::allow_contraction(copy, &fused, self.options.fma);
        fast_math::relax_operations(copy);
    }

    /// What the manifest says of each kernel.
    fn describe(&self) -> Vec<Kernel> {
        self.roots
            .iter()
            .zip(&self.names)
            .zip(1..)
            .map(|((root, entry), id)| Kernel {
                name: root.name.clone(),
                package: root.package.clone(),
                entry: entry.clone(),
                file: root.file.clone(),
                line: root.line,
                launched_at: root.launched_at.iter().flatten().cloned().collect(),
                params: root.params.iter().map(|p| p.param).collect(),
                layouts: root.params.iter().map(|p| p.layout).collect(),
                contract: Some(root.contract),
                id,
            })
            .collect()
    }
}

/// Kernels that share an image; for each architecture its number, whether it is exact, and PTX.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) texts: Vec<(u32, bool, String)>,
}

impl Part {
    fn has(&self, arch: Arch) -> bool {
        let same = |text: &(u32, bool, String)| (text.0, text.1) == (arch.sm, arch.exact);
        self.texts.iter().any(same)
    }

    /// An architecture's code may use a static that another's does not.
    fn add_symbols(&mut self, symbols: Vec<Symbol>) {
        for symbol in symbols {
            if !self.symbols.contains(&symbol) {
                self.symbols.push(symbol);
            }
        }
    }
}

/// What is still to be compiled, and what has been.
pub(super) struct Schedule<'a, 'ctx> {
    pub(super) program: &'a Program<'a, 'ctx>,
    /// The kernels of each image.
    groups: Vec<Vec<usize>>,
    parts: Vec<Part>,
    /// Groups to be compiled for an architecture; the least comes last. An image is compared with those of lesser architectures.
    todo: Vec<(Arch, Vec<usize>)>,
    moved: Vec<Moved>,
    /// Groups that need what they seem to need only once they are optimised.
    unclear: Vec<usize>,
}

/// What a process compiles at a time: some groups of kernels, for one architecture.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) arch: Arch,
    pub(super) groups: Vec<usize>,
    pub(super) kernels: Vec<usize>,
}

/// What images are made for, and with what.
pub(super) struct Target<'a> {
    pub(super) arch: Arch,
    pub(super) machine: &'a Machine<'a>,
    pub(super) run: &'a Runner<'a>,
    pub(super) dump: Show<'a>,
}

impl<'a, 'ctx> Schedule<'a, 'ctx> {
    pub(super) fn of(program: &'a Program<'a, 'ctx>) -> Schedule<'a, 'ctx> {
        let references = References::of(&program.module);
        let groups = image_groups::groups(&program.module, &references, &program.names);
        let described = program.describe();
        let part = |group: &Vec<usize>| Part {
            kernels: group.iter().map(|k| described[*k].clone()).collect(),
            ..Part::default()
        };
        let parts = groups.iter().map(part).collect();
        let archs = &program.options.archs;
        let all: Vec<usize> = (0..groups.len()).collect();
        let mut todo: Vec<_> = archs.iter().map(|arch| (*arch, all.clone())).collect();
        let asking = |g: &usize| queries(program, &references, &groups[*g], ARCH);
        let asking: Vec<bool> = all.iter().map(asking).collect();
        let least = archs.iter().map(|arch| arch.sm).min().unwrap_or(0);
        for tier in TIERS.into_iter().filter(|tier| tier.sm > least) {
            let waits = |k: &usize| program.roots[*k].contract.waits_in(tier.sm);
            let differs = |g: &usize| asking[*g] || groups[*g].iter().any(waits);
            let differing = all.iter().copied().filter(differs);
            let differing: Vec<usize> = differing.collect();
            if !differing.is_empty() && !archs.contains(&tier) {
                todo.push((tier, differing));
            }
        }
        // Kernels that ask which features they may use have code for them.
        let all = 0..groups.len();
        let asking: Vec<usize> = all
            .filter(|g| queries(program, &references, &groups[*g], ARCH_SPECIFIC))
            .collect();
        let using = |g: &&usize| {
            let kernels = groups[**g].iter().map(|k| program.names[*k].as_str());
            let kernels: Vec<&str> = kernels.collect();
            let needs = requirements::of(&program.module, &kernels);
            needs.exact.contains(&TENSOR_MEMORY_TIER.sm)
        };
        let using: Vec<usize> = asking.iter().filter(using).copied().collect();
        for (tier, groups) in [(SPECIFIC_TIER, asking), (TENSOR_MEMORY_TIER, using)] {
            if !groups.is_empty() && !archs.contains(&tier) {
                todo.push((tier, groups));
            }
        }
        todo.sort_by_key(|entry| std::cmp::Reverse((entry.0.sm, entry.0.exact)));
        Schedule {
            program,
            groups,
            parts,
            todo,
            moved: Vec::new(),
            unclear: Vec::new(),
        }
    }

    /// What is compiled next; what follows may change when its images are added.
    pub(super) fn next(&mut self) -> Option<Unit> {
        let next = self.units().next()?;
        while self.todo.last().is_some_and(|(arch, _)| *arch != next.arch) {
            self.todo.pop(); // all of its groups have an image
        }
        Some(next)
    }

    /// All that is to be compiled as far as it is known now, in its order.
    pub(super) fn units(&self) -> impl Iterator<Item = Unit> {
        let todo = self.todo.iter().rev();
        let missing = |arch: Arch, groups: &[usize]| {
            let groups = groups.iter().copied();
            groups.filter(|g| !self.parts[*g].has(arch)).collect()
        };
        let units = todo.map(move |(arch, groups)| self.unit(*arch, missing(*arch, groups)));
        units.filter(|unit| !unit.groups.is_empty())
    }

    fn unit(&self, arch: Arch, groups: Vec<usize>) -> Unit {
        Unit {
            arch,
            kernels: self.kernels(&groups),
            groups,
        }
    }

    /// The kernels of a group.
    pub(super) fn group(&self, number: usize) -> &[usize] {
        &self.groups[number]
    }

    fn kernels(&self, groups: &[usize]) -> Vec<usize> {
        let kernels = groups.iter().flat_map(|g| self.groups[*g].clone());
        kernels.collect()
    }

    /// Adds the images of what was compiled [`next`](Self::next), in the order of its groups.
    pub(super) fn add(&mut self, unit: &Unit, images: Vec<Emitted>, dump: Show<'_>) {
        self.todo.pop();
        let mut texts = String::new();
        for (group, image) in unit.groups.iter().zip(images) {
            self.add_image(unit.arch, *group, image, &mut texts);
        }
        dump(&format!("{}.ptx", unit.arch.name()), &|| texts.clone());
    }

    fn add_image(&mut self, arch: Arch, group: usize, image: Emitted, texts: &mut String) {
        match image {
            Emitted::Ptx(text, symbols, least) => {
                if self.goes_back(group, arch, Some(least)) {
                    return;
                }
                let wanted = self.program.options.archs.contains(&arch);
                let part = &mut self.parts[group];
                if wanted || part.texts.iter().all(|t| differ(&t.2, &text)) {
                    part.add_symbols(symbols);
                    texts.push_str(&text);
                    part.texts.push((arch.sm, arch.exact, text));
                }
            }
            Emitted::Unclear => {
                self.goes_back(group, arch, None);
            }
            // It is compiled again, for the architecture that it needs.
            Emitted::Needs(more) => {
                self.plan(group, more);
            }
            Emitted::MayNeed(more) => {
                let was_planned = self.plan(group, more);
                self.moved.push(Moved {
                    group,
                    from: arch,
                    to: more,
                    was_planned,
                });
            }
        }
    }

    /// Whether it was to be compiled for this architecture already.
    fn plan(&mut self, group: usize, arch: Arch) -> bool {
        match self.todo.iter_mut().find(|t| t.0 == arch) {
            Some(entry) if entry.1.contains(&group) => return true,
            Some(entry) => entry.1.push(group),
            None => self.todo.push((arch, vec![group])),
        }
        false
    }

    /// What becomes of these groups of kernels, in their order. The module is halved until each part has one group: a copy of the whole
    /// module for each group would cost the square of the number of kernels. Where there is a slot for it, a copy of the process takes over one half.
    pub(super) fn images(
        &self,
        mut module: Module<'ctx>,
        groups: &[usize],
        to: &Target<'_>,
    ) -> Result<Vec<Emitted>, PipelineError> {
        let (first, second) = match groups {
            [] => return Ok(vec![]),
            [group] => return Ok(vec![self.image(module, *group, to)?]),
            _ => groups.split_at(groups.len() / 2),
        };
        let of_first = || {
            let mut part = module.duplicate();
            self.program.select(&mut part, &self.kernels(first))?;
            self.images(part, first, to)
        };
        let begun = Forked::begin(to.run.slot(), || emitted::pack(of_first().ok()?));
        let done = match begun {
            Some(_) => Ok(vec![]),
            None => of_first(),
        };
        self.program.select(&mut module, &self.kernels(second))?;
        let of_second = self.images(module, second, to);
        let of_first = match begun {
            Some(begun) => begun
                .wait()
                .and_then(emitted::unpack)
                .ok_or(PipelineError::Copy),
            None => done,
        };
        let (mut all, of_second) = PipelineError::of_both(of_first, of_second)?;
        all.extend(of_second);
        Ok(all)
    }

    /// PTX for one group of kernels, which is all that the module has.
    fn image(
        &self,
        mut module: Module<'ctx>,
        number: usize,
        to: &Target<'_>,
    ) -> Result<Emitted, PipelineError> {
        let (program, arch, group) = (self.program, to.arch, self.group(number));
        if let Some(other) = compile_image(self, &mut module, number, to)? {
            return Ok(Emitted::MayNeed(other));
        }
        program.select(&mut module, group)?;
        (to.dump)(&format!("{number}.{}.ll", arch.name()), &|| {
            module.to_text()
        });
        let needs = self.needs(&module, group);
        let sm = needs.sm;
        if let Some(only) = needs.exact.first()
            && arch != Arch::exactly(*only)
        {
            if needs.exact.len() > 1 || sm > *only {
                if self.is_moved(number) {
                    return Ok(Emitted::Unclear);
                }
                return Err(self.no_architecture(group, sm, &needs.exact));
            }
            return Ok(Emitted::Needs(Arch::exactly(*only)));
        }
        if sm > arch.sm {
            return Ok(Emitted::Needs(Arch::sm(sm)));
        }
        if let Some(gone) = needs.gone_from.filter(|gone| arch.sm >= *gone) {
            if self.is_moved(number) {
                return Ok(Emitted::Unclear);
            }
            return Err(self.gone_instructions(group, arch, gone));
        }
        let machine = gpu(&module, arch, needs.ptx)?;
        let symbols = statics::of_image(&module, &program.statics);
        let symbols = symbols.map_err(|e| PipelineError::Kernels(vec![e]))?;
        to.run.enters("code generation", &module);
        let ptx = debug_labels::strip(module.emit(&machine)?);
        Ok(Emitted::Ptx(
            self.with_waits(ptx, group, arch)?,
            symbols,
            needs
                .exact
                .first()
                .map_or(Arch::sm(sm), |only| Arch::exactly(*only)),
        ))
    }

    /// The same text where kernels with `dependent_launch` wait for those ahead of them.
    fn with_waits(
        &self,
        ptx: String,
        group: &[usize],
        arch: Arch,
    ) -> Result<String, PipelineError> {
        let Program { roots, names, .. } = self.program;
        let waiting = group
            .iter()
            .filter(|k| roots[**k].contract.waits_in(arch.sm));
        let waiting = waiting.map(|k| names[*k].as_str());
        dependent_launch::wait_first(ptx, waiting).map_err(|kernel| {
            PipelineError::Kernels(vec![format!(
                "kernel `{kernel}` has `dependent_launch`, and its PTX for {} has no place for the wait; report it as an error of warploom",
                arch.name()
            )])
        })
    }

    /// That kernels have instructions of which each architecture lacks some.
    fn no_architecture(&self, group: &[usize], sm: u32, exact: &[u32]) -> PipelineError {
        let only: Vec<String> = exact.iter().map(|one| Arch::exactly(*one).name()).collect();
        let problem = |k: &usize| {
            let Root {
                base, file, line, ..
            } = &self.program.roots[*k];
            format!(
                "kernel `{base}` uses instructions that {} alone has, and others that need sm_{sm}: no architecture has both; put each behind a branch on `feature_set()` and `arch()`\n  kernel `{base}` at {file}:{line}",
                only.join(" or ")
            )
        };
        PipelineError::Kernels(group.iter().map(problem).collect())
    }

    /// That kernels have instructions which their image's architecture has no longer.
    fn gone_instructions(&self, group: &[usize], arch: Arch, gone: u32) -> PipelineError {
        let problem = |k: &usize| {
            let Root {
                base, file, line, ..
            } = &self.program.roots[*k];
            format!(
                "kernel `{base}` uses instructions that architectures from sm_{gone} on do not have, and an image for {} was asked for; ask for images below sm_{gone} alone, which newer GPUs run too, or put the code behind `if arch() < {gone}`\n  kernel `{base}` at {file}:{line}",
                arch.name(),
            )
        };
        PipelineError::Kernels(group.iter().map(problem).collect())
    }

    /// All images, beside the object file for the emulator.
    pub(super) fn finish(self, instrumented: Vec<u8>) -> Compiled {
        let parts = self.parts;
        Compiled {
            parts,
            instrumented,
        }
    }
}

/// Whether a kernel of the group can reach a branch on what `question` answers: `arch()` or `feature_set()`.
fn queries<'ctx>(
    program: &Program<'_, 'ctx>,
    references: &References<'ctx>,
    group: &[usize],
    question: &str,
) -> bool {
    let names = group.iter().map(|k| &program.names[*k]);
    let kernels = names.filter_map(|name| program.module.function(name));
    let question = program.module.function(question);
    question.is_some_and(|question| references.reached(kernels).contains(&question))
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
