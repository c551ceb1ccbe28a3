//! Entries become kernels: calling convention, by-value parameters, alias facts, launch bounds, names.

use crate::llvm::{Attribute, Linkage, Module, Value};
use crate::roots::Root;
use std::collections::HashSet;
use warploom_manifest::ParamKind;

/// LLVM's number for kernels in PTX.
const PTX_KERNEL: u32 = 71;

/// Makes the entries of all roots kernels and gives them the names that the manifest will carry, in the order of the roots.
pub(crate) fn finish(module: &Module<'_>, roots: &[Root<'_>]) -> Vec<String> {
    let mut taken = HashSet::new();
    roots
        .iter()
        .map(|root| {
            let name = unique_name(root, &mut taken);
            root.entry.set_name(&name);
            root.entry.set_linkage(Linkage::External);
            root.entry.set_calling_convention(PTX_KERNEL);
            root.entry.remove_attribute(Attribute::FUNCTION, "noinline");
            describe_params(module, root);
            describe_launch(module, root);
            name
        })
        .collect()
}

/// The name in the source, with a number where several instances share it.
fn unique_name(root: &Root<'_>, taken: &mut HashSet<String>) -> String {
    let clean: String = root
        .base
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let mut name = clean.clone();
    let mut number = 1;
    while !taken.insert(name.clone()) {
        number += 1;
        name = format!("{clean}_{number}");
    }
    name
}

fn describe_params(module: &Module<'_>, root: &Root<'_>) {
    let context = module.context();
    let add = |index: u32, attribute: Option<Attribute>| {
        if let Some(attribute) = attribute {
            root.entry.add_attribute(index, attribute);
        }
    };
    let mut index = 1; // attribute index of the first parameter
    for param in &root.params {
        match param.param.kind {
            ParamKind::ByValue => {
                // PTX has no parameters without bytes; a value without any (a closure that captures nothing) is handed over as one byte.
                let ty = module.i8_type().array(param.param.size.max(1));
                add(index, Attribute::typed(context, "byval", ty));
                add(index, Attribute::named(context, "align", param.param.align));
                index += 1;
            }
            ParamKind::Slice | ParamKind::SliceMut | ParamKind::Slice2DMut => {
                add(index, Attribute::named(context, "align", param.param.align));
                // The runtime hands over a dangling address for an empty slice, as Rust's own slices have, never null.
                add(index, Attribute::named(context, "nonnull", 0));
                // Buffers are borrowed for the launch: what is read is not written, what is written has one name. Only slices of
                // atomics are shared, and those the macro does not call readonly.
                if param.readonly {
                    add(index, Attribute::named(context, "noalias", 0));
                    add(index, Attribute::named(context, "readonly", 0));
                } else if param.param.kind != ParamKind::Slice {
                    add(index, Attribute::named(context, "noalias", 0));
                }
                index += if param.param.kind == ParamKind::Slice2DMut {
                    3
                } else {
                    2
                };
            }
        }
    }
}

fn describe_launch(module: &Module<'_>, root: &Root<'_>) {
    let text = |key: &str, value: String| {
        root.entry.add_attribute(
            Attribute::FUNCTION,
            Attribute::text(module.context(), key, &value),
        );
    };
    let [x, y, z] = root.block;
    if x != 0 {
        text("nvvm.reqntid", format!("{x},{},{}", y.max(1), z.max(1)));
    } else if root.max_threads != 0 {
        text("nvvm.maxntid", root.max_threads.to_string());
    }
    if root.min_blocks != 0 {
        text("nvvm.minctasm", root.min_blocks.to_string());
    }
    if root.max_registers != 0 {
        text("nvvm.maxnreg", root.max_registers.to_string());
    }
}

/// Puts the block's size in place of the questions for it, where the kernel fixes it. Call after inlining, before optimisation.
pub(crate) fn fix_block_size(module: &Module<'_>, roots: &[Root<'_>]) {
    for root in roots.iter().filter(|r| r.block[0] != 0) {
        for call in root
            .entry
            .instructions()
            .into_iter()
            .filter_map(Value::as_call)
        {
            let Some(name) = call.callee().as_function().map(Value::name) else {
                continue;
            };
            let axis = match name.as_str() {
                "llvm.nvvm.read.ptx.sreg.ntid.x" => 0,
                "llvm.nvvm.read.ptx.sreg.ntid.y" => 1,
                "llvm.nvvm.read.ptx.sreg.ntid.z" => 2,
                _ => continue,
            };
            call.replace_all_uses_with(
                module
                    .i32_type()
                    .integer(u64::from(root.block[axis].max(1))),
            );
        }
    }
}

/// Lets multiplications and additions fuse, in the kernels of these names or everywhere.
pub(crate) fn allow_contraction(module: &Module<'_>, kernels: &[&str], everywhere: bool) {
    let chosen: Vec<Value<'_>> = if everywhere {
        module.functions()
    } else {
        kernels.iter().filter_map(|k| module.function(k)).collect()
    };
    for function in chosen {
        for instruction in function.instructions() {
            instruction.allow_contraction();
        }
    }
}
