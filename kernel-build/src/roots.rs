//! Which kernels a crate has: the ones it defines, and the instances of generic kernels that it launches.
//!
//! `#[kernel]` leaves a constant per kernel (`DeviceKernel` of `warploom-device-std`), which is reached in two ways: a static in section
//! `.warploom.kernels` for each kernel that is not generic, and a call of `__warploom.instantiate` in each launch. Both are read from
//! the IR of the crate itself, before anything is dropped.

use crate::llvm::{Attribute, LlvmError, Module, Passes, TypeKind, Value};
use std::collections::{HashMap, HashSet};
use warploom_manifest::{Contract, Location, Param, ParamKind};

/// The function that launches call in the device pass, with the kernel's constant and the place of the launch.
pub(crate) const INSTANTIATE: &str = "__warploom.instantiate";
const SECTION: &str = ".warploom.kernels";

/// A kernel to compile.
#[derive(Debug, Clone)]
pub(crate) struct Root<'ctx> {
    pub(crate) entry: Value<'ctx>,
    /// `type_name` of the launch handle.
    pub(crate) name: String,
    /// The name in the source.
    pub(crate) base: String,
    /// Name and version of the package that has it.
    pub(crate) package: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) params: Vec<DeviceParam>,
    /// What launches must keep to, as far as the device code says it.
    pub(crate) contract: Contract,
    pub(crate) max_registers: u32,
    pub(crate) fma: bool,
    /// Arithmetic of `f32` as nvcc's `-use_fast_math` has it.
    pub(crate) fast_math: bool,
    /// Where it is launched, as far as constants say; `None` in the list stands for places that cannot be known.
    pub(crate) launched_at: Vec<Option<Location>>,
}

impl Root<'_> {
    /// All that is known of the kernel beside its code, as one text.
    pub(crate) fn facts(&self) -> String {
        // All fields, so that none is forgotten.
        let Root {
            entry,
            name,
            base,
            package,
            file,
            line,
            params,
            contract,
            max_registers,
            fma,
            fast_math,
            launched_at,
        } = self;
        let entry = entry.name();
        format!(
            "{:?}",
            (
                (entry, name, base, package, file, line),
                (params, contract, max_registers, fma, fast_math, launched_at)
            )
        )
    }

    /// The least architecture and PTX version for what the kernel declares, whatever its code is.
    pub(crate) fn needs(&self) -> (u32, u32) {
        let contract = &self.contract;
        let clusters =
            contract.cluster[0] != 0 || contract.cluster_at_launch || contract.max_cluster != 0;
        if clusters {
            (90, 78)
        } else if self.params.iter().any(DeviceParam::is_grid_const) {
            (70, 77) // `cvta.param`
        } else {
            (0, 0)
        }
    }
}

/// A parameter of the entry.
#[derive(Debug, Clone)]
pub(crate) struct DeviceParam {
    pub(crate) param: Param,
    pub(crate) readonly: bool,
    pub(crate) layout: u64,
}

impl DeviceParam {
    /// Whether all threads read the value where the launch put it.
    pub(crate) fn is_grid_const(&self) -> bool {
        self.param.kind == ParamKind::ByValue && self.readonly && self.param.size > 0
    }
}

/// Makes constants visible where launches name kernels and launch sites.
pub(crate) fn expose(module: &mut Module<'_>) -> Result<(), LlvmError> {
    expose_callers(module);
    module.run(Passes::expose_arguments(), None)
}

/// All kernels of a crate's own module; those without a cap on registers get one of `max_registers`.
///
/// # Errors
/// One text for each problem.
pub(crate) fn of<'ctx>(
    module: &Module<'ctx>,
    max_registers: u32,
) -> Result<Vec<Root<'ctx>>, Vec<String>> {
    let found = find(&module.functions(), &module.globals());
    let mut roots = found.map_err(|problem| vec![problem])?;
    for root in &mut roots {
        if root.max_registers == 0 && root.contract.max_threads == 0 {
            root.max_registers = max_registers;
        }
    }
    let problems = check_names(&roots);
    if problems.is_empty() {
        Ok(roots)
    } else {
        Err(problems)
    }
}

