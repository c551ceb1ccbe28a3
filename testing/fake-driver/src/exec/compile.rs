//! Statements become instructions.

use std::collections::HashMap;

use super::{Binary, Compare, Op, Program, Special, Step, Type, Value};
use crate::ptx::{Param, Statement, number};

struct Compiler<'p> {
    registers: HashMap<String, usize>,
    labels: HashMap<String, usize>,
    params: &'p [Param],
}

/// `None` if something is not understood.
pub(super) fn compile(body: &[Statement<'_>], params: &[Param]) -> Option<Program> {
    let mut compiler = Compiler {
        registers: HashMap::new(),
        labels: HashMap::new(),
        params,
    };
    let is_step =
        |s: &&Statement<'_>| s.len() > 1 && s[1].text != ":" && !s[0].text.starts_with('.');
    let mut at = 0;
    for statement in body {
        if statement.get(1).is_some_and(|t| t.text == ":") {
            compiler.labels.insert(statement[0].text.to_owned(), at);
        }
        at += usize::from(is_step(&statement));
    }
    let steps = body.iter().filter(is_step).map(|s| compiler.step(s));
    let steps = steps.collect::<Option<Vec<Step>>>()?;
    Some(Program {
        steps,
        registers: compiler.registers.len(),
    })
}

fn type_of(word: &str) -> Option<Type> {
    let class = word.chars().next().filter(|c| "usbf".contains(*c))?;
    let bits = word[1..]
        .parse()
        .ok()
        .filter(|bits| [8, 16, 32, 64].contains(bits))?;
    Some(Type { class, bits })
}

fn binary_of(word: &str) -> Option<Binary> {
    let what = match word {
        "add" => Binary::Add,
        "sub" => Binary::Sub,
        "mul" => Binary::Mul,
        "div" => Binary::Div,
        "rem" => Binary::Rem,
        "min" => Binary::Min,
        "max" => Binary::Max,
        "and" => Binary::And,
        "or" => Binary::Or,
        "xor" => Binary::Xor,
        "shl" => Binary::Shl,
        "shr" => Binary::Shr,
        "exch" => Binary::Second,
        _ => return None,
    };
    Some(what)
}

fn compare_of(word: &str) -> Option<Compare> {
    let what = match word {
        "eq" => Compare::Eq,
        "ne" => Compare::Ne,
        "lt" | "lo" => Compare::Lt,
        "le" | "ls" => Compare::Le,
        "gt" | "hi" => Compare::Gt,
        "ge" | "hs" => Compare::Ge,
        _ => return None,
    };
    Some(what)
}

fn special(name: &str) -> Option<Special> {
    let (name, axis) = name.split_once('.').unwrap_or((name, "x"));
    let axis = ["x", "y", "z"].iter().position(|a| *a == axis)?;
    let special = match name {
        "%tid" => Special::Thread(axis),
        "%ntid" => Special::Threads(axis),
        "%ctaid" => Special::Block(axis),
        "%nctaid" => Special::Blocks(axis),
        "%dynamic_smem_size" => Special::Shared,
        "%clock64" | "%globaltimer" => Special::Clock,
        _ => return None,
    };
    Some(special)
}

impl Compiler<'_> {
    fn register(&mut self, name: &str) -> usize {
        let next = self.registers.len();
        *self.registers.entry(name.to_owned()).or_insert(next)
    }

    fn step(&mut self, statement: Statement<'_>) -> Option<Step> {
        let mut words: Vec<&str> = statement.iter().map(|token| token.text).collect();
        let guard = if words[0] == "@" {
            let negated = words[1] == "!";
            let name = words[1 + usize::from(negated)];
            words.drain(..2 + usize::from(negated));
            Some((self.register(name), negated))
        } else {
            None
        };
        let opcode: Vec<&str> = words[0].split('.').collect();
        let operands: Vec<&[&str]> = words[1..words.len() - 1]
            .split(|word| *word == ",")
            .collect();
        let op = self.op(&opcode, &operands)?;
        Some(Step { guard, op })
    }

    fn op(&mut self, opcode: &[&str], operands: &[&[&str]]) -> Option<Op> {
        let ty = || type_of(opcode.last()?);
        let has = |word| opcode.contains(&word);
        let op = match (opcode[0], operands) {
            ("ret" | "exit", _) => Op::End,
            ("membar" | "fence" | "nanosleep" | "griddepcontrol", _) => Op::Nothing,
            ("trap", _) => Op::Trap,
            ("bra", [[label]]) => Op::Jump(*self.labels.get(*label)?),
            ("mov", [[to], from]) => Op::Move(self.register(to), self.value(from)?),
            ("cvta", [[to], from]) => Op::Move(self.register(to), self.value(from)?),
            ("ld", [[to], from]) if has("param") => {
                let ["[", name, rest @ .., "]"] = from else {
                    return None;
                };
                let param = self.params.iter().find(|param| param.name == *name)?;
                let added = match rest {
                    [] => 0,
                    ["+", added] => usize::try_from(number(added)?).ok()?,
                    _ => return None,
                };
                let (offset, bytes) = (param.offset + added, ty()?.bits as usize / 8);
                Op::Parameter(self.register(to), offset, bytes)
            }
            ("ld", [[to], from]) if !has("shared") && !has("local") => {
                Op::Load(self.register(to), ty()?, self.place(from)?)
            }
            ("st", [to, from]) if !has("shared") && !has("local") && !has("param") => {
                Op::Store(ty()?, self.place(to)?, self.value(from)?)
            }
            ("mad" | "fma", [[to], a, b, c]) if !has("hi") => {
                let abc = [self.value(a)?, self.value(b)?, self.value(c)?];
                Op::Fused(ty()?, self.register(to), abc, has("wide"))
            }
            ("mul", [[to], a, b]) if has("wide") => {
                let abc = [self.value(a)?, self.value(b)?, Value::Number(0)];
                Op::Fused(ty()?, self.register(to), abc, true)
            }
            ("setp", [[to], a, b]) if opcode.len() == 3 => {
                let ab = [self.value(a)?, self.value(b)?];
                Op::Compare(compare_of(opcode[1])?, ty()?, self.register(to), ab)
            }
            ("selp", [[to], a, b, [by]]) => {
                let ab = [self.value(a)?, self.value(b)?];
                Op::Select(self.register(to), ab, self.register(by))
            }
            ("cvt", [[to], from]) => {
                let into = type_of(opcode.get(opcode.len().checked_sub(2)?)?)?;
                Op::Convert(into, ty()?, self.register(to), self.value(from)?)
            }
            ("atom", [[to], at, by]) if !has("shared") => {
                let what = opcode.iter().skip(1).find_map(|word| binary_of(word))?;
                let to = Some(self.register(to));
                Op::Atomic(what, ty()?, to, self.place(at)?, self.value(by)?)
            }
            ("red", [at, by]) if !has("shared") => {
                let what = opcode.iter().skip(1).find_map(|word| binary_of(word))?;
                Op::Atomic(what, ty()?, None, self.place(at)?, self.value(by)?)
            }
            (word, [[to], a, b]) if !has("hi") && !has("sat") => {
                let ab = [self.value(a)?, self.value(b)?];
                Op::Binary(binary_of(word)?, ty()?, self.register(to), ab)
            }
            _ => return None,
        };
        Some(op)
    }

    fn value(&mut self, words: &[&str]) -> Option<Value> {
        match words {
            ["-", word] => Some(Value::Number(number(word)?.wrapping_neg())),
            [word] if number(word).is_some() => number(word).map(Value::Number),
            [word] if special(word).is_some() => special(word).map(Value::Special),
            [word] if word.starts_with('%') => Some(Value::Register(self.register(word))),
            [word] => Some(Value::Variable((*word).to_owned())),
            _ => None,
        }
    }

    /// `[base]` or `[base+offset]`.
    fn place(&mut self, words: &[&str]) -> Option<(Value, u64)> {
        let ["[", base, rest @ .., "]"] = words else {
            return None;
        };
        let offset = match rest {
            [] => 0,
            ["+", offset] => number(offset)?,
            ["+", "-", offset] | ["-", offset] => number(offset)?.wrapping_neg(),
            _ => return None,
        };
        Some((self.value(&[base])?, offset))
    }
}
