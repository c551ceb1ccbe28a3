//! Atomics in a thread's own memory, which PTX does not define.
//!
//! `atom`, `red` and loads and stores with an order work in global and in shared memory; of a generic address in local memory PTX says
//! nothing, and GPUs fault. Rust allows `let n = AtomicU32::new(0); n.fetch_add(1, Relaxed)`. No other thread reaches such a variable, so an
//! atomic operation on it is a load, the computation, and a store.
//!
//! ```text
//! before   %r = atomicrmw add ptr %p, i32 %v seq_cst
//!
//! after    a local variable:    %r = load i32, ptr addrspace(5) %l     global or shared memory: unchanged
//!                               %n = add i32 %r, %v
//!                               store i32 %n, ptr addrspace(5) %l
//!
//!          not known: isspacep.local decides in front of the access, and the operation is one of both
//! ```
//! Runs when address spaces are known, and before [`atomics`](super::atomics) spells out what is left. Fences of a single thread, which only
//! restrain the compiler, have done their work by then; NVPTX cannot select them.

use crate::hash::{HashMap, HashSet};

use super::atomics::call_helpers;
use crate::llvm::{Context, LlvmError, Module, Op, TypeKind, Value};

const RELAXED: i32 = 2;
/// The scope of compiler fences.
const SINGLE_THREAD: u32 = 0;
/// LLVM's words for orders, by its numbers.
const ORDERS: [(i32, &str); 5] = [
    (RELAXED, "monotonic"),
    (4, "acquire"),
    (5, "release"),
    (6, "acq_rel"),
    (7, "seq_cst"),
];

/// Replaces the operations; needs `always-inline` after it.
pub(crate) fn lower(module: &mut Module<'_>, kernels: &[String]) -> Result<(), LlvmError> {
    let scopes = scopes(module.context());
    let mut helpers: HashMap<String, String> = HashMap::default();
    let (mut planned, mut fences) = (Vec::new(), Vec::new());
    for function in module.functions() {
        let is_kernel = kernels.contains(&function.name());
        for instruction in function.instructions() {
            if instruction.op() == Op::Fence && instruction.sync_scope() == SINGLE_THREAD {
                fences.push(instruction);
                continue;
            }
            let Some(access) = Access::of(instruction, &scopes) else {
                continue;
            };
            let place = Place::of(access.pointer, is_kernel);
            if place == Place::Shared {
                continue;
            }
            let name = access.name(place);
            let text = helpers.entry(name.clone());
            text.or_insert_with(|| access.text(&name, place));
            planned.push((instruction, name));
        }
    }
    for fence in fences {
        // SAFETY: a fence has no result, and the handle ends here.
        unsafe { fence.erase_instruction() };
    }
    let mut text = String::from("declare i1 @llvm.nvvm.isspacep.local(ptr)\n");
    text.extend(helpers.into_values());
    call_helpers(module, &text, planned)
}

/// How IR writes each scope that atomics may have, by the context's numbers.
fn scopes(context: &Context) -> HashMap<u32, &'static str> {
    let named = ["block", "cluster", "device"].map(|name| (context.sync_scope(name), name));
    named.into_iter().chain([(1, "")]).collect()
}

/// Where the memory of an access is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The thread's own memory.
    Own,
    /// Memory that other threads reach.
    Shared,
    /// Either, for all that can be seen.
    Unknown,
}

impl Place {
    fn of(pointer: Value<'_>, is_kernel: bool) -> Place {
        let (mut all, mut seen) = (None, HashSet::default());
        let mut pending = vec![pointer];
        while let Some(value) = pending.pop() {
            if !seen.insert(value) {
                continue;
            }
            if seen.len() > 64 {
                return Place::Unknown;
            }
            let place = match value.ty().kind() {
                TypeKind::Pointer(0) => match Place::of_generic(value, is_kernel, &mut pending) {
                    Some(place) => place,
                    None => continue, // what it was computed from says it
                },
                TypeKind::Pointer(5) => Place::Own,
                _ => Place::Shared,
            };
            if *all.get_or_insert(place) != place || place == Place::Unknown {
                return Place::Unknown;
            }
        }
        all.unwrap_or(Place::Unknown)
    }

