//! Prints generated functions as IR.

use super::function::{
    Binary, BlockId, COMPARISONS, Cast, Copy, Definition, FloatOp, Function, Ordered,
    REGISTER_PREFIX, REGISTERS, Terminator, Trigonometric, Value, ValueId,
};
use std::fmt::Write as _;

/// The names of an instruction's flags.
fn flags(names: [&str; 2], flags: u8) -> String {
    let chosen = names
        .iter()
        .enumerate()
        .filter(|(i, _)| flags >> i & 1 == 1);
    chosen.map(|(_, name)| format!("{name} ")).collect()
}

fn copy_text(id: ValueId, copy: &Copy) -> String {
    let (name, align) = (
        if copy.may_overlap {
            "memmove"
        } else {
            "memcpy"
        },
        copy.align,
    );
    let address = |name: &str, (array, offset): (usize, usize)| {
        format!("  %v{id}.{name} = getelementptr i8, ptr %x{array}, i64 {offset}\n")
    };
    let (to, from) = (address("to", copy.to), address("from", copy.from));
    format!(
        "{to}{from}  call void @llvm.{name}.p0.p0.i64(ptr align {align} %v{id}.to, ptr align {align} %v{id}.from, i64 {}, i1 false)\n",
        copy.bytes
    )
}

impl Function {
    fn operand(&self, id: ValueId) -> String {
        match self.values[id].definition {
            Definition::Constant(n) if self.values[id].bits == 1 => (n == 1).to_string(),
            Definition::Constant(n) => n.to_string(),
            Definition::Parameter(n) => format!("%p{n}"),
            Definition::Length(n) => format!("%n{n}"),
            _ => format!("%v{id}"),
        }
    }

    /// An operand with its type.
    fn typed(&self, id: ValueId) -> String {
        format!("i{} {}", self.values[id].bits, self.operand(id))
    }

    /// The IR of the function.
    pub(super) fn text(&self, name: &str) -> String {
        let [a, b] = self.elements.map(|bits| bits / 8);
        let mut text = format!(
            "define void @{name}(i64 %p0, i64 %p1, i64 %p2, i64 %p3, ptr \"warploom.elements.{a}\" %x0, i64 %n0, ptr \"warploom.elements.{b}\" %x1, i64 %n1, ptr %out) {{\n"
        );
        for (at, block) in self.blocks.iter().enumerate() {
            let _ = writeln!(text, "b{at}:");
            let locals = self.locals.iter().enumerate().filter(|_| at == 0);
            for (n, (bits, count)) in locals {
                let _ = writeln!(text, "  %x{} = alloca [{count} x i{bits}], align 16", n + 2);
            }
            for id in &block.values {
                text += &self.instruction(*id);
            }
            text += &self.end(at, &block.end);
        }
        text + "}\n"
    }

    fn instruction(&self, id: ValueId) -> String {
        let Value { bits, definition } = &self.values[id];
        let what = match definition {
            Definition::Constant(_) | Definition::Parameter(_) | Definition::Length(_) => {
                return String::new();
            }
            Definition::Register(n) => format!(
                "call range(i32 0, {}) i32 @{REGISTER_PREFIX}{}()",
                self.launch[*n], REGISTERS[*n]
            ),
            Definition::Binary(Binary::Cttz, _, a, _) => format!(
                "call i{bits} @llvm.cttz.i{bits}({}, i1 false)",
                self.typed(*a)
            ),
            Definition::Binary(how, _, a, b) if how.is_function() => format!(
                "call i{bits} @llvm.{}.i{bits}({}, {})",
                how.name(),
                self.typed(*a),
                self.typed(*b)
            ),
            Definition::Binary(how, own, a, b) => format!(
                "{} {}{}, {}",
                how.name(),
                flags(how.flags(), *own),
                self.typed(*a),
                self.operand(*b)
            ),
            Definition::Cast(how, own, from) => {
                let (name, names) = match how {
                    Cast::ZExt => ("zext", ["nneg", ""]),
                    Cast::SExt => ("sext", ["", ""]),
                    Cast::Trunc => ("trunc", ["nuw", "nsw"]),
                };
                let own = flags(names, *own);
                format!("{name} {own}{} to i{bits}", self.typed(*from))
            }
            Definition::Compare(how, own, a, b) => {
                let own = flags(["samesign", ""], *own);
                let (a, b) = (self.typed(*a), self.operand(*b));
                format!("icmp {own}{} {a}, {b}", COMPARISONS[*how])
            }
            Definition::Select(which, a, b) => {
                let [which, a, b] = [which, a, b].map(|v| self.typed(*v));
                format!("select {which}, {a}, {b}")
            }
            Definition::Freeze(from) => format!("freeze {}", self.typed(*from)),
            Definition::Phi(from) => {
                let from = from.iter();
                let from: Vec<String> = from
                    .map(|(at, v)| format!("[ {}, %b{at} ]", self.operand(*v)))
                    .collect();
                format!("phi i{bits} {}", from.join(", "))
            }
            Definition::Load(array, indices) => return self.load(id, *array, indices),
            Definition::Store(array, index, value) => {
                return self.store(id, *array, *index, *value);
            }
            Definition::Ordered(op, array, index, value) => {
                return self.ordered(id, *op, [*array, *index, *value]);
            }
            Definition::Convergent(op, argument) => format!(
                "call i64 @{}(i64 {id}, {})",
                op.name(),
                self.typed(*argument)
            ),
            Definition::Float(op, a, b) => return self.float(id, *op, *a, *b),
            Definition::Saturate(is_signed, from) => return self.saturate(id, *is_signed, *from),
            Definition::Trigonometric(calls, of) => return self.trigonometric(id, calls, *of),
            Definition::Copy(copy) => return copy_text(id, copy),
        };
        format!("  %v{id} = {what}\n")
    }

