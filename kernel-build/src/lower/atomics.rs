//! Atomics that LLVM 22 selects wrongly or not at all, spelt out with their memory order and scope.
//!
//! LLVM selects plain `atom` (relaxed, GPU scope) for `atomicrmw` of every order and scope. Loads, stores, fences and compare-exchange
//! of 32 and 64 bits it gets right. So after optimisation, when address spaces are known, these become PTX text: each `atomicrmw` that
//! asks for more, or whose result is unused (`red`); compare-exchange of 16 bits, which would become a loop; everything of 128 bits;
//! additions of half floats. Operations on the bits of 8 and 16 become those of the word around them, as LLVM would do it without
//! their order. What LLVM expands into a compare-exchange loop (other operations on 8 and 16 bits, `nand`) keeps its order and is
//! left alone.

use crate::hash::HashMap;
use crate::llvm::{Context, Linkage, LlvmError, Module, Op, Type, TypeKind, Value};

const RELAXED: i32 = 2;
const RELEASE: i32 = 5;
const SYSTEM: u32 = 1;

/// The numbers that the context gave to the scopes of NVPTX.
#[derive(Clone, Copy)]
struct Scopes {
    block: u32,
    cluster: u32,
}

impl Scopes {
    fn of(context: &Context) -> Scopes {
        Scopes {
            block: context.sync_scope("block"),
            cluster: context.sync_scope("cluster"),
        }
    }

    fn word(self, scope: u32) -> &'static str {
        match scope {
            SYSTEM => "sys",
            s if s == self.block => "cta",
            s if s == self.cluster => "cluster",
            _ => "gpu",
        }
    }
}

/// What an atomic instruction that LLVM selects itself asks of the architecture and of PTX: the scope of a cluster is newer.
pub(crate) fn needs(instruction: Value<'_>, context: &Context) -> (u32, u32) {
    let atomic = match instruction.op() {
        Op::AtomicRmw | Op::CmpXchg | Op::Fence => true,
        Op::Load | Op::Store => instruction.ordering() >= RELAXED,
        _ => false,
    };
    if atomic && instruction.sync_scope() == context.sync_scope("cluster") {
        (90, 78)
    } else {
        (0, 0)
    }
}

/// Whether NVPTX would drop the order or the scope of an instruction, or cannot select it.
pub(crate) fn needs_expansion(instruction: Value<'_>, context: &Context) -> bool {
    Form::of(instruction, Scopes::of(context)).is_some()
}

/// Replaces the operations; needs `always-inline` after it.
pub(crate) fn expand(module: &mut Module<'_>) -> Result<(), LlvmError> {
    let scopes = Scopes::of(module.context());
    let mut helpers: HashMap<String, String> = HashMap::default();
    let mut planned = Vec::new();
    let instructions = module.functions().into_iter().flat_map(Value::instructions);
    for instruction in instructions {
        if let Some(form) = Form::of(instruction, scopes) {
            let name = form.name();
            helpers.entry(name.clone()).or_insert_with(|| form.text());
            planned.push((instruction, name));
        }
    }
    call_helpers(module, &helpers.into_values().collect::<String>(), planned)
}

