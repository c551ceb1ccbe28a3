//! Read-modify-write atomics with their memory order and scope.
//!
//! LLVM 22 selects plain `atom` (relaxed, GPU scope) for `atomicrmw` of every order and scope. Loads, stores, fences and
//! compare-exchange it gets right. So after optimisation, when address spaces are known, each `atomicrmw` that asks for more becomes
//! PTX text. Operations on the bits of 8 and 16 become those of the word around them, as LLVM would do it without their order. What
//! LLVM expands into a compare-exchange loop (other operations on 8 and 16 bits, `nand`) keeps its order and is left alone.

use crate::llvm::{Linkage, LlvmError, Module, Op, Type, TypeKind, Value};
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
        planned.push((rmw, name));
    }
    if planned.is_empty() {
        return Ok(());
    }
    let text: String = helpers.into_values().collect();
    module.link(Module::from_text(module.context(), &text)?)?;
    for (rmw, name) in planned {
        let Some(helper) = module.function(&name) else {
            continue;
        };
        // Asked for only now: an operand may be the result of an operation that was just replaced.
        let operands: Vec<Value<'_>> = rmw.operands().into_iter().take(2).collect();
        let call = module.call_before(rmw, helper, &operands);
        rmw.replace_all_uses_with(call);
        helper.set_linkage(Linkage::Internal);
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
    /// Width of the operand where it is a part of the word: 8 or 16.
    part: Option<u32>,
}

impl Form {
    fn of(rmw: Value<'_>, pointer: Type<'_>, operand: Type<'_>) -> Option<Form> {
        let TypeKind::Pointer(space @ (0 | 1 | 3)) = pointer.kind() else {
            return None;
        };
        let operation = rmw.rmw_operation();
        let part = match operand.kind() {
            TypeKind::Integer(width @ (8 | 16)) if matches!(operation, 3 | 5 | 6) => Some(width),
            _ => None,
        };
        // (signed or float, unsigned, bits)
        let (signed, unsigned, bits) = match operand.kind() {
            TypeKind::Integer(width) if width == 32 || part.is_some() => (
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
        let (op, ty) = match operation {
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
            negate: operation == 2,
            part,
        })
    }

    fn name(&self) -> String {
        let negate = if self.negate { "_neg" } else { "" };
        let part = self
            .part
            .map_or_else(String::new, |width| format!("_{width}"));
        format!(
            "__warploom_rmw_{}_{}_{}_{}_{}{negate}{part}",
            self.op, self.ty.0, self.order, self.scope, self.space
        )
    }

    /// The helper. Not `linkonce`: linking would drop it, since nothing refers to it yet.
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
        let (space, pointer) = match self.space {
            0 => ("", "ptr"),
            3 => (".shared", "ptr addrspace(3)"),
            _ => (".global", "ptr addrspace(1)"),
        };
        let op = self.op;
        let asm = |at: &str, operand: &str| {
            format!(
                "  %r = call {llvm} asm sideeffect \"{fence}atom.{sem}.{scope}{space}.{op}.{ptx} $0, [$1], $2;\", \"={register},l,{register},~{{memory}}\"({pointer} {at}, {llvm} {operand}) convergent\n"
            )
        };
        let (value, body) = match self.part {
            Some(width) => (
                format!("i{width}"),
                self.on_word(width, pointer, &asm("%q", "%o")),
            ),
            None if self.negate => (
                llvm.to_owned(),
                format!(
                    "  %n = sub {llvm} 0, %v\n{}  ret {llvm} %r\n",
                    asm("%p", "%n")
                ),
            ),
            None => (
                llvm.to_owned(),
                format!("{}  ret {llvm} %r\n", asm("%p", "%v")),
            ),
        };
        format!(
            "define weak_odr {value} @{name}({pointer} %p, {value} %v) alwaysinline convergent {{\n{body}}}\n",
            name = self.name(),
        )
    }

    /// An operation on bits, done to the word around them: what does not belong to the operand stays as it is.
    fn on_word(&self, width: u32, pointer: &str, asm: &str) -> String {
        let operand = if self.op == "and" {
            format!(
                "  %m = shl i32 {}, %s\n  %k = xor i32 %m, -1\n  %o = or i32 %w, %k\n",
                (1u32 << width) - 1
            )
        } else {
            "  %o = or i32 %w, 0\n".to_owned()
        };
        format!(
            "  %a = ptrtoint {pointer} %p to i64\n  %b = and i64 %a, -4\n  %q = inttoptr i64 %b to {pointer}\n  %c = trunc i64 %a to i32\n  %d = and i32 %c, 3\n  %s = shl i32 %d, 3\n  %z = zext i{width} %v to i32\n  %w = shl i32 %z, %s\n{operand}{asm}  %h = lshr i32 %r, %s\n  %t = trunc i32 %h to i{width}\n  ret i{width} %t\n"
        )
    }
}
