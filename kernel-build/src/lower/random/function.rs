//! Small functions as data: written as IR, and evaluated by its rules.

use std::fmt::Write as _;

/// A value of a function, by number.
pub(super) type Id = usize;

/// A block of a function, by number; 0 is the entry.
pub(super) type At = usize;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    UDiv,
    URem,
    UMin,
    UMax,
    SMin,
    SMax,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cast {
    Zero,
    Sign,
    Cut,
}

/// LLVM's words for comparisons.
pub(super) const COMPARISONS: [&str; 10] = [
    "eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge",
];

/// What a value is made of. Bit 0 and 1 of the flags are those that LLVM has for the instruction, in the order in which it writes them.
#[derive(Clone, Debug)]
pub(super) enum Made {
    Number(u128),
    /// Of 64 bits.
    Parameter(usize),
    /// The number of elements of an array, of 64 bits.
    Length(usize),
    /// A number of the launch, of 32 bits.
    Launch(usize),
    Binary(Binary, u8, Id, Id),
    Cast(Cast, u8, Id),
    /// By a word of [`COMPARISONS`].
    Compare(usize, u8, Id, Id),
    Select(Id, Id, Id),
    Freeze(Id),
    Phi(Vec<(At, Id)>),
    /// The element of an array at the sum of these numbers of 64 bits.
    Load(usize, Vec<Id>),
}

#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) bits: u32,
    pub(super) made: Made,
}

#[derive(Clone, Debug)]
pub(super) enum End {
    To(At),
    /// To the first if true.
    Branch(Id, At, At),
    /// With what it stores.
    Return(Vec<Id>),
    /// Calls `@fail` with a number of 64 bits.
    Fail(Id),
}

#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) values: Vec<Id>,
    pub(super) end: End,
}

/// Parameters are four numbers, two arrays with their lengths, and where results are stored, as 128 bits each.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) values: Vec<Value>,
    pub(super) blocks: Vec<Block>,
    /// Numbers of the launch are below these.
    pub(super) launch: [u32; 3],
    /// Bits of the elements of the arrays.
    pub(super) elements: [u32; 2],
}

/// Registers that the numbers of a launch are in.
pub(super) const LAUNCH: [&str; 3] = ["tid.x", "tid.y", "ctaid.x"];
/// What the functions that read them begin with.
pub(super) const REGISTER: &str = "llvm.nvvm.read.ptx.sreg.";
/// Results that a function has at most.
pub(super) const RESULTS: usize = 4;

/// The names of an instruction's flags.
fn flags(names: [&str; 2], flags: u8) -> String {
    let chosen = names
        .iter()
        .enumerate()
        .filter(|(i, _)| flags >> i & 1 == 1);
    chosen.map(|(_, name)| format!("{name} ")).collect()
}

impl Binary {
    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// The flags that it may have.
    pub(super) fn flags(self) -> [&'static str; 2] {
        match self {
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Shl => ["nuw", "nsw"],
            Binary::LShr | Binary::AShr | Binary::UDiv => ["exact", ""],
            Binary::Or => ["disjoint", ""],
            _ => ["", ""],
        }
    }

    fn is_function(self) -> bool {
        matches!(
            self,
            Binary::UMin | Binary::UMax | Binary::SMin | Binary::SMax
        )
    }
}

impl Function {
    fn operand(&self, id: Id) -> String {
        match self.values[id].made {
            Made::Number(n) if self.values[id].bits == 1 => (n == 1).to_string(),
            Made::Number(n) => n.to_string(),
            Made::Parameter(n) => format!("%p{n}"),
            Made::Length(n) => format!("%n{n}"),
            _ => format!("%v{id}"),
        }
    }

    /// With its type.
    fn typed(&self, id: Id) -> String {
        format!("i{} {}", self.values[id].bits, self.operand(id))
    }

    /// Its definition.
    pub(super) fn text(&self, name: &str) -> String {
        let [a, b] = self.elements.map(|bits| bits / 8);
        let mut text = format!(
            "define void @{name}(i64 %p0, i64 %p1, i64 %p2, i64 %p3, ptr \"warploom.elements.{a}\" %x0, i64 %n0, ptr \"warploom.elements.{b}\" %x1, i64 %n1, ptr %out) {{\n"
        );
        for (at, block) in self.blocks.iter().enumerate() {
            let _ = writeln!(text, "b{at}:");
            for id in &block.values {
                text += &self.instruction(*id);
            }
            text += &self.end(at, &block.end);
        }
        text + "}\n"
    }

    fn instruction(&self, id: Id) -> String {
        let Value { bits, made } = &self.values[id];
        let what = match made {
            Made::Number(_) | Made::Parameter(_) | Made::Length(_) => return String::new(),
            Made::Launch(n) => format!(
                "call range(i32 0, {}) i32 @{REGISTER}{}()",
                self.launch[*n], LAUNCH[*n]
            ),
            Made::Binary(how, _, a, b) if how.is_function() => format!(
                "call i{bits} @llvm.{}.i{bits}({}, {})",
                how.name(),
                self.typed(*a),
                self.typed(*b)
            ),
            Made::Binary(how, own, a, b) => format!(
                "{} {}{}, {}",
                how.name(),
                flags(how.flags(), *own),
                self.typed(*a),
                self.operand(*b)
            ),
            Made::Cast(how, own, from) => {
                let (name, names) = match how {
                    Cast::Zero => ("zext", ["nneg", ""]),
                    Cast::Sign => ("sext", ["", ""]),
                    Cast::Cut => ("trunc", ["nuw", "nsw"]),
                };
                let own = flags(names, *own);
                format!("{name} {own}{} to i{bits}", self.typed(*from))
            }
            Made::Compare(how, own, a, b) => {
                let own = flags(["samesign", ""], *own);
                let (a, b) = (self.typed(*a), self.operand(*b));
                format!("icmp {own}{} {a}, {b}", COMPARISONS[*how])
            }
            Made::Select(which, a, b) => {
                let [which, a, b] = [which, a, b].map(|v| self.typed(*v));
                format!("select {which}, {a}, {b}")
            }
            Made::Freeze(from) => format!("freeze {}", self.typed(*from)),
            Made::Phi(from) => {
                let from = from.iter();
                let from: Vec<String> = from
                    .map(|(at, v)| format!("[ {}, %b{at} ]", self.operand(*v)))
                    .collect();
                format!("phi i{bits} {}", from.join(", "))
            }
            Made::Load(array, indices) => return self.load(id, *array, indices),
        };
        format!("  %v{id} = {what}\n")
    }

    fn load(&self, id: Id, array: usize, indices: &[Id]) -> String {
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

    fn end(&self, here: At, end: &End) -> String {
        match end {
            End::To(at) => format!("  br label %b{at}\n"),
            End::Branch(which, yes, no) => {
                format!("  br {}, label %b{yes}, label %b{no}\n", self.typed(*which))
            }
            End::Fail(index) => {
                format!("  call void @fail({})\n  unreachable\n", self.typed(*index))
            }
            End::Return(results) => {
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
