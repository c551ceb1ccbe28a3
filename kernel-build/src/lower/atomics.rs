//! Read-modify-write atomics with their memory order and scope.
//!
//! LLVM 22 selects plain `atom` (relaxed, GPU scope) for `atomicrmw` of every order and scope. Loads, stores, fences and
//! compare-exchange it gets right. So after optimisation, when address spaces are known, each `atomicrmw` that asks for more becomes
//! PTX text. What LLVM itself expands into a compare-exchange loop (8 and 16 bits, `nand`) keeps its order and is left alone.

use crate::llvm::{LlvmError, Module, Op, Type, TypeKind, Value};
use std::collections::HashMap;

const RELAXED: i32 = 2;
const SYSTEM: u32 = 1;

/// Replaces the operations; needs `always-inline` after it.
pub(crate) fn spell_out(module: &mut Module<'_>) -> Result<(), LlvmError> {
    let found: Vec<Value<'_>> = module
        .functions()
        .into_iter()
        .flat_map(|f| f.instructions())
        .filter(|i| i.op() == Op::AtomicRmw)
        .collect();
    let mut helpers: HashMap<String, String> = HashMap::new();
    let mut planned = Vec::new();
    for rmw in found {
        let operands = rmw.operands();
        let (Some(pointer), Some(operand)) = (operands.first(), operands.get(1)) else {
            continue;
        };
        if rmw.ordering() == RELAXED && rmw.sync_scope() != SYSTEM {
            continue;
        }
        let Some(form) = Form::of(rmw, pointer.ty(), operand.ty()) else {
            continue;
        };
        let name = form.name();
        helpers.entry(name.clone()).or_insert_with(|| form.text());
        planned.push((rmw, *pointer, *operand, name));
    }
    if planned.is_empty() {
        return Ok(());
    }
    let text: String = helpers.into_values().collect();
    module.link(Module::from_text(module.context(), &text)?)?;
    for (rmw, pointer, operand, name) in planned {
        let Some(helper) = module.function(&name) else {
            continue;
        };
        let call = module.call_before(rmw, helper, &[pointer, operand]);
        rmw.replace_all_uses_with(call);
        // SAFETY: its result was just replaced, and the handle ends here.
        unsafe { rmw.erase_instruction() };
    }
    Ok(())
}

/// One operation × type × order × scope × address space.
struct Form {
    op: &'static str,
    /// PTX type, LLVM type, register constraint.
    ty: (&'static str, &'static str, &'static str),
    order: i32,
    scope: &'static str,
    space: u32,
    negate: bool,
}

impl Form {
    fn of(rmw: Value<'_>, pointer: Type<'_>, operand: Type<'_>) -> Option<Form> {
        let TypeKind::Pointer(space) = pointer.kind() else {
            return None;
        };
        // (signed or float, unsigned, bits)
        let (signed, unsigned, bits) = match operand.kind() {
            TypeKind::Integer(32) => (
                ("s32", "i32", "r"),
                ("u32", "i32", "r"),
                ("b32", "i32", "r"),
            ),
            TypeKind::Integer(64) => (
                ("s64", "i64", "l"),
                ("u64", "i64", "l"),
                ("b64", "i64", "l"),
            ),
            TypeKind::Float => (
                ("f32", "float", "f"),
                ("f32", "float", "f"),
                ("b32", "float", "f"),
            ),
            TypeKind::Double => (
                ("f64", "double", "d"),
                ("f64", "double", "d"),
                ("b64", "double", "d"),
            ),
            _ => return None,
        };
        let (op, ty) = match rmw.rmw_operation() {
            0 => ("exch", bits),
            1 | 2 => ("add", unsigned),
            3 => ("and", bits),
            5 => ("or", bits),
            6 => ("xor", bits),
            7 => ("max", signed),
            8 => ("min", signed),
            9 => ("max", unsigned),
            10 => ("min", unsigned),
            11 => ("add", signed),
            _ => return None,
        };
        // Scope 1 is the system; the names of the others are the context's, and device-std asks for the device only.
        let scope = if rmw.sync_scope() == SYSTEM {
            "sys"
        } else {
            "gpu"
        };
        Some(Form {
            op,
            ty,
            order: rmw.ordering(),
            scope,
            space,
            negate: rmw.rmw_operation() == 2,
        })
    }

    fn name(&self) -> String {
        let negate = if self.negate { "_neg" } else { "" };
        format!(
            "__warploom_rmw_{}_{}_{}_{}_{}{negate}",
            self.op, self.ty.0, self.order, self.scope, self.space
        )
    }

    fn text(&self) -> String {
        let (ptx, llvm, register) = self.ty;
        let scope = self.scope;
        // PTX has no sequentially consistent `atom`: a fence before an acquiring one has that order.
        let (fence, sem) = match self.order {
            4 => (String::new(), "acquire"),
            5 => (String::new(), "release"),
            6 => (String::new(), "acq_rel"),
            7 => (format!("fence.sc.{scope}; "), "acquire"),
            _ => (String::new(), "relaxed"),
        };
        let space = match self.space {
            1 => ".global",
            3 => ".shared",
            _ => "",
        };
        let pointer = if self.space == 0 {
            "ptr".to_owned()
        } else {
            format!("ptr addrspace({})", self.space)
        };
        let op = self.op;
        let (prepare, operand) = if self.negate {
            (format!("  %n = sub {llvm} 0, %v\n"), "%n")
        } else {
            (String::new(), "%v")
        };
        format!(
            "define internal {llvm} @{name}({pointer} %p, {llvm} %v) alwaysinline convergent {{\n{prepare}  %r = call {llvm} asm sideeffect \"{fence}atom.{sem}.{scope}{space}.{op}.{ptx} $0, [$1], $2;\", \"={register},l,{register},~{{memory}}\"({pointer} %p, {llvm} {operand}) convergent\n  ret {llvm} %r\n}}\n",
            name = self.name(),
        )
        .replace("define internal", "define linkonce_odr")
    }
}
