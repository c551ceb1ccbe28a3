//! What kernels reach and no device has: undefined functions, thread locals, assembly of the host.

use super::link::undefined_symbols;
use super::{PipelineError, Program};
use crate::llvm::{Module, Value};
use crate::lower::host_code;
use crate::reach::{self, Graph};
use crate::roots::{self, Root};
use std::collections::HashSet;

/// What kernels call, before their entries are renamed.
pub(crate) struct Calls {
    graph: Graph,
    /// The entries' names in `graph`, in the order of the kernels.
    entries: Vec<String>,
    host_assembly: HashSet<String>,
}

impl Calls {
    pub(super) fn of(
        module: &Module<'_>,
        roots: &[Root<'_>],
        host_assembly: HashSet<String>,
    ) -> Calls {
        let graph = Graph::of(&module.functions());
        let entries = roots::symbols(roots);
        Calls {
            graph,
            entries,
            host_assembly,
        }
    }
}

impl Program<'_, '_> {
    /// Fails with one message per kernel that reaches what no device has.
    pub(super) fn check_availability(&self, module: &Module<'_>) -> Result<(), PipelineError> {
        let mut unavailable = undefined_symbols(module);
        let thread_locals = module
            .globals()
            .into_iter()
            .filter(|g| g.is_thread_local() && g.is_used());
        unavailable.extend(thread_locals.map(|g| g.name()));
        let intrinsics = module.functions().into_iter().filter(|f| f.is_used());
        let intrinsics = intrinsics.map(Value::name);
        unavailable.extend(intrinsics.filter(|name| host_code::is_of_host(name)));
        let foreign = assembly(module).filter(|text| self.calls.host_assembly.contains(text));
        unavailable.extend(foreign.map(|text| format!("{}{text}", reach::ASM)));
        PipelineError::of(match unavailable[..] {
            [] => vec![],
            _ => self.explain(&unavailable),
        })
    }

    fn explain(&self, unavailable: &[String]) -> Vec<String> {
        let entries = self.calls.entries.iter().map(String::as_str);
        let found = reach::first_reached(&self.calls.graph, entries, unavailable);
        let messages: Vec<String> = found
            .into_iter()
            .filter_map(|(index, (symbol, steps))| {
                let root = self.roots.get(index)?;
                Some(reach::explain(root, &symbol, &steps))
            })
            .collect();
        if !messages.is_empty() {
            return messages;
        }
        let names = unavailable
            .iter()
            .map(|s| format!("{:#}", rustc_demangle::demangle(s)));
        vec![format!(
            "device code needs what no device has: {}",
            names.collect::<Vec<_>>().join(", ")
        )]
    }
}

/// The texts of a module's inline assembly.
pub(super) fn assembly<'ctx>(module: &Module<'ctx>) -> impl Iterator<Item = String> + use<'ctx> {
    let calls = module
        .functions()
        .into_iter()
        .flat_map(Value::instructions)
        .filter_map(Value::as_call);
    calls
        .filter_map(|c| c.callee().asm_text())
        .filter(|text| !text.trim().is_empty())
}
