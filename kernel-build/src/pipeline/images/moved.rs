//! Kernels whose instructions show, before they are optimised, that they need another architecture: they leave a unit, and go back where O3 removes what asked for it.

use super::Schedule;
use crate::llvm::{LlvmError, Module, Passes};
use crate::options::Arch;
use crate::pipeline::requirements::{self, Requirements};

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

    /// The architecture that a group of kernels seems to need, if it is not this one and there is one: then it need not be optimised for this one. `simplified` is
    /// its module in the form of [`early_loops::simplify`](crate::opt::early_loops::simplify).
    pub(in crate::pipeline) fn other_arch(
        &self,
        simplified: &Module<'ctx>,
        group: usize,
        arch: Arch,
    ) -> Result<Option<Arch>, LlvmError> {
        let kernels = self.group(group);
        let needs = self.needs(simplified, kernels);
        let is_other = |only: &u32| Arch::exactly(*only) != arch;
        let may_be_other = needs.sm > arch.sm || needs.exact.iter().any(is_other);
        // An unclear one is optimised to find out what it needs.
        if !may_be_other || self.unclear.contains(&group) {
            return Ok(None);
        }
        // Branches that are never taken counted.
        let mut folded = simplified.duplicate();
        folded.run(Passes::fold_constants(), None)?;
        let needs = self.needs(&folded, kernels);
        Ok(match needs.exact[..] {
            [] if needs.sm > arch.sm => Some(Arch::sm(needs.sm)),
            [only] if needs.sm <= only && arch != Arch::exactly(only) => Some(Arch::exactly(only)),
            _ => None,
        })
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

    /// Whether this is a group that was moved.
    pub(super) fn is_moved(&self, group: usize) -> bool {
        self.moved.iter().any(|moved| moved.group == group)
    }
}
