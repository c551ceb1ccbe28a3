//! Kernels whose instructions show, before they are optimised, that they need another architecture: they leave a unit, and go back where O3 removes what asked for it.

use super::{Emitted, Schedule, Unit};
use crate::llvm::{LlvmError, Machine, Module, Passes};
use crate::opt::early_loops;
use crate::options::Arch;
use crate::pipeline::requirements::{self, Requirements};

/// Groups that leave a unit, each for the architecture that it seems to need.
type FromHere = Vec<(usize, Emitted)>;

/// A group of kernels that is compiled for another architecture than this, as it seemed to need more.
pub(super) struct Moved {
    pub(super) group: usize,
    pub(super) from: Arch,
    pub(super) to: Arch,
    /// Whether the group had been compiled for that in any case.
    pub(super) was_planned: bool,
}

impl<'ctx> Schedule<'_, 'ctx> {
    /// Whether optimised code runs on architectures from which its group was moved: then it is compiled for all of these. `least` is what it needs; `None` goes
    /// back in any case.
    pub(super) fn goes_back(&mut self, group: usize, arch: Arch, least: Option<Arch>) -> bool {
        let runs = |on: Arch| least.is_none_or(|least| !least.exact && least.sm <= on.sm);
        let wrongly = |m: &mut Moved| m.group == group && runs(m.from);
        let moved: Vec<Moved> = self.moved.extract_if(.., wrongly).collect();
        if moved.is_empty() {
            return false;
        }
        self.unclear.push(group);
        // Unless only a move asked for it: compared with the other images then.
        if moved
            .iter()
            .find(|m| m.to == arch)
            .is_none_or(|m| m.was_planned)
        {
            self.todo.push((arch, vec![group]));
        }
        // The least comes last.
        let from = moved.iter().rev().map(|m| (m.from, vec![group]));
        self.todo.extend(from);
        true
    }

    /// The groups of a unit that seem to need another architecture, whose kernels need not be optimised for this one; and the module in the form of
    /// [`early_loops::simplify`], if it came to that. `module` is not optimised yet.
    pub(in crate::pipeline) fn moved(
        &self,
        module: &Module<'ctx>,
        unit: &Unit,
        machine: &Machine<'_>,
    ) -> Result<(FromHere, Option<Module<'ctx>>), LlvmError> {
        // Branches that are never taken count here.
        let needs = self.needs(module, &unit.kernels);
        let is_other = |only: &u32| Arch::exactly(*only) != unit.arch;
        if needs.sm <= unit.arch.sm && !needs.exact.iter().any(is_other) {
            return Ok((vec![], None));
        }
        let mut simplified = module.duplicate();
        early_loops::simplify(&mut simplified, machine)?;
        let mut folded = simplified.duplicate();
        folded.run(Passes::fold_constants(), None)?;
        let clear = unit.groups.iter().filter(|g| !self.unclear.contains(*g));
        let moved = clear.filter_map(|group| {
            let other = self.other_arch(&folded, &self.groups[*group], unit.arch)?;
            Some((*group, Emitted::MayNeed(other)))
        });
        Ok((moved.collect(), Some(simplified)))
    }

    /// The architecture that kernels need, if it is not this one and there is one.
    fn other_arch(&self, module: &Module<'_>, kernels: &[usize], arch: Arch) -> Option<Arch> {
        let needs = self.needs(module, kernels);
        let other = match needs.exact[..] {
            [] if needs.sm > arch.sm => Arch::sm(needs.sm),
            [only] if needs.sm <= only && arch != Arch::exactly(only) => Arch::exactly(only),
            _ => return None,
        };
        Some(other)
    }

    /// What instructions need, and what kernels declare.
    pub(super) fn needs(&self, module: &Module<'_>, kernels: &[usize]) -> Requirements {
        let names = kernels.iter().map(|k| self.program.names[*k].as_str());
        let mut needs = requirements::of(module, &names.collect::<Vec<_>>());
        for declared in kernels.iter().map(|k| self.program.roots[*k].needs()) {
            needs.sm = needs.sm.max(declared.0);
            needs.ptx = needs.ptx.max(declared.1);
        }
        needs
    }

    /// A unit without these groups.
    pub(in crate::pipeline) fn without(&self, unit: &Unit, groups: &[(usize, Emitted)]) -> Unit {
        let left = unit.groups.iter().copied();
        let left = left.filter(|g| groups.iter().all(|(group, _)| group != g));
        self.unit(unit.arch, left.collect(), unit.is_early)
    }

    /// Whether this is a group that was moved.
    pub(super) fn is_moved(&self, kernels: &[usize]) -> bool {
        let mut moved = self.moved.iter();
        moved.any(|moved| self.groups[moved.group] == kernels)
    }
}