/// Replaces atomic instructions by calls of the functions that are named beside them and stand in `text`. These get the address first, then what
/// else the instruction takes.
pub(super) fn call_helpers<'ctx>(
    module: &mut Module<'ctx>,
    text: &str,
    planned: Vec<(Value<'ctx>, String)>,
) -> Result<(), LlvmError> {
    if planned.is_empty() {
        return Ok(());
    }
    module.link(Module::from_text(module.context(), text)?)?;
    for (instruction, name) in planned {
        let Some(helper) = module.function(&name) else {
            continue;
        };
        // Asked for only now: an operand may be the result of an operation that was just replaced.
        let mut operands = instruction.operands();
        if instruction.op() == Op::Store {
            operands.swap(0, 1);
        }
        let call = module.call_before(instruction, helper, &operands);
        if instruction.is_used() {
            instruction.replace_all_uses_with(call);
        }
        helper.set_linkage(Linkage::Internal);
        // SAFETY: its result was just replaced, and the handle ends here.
        unsafe { instruction.erase_instruction() };
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The operation on the whole operand.
    Rmw,
    /// Addition of the negated operand.
    Subtract,
    /// An operation on bits, done to the word around an operand of 8 or 16.
    Part(u32),
    Exchange,
    Load,
    Store,
}

/// One operation × type × order × scope × address space.
struct Form {
    kind: Kind,
    op: &'static str,
    /// PTX type, LLVM type in the register, register constraint.
    ty: (&'static str, &'static str, &'static str),
    /// LLVM type of the operand, where it is not that of the register.
    own: Option<String>,
    order: i32,
    scope: &'static str,
    space: u32,
    /// The result is unused.
    reduce: bool,
}

impl Form {
    /// The form of an instruction that is to be spelt out.
    fn of(instruction: Value<'_>, scopes: Scopes) -> Option<Form> {
        let op = instruction.op();
        let (pointer, operand) = match op {
            Op::AtomicRmw | Op::CmpXchg => {
                let operands = instruction.operands();
                (operands.first()?.ty(), operands.get(1)?.ty())
            }
            Op::Load => (instruction.operands().first()?.ty(), instruction.ty()),
            Op::Store => {
                let operands = instruction.operands();
                (operands.get(1)?.ty(), operands.first()?.ty())
            }
            _ => return None,
        };
        let order = instruction.ordering();
        if order < RELAXED {
            return None; // not atomic at all
        }
        let TypeKind::Pointer(space @ (0 | 1 | 3)) = pointer.kind() else {
            return None;
        };
        let scope = instruction.sync_scope();
        let mut form = Form {
            kind: Kind::Rmw,
            op: "",
            ty: ("b128", "i128", "q"),
            own: None,
            order,
            scope: scopes.word(scope),
            space,
            reduce: false,
        };
        let wide = operand.kind() == TypeKind::Integer(128);
        match op {
            Op::Load | Op::Store if wide => {
                form.kind = if op == Op::Load {
                    Kind::Load
                } else {
                    Kind::Store
                };
            }
            Op::CmpXchg if wide || operand.kind() == TypeKind::Integer(16) => {
                (form.kind, form.op) = (Kind::Exchange, "cas");
                if !wide {
                    form.ty = ("b16", "i16", "h");
                }
            }
            Op::AtomicRmw => return form.modify(instruction, operand, scope),
            _ => return None,
        }
        Some(form)
    }

    fn modify(mut self, rmw: Value<'_>, operand: Type<'_>, scope: u32) -> Option<Form> {
        let operation = rmw.rmw_operation();
        let text = operand.to_text();
        let small = match text.as_str() {
            "half" => Some(("noftz.f16", "i16", "h")),
            "bfloat" => Some(("noftz.bf16", "i16", "h")),
            "<2 x half>" => Some(("noftz.f16x2", "i32", "r")),
            "<2 x bfloat>" => Some(("noftz.bf16x2", "i32", "r")),
            _ => None,
        };
        // The core's atomics have the scope of the system; ptxas makes reductions of those whose result is not used.
        let unused = !rmw.is_used() && scope != SYSTEM;
        self.reduce = unused && operation != 0 && matches!(self.order, RELAXED | RELEASE);
        let wide = operand.kind() == TypeKind::Integer(128);
        if self.order == RELAXED && self.scope == "gpu" && !self.reduce && small.is_none() && !wide
        {
            return None; // what LLVM selects is right
        }
        if let Some(small) = small {
            (self.op, self.ty, self.own) = ("add", small, Some(text));
            return (operation == 11).then_some(self);
        }
        if wide {
            self.op = "exch";
            return (operation == 0).then_some(self);
        }
        if let TypeKind::Integer(width @ (8 | 16)) = operand.kind() {
            if !matches!(operation, 3 | 5 | 6) {
                return None;
            }
            (self.kind, self.reduce) = (Kind::Part(width), false);
        }
        // (signed or float, unsigned, bits)
        let (signed, unsigned, bits) = match operand.kind() {
            TypeKind::Integer(8 | 16 | 32) => (
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
        (self.op, self.ty) = match operation {
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
            15 => ("inc", unsigned),
            16 => ("dec", unsigned),
            _ => return None,
        };
        if operation == 2 {
            self.kind = Kind::Subtract;
        }
        Some(self)
    }

    fn name(&self) -> String {
        let kind = match self.kind {
            Kind::Rmw if self.reduce => "red".to_owned(),
            Kind::Rmw => "rmw".to_owned(),
            Kind::Subtract if self.reduce => "red_neg".to_owned(),
            Kind::Subtract => "rmw_neg".to_owned(),
            Kind::Part(width) => format!("part{width}"),
            Kind::Exchange => "cas".to_owned(),
            Kind::Load => "load".to_owned(),
            Kind::Store => "store".to_owned(),
        };
        format!(
            "__warploom_{kind}_{}_{}_{}_{}_{}",
            self.op,
            self.ty.0.replace('.', "_"),
            self.order,
            self.scope,
            self.space
        )
    }

    /// What is written in front of the instruction: what it needs, and a fence.
    ///
    /// PTX has no sequentially consistent access: a fence of that kind before an acquiring one (of a store: before a releasing one) has
    /// this order. The fence also makes what follows a release, so a read-modify-write needs no more than acquire.
    fn sem(&self) -> (String, &'static str) {
        let scope = self.scope;
        let (fence, sem) = match (self.order, self.kind) {
            (4, _) => (String::new(), "acquire"),
            (5, _) => (String::new(), "release"),
            (6, _) => (String::new(), "acq_rel"),
            (7, Kind::Store) => (format!("fence.sc.{scope}; "), "release"),
            (7, _) => (format!("fence.sc.{scope}; "), "acquire"),
            _ => (String::new(), "relaxed"),
        };
        let access = matches!(self.kind, Kind::Load | Kind::Store);
        let needs = match (self.ty.0, scope) {
            ("b128", "sys") if access => "/*ptx84*/",
            ("b128", "cluster") => "/*sm90 ptx83*/",
            ("b128", _) if access => "/*ptx83*/",
            ("b128", "sys") => "/*sm90 ptx84*/",
            ("b128", _) => "/*sm90 ptx83*/",
            (_, "cluster") | ("noftz.bf16" | "noftz.bf16x2", _) => "/*sm90 ptx78*/",
            _ => "",
        };
        (format!("{needs}{fence}"), sem)
    }

    /// The helper. Not `linkonce`: linking would drop it, since nothing refers to it yet.
    fn text(&self) -> String {
        let (ptx, register, letter) = self.ty;
        let own = self.own.as_deref().unwrap_or(register);
        let (before, sem) = self.sem();
        let (scope, op) = (self.scope, self.op);
        let (space, pointer) = match self.space {
            0 => ("", "ptr"),
            3 => (".shared", "ptr addrspace(3)"),
            _ => (".global", "ptr addrspace(1)"),
        };
        let asm = |at: &str, operand: &str| {
            if self.reduce {
                return format!(
                    "  call void asm sideeffect \"{before}red.{sem}.{scope}{space}.{op}.{ptx} [$0], $1;\", \"l,{letter},~{{memory}}\"({pointer} {at}, {register} {operand}) convergent\n  %r = freeze {register} undef\n"
                );
            }
            format!(
                "  %r = call {register} asm sideeffect \"{before}atom.{sem}.{scope}{space}.{op}.{ptx} $0, [$1], $2;\", \"={letter},l,{letter},~{{memory}}\"({pointer} {at}, {register} {operand}) convergent\n"
            )
        };
        let (result, params, body) = match self.kind {
            Kind::Part(width) => {
                let own = format!("i{width}");
                let body = self.on_word(width, pointer, &asm("%q", "%o"));
                (own.clone(), format!("{pointer} %p, {own} %v"), body)
            }
            Kind::Subtract => (
                register.to_owned(),
                format!("{pointer} %p, {register} %v"),
                format!(
                    "  %n = sub {register} 0, %v\n{}  ret {register} %r\n",
                    asm("%p", "%n")
                ),
            ),
            Kind::Rmw if own != register => (
                own.to_owned(),
                format!("{pointer} %p, {own} %v"),
                format!(
                    "  %b = bitcast {own} %v to {register}\n{}  %o = bitcast {register} %r to {own}\n  ret {own} %o\n",
                    asm("%p", "%b")
                ),
            ),
            Kind::Rmw => (
                register.to_owned(),
                format!("{pointer} %p, {register} %v"),
                format!("{}  ret {register} %r\n", asm("%p", "%v")),
            ),
            Kind::Exchange => (
                format!("{{ {register}, i1 }}"),
                format!("{pointer} %p, {register} %c, {register} %v"),
                format!(
                    "  %r = call {register} asm sideeffect \"{before}atom.{sem}.{scope}{space}.cas.{ptx} $0, [$1], $2, $3;\", \"={letter},l,{letter},{letter},~{{memory}}\"({pointer} %p, {register} %c, {register} %v) convergent\n  %e = icmp eq {register} %r, %c\n  %x = insertvalue {{ {register}, i1 }} poison, {register} %r, 0\n  %y = insertvalue {{ {register}, i1 }} %x, i1 %e, 1\n  ret {{ {register}, i1 }} %y\n"
                ),
            ),
            Kind::Load => (
                register.to_owned(),
                format!("{pointer} %p"),
                format!(
                    "  %r = call {register} asm sideeffect \"{before}ld.{sem}.{scope}{space}.{ptx} $0, [$1];\", \"={letter},l,~{{memory}}\"({pointer} %p) convergent\n  ret {register} %r\n"
                ),
            ),
            Kind::Store => (
                "void".to_owned(),
                format!("{pointer} %p, {register} %v"),
                format!(
                    "  call void asm sideeffect \"{before}st.{sem}.{scope}{space}.{ptx} [$0], $1;\", \"l,{letter},~{{memory}}\"({pointer} %p, {register} %v) convergent\n  ret void\n"
                ),
            ),
        };
        format!(
            "define weak_odr {result} @{name}({params}) alwaysinline convergent {{\n{body}}}\n",
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
