//! Instructions with arrays of registers as operands, which the device library names by their PTX text.
//!
//! A symbol is `__warploom.registers:flags|operands|text`, with the flags of [`super::asm`]. Its function returns nothing. There is one entry in
//! `operands` for each of its parameters, separated by commas, and `@0`, `@1` … in the text are the operands in this order:
//!
//! ```text
//! =f4   a pointer to 4 registers that the instruction writes, of kind f: r (32 bits), f (f32), d (f64)
//! +f4   a pointer to 4 registers that it reads and writes
//! r2    a pointer to 2 registers that it reads
//! s     a pointer into shared memory; in the text an address of 32 bits in that space
//! -     nothing: the instruction does not use the parameter
//!       (empty) the parameter itself
//! ```
//! Arrays become `{$0, $1, …}`. The function loads what is read, and stores what is written, around one inline assembly: after inlining, the arrays of
//! the caller are registers.

use super::asm::{self, Register};
use crate::llvm::{Module, Type, Value};
use std::fmt::Write as _;

/// Prefix of these symbols.
pub(super) const REGISTERS: &str = "__warploom.registers:";

/// Gives each call of one of `symbols` as its callee the symbol that `spell` makes of the symbol and of the number in the call's last argument, a constant.
pub(super) fn bind(
    module: &mut Module<'_>,
    symbols: &[&str],
    spell: impl Fn(&str, u32) -> Option<String>,
    problems: &mut Vec<String>,
) {
    for symbol in symbols {
        let Some(function) = module.function(symbol) else {
            continue;
        };
        let instructions = module.functions().into_iter().flat_map(Value::instructions);
        let calls = instructions.filter_map(Value::as_call);
        let calls: Vec<Value<'_>> = calls
            .filter(|call| call.callee().as_function() == Some(function))
            .collect();
        for call in calls {
            let args = call.args();
            let number = args.last().and_then(|code| code.as_integer());
            match number.and_then(|code| spell(symbol, code as u32)) {
                Some(name) => {
                    let bound = module.declare(&name, function.value_type());
                    call.set_operand(args.len() as u32, bound);
                }
                None => problems.push(format!("{symbol} is called with the number {number:?}")),
            }
        }
    }
}

/// The function around the instruction that `name` spells.
pub(super) fn function(name: &str, ty: Type<'_>) -> Result<String, String> {
    let spec = name.strip_prefix(REGISTERS).unwrap_or(name);
    let mut parts = spec.splitn(3, '|');
    let (Some(flags), Some(operands), Some(text)) = (parts.next(), parts.next(), parts.next())
    else {
        return Err(format!(
            "no flags and operands in front of the instruction: {spec}"
        ));
    };
    let (_, params) = ty.signature();
    let operands: Vec<&str> = operands.split(',').collect();
    if operands.len() != params.len() {
        return Err(format!(
            "{} operands, {} parameters: {spec}",
            operands.len(),
            params.len()
        ));
    }
    let mut body = Body::default();
    // LLVM numbers the operands of inline assembly with those first that are written.
    for (i, operand) in operands.iter().enumerate() {
        if let Some(array) = operand.strip_prefix(['=', '+']) {
            body.written(i, Array::of(array)?);
        }
    }
    for (i, operand) in operands.iter().enumerate() {
        if let Some(array) = operand.strip_prefix('+') {
            body.tied(i, &Array::of(array)?);
        }
    }
    for (i, (operand, ty)) in operands.iter().zip(&params).enumerate() {
        match *operand {
            _ if operand.starts_with(['=', '+']) => {}
            "-" => {}
            "s" => body.shared(i),
            "" => body.scalar(i, *ty)?,
            array => body.read(i, Array::of(array)?),
        }
    }
    let list = params.iter().enumerate();
    let list: Vec<_> = list
        .map(|(i, p)| format!("{} %a{i}", p.to_text()))
        .collect();
    let flags: Vec<&str> = flags.split('+').filter(|f| !f.is_empty()).collect();
    let body = body.finish(&flags, text);
    Ok(format!(
        "define linkonce_odr void @\"{}\"({}) alwaysinline{} {{\n{body}  ret void\n}}\n",
        super::library::escape(name),
        list.join(", "),
        asm::convergent(&flags),
    ))
}

/// Registers behind a pointer.
struct Array {
    letter: char,
    llvm: &'static str,
    count: usize,
}

