//! Code for the host's processor becomes code for any processor.
//!
//! Kernels are compiled for the host first, so that crates may reach instructions of x86-64 by intrinsics, by assembly, or behind a test at
//! run time, and those of AArch64 by intrinsics. What every such processor has becomes LLVM's generic operations ([`intrinsics`], [`neon`], [`templates`]). `cpuid` answers that there is nothing else,
//! so that tests take the portable way; functions compiled for more than that panic, since only a call without a test can reach them. What is not in the
//! tables stays, and a kernel that reaches it is refused (`pipeline/availability.rs`).

mod intrinsics; // intrinsics of x86-64
mod neon; // intrinsics of AArch64
mod templates; // assembly of x86-64
#[cfg(test)]
mod tests;

use crate::llvm::{Attribute, LlvmError, Module, Value};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Prefix of LLVM's intrinsics for the processors of hosts.
const OF_HOSTS: [&str; 2] = ["llvm.x86.", "llvm.aarch64."];
/// Features that every processor of an architecture has: rustc names them at functions of `core::arch`, and not at others.
const EVERYWHERE: [&str; 12] = [
    "x87",
    "mmx",
    "fxsr",
    "cx8",
    "cmov",
    "sse",
    "sse2",
    "neon",
    "fp-armv8",
    "v8a",
    "outline-atomics",
    "crt-static",
];
const FEATURES: &str = "target-features";
/// Ends a thread with a text; the device library has it.
const PANIC: &str = "__warploom_panic_nounwind";
/// Prefix of the functions that stand in for instructions.
const GENERIC: &str = "warploom.generic.";

/// A function in IR that does what an instruction does.
pub(super) struct Generic {
    /// The intrinsic without `llvm.x86.` or `llvm.aarch64.`, or the assembly.
    name: String,
    result: &'static str,
    /// Types of the parameters: `%a`, `%b`, `%c`.
    params: Vec<&'static str>,
    body: String,
}

impl Generic {
    fn definition(&self, name: &str) -> String {
        let params: Vec<String> = self
            .params
            .iter()
            .zip('a'..)
            .map(|(ty, letter)| format!("{ty} %{letter}"))
            .collect();
        let (result, params, body) = (self.result, params.join(", "), &self.body);
        format!("define weak_odr {result} @\"{name}\"({params}) alwaysinline {{\n{body}}}\n")
    }
}

/// Replaces what only hosts have, as far as the tables go. `entries` are those of kernels: what their processor has, kernels may use.
pub(crate) fn make_portable(
    module: &mut Module<'_>,
    entries: &[Value<'_>],
) -> Result<(), LlvmError> {
    let mut text = String::new();
    let detected = detected_features(module, entries, &mut text);
    let intrinsics = intrinsics::used(module, &mut text);
    let assembly = templates::used(module, &mut text);
    if text.is_empty() {
        return Ok(());
    }
    // Weak: the linker leaves out what is `linkonce` and not yet called.
    let mut generic = Module::from_text(module.context(), &text)?;
    generic.set_target(&module.triple(), &module.data_layout());
    module.link(generic)?;
    for (old, new) in detected.into_iter().chain(intrinsics) {
        if let Some(new) = module.function(&new) {
            old.replace_all_uses_with(new);
        }
    }
    for (call, new) in assembly {
        if let Some(function) = module.function(&new) {
            let new = module.call_before(call, function, &call.args());
            call.replace_all_uses_with(new);
            // SAFETY: its result was just replaced, and the handle ends here.
            unsafe { call.erase_instruction() };
        }
    }
    Ok(())
}

/// The generic forms of all intrinsics of the tables, as one text; for the self-test.
pub(crate) fn generic_forms() -> String {
    let tables = [intrinsics::table_of_all(), neon::table()];
    let forms = tables
        .iter()
        .flatten()
        .map(|g| g.definition(&format!("{GENERIC}{}", g.name)));
    forms.collect()
}

/// Whether an intrinsic is an instruction of a host.
pub(crate) fn is_of_host(intrinsic: &str) -> bool {
    OF_HOSTS.iter().any(|prefix| intrinsic.starts_with(prefix))
}

/// The features that a function is compiled for, beyond `known` ones.
fn features(function: Value<'_>, known: &BTreeSet<String>) -> Vec<String> {
    let all = function
        .string_attribute(Attribute::FUNCTION, FEATURES)
        .unwrap_or_default();
    let added = all
        .split(',')
        .filter_map(|feature| feature.strip_prefix('+'));
    added
        .filter(|feature| !known.contains(*feature))
        .map(str::to_owned)
        .collect()
}

/// Functions that only a test for a feature may lead to, each with the name of one that panics.
fn detected_features<'ctx>(
    module: &Module<'ctx>,
    entries: &[Value<'ctx>],
    text: &mut String,
) -> Vec<(Value<'ctx>, String)> {
    let mut known: BTreeSet<String> = EVERYWHERE.map(str::to_owned).into();
    for entry in entries {
        known.extend(features(*entry, &BTreeSet::new()));
    }
    let mut replaced = Vec::new();
    for function in module.functions() {
        if function.is_declaration() || entries.contains(&function) {
            continue;
        }
        let features = features(function, &known);
        let Some(last) = features.last() else {
            continue;
        };
        let name = format!("{GENERIC}detected.{}", replaced.len());
        let (result, params) = function.value_type().signature();
        let params: Vec<String> = params.iter().map(|ty| ty.to_text()).collect();
        let said = format!(
            "`{:#}` needs `{last}` of the host's processor: in a kernel no feature is detected, and what needs one must not be called",
            rustc_demangle::demangle(&function.name())
        );
        let _ = write!(
            text,
            "@\"{name}.text\" = private unnamed_addr constant [{length} x i8] c\"{escaped}\"\ndefine weak_odr {result} @\"{name}\"({params}) noinline cold {{\n  call void @{PANIC}(ptr @\"{name}.text\", i64 {length})\n  unreachable\n}}\n",
            length = said.len(),
            escaped = super::library::escape(&said),
            result = result.to_text(),
            params = params.join(", "),
        );
        replaced.push((function, name));
    }
    if !replaced.is_empty() {
        let _ = writeln!(text, "declare void @{PANIC}(ptr, i64)");
    }
    replaced
}
