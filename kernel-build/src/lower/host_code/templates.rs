//! Assembly of x86-64 in crates, by its text, as generic IR.

use super::GENERIC;
use crate::llvm::{Module, Value};

/// The calls of assembly that the table has, each with the name of its generic function, whose definition `text` gets.
pub(super) fn used<'ctx>(module: &Module<'ctx>, text: &mut String) -> Vec<(Value<'ctx>, String)> {
    let instructions = module.functions().into_iter().flat_map(Value::instructions);
    let calls = instructions.filter_map(Value::as_call);
    let mut names: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for call in calls {
        // Operands are in the order of Intel's syntax, which is Rust's unless it is told otherwise.
        let Some(assembly) = call
            .callee()
            .asm_text()
            .filter(|_| call.callee().is_intel_asm())
        else {
            continue;
        };
        let constraints = call.callee().asm_constraints().unwrap_or_default();
        let result = call.ty().to_text();
        let params: Vec<String> = call.args().iter().map(|a| a.ty().to_text()).collect();
        let Some(body) = body(&assembly, &constraints, &result, &params) else {
            continue;
        };
        let key = format!("{assembly}|{constraints}|{result}");
        let number = names.iter().position(|n| *n == key).unwrap_or_else(|| {
            let name = format!("{GENERIC}asm.{}", names.len());
            let list: Vec<String> = params
                .iter()
                .enumerate()
                .map(|(i, ty)| format!("{ty} %a{i}"))
                .collect();
            text.push_str(&format!(
                "define weak_odr {result} @\"{name}\"({}) alwaysinline {{\n{body}}}\n",
                list.join(", ")
            ));
            names.push(key);
            names.len() - 1
        });
        found.push((call, format!("{GENERIC}asm.{number}")));
    }
    found
}

/// What a call of assembly computes of `%a0`, `%a1` and so on; `None` if the table does not have it.
pub(super) fn body(
    assembly: &str,
    constraints: &str,
    result: &str,
    params: &[String],
) -> Option<String> {
    let instructions = instructions(assembly);
    let operands: Vec<&str> = constraints
        .split(',')
        .filter(|c| !c.starts_with('~'))
        .collect();
    let outputs = operands.iter().filter(|c| c.starts_with('=')).count();
    let plain = |c: &&str| c.trim_matches(['=', '&', '{', '}']).to_owned();
    let operands: Vec<String> = operands.iter().map(plain).collect();
    let mnemonic = |i: &String| i.split(' ').next().unwrap_or_default().to_owned();
    let mnemonics: Vec<String> = instructions.iter().map(mnemonic).collect();
    if instructions.is_empty() {
        return unchanged(result, params, &operands, outputs);
    }
    // rbx belongs to the compiler: it is saved around the instruction.
    let saves = ["mov", "xchg", "push", "pop", "cpuid"];
    if mnemonics.iter().any(|m| m == "cpuid") && mnemonics.iter().all(|m| saves.contains(&&**m)) {
        return Some(format!("  ret {result} zeroinitializer\n"));
    }
    let [instruction] = &instructions[..] else {
        return None;
    };
    let operands = operands.join(",");
    match (&**instruction, &*operands, result) {
        ("pause" | "nop", "", "void") => Some("  ret void\n".into()),
        ("lfence" | "mfence" | "sfence", "", "void") => {
            Some("  fence seq_cst\n  ret void\n".into())
        }
        (_, _, "float" | "double") => of_floats(instruction, &operands, result),
        ("bswap $0", "r,0", "i32" | "i64") => Some(called("bswap", result, &["a0"])),
        ("popcnt $0, $1", "r,r", "i32" | "i64") if params[0] == result => {
            Some(called("ctpop", result, &["a0"]))
        }
        ("div $2", "dx,ax,r,0,1", "{ i32, i32 }") => Some(division("i32", "i64", 32)),
        ("div $2", "dx,ax,r,0,1", "{ i64, i64 }") => Some(division("i64", "i128", 64)),
        _ => None,
    }
}