    /// `None`: that of the values which were added to `pending`.
    fn of_generic<'ctx>(
        value: Value<'ctx>,
        is_kernel: bool,
        pending: &mut Vec<Value<'ctx>>,
    ) -> Option<Place> {
        if value.is_alloca() {
            return Some(Place::Own);
        }
        if value.as_global().is_some() {
            return Some(Place::Shared);
        }
        if value.as_param().is_some() {
            // The host passes no addresses of a thread's memory.
            return Some(if is_kernel {
                Place::Shared
            } else {
                Place::Unknown
            });
        }
        if let Some(base) = value.base_of_address() {
            pending.push(base);
            return None;
        }
        let operands = value.operands();
        match value.op() {
            Op::AddrSpaceCast | Op::Freeze | Op::Phi => pending.extend(operands),
            Op::Select => pending.extend(operands.into_iter().skip(1)),
            Op::Load if is_of_host(value) => return Some(Place::Shared),
            Op::IntToPtr if operands.iter().all(|number| is_of_host(*number)) => {
                return Some(Place::Shared);
            }
            _ => return Some(Place::Unknown),
        }
        None
    }
}

/// Whether a value is loaded from a global: an address there is written by the host or the linker. What threads store in a static holds no
/// reference, and is read atomically.
fn is_of_host(value: Value<'_>) -> bool {
    value.op() == Op::Load
        && value.ordering() == 0
        && value.operands().iter().all(|from| is_global(*from))
}

/// Whether it is the address of a global or of a part of it.
fn is_global(address: Value<'_>) -> bool {
    let base = address.base_of_address().unwrap_or(address);
    base.as_global().or_else(|| address.as_global()).is_some()
}

/// An atomic operation at a generic address.
struct Access<'ctx> {
    op: Op,
    pointer: Value<'ctx>,
    /// LLVM's type of the operand.
    ty: String,
    /// LLVM's number of what a read-modify-write does.
    operation: i32,
    order: i32,
    scope: &'static str,
    align: u32,
    is_used: bool,
}

