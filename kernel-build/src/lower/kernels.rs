//! Entries become kernels: calling convention, by-value parameters, alias facts, launch bounds, names.
//!
//! A kernel is a shell around the function that the macro wrote:
//!
//! ```text
//! define ptx_kernel void @saxpy(ptr noalias readonly byval([4 x i8]) align 4 %0, ptr noalias readonly nonnull align 4 %1,
//!                               i64 range(i64 0, 2305843009213693952) %2) {
//!   call void @entry(ptr %0, ptr %1, i64 %2)
//!   ret void
//! }
//! ```

use crate::hash::{HashMap, HashSet};
use crate::llvm::{Attribute, Linkage, LlvmError, Module, Passes, Subprogram, Value};
use crate::lower::retarget;
use crate::reach::{self, References};
use crate::roots::{DeviceParam, Root};
use std::fmt::Write as _;
use warploom_manifest::ParamKind;

/// Precedes the size of an element in a name that pointers to slices have as attribute; their number of elements is the next parameter.
pub(crate) const ELEMENTS: &str = "warploom.elements.";

/// What asks for the threads of a block where they are a constant of the code, 0 elsewhere.
pub(crate) const CONSTANT_BLOCK: &str = "__warploom.constant_block";

/// Adds the kernels of all roots under the names that the manifest will carry, in the order of the roots.
pub(crate) fn add(
    module: &mut Module<'_>,
    roots: &[Root<'_>],
    layout: &str,
) -> Result<Vec<String>, LlvmError> {
    let mut taken: HashSet<String> = module.functions().into_iter().map(Value::name).collect();
    let mut text = String::new();
    let mut names = Vec::new();
    for root in roots {
        let name = unique_name(root, &mut taken);
        text.push_str(&shell(root, &name));
        names.push(name);
    }
    let mut shells = Module::from_text(module.context(), &text)?;
    shells.set_target(retarget::TRIPLE, layout);
    retarget::mark_convergent(&shells);
    module.link(shells)?;
    let always_inline = Attribute::named(module.context(), "alwaysinline", 0);
    for root in roots {
        root.entry.set_linkage(Linkage::Internal);
        root.entry.remove_attribute(Attribute::FUNCTION, "noinline");
        if let Some(always_inline) = always_inline {
            root.entry.add_attribute(Attribute::FUNCTION, always_inline);
        }
    }
    Ok(names)
}

/// Inlines the entries, and what else must be inlined, into the kernels; these take over what debug information says of the entries.
pub(crate) fn inline(
    module: &mut Module<'_>,
    roots: &[Root<'_>],
    names: &[String],
) -> Result<(), LlvmError> {
    let lines: Vec<_> = roots.iter().map(|root| root.entry.subprogram()).collect();
    module.run(Passes::inline_always(), None)?;
    keep_lines(module, names, &lines);
    Ok(())
}

/// Hands it to the kernels: LLVM gives no lines for functions that debug information does not know. Must run when the entries are gone.
fn keep_lines(module: &Module<'_>, names: &[String], lines: &[Option<Subprogram>]) {
    for (name, subprogram) in names.iter().zip(lines) {
        if let (Some(kernel), Some(subprogram)) = (module.function(name), subprogram) {
            kernel.set_subprogram(*subprogram);
        }
    }
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

/// The kernel around one entry.
fn shell(root: &Root<'_>, name: &str) -> String {
    let mut params = Vec::new(); // of the kernel
    let mut args = Vec::new(); // for the entry
    for param in &root.params {
        let mut pointer = pointer_param(param);
        if matches!(param.param.kind, ParamKind::Slice | ParamKind::SliceMut) {
            let _ = write!(pointer, " \"{ELEMENTS}{}\"", param.param.size);
        }
        match param.param.kind {
            // PTX has no parameters without bytes; a value without any (a closure that captures nothing) is not handed over.
            ParamKind::ByValue if param.param.size == 0 => {
                args.push(format!("ptr inttoptr (i64 {} to ptr)", param.param.align));
                continue;
            }
            ParamKind::ByValue => {
                args.push(format!("ptr %{}", params.len()));
                params.push(pointer);
                continue;
            }
            ParamKind::Slice | ParamKind::SliceMut | ParamKind::Slice2DMut => {}
        }
        args.push(format!("ptr %{}", params.len()));
        params.push(pointer);
        let numbers = if param.param.kind == ParamKind::Slice2DMut {
            2
        } else {
            1
        };
        for _ in 0..numbers {
            args.push(format!("i64 %{}", params.len()));
            params.push(length_param(param));
        }
    }
    let typed: Vec<String> = params
        .iter()
        .enumerate()
        .map(|(i, p)| format!("{p} %{i}"))
        .collect();
    let entry_params: Vec<&str> = args
        .iter()
        .map(|a| if a.starts_with("ptr") { "ptr" } else { "i64" })
        .collect();
    let entry = root.entry.name();
    format!(
        "declare void @\"{entry}\"({})\n\ndefine ptx_kernel void @{name}({}){} {{\n  call void @\"{entry}\"({})\n  ret void\n}}\n\n",
        entry_params.join(", "),
        typed.join(", "),
        launch_facts(root),
        args.join(", "),
    )
}

fn pointer_param(param: &DeviceParam) -> String {
    let (size, align) = (param.param.size, param.param.align);
    let start = param.param.start_align();
    match param.param.kind {
        // Without the attribute a value whose address goes to a function is copied to local memory first.
        ParamKind::ByValue if param.is_grid_const() => {
            format!(
                "ptr noalias readonly noundef byval([{size} x i8]) align {align} \"nvvm.grid_constant\""
            )
        }
        // The entry copies the value; whatever only reads the copy then reads the parameter itself, at a variable index too.
        ParamKind::ByValue => {
            format!("ptr noalias readonly noundef byval([{size} x i8]) align {align}")
        }
        // Buffers are borrowed for the launch: what is read is not written, what is written has one name. Slices of atomics are
        // shared, so nothing is said of them. The runtime hands over a dangling address for an empty slice, never null. It refuses
        // addresses that are not aligned for the vector accesses of the elements.
        ParamKind::Slice if param.readonly => {
            format!("ptr noalias readonly nonnull noundef align {start}")
        }
        ParamKind::Slice => format!("ptr nonnull noundef align {start}"),
        ParamKind::SliceMut | ParamKind::Slice2DMut => {
            format!("ptr noalias nonnull noundef align {start}")
        }
    }
}

/// A number of elements: no buffer is larger than half the address space, which Rust's slices rely on, too.
fn length_param(param: &DeviceParam) -> String {
    match (i64::MAX as u64).checked_div(param.param.size) {
        Some(most) => format!("i64 noundef range(i64 0, {})", (most + 1).cast_signed()),
        None => "i64 noundef".to_owned(),
    }
}

fn launch_facts(root: &Root<'_>) -> String {
    let mut facts = String::new();
    let mut say = |key: &str, value: &str| {
        let _ = write!(facts, " \"{key}\"=\"{value}\"");
    };
    let [x, y, z] = root.contract.block;
    if x != 0 {
        say("nvvm.reqntid", &format!("{x},{},{}", y.max(1), z.max(1)));
    } else if root.contract.max_threads != 0 {
        say("nvvm.maxntid", &root.contract.max_threads.to_string());
    }
    let [x, y, z] = root.contract.cluster;
    if x != 0 || root.contract.cluster_at_launch {
        // Zeros say that launches decide.
        say("nvvm.cluster_dim", &format!("{x},{y},{z}"));
    }
    for (key, value) in [
        ("nvvm.minctasm", root.contract.min_blocks),
        ("nvvm.maxnreg", root.max_registers),
        ("nvvm.maxclusterrank", root.contract.max_cluster),
    ] {
        if value != 0 {
            say(key, &value.to_string());
        }
    }
    facts
}

/// States what the launch guarantees about indices and sizes: numbers where the kernel fixes the block, ranges elsewhere, so that
/// checks which always hold go away. Functions know what all kernels that reach them have in common; those whose address is taken know what every
/// block has, since another kernel may find the address in memory. Call before optimisation.
pub(crate) fn state_index_facts(module: &Module<'_>, roots: &[Root<'_>], names: &[String]) {
    let references = References::of(module);
    let mut known: HashMap<Value<'_>, Limits> = HashMap::default();
    for (root, name) in roots.iter().zip(names) {
        let limits = Limits::of(root);
        for function in references.reached(module.function(name)) {
            known
                .entry(function)
                .and_modify(|others| *others = others.or(&limits))
                .or_insert_with(|| limits.clone());
        }
    }
    for function in references.reached(used_by_address(module)) {
        known.insert(function, Limits::ANY);
    }
    for function in module.functions() {
        let limits = known.get(&function).unwrap_or(&Limits::ANY);
        for call in function
            .instructions()
            .into_iter()
            .filter_map(Value::as_call)
        {
            let Some(callee) = call.callee().as_function().map(Value::name) else {
                continue;
            };
            if callee == CONSTANT_BLOCK {
                let threads = limits.threads().unwrap_or(0);
                call.replace_all_uses_with(module.i32_type().integer(threads));
                // SAFETY: its result was just replaced, and the handle ends here.
                unsafe { call.erase_instruction() };
                continue;
            }
            let Some((from, to)) = callee
                .strip_prefix("llvm.nvvm.read.ptx.sreg.")
                .and_then(|r| limits.range(r))
            else {
                continue;
            };
            if to - from == 1 {
                call.replace_all_uses_with(module.i32_type().integer(from));
            } else if let Some(range) = Attribute::range(module.context(), from, to) {
                call.add_call_attribute(Attribute::RETURN, range);
            }
        }
    }
}

/// Functions that are used otherwise than by calling them by name.
fn used_by_address<'ctx>(module: &Module<'ctx>) -> Vec<Value<'ctx>> {
    let in_code = module.functions().into_iter().flat_map(Value::instructions);
    let in_code = in_code.flat_map(|i| i.as_call().map_or_else(|| i.operands(), Value::args));
    let in_memory = module.globals().into_iter().filter_map(Value::initializer);
    let mut used = reach::symbols(in_code.chain(in_memory));
    used.retain(|value| value.as_function().is_some());
    used
}