impl Array {
    fn of(spec: &str) -> Result<Self, String> {
        let mut rest = spec.chars();
        let letter = rest.next().unwrap_or(' ');
        let llvm = match letter {
            'r' => "i32",
            'f' => "float",
            'd' => "double",
            _ => return Err(format!("no array of registers: {spec}")),
        };
        match rest.as_str().parse() {
            Ok(count @ 1..) => Ok(Self {
                letter,
                llvm,
                count,
            }),
            _ => Err(format!("no number of registers: {spec}")),
        }
    }
}

/// The function as far as it is written.
#[derive(Default)]
struct Body {
    before: String,
    constraints: Vec<String>,
    /// What is written: type and pointer.
    results: Vec<(&'static str, String)>,
    /// Of each parameter whose registers are written, its number and the first of its results.
    first_results: Vec<(usize, usize)>,
    /// What is read, with types.
    arguments: Vec<String>,
    /// Of each parameter its number and what it is in the text.
    names: Vec<(usize, String)>,
}

impl Body {
    fn written(
        &mut self,
        i: usize,
        Array {
            letter,
            llvm,
            count,
        }: Array,
    ) {
        self.name_array(i, count);
        self.first_results.push((i, self.results.len()));
        for k in 0..count {
            self.constraints.push(format!("={letter}"));
            let pointer = self.pointer(llvm, i, k);
            self.results.push((llvm, pointer));
        }
    }

    /// What is written is read before, from the same registers.
    fn tied(&mut self, i: usize, array: &Array) {
        let first = self.first_results.iter().find(|(param, _)| *param == i);
        let first = first.map_or(0, |(_, result)| *result);
        let llvm = array.llvm;
        for k in 0..array.count {
            let _ = writeln!(
                self.before,
                "  %v{i}.{k} = load {llvm}, ptr %p{i}.{k}, align 4"
            );
            self.argument(first + k, format!("{llvm} %v{i}.{k}"));
        }
    }

    fn read(
        &mut self,
        i: usize,
        Array {
            letter,
            llvm,
            count,
        }: Array,
    ) {
        self.name_array(i, count);
        for k in 0..count {
            let pointer = self.pointer(llvm, i, k);
            let _ = writeln!(
                self.before,
                "  %v{i}.{k} = load {llvm}, ptr {pointer}, align 4"
            );
            self.argument(letter, format!("{llvm} %v{i}.{k}"));
        }
    }

    /// Of register `k` behind parameter `i`.
    fn pointer(&mut self, llvm: &str, i: usize, k: usize) -> String {
        let name = format!("%p{i}.{k}");
        let _ = writeln!(
            self.before,
            "  {name} = getelementptr inbounds {llvm}, ptr %a{i}, i64 {k}"
        );
        name
    }

    fn shared(&mut self, i: usize) {
        self.names.push((i, format!("${}", self.constraints.len())));
        let _ = writeln!(
            self.before,
            "  %s{i} = addrspacecast ptr %a{i} to ptr addrspace(3)\n  %v{i} = ptrtoint ptr addrspace(3) %s{i} to i32"
        );
        self.argument('r', format!("i32 %v{i}"));
    }

    fn scalar(&mut self, i: usize, ty: Type<'_>) -> Result<(), String> {
        let own = ty.to_text();
        let register = Register::of(ty).ok_or_else(|| format!("no register for the type {own}"))?;
        self.names.push((i, format!("${}", self.constraints.len())));
        if own == register.llvm {
            self.argument(register.letter, format!("{own} %a{i}"));
        } else {
            let _ = writeln!(
                self.before,
                "  %v{i} = zext {own} %a{i} to {}",
                register.llvm
            );
            self.argument(register.letter, format!("{} %v{i}", register.llvm));
        }
        Ok(())
    }

    fn argument(&mut self, letter: impl ToString, value: String) {
        self.constraints.push(letter.to_string());
        self.arguments.push(value);
    }

    fn name_array(&mut self, i: usize, count: usize) {
        let first = self.constraints.len();
        let all: Vec<_> = (first..first + count).map(|n| format!("${n}")).collect();
        self.names.push((i, format!("{{{}}}", all.join(", "))));
    }