/// The instructions of a text, one space between words, operands by their numbers alone: `sqrtsd $0, $0`.
fn instructions(assembly: &str) -> Vec<String> {
    let mut text = assembly.to_owned();
    while let Some((before, rest)) = text.split_once("/*") {
        let (_, after) = rest.split_once("*/").unwrap_or_default();
        text = format!("{before}{after}");
    }
    let lines = text
        .split(['\n', ';'])
        .map(|l| l.split('#').next().unwrap_or_default());
    let words = lines.map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "));
    words
        .filter(|l| !l.is_empty())
        .map(|l| without_modifiers(&l))
        .collect()
}

/// `${0:x}` is `$0`.
fn without_modifiers(line: &str) -> String {
    let mut parts = line.split("${");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (operand, rest) = part.split_once('}').unwrap_or((part, ""));
        let number = operand.split(':').next().unwrap_or_default();
        plain.push_str(&format!("${number}{rest}"));
    }
    plain
}

/// No instruction: each result is the operand that is in its register.
fn unchanged(
    result: &str,
    params: &[String],
    operands: &[String],
    outputs: usize,
) -> Option<String> {
    if outputs == 0 {
        return None;
    }
    let inputs = operands.get(outputs..)?;
    let tied = |output: usize| inputs.iter().position(|c| *c == output.to_string());
    let tied: Vec<usize> = (0..outputs).map(tied).collect::<Option<_>>()?;
    if let [only] = tied[..] {
        return (params.get(only)? == result).then(|| format!("  ret {result} %a{only}\n"));
    }
    let mut body = String::new();
    let mut before = "poison".to_owned();
    for (k, input) in tied.iter().enumerate() {
        let ty = params.get(*input)?;
        body.push_str(&format!(
            "  %r{k} = insertvalue {result} {before}, {ty} %a{input}, {k}\n"
        ));
        before = format!("%r{k}");
    }
    Some(format!("{body}  ret {result} {before}\n"))
}

/// A root, or a product and a sum that are rounded once.
fn of_floats(instruction: &str, operands: &str, ty: &str) -> Option<String> {
    let suffix = if ty == "float" { "ss" } else { "sd" };
    let (mnemonic, places) = instruction.split_once(' ')?;
    let mnemonic = mnemonic.strip_suffix(suffix)?;
    match (mnemonic, places, operands) {
        ("sqrt", "$0, $0", "x,0") | ("sqrt", "$0, $1", "x,x") => Some(called("sqrt", ty, &["a0"])),
        // The digits say which two operands are multiplied.
        ("vfmadd213", "$0, $2, $3", "x,0,x,x") => Some(called("fma", ty, &["a1", "a0", "a2"])),
        ("vfmadd231", "$0, $2, $3", "x,0,x,x") => Some(called("fma", ty, &["a1", "a2", "a0"])),
        ("vfmadd132", "$0, $2, $3", "x,0,x,x") => Some(called("fma", ty, &["a0", "a2", "a1"])),
        ("vfmadd", "$0, $0, $2, $3", "x,0,x,x") => Some(called("fma", ty, &["a0", "a1", "a2"])),
        _ => None,
    }
}

/// The result of an intrinsic of LLVM.
fn called(intrinsic: &str, ty: &str, args: &[&str]) -> String {
    let suffix = match ty {
        "float" => "f32",
        "double" => "f64",
        integer => integer,
    };
    let args: Vec<String> = args.iter().map(|a| format!("{ty} %{a}")).collect();
    format!(
        "  %r = call {ty} @llvm.{intrinsic}.{suffix}({})\n  ret {ty} %r\n",
        args.join(", ")
    )
}

/// A number of two registers by one: remainder and quotient.
fn division(ty: &str, wide: &str, bits: u32) -> String {
    format!(
        "  %d = zext {ty} %a0 to {wide}\n  %h = zext {ty} %a1 to {wide}\n  %l = zext {ty} %a2 to {wide}\n  %s = shl {wide} %h, {bits}\n  %n = or {wide} %s, %l\n  %q = udiv {wide} %n, %d\n  %m = urem {wide} %n, %d\n  %tq = trunc {wide} %q to {ty}\n  %tm = trunc {wide} %m to {ty}\n  %p = insertvalue {{ {ty}, {ty} }} poison, {ty} %tm, 0\n  %r = insertvalue {{ {ty}, {ty} }} %p, {ty} %tq, 1\n  ret {{ {ty}, {ty} }} %r\n"
    )
}
