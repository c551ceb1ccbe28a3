//! The stage of host IR: what kernels reach is kept, and what it lacks is linked from the crate's dependencies.

use super::PipelineError;
use crate::archive::{Archives, MemberId};
use crate::llvm::{Linkage, LlvmError, Module, Passes};
use crate::lower::{library, retarget, symbols};
use crate::roots::Root;
use std::collections::HashSet;
use std::path::PathBuf;

/// Drops everything that no kernel reaches.
pub(super) fn keep_reached(module: &mut Module<'_>, roots: &[Root<'_>]) -> Result<(), LlvmError> {
    for global in module.globals() {
        if global.name().starts_with("llvm.") {
            // SAFETY: lists such as `llvm.used` are never referred to, and the handle is dropped here.
            unsafe { global.delete_global() };
        } else if !global.is_declaration() {
            global.set_linkage(Linkage::Internal);
        }
    }
    for function in module.functions() {
        if roots.iter().any(|r| r.entry == function) {
            function.set_linkage(Linkage::External);
        } else if !function.is_declaration() {
            function.clear_host_placement();
            function.set_linkage(Linkage::Internal);
        }
    }
    module.run(Passes::drop_unreachable(), None)
}

/// The definitions of the crate's dependencies.
pub(super) struct Definitions {
    archives: Archives,
    /// Members to link, whether or not a symbol of theirs is undefined.
    wanted: Vec<MemberId>,
    /// Symbols that are needed although none refers to them yet.
    forced: Vec<String>,
    /// Members that were linked, each for some symbols.
    visited: HashSet<(MemberId, Vec<String>)>,
}

impl Definitions {
    pub(super) fn of(paths: &[PathBuf]) -> Result<Definitions, PipelineError> {
        let mut archives = Archives::default();
        for path in paths {
            archives.add(path)?;
        }
        // Ours first: a definition that is there already takes precedence over core's.
        let providers = symbols::panic_providers();
        let mut wanted: Vec<MemberId> = providers.filter_map(|name| archives.find(name)).collect();
        wanted.dedup();
        let forced = symbols::panic_providers().map(str::to_owned).collect();
        Ok(Definitions {
            archives,
            wanted,
            forced,
            visited: HashSet::new(),
        })
    }

    /// Links the members that define what is undefined; returns whether there were any.
    pub(super) fn link(&mut self, module: &mut Module<'_>) -> Result<bool, LlvmError> {
        let mut undefined = undefined_symbols(module);
        undefined.append(&mut self.forced);
        let members = undefined.iter().filter_map(|name| self.archives.find(name));
        self.wanted.extend(members);
        self.wanted.sort_unstable();
        self.wanted.dedup();
        let mut progress = false;
        for member in std::mem::take(&mut self.wanted) {
            let of_member = |name: &&String| self.archives.find(name) == Some(member);
            let mut names: Vec<String> = undefined.iter().filter(of_member).cloned().collect();
            names.sort();
            if !self.visited.insert((member, names.clone())) {
                continue;
            }
            let Some(bitcode) = self.archives.bitcode(member) else {
                continue;
            };
            let mut offered = Module::lazily_from_bitcode(module.context(), bitcode)?;
            if self.archives.is_of_std(member) {
                // Its line numbers are not used here, and their form would make ptxas expect full debug information.
                offered.strip_debug_info();
            }
            symbols::offer(&mut offered, &format!("{member:?}"));
            for name in &names {
                if let Some(function) = offered.function(name).filter(|f| !f.is_declaration()) {
                    function.set_linkage(Linkage::WeakOdr);
                }
            }
            module.link(offered)?;
            progress = true;
        }
        Ok(progress)
    }
}

/// Gives everything but the kernels' entries internal linkage, and drops what that makes unreachable.
pub(super) fn internalise(module: &mut Module<'_>, roots: &[Root<'_>]) -> Result<(), LlvmError> {
    for function in module.functions() {
        if !function.is_declaration() && !roots.iter().any(|r| r.entry == function) {
            function.set_linkage(Linkage::Internal);
        }
    }
    for global in module.globals() {
        if !global.is_declaration() && !global.has_local_linkage() {
            global.set_linkage(Linkage::Internal);
        }
    }
    module.run(Passes::no_unwinding(), None)?;
    retarget::mark_convergent(module);
    module.run(Passes::drop_unreachable(), None)
}

/// Links bodies for the intrinsics that LLVM does not have and makes the module one for the device, unless there are `problems`.
pub(super) fn library(
    module: &mut Module<'_>,
    layout: &str,
    problems: &mut Vec<String>,
) -> Result<(), LlvmError> {
    let wanted: Vec<_> = module
        .functions()
        .into_iter()
        .filter(|f| f.is_declaration() && f.is_used() && f.name().starts_with(symbols::INTRINSIC))
        .map(|f| (f.name(), f.value_type()))
        .collect();
    let (text, unknown) = library::definitions(&wanted);
    problems.extend(unknown);
    if !problems.is_empty() {
        return Ok(());
    }
    let mut definitions = Module::from_text(module.context(), &text)?;
    retarget::mark_convergent(&definitions);
    retarget::strip_host(module);
    module.set_target(retarget::TRIPLE, layout);
    definitions.set_target(retarget::TRIPLE, layout);
    module.link(definitions)
}

/// What is declared, used and not defined; LLVM's and our own intrinsics aside.
pub(super) fn undefined_symbols(module: &Module<'_>) -> Vec<String> {
    let unknown = |name: &String| {
        !name.starts_with("llvm.")
            && !name.starts_with(symbols::INTRINSIC)
            && !symbols::OF_THE_DRIVER.contains(&name.as_str())
    };
    let functions = module
        .functions()
        .into_iter()
        .filter(|f| f.is_declaration() && f.is_used())
        .map(|f| f.name());
    let globals = module
        .globals()
        .into_iter()
        .filter(|g| g.is_declaration() && g.is_used() && g.name() != "__warploom_dynamic_shared")
        .map(|g| g.name());
    functions.chain(globals).filter(unknown).collect()
}