    fn store(&self, id: ValueId, array: usize, index: ValueId, value: ValueId) -> String {
        format!(
            "  %v{id}.at = getelementptr i{}, ptr %x{array}, {}\n  store {}, ptr %v{id}.at\n",
            self.element_bits(array),
            self.typed(index),
            self.typed(value)
        )
    }

    fn ordered(&self, id: ValueId, op: Ordered, [array, index, value]: [usize; 3]) -> String {
        let (bits, at) = (self.element_bits(array), format!("%v{id}.at"));
        let value = self.typed(value);
        let access = match op {
            Ordered::VolatileLoad => format!("%v{id} = load volatile i{bits}, ptr {at}"),
            Ordered::VolatileStore => format!("store volatile {value}, ptr {at}"),
            Ordered::AtomicAdd => format!("%v{id} = atomicrmw add ptr {at}, {value} monotonic"),
        };
        let index = self.typed(index);
        format!("  {at} = getelementptr i{bits}, ptr %x{array}, {index}\n  {access}\n")
    }

    fn trigonometric(&self, id: ValueId, calls: &[Trigonometric], of: ValueId) -> String {
        let mut text = format!("  %v{id}.f = bitcast {} to float\n", self.typed(of));
        let mut sum = "0".to_owned();
        for (n, op) in calls.iter().enumerate() {
            let name = format!("{op:?}").to_lowercase();
            let _ = writeln!(
                text,
                "  %v{id}.r{n} = call float @{name}f(float %v{id}.f) nobuiltin\n  %v{id}.i{n} = bitcast float %v{id}.r{n} to i32\n  %v{id}.m{n} = mul i32 {sum}, 31\n  %v{id}.s{n} = add i32 %v{id}.m{n}, %v{id}.i{n}"
            );
            sum = format!("%v{id}.s{n}");
        }
        let _ = writeln!(text, "  %v{id} = or i32 {sum}, 0");
        text
    }

    fn float(&self, id: ValueId, op: FloatOp, a: ValueId, b: ValueId) -> String {
        let bits = self.values[id].bits;
        let ty = if bits == 32 { "float" } else { "double" };
        let op = format!("f{op:?}").to_lowercase();
        let (a, b) = (self.typed(a), self.typed(b));
        format!(
            "  %v{id}.a = bitcast {a} to {ty}\n  %v{id}.b = bitcast {b} to {ty}\n  %v{id}.r = {op} {ty} %v{id}.a, %v{id}.b\n  %v{id}.nan = fcmp uno {ty} %v{id}.r, 0.0\n  %v{id}.bits = bitcast {ty} %v{id}.r to i{bits}\n  %v{id} = select i1 %v{id}.nan, i{bits} 0, i{bits} %v{id}.bits\n"
        )
    }

    fn saturate(&self, id: ValueId, is_signed: bool, from: ValueId) -> String {
        let (ty, float) = match self.values[from].bits {
            32 => ("float", "f32"),
            _ => ("double", "f64"),
        };
        let (bits, sign) = (self.values[id].bits, if is_signed { 's' } else { 'u' });
        format!(
            "  %v{id}.f = bitcast {} to {ty}\n  %v{id} = call i{bits} @llvm.fpto{sign}i.sat.i{bits}.{float}({ty} %v{id}.f)\n",
            self.typed(from)
        )
    }

    fn load(&self, id: ValueId, array: usize, indices: &[ValueId]) -> String {
        let bits = self.values[id].bits;
        let mut text = String::new();
        let mut base = format!("%x{array}");
        for (n, index) in indices.iter().enumerate() {
            let index = self.typed(*index);
            let _ = writeln!(
                text,
                "  %v{id}.at{n} = getelementptr i{bits}, ptr {base}, {index}"
            );
            base = format!("%v{id}.at{n}");
        }
        text + &format!("  %v{id} = load i{bits}, ptr {base}\n")
    }

    fn end(&self, here: BlockId, end: &Terminator) -> String {
        match end {
            Terminator::Br(at) => format!("  br label %b{at}\n"),
            Terminator::CondBr(which, yes, no) => {
                format!("  br {}, label %b{yes}, label %b{no}\n", self.typed(*which))
            }
            Terminator::Switch(which, cases, default) => {
                let which_type = format!("i{}", self.values[*which].bits);
                let cases: Vec<String> = cases
                    .iter()
                    .map(|(n, to)| format!("{which_type} {n}, label %b{to}"))
                    .collect();
                let which = self.typed(*which);
                format!(
                    "  switch {which}, label %b{default} [ {} ]\n",
                    cases.join(" ")
                )
            }
            Terminator::Panic(index) => {
                format!("  call void @fail({})\n  unreachable\n", self.typed(*index))
            }
            Terminator::Ret(results) => {
                let mut text = String::new();
                for (n, id) in results.iter().enumerate() {
                    let (bits, own) = (self.values[*id].bits, self.typed(*id));
                    let mut wide = own.clone();
                    if bits < 128 {
                        let _ = writeln!(text, "  %b{here}.r{n} = zext {own} to i128");
                        wide = format!("i128 %b{here}.r{n}");
                    }
                    let _ = writeln!(
                        text,
                        "  %b{here}.r{n}.at = getelementptr i128, ptr %out, i64 {n}\n  store {wide}, ptr %b{here}.r{n}.at"
                    );
                }
                text + "  ret void\n"
            }
        }
    }
}