/// What is known of a block: its exact size, or the most threads along each axis.
#[derive(Clone)]
struct Limits {
    exact: bool,
    block: [u64; 3],
}

impl Limits {
    /// What every GPU since compute capability 2.0 keeps to.
    const ANY: Limits = Limits {
        exact: false,
        block: [1024, 1024, 64],
    };

    fn of(root: &Root<'_>) -> Limits {
        if root.contract.block[0] != 0 {
            return Limits {
                exact: true,
                block: root.contract.block.map(|n| u64::from(n.max(1))),
            };
        }
        let most = if root.contract.max_threads == 0 {
            1024
        } else {
            u64::from(root.contract.max_threads)
        };
        Limits {
            exact: false,
            block: Limits::ANY.block.map(|n| n.min(most)),
        }
    }

    /// The threads of a block, where all blocks have equally many.
    fn threads(&self) -> Option<u64> {
        self.exact.then(|| self.block.iter().product())
    }

    /// What holds in blocks of both.
    fn or(&self, other: &Limits) -> Limits {
        let axis = |i: usize| self.block[i].max(other.block[i]);
        Limits {
            exact: self.exact && other.exact && self.block == other.block,
            block: [axis(0), axis(1), axis(2)],
        }
    }

    /// The values that a special register can have: from, and the first that it cannot.
    fn range(&self, register: &str) -> Option<(u64, u64)> {
        let (name, axis) = register.split_once('.').unwrap_or((register, "x"));
        let axis = ["x", "y", "z"].iter().position(|a| *a == axis)?;
        let blocks = [0x7fff_ffff, 0xffff, 0xffff][axis];
        match name {
            "tid" => Some((0, self.block[axis])),
            "ntid" if self.exact => Some((self.block[axis], self.block[axis] + 1)),
            "ntid" => Some((1, self.block[axis] + 1)),
            "ctaid" => Some((0, blocks)),
            "nctaid" => Some((1, blocks + 1)),
            "laneid" => Some((0, 32)),
            _ => None,
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