/// The symbols of their entries.
pub(crate) fn symbols(roots: &[Root<'_>]) -> Vec<String> {
    roots.iter().map(|root| root.entry.name()).collect()
}

fn find<'ctx>(
    functions: &[Value<'ctx>],
    globals: &[Value<'ctx>],
) -> Result<Vec<Root<'ctx>>, String> {
    let mut roots: Vec<Root<'ctx>> = Vec::new();
    let mut by_entry: HashMap<Value<'ctx>, usize> = HashMap::new();
    let mut add = |kernel: Value<'ctx>, at: Option<Option<Location>>| -> Result<(), String> {
        let root = read_kernel(kernel).ok_or_else(|| {
            format!(
                "the description of a kernel cannot be read: {}",
                kernel.to_text()
            )
        })?;
        if root.entry.is_declaration() {
            // A kernel of a library, not generic: that library's own device code holds it.
            return Ok(());
        }
        let index = *by_entry.entry(root.entry).or_insert_with(|| {
            roots.push(root);
            roots.len() - 1
        });
        if let Some(at) = at
            && !roots[index].launched_at.contains(&at)
        {
            roots[index].launched_at.push(at);
        }
        Ok(())
    };
    for global in globals.iter().filter(|g| g.section() == SECTION) {
        if let Some(kernel) = global.initializer().and_then(|i| Memory::of(i).pointer(0)) {
            add(kernel, None)?;
        }
    }
    let calls = CallSites::of(functions);
    let marker = functions.iter().find(|f| f.name() == INSTANTIATE);
    for call in marker.into_iter().flat_map(|m| calls.of_function(*m)) {
        let args = call.args();
        let (Some(kernel), Some(at)) = (args.first(), args.get(1)) else {
            continue;
        };
        for (kernel, at) in calls.resolve_pair(*kernel, *at, &mut HashSet::new()) {
            add(kernel, Some(at.and_then(read_location)))?;
        }
    }
    Ok(roots)
}

/// Lets the place of a launch be seen through `Location::caller()`, which only returns its hidden argument.
fn expose_callers(module: &Module<'_>) {
    let Some(always_inline) = Attribute::named(module.context(), "alwaysinline", 0) else {
        return;
    };
    for function in module.functions() {
        if function.name().contains("8Location6caller") && !function.is_declaration() {
            function.remove_attribute(Attribute::FUNCTION, "noinline");
            function.add_attribute(Attribute::FUNCTION, always_inline);
        }
    }
}

/// Two instances that share a name must be told apart by where they are launched; says which cannot.
fn check_names(roots: &[Root<'_>]) -> Vec<String> {
    let mut problems = Vec::new();
    for (i, root) in roots.iter().enumerate() {
        for other in roots[..i].iter().filter(|o| o.name == root.name) {
            let unknown = root.launched_at.contains(&None) || other.launched_at.contains(&None);
            let shared = root
                .launched_at
                .iter()
                .flatten()
                .find(|at| other.launched_at.contains(&Some((*at).clone())));
            if let Some(at) = shared {
                let Root { base, name, .. } = root;
                let place = format!("{}:{}:{}", at.file, at.line, at.column);
                problems.push(if name.contains("{closure") || name.contains("{{closure") {
                    format!(
                        "two closures with the same name reach the launch of kernel `{base}` at {place}, so the program could not tell their device code apart; mark the function around that launch `#[track_caller]`; if one call of a macro makes both launches, let each launch have a call of its own; or hand over named functions instead of closures"
                    )
                } else {
                    format!(
                        "two kernels are both called `{name}` and both launched at {place}, so the program could not tell their device code apart; give them different names, or, if one call of a macro makes both launches, let each launch have a call of its own"
                    )
                });
            } else if unknown {
                problems.push(format!(
                    "two instances of kernel `{}` are both called `{}`, and one is launched from a place that is not known at build time (through a function pointer or `dyn`); launch it directly, or hand over named functions instead of closures",
                    root.base, root.name
                ));
            }
        }
    }
    problems
}

/// Who calls whom, directly.
struct CallSites<'ctx> {
    calls: HashMap<Value<'ctx>, Vec<Value<'ctx>>>,
}