impl<'ctx> Access<'ctx> {
    fn of(instruction: Value<'ctx>, scopes: &HashMap<u32, &'static str>) -> Option<Access<'ctx>> {
        let op = instruction.op();
        let operands = || instruction.operands();
        let (pointer, ty) = match op {
            Op::AtomicRmw | Op::CmpXchg => (*operands().first()?, operands().get(1)?.ty()),
            Op::Load => (*operands().first()?, instruction.ty()),
            Op::Store => (*operands().get(1)?, operands().first()?.ty()),
            _ => return None,
        };
        let order = instruction.ordering();
        if order < RELAXED || !matches!(pointer.ty().kind(), TypeKind::Pointer(0 | 5)) {
            return None;
        }
        let operation = match op {
            Op::AtomicRmw => instruction.rmw_operation(),
            _ => 0,
        };
        let access = Access {
            op,
            pointer,
            ty: ty.to_text(),
            operation,
            order,
            scope: scopes.get(&instruction.sync_scope()).copied()?,
            align: instruction.alignment(),
            is_used: instruction.is_used(),
        };
        (op != Op::AtomicRmw || access.word().is_some()).then_some(access)
    }

    /// LLVM's word for what a read-modify-write does, and the computation that leaves `%n`; `%o` is the value before.
    fn word(&self) -> Option<(&'static str, String)> {
        let ty = &self.ty;
        let simple = |op: &str| format!("  %n = {op} {ty} %o, %v\n");
        let chosen = |op: &str| {
            format!("  %c = icmp {op} {ty} %o, %v\n  %n = select i1 %c, {ty} %o, {ty} %v\n")
        };
        Some(match self.operation {
            0 => ("xchg", format!("  %n = freeze {ty} %v\n")),
            1 => ("add", simple("add")),
            2 => ("sub", simple("sub")),
            3 => ("and", simple("and")),
            4 => (
                "nand",
                format!("  %a = and {ty} %o, %v\n  %n = xor {ty} %a, -1\n"),
            ),
            5 => ("or", simple("or")),
            6 => ("xor", simple("xor")),
            7 => ("max", chosen("sgt")),
            8 => ("min", chosen("slt")),
            9 => ("umax", chosen("ugt")),
            10 => ("umin", chosen("ult")),
            11 => ("fadd", simple("fadd")),
            12 => ("fsub", simple("fsub")),
            15 => (
                "uinc_wrap",
                format!(
                    "  %c = icmp uge {ty} %o, %v\n  %i = add {ty} %o, 1\n  %n = select i1 %c, {ty} 0, {ty} %i\n"
                ),
            ),
            16 => (
                "udec_wrap",
                format!(
                    "  %z = icmp eq {ty} %o, 0\n  %g = icmp ugt {ty} %o, %v\n  %c = or i1 %z, %g\n  %d = sub {ty} %o, 1\n  %n = select i1 %c, {ty} %v, {ty} %d\n"
                ),
            ),
            _ => return None,
        })
    }

    fn order(&self) -> &'static str {
        let known = ORDERS.iter().find(|(number, _)| *number == self.order);
        known.map_or("seq_cst", |(_, word)| word)
    }

    fn name(&self, place: Place) -> String {
        let what = match self.op {
            Op::AtomicRmw => self.word().map_or("", |(word, _)| word),
            Op::CmpXchg => "cas",
            Op::Load => "load",
            _ => "store",
        };
        let ty: String = self
            .ty
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        let place = match place {
            Place::Own => format!("own_{}", self.align),
            _ => format!("any_{}_{}_{}", self.align, self.order, self.scope),
        };
        let space = self.pointer.ty().to_text();
        let space: String = space.chars().filter(char::is_ascii_digit).collect();
        let used = if self.is_used { "" } else { "_unused" };
        format!("__warploom_{what}_{ty}_{place}_{space}{used}")
    }

    /// The helper. Not `linkonce`: linking would drop it, since nothing refers to it yet.
    fn text(&self, name: &str, place: Place) -> String {
        let ty = &self.ty;
        let pointer = self.pointer.ty().to_text();
        let (result, list) = match self.op {
            Op::CmpXchg => (
                format!("{{ {ty}, i1 }}"),
                format!("{pointer} %p, {ty} %e, {ty} %v"),
            ),
            Op::Load => (ty.clone(), format!("{pointer} %p")),
            Op::Store => ("void".to_owned(), format!("{pointer} %p, {ty} %v")),
            _ => (ty.clone(), format!("{pointer} %p, {ty} %v")),
        };
        // So that a reduction stays one.
        let result = if self.is_used {
            result
        } else {
            "void".to_owned()
        };
        let cast = if pointer == "ptr" {
            "  %l = addrspacecast ptr %p to ptr addrspace(5)\n"
        } else {
            "  %l = getelementptr i8, ptr addrspace(5) %p, i32 0\n"
        };
        let own = format!("{cast}{}", self.plainly());
        let body = match place {
            Place::Own => own,
            _ => format!(
                "  %is_own = call i1 @llvm.nvvm.isspacep.local(ptr %p)\n  br i1 %is_own, label %own, label %shared\nown:\n{own}shared:\n{}",
                self.atomically()
            ),
        };
        format!(
            "define weak_odr {result} @{name}({list}) alwaysinline {{
{body}}}
"
        )
    }

    /// `ret` of the value, if it is used.
    fn leave(&self, value: &str) -> String {
        match (self.is_used, self.op) {
            (true, Op::CmpXchg) => format!("  ret {{ {}, i1 }} {value}\n", self.ty),
            (true, Op::Load | Op::AtomicRmw) => format!("  ret {} {value}\n", self.ty),
            _ => "  ret void\n".to_owned(),
        }
    }

    /// Without atomics, at `%l`.
    fn plainly(&self) -> String {
        let (ty, align) = (&self.ty, self.align);
        let load = format!("  %o = load {ty}, ptr addrspace(5) %l, align {align}\n");
        let store =
            |value: &str| format!("  store {ty} {value}, ptr addrspace(5) %l, align {align}\n");
        match self.op {
            Op::Load => load + &self.leave("%o"),
            Op::Store => store("%v") + &self.leave(""),
            Op::CmpXchg => format!(
                "{load}  %q = icmp eq {ty} %o, %e\n  %n = select i1 %q, {ty} %v, {ty} %o\n{}  %x = insertvalue {{ {ty}, i1 }} poison, {ty} %o, 0\n  %y = insertvalue {{ {ty}, i1 }} %x, i1 %q, 1\n{}",
                store("%n"),
                self.leave("%y")
            ),
            _ => {
                let computation = self.word().map_or(String::new(), |(_, text)| text);
                format!("{load}{computation}{}{}", store("%n"), self.leave("%o"))
            }
        }
    }

    /// As it was.
    fn atomically(&self) -> String {
        let (ty, align, order) = (&self.ty, self.align, self.order());
        let scope = match self.scope {
            "" => String::new(),
            name => format!("syncscope(\"{name}\") "),
        };
        let operation = match self.op {
            Op::Load => {
                format!("  %r = load atomic {ty}, ptr %p {scope}{order}, align {align}\n")
            }
            Op::Store => {
                format!("  store atomic {ty} %v, ptr %p {scope}{order}, align {align}\n")
            }
            Op::CmpXchg => {
                // The order is the stronger of both; a failure writes nothing.
                let failure = match order {
                    "release" => "monotonic",
                    "acq_rel" => "acquire",
                    same => same,
                };
                format!(
                    "  %r = cmpxchg ptr %p, {ty} %e, {ty} %v {scope}{order} {failure}, align {align}\n"
                )
            }
            _ => {
                let word = self.word().map_or("xchg", |(word, _)| word);
                format!("  %r = atomicrmw {word} ptr %p, {ty} %v {scope}{order}, align {align}\n")
            }
        };
        operation + &self.leave("%r")
    }
}