    fn finish(mut self, flags: &[&str], text: &str) -> String {
        let mut text = text.to_owned();
        for (i, name) in &self.names {
            text = text.replace(&format!("@{i}"), name);
        }
        if flags.contains(&"memory") {
            self.constraints.push("~{memory}".to_owned());
        }
        let (target, kind) = match &*self.results {
            [] => ("", "void".to_owned()),
            [(one, _)] => ("%r = ", (*one).to_owned()),
            all => {
                let types: Vec<_> = all.iter().map(|(llvm, _)| *llvm).collect();
                ("%r = ", format!("{{ {} }}", types.join(", ")))
            }
        };
        let mut after = String::new();
        for (n, (llvm, pointer)) in self.results.iter().enumerate() {
            let value = match self.results.len() {
                1 => "%r".to_owned(),
                _ => {
                    let _ = writeln!(after, "  %r{n} = extractvalue {kind} %r, {n}");
                    format!("%r{n}")
                }
            };
            let _ = writeln!(after, "  store {llvm} {value}, ptr {pointer}, align 4");
        }
        let effect = if flags.contains(&"volatile") || self.results.is_empty() {
            "sideeffect "
        } else {
            ""
        };
        format!(
            "{}  {target}call {kind} asm {effect}\"{}\", \"{}\"({}){}{}\n{}",
            self.before,
            super::library::escape(&(asm::needs_comment(flags) + &text)),
            self.constraints.join(","),
            self.arguments.join(", "),
            asm::convergent(flags),
            asm::pure(flags),
            after,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::Module;
    use crate::llvm::tests::context;

    /// The function for a symbol with parameters of these types, which LLVM accepts, or why there is none.
    fn function_of(symbol: &str, params: &str) -> Result<String, String> {
        let context = context();
        let declared = format!("declare void @\"{symbol}\"({params})\n");
        let module = Module::from_text(&context, &declared).unwrap();
        let text = function(symbol, module.functions()[0].value_type())?;
        Module::from_text(&context, &text)
            .unwrap()
            .verify()
            .unwrap();
        Ok(text)
    }

    #[test]
    fn arrays_are_loaded_and_stored_around_one_instruction() {
        let symbol = "__warploom.registers:volatile+convergent+sm80|=f2,r2,r1|mma @0, @1, @2;";
        let text = function_of(symbol, "ptr, ptr, ptr").unwrap();
        let call = "%r = call { float, float } asm sideeffect \"/*sm80*/mma {$0, $1}, {$2, $3}, {$4};\", \
                    \"=f,=f,r,r,r\"(i32 %v1.0, i32 %v1.1, i32 %v2.0) convergent";
        assert!(text.contains(call), "{text}");
        assert!(
            text.contains("store float %r1, ptr %p0.1, align 4"),
            "{text}"
        );
        assert!(text.contains(") alwaysinline convergent {"), "{text}");
    }

    #[test]
    fn registers_that_are_read_and_written_are_tied() {
        let text = function_of(
            "__warploom.registers:volatile|=r1,+f2,-,|x @0, @1, @3;",
            "ptr, ptr, ptr, i64",
        )
        .unwrap();
        let call = "asm sideeffect \"x {$0}, {$1, $2}, $5;\", \"=r,=f,=f,1,2,l\"(float %v1.0, float %v1.1, i64 %a3)";
        assert!(text.contains(call), "{text}");
        assert!(
            text.contains("store float %r2, ptr %p1.1, align 4"),
            "{text}"
        );
    }

    #[test]
    fn pure_instructions_access_no_memory() {
        let text = function_of("__warploom.registers:pure|=r2,|tex @0, [@1];", "ptr, i64").unwrap();
        let call =
            "asm \"tex {$0, $1}, [$2];\", \"=r,=r,l\"(i64 %a1) memory(none) nounwind willreturn\n";
        assert!(text.contains(call), "{text}");
    }

    #[test]
    fn one_result_is_no_structure() {
        let text = function_of("__warploom.registers:|=d1,d1|abs @0, @1;", "ptr, ptr").unwrap();
        let call = "%r = call double asm \"abs {$0}, {$1};\", \"=d,d\"(double %v1.0)\n";
        assert!(text.contains(call), "{text}");
        assert!(
            text.contains("store double %r, ptr %p0.0, align 4"),
            "{text}"
        );
    }

    #[test]
    fn addresses_in_shared_memory_have_32_bits() {
        let symbol = "__warploom.registers:memory|=r1,s,|ldmatrix @0, [@1], @2;";
        let text = function_of(symbol, "ptr, ptr, i64").unwrap();
        let call = "asm \"ldmatrix {$0}, [$1], $2;\", \"=r,r,l,~{memory}\"(i32 %v1, i64 %a2)";
        assert!(text.contains(call), "{text}");
    }

    #[test]
    fn operands_are_as_many_as_parameters_and_of_known_kinds() {
        let refused = |symbol: &str| function_of(symbol, "ptr").unwrap_err();
        assert!(refused("__warploom.registers:|r1,r1|x;").contains("2 operands, 1 parameters"));
        assert!(refused("__warploom.registers:|q1|x;").contains("no array of registers: q1"));
        assert!(refused("__warploom.registers:|r|x;").contains("no number of registers: r"));
        assert!(refused("__warploom.registers:|x;").contains("no flags and operands"));
    }
}