impl<'ctx> CallSites<'ctx> {
    fn of(functions: &[Value<'ctx>]) -> CallSites<'ctx> {
        let mut calls: HashMap<Value<'ctx>, Vec<Value<'ctx>>> = HashMap::new();
        for call in functions
            .iter()
            .flat_map(|f| f.instructions())
            .filter_map(Value::as_call)
        {
            if let Some(callee) = call.callee().as_function() {
                calls.entry(callee).or_default().push(call);
            }
        }
        CallSites { calls }
    }

    fn of_function(&self, function: Value<'ctx>) -> Vec<Value<'ctx>> {
        self.calls.get(&function).cloned().unwrap_or_default()
    }

    /// The constants that two arguments of one call can be, followed through parameters of the functions around it.
    fn resolve_pair(
        &self,
        kernel: Value<'ctx>,
        at: Value<'ctx>,
        seen: &mut HashSet<Value<'ctx>>,
    ) -> Vec<(Value<'ctx>, Option<Value<'ctx>>)> {
        let outer = match (kernel.as_param(), at.as_param()) {
            (None, None) => {
                return vec![(kernel, at.as_global())]
                    .into_iter()
                    .filter(|(k, _)| k.as_global().is_some())
                    .collect();
            }
            (Some((function, _)), _) | (None, Some((function, _))) => function,
        };
        if !seen.insert(outer) {
            return vec![];
        }
        let mut all = Vec::new();
        for call in self.of_function(outer) {
            let args = call.args();
            let of_caller = |value: Value<'ctx>| match value.as_param() {
                Some((function, index)) if function == outer => {
                    args.get(index).copied().unwrap_or(value)
                }
                _ => value,
            };
            all.extend(self.resolve_pair(of_caller(kernel), of_caller(at), seen));
        }
        seen.remove(&outer);
        if all.is_empty() && kernel.as_global().is_some() {
            all.push((kernel, None));
        }
        all
    }
}

/// Reads `warploom_device_std::kernel::DeviceKernel`, whose layout (`repr(C)`) is:
/// name, base: (ptr, len) · entry: ptr · params: (ptr, len) · file: (ptr, len) · line, dims, block × 3, max_threads, min_blocks,
/// max_registers: u32 · fma, fast_math: u16 · cluster × 3, max_cluster: u32 · cluster_at_launch, dynamic_shared, cooperative,
/// dependent_launch: bool · conditions: u64 · package: (ptr, len).
fn read_kernel<'ctx>(kernel: Value<'ctx>) -> Option<Root<'ctx>> {
    let memory = Memory::of(kernel.as_global()?.initializer()?);
    let entry = memory.pointer(32)?.as_function()?;
    let params_len = memory.u64(48)?;
    let mut params = Vec::new();
    if params_len > 0 {
        let list = Memory::of(memory.pointer(40)?.as_global()?.initializer()?);
        for i in 0..usize::try_from(params_len).ok()? {
            params.push(read_param(&list, 32 * i)?);
        }
    }
    let word = |i: usize| memory.u32(72 + 4 * i);
    Some(Root {
        entry,
        name: memory.text(0)?,
        base: memory.text(16)?,
        package: memory.text(136)?,
        file: memory.text(56)?,
        line: word(0)?,
        params,
        contract: Contract {
            dims: word(1)?,
            block: [word(2)?, word(3)?, word(4)?],
            max_threads: word(5)?,
            min_blocks: word(6)?,
            cluster: [word(9)?, word(10)?, word(11)?],
            max_cluster: word(12)?,
            cluster_at_launch: memory.byte(124)? != 0,
            dynamic_shared: memory.byte(125)? != 0,
            cooperative: memory.byte(126)? != 0,
            dependent_launch: memory.byte(127)? != 0,
            conditions: memory.u64(128)?,
        },
        max_registers: word(7)?,
        fma: word(8)? & 0xffff != 0,
        fast_math: word(8)? >> 16 != 0,
        launched_at: vec![],
    })
}

/// Reads `DeviceParam`: kind, readonly: u32 · size, align, layout: u64.
fn read_param(memory: &Memory<'_>, at: usize) -> Option<DeviceParam> {
    let kind = match memory.u32(at)? {
        0 => ParamKind::ByValue,
        1 => ParamKind::Slice,
        2 => ParamKind::SliceMut,
        3 => ParamKind::Slice2DMut,
        _ => return None,
    };
    let param = Param {
        kind,
        size: memory.u64(at + 8)?,
        align: memory.u64(at + 16)?,
    };
    Some(DeviceParam {
        param,
        readonly: memory.u32(at + 4)? != 0,
        layout: memory.u64(at + 24)?,
    })
}

/// Reads `core::panic::Location` of rustc 1.95: file (ptr, len with the closing zero byte) · line, column: u32.
pub(crate) fn read_location(global: Value<'_>) -> Option<Location> {
    let memory = Memory::of(global.as_global()?.initializer()?);
    let mut file = memory.text(0)?;
    if file.ends_with('\0') {
        file.pop();
    }
    Some(Location {
        file,
        line: memory.u32(16)?,
        column: memory.u32(20)?,
    })
}

/// The bytes of a constant as rustc writes it.
pub(crate) fn size_of_constant(constant: Value<'_>) -> usize {
    Memory::of(constant).bytes.len()
}

/// A constant as memory: bytes, and pointers in between.
struct Memory<'ctx> {
    bytes: Vec<u8>,
    pointers: HashMap<usize, Value<'ctx>>,
}

impl<'ctx> Memory<'ctx> {
    /// rustc writes constants as packed structs of byte arrays and pointers.
    fn of(constant: Value<'ctx>) -> Memory<'ctx> {
        let mut memory = Memory {
            bytes: vec![],
            pointers: HashMap::new(),
        };
        memory.append(constant);
        memory
    }

    fn append(&mut self, constant: Value<'ctx>) {
        if let Some(bytes) = constant.as_bytes() {
            self.bytes.extend_from_slice(&bytes);
        } else if constant.as_global().is_some() || constant.as_function().is_some() {
            self.pointers.insert(self.bytes.len(), constant);
            self.bytes.extend_from_slice(&[0; 8]);
        } else if let Some(size) = constant.zero_size() {
            self.bytes.resize(self.bytes.len() + size, 0);
        } else if matches!(constant.ty().kind(), TypeKind::Pointer(_)) {
            // A bare address, as of an empty list.
            self.bytes.extend_from_slice(&[0; 8]);
        } else {
            for field in constant.operands() {
                self.append(field);
            }
        }
    }

    fn pointer(&self, at: usize) -> Option<Value<'ctx>> {
        self.pointers.get(&at).copied()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn u32(&self, at: usize) -> Option<u32> {
        let bytes = self.bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    fn u64(&self, at: usize) -> Option<u64> {
        let bytes = self.bytes.get(at..at + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    fn text(&self, at: usize) -> Option<String> {
        let len = usize::try_from(self.u64(at + 8)?).ok()?;
        if len == 0 {
            return Some(String::new());
        }
        let memory = Memory::of(self.pointer(at)?.as_global()?.initializer()?);
        Some(String::from_utf8_lossy(memory.bytes.get(..len)?).into_owned())
    }
}
