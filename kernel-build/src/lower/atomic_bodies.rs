//! The bodies of warploom's own atomics: LLVM's atomic instructions, so that they are optimised as such.
//!
//! A symbol is `__warploom.atomic.<operation>.<type>` or `__warploom.atomic.fence`. Its last argument is a code, 4 × order + scope, with
//! the orders relaxed, acquire, release, both, sequentially consistent and the scopes block, cluster, device, system. Callers
//! hand over constants: the body is a choice among all codes, of which inlining leaves one. What LLVM 22 selects wrongly or not at all is
//! spelt out after optimisation, by [`super::atomics`].

use crate::llvm::Type;
use std::fmt::Write as _;

/// Prefix of these symbols.
pub(super) const ATOMIC: &str = "__warploom.atomic.";

/// LLVM's words for the orders.
const ORDERS: [&str; 5] = ["monotonic", "acquire", "release", "acq_rel", "seq_cst"];
/// LLVM's names for the scopes, as NVPTX knows them; the system has none.
const SCOPES: [&str; 4] = [
    "syncscope(\"block\") ",
    "syncscope(\"cluster\") ",
    "syncscope(\"device\") ",
    "",
];
/// PTX's words for both, where LLVM has no instruction.
const PTX_ORDERS: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "acquire"];
const PTX_SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];

const SEQ_CST: usize = 4;

/// The definition of the symbol `name`, whose declaration has type `ty`.
pub(super) fn function(name: &str, ty: Type<'_>) -> Result<String, String> {
    let unknown = || format!("no such atomic operation: {name}");
    let rest = name.strip_prefix(ATOMIC).ok_or_else(unknown)?;
    let (_, params) = ty.signature();
    let code = params.len().checked_sub(1).ok_or_else(unknown)?;
    let (result, list, arms) = if rest == "fence" {
        ("void".to_owned(), "i32 %code".to_owned(), fences())
    } else {
        let (operation, kind) = rest.split_once('.').ok_or_else(unknown)?;
        if let Some(lanes) = kind.strip_prefix("f32x").and_then(|n| n.parse().ok()) {
            vector_add(lanes)
        } else {
            let value = Number::of(kind).ok_or_else(unknown)?;
            let arms = arms(operation, &value).ok_or_else(unknown)?;
            let own = &value.passed;
            let (result, list) = match operation {
                "load" => (own.clone(), "ptr %p".to_owned()),
                "store" => ("void".to_owned(), format!("ptr %p, {own} %v")),
                "cas" => (own.clone(), format!("ptr %p, {own} %c, {own} %v")),
                _ => (own.clone(), format!("ptr %p, {own} %v")),
            };
            (result, list + ", i32 %code", arms)
        }
    };
    let expected = list.split(',').count();
    if expected != code + 1 {
        return Err(format!("{name} takes {expected} arguments"));
    }
    let mut body = String::from("  switch i32 %code, label %none [");
    for (code, _) in &arms {
        let _ = write!(body, " i32 {code}, label %c{code}");
    }
    body.push_str(" ]\n");
    for (code, arm) in &arms {
        let _ = write!(body, "c{code}:\n{}", arm.replace('#', &code.to_string()));
    }
    body.push_str("none:\n  unreachable\n");
    Ok(format!(
        "define linkonce_odr {result} @\"{name}\"({list}) alwaysinline {{\n{body}}}\n"
    ))
}

/// How a number is passed to the function, and what it is to the instruction.
struct Number {
    passed: String,
    value: String,
    bytes: u32,
}

impl Number {
    fn of(kind: &str) -> Option<Number> {
        let (passed, value, bytes) = match kind {
            "f32" => ("float", "float", 4),
            "f64" => ("double", "double", 8),
            "f16" => ("i16", "half", 2),
            "bf16" => ("i16", "bfloat", 2),
            "f16x2" => ("i32", "<2 x half>", 4),
            "bf16x2" => ("i32", "<2 x bfloat>", 4),
            _ => {
                let bits: u32 = kind.strip_prefix(['u', 'i'])?.parse().ok()?;
                return Some(Number {
                    passed: format!("i{bits}"),
                    value: format!("i{bits}"),
                    bytes: bits / 8,
                });
            }
        };
        Some(Number {
            passed: passed.to_owned(),
            value: value.to_owned(),
            bytes,
        })
    }
}

fn codes(orders: &[usize]) -> impl Iterator<Item = (usize, usize, usize)> {
    orders
        .iter()
        .flat_map(|order| (0..4).map(move |scope| (order * 4 + scope, *order, scope)))
}

/// What each code does; `#` stands for the code.
fn arms(operation: &str, number: &Number) -> Option<Vec<(usize, String)>> {
    let Number {
        passed,
        value,
        bytes,
    } = number;
    let arms = |orders: &[usize], text: &dyn Fn(usize, &str, &str) -> String| {
        codes(orders)
            .map(|(code, order, scope)| (code, text(order, SCOPES[scope], ORDERS[order])))
            .collect()
    };
    let word = match operation {
        "load" => {
            return Some(arms(&[0, 1, SEQ_CST], &|_, scope, order| {
                format!(
                    "  %r# = load atomic {value}, ptr %p {scope}{order}, align {bytes}\n  ret {value} %r#\n"
                )
            }));
        }
        "store" => {
            return Some(arms(&[0, 2, SEQ_CST], &|_, scope, order| {
                format!(
                    "  store atomic {value} %v, ptr %p {scope}{order}, align {bytes}\n  ret void\n"
                )
            }));
        }
        "cas" => {
            // One order for success and failure, as PTX has it; LLVM requires of the failure order that it writes nothing.
            return Some(arms(&[0, 1, 2, 3, SEQ_CST], &|order, scope, success| {
                let failure = ["monotonic", "acquire", "monotonic", "acquire", "seq_cst"][order];
                format!(
                    "  %x# = cmpxchg ptr %p, {value} %c, {value} %v {scope}{success} {failure}, align {bytes}\n  %r# = extractvalue {{ {value}, i1 }} %x#, 0\n  ret {value} %r#\n"
                )
            }));
        }
        "swap" => "xchg",
        "add" if value.starts_with('i') => "add",
        "add" => "fadd",
        "sub" => "sub",
        "and" => "and",
        "or" => "or",
        "xor" => "xor",
        "max" => "max",
        "min" => "min",
        "umax" => "umax",
        "umin" => "umin",
        "inc" => "uinc_wrap",
        "dec" => "udec_wrap",
        _ => return None,
    };
    Some(arms(&[0, 1, 2, 3, SEQ_CST], &|_, scope, order| {
        let rmw = |v: &str| {
            format!("atomicrmw {word} ptr %p, {value} {v} {scope}{order}, align {bytes}\n")
        };
        if passed == value {
            return format!("  %r# = {}  ret {value} %r#\n", rmw("%v"));
        }
        format!(
            "  %b# = bitcast {passed} %v to {value}\n  %o# = {}  %r# = bitcast {value} %o# to {passed}\n  ret {passed} %r#\n",
            rmw("%b#")
        )
    }))
}

fn fences() -> Vec<(usize, String)> {
    codes(&[1, 2, 3, SEQ_CST])
        .map(|(code, order, scope)| {
            let needs = if scope == 1 { "/*sm90 ptx78*/" } else { "" };
            // As text: LLVM's fences of a cluster would need the architecture before the code is known to be reached.
            let word = if order == SEQ_CST { "sc" } else { "acq_rel" };
            let scope = PTX_SCOPES[scope];
            (
                code,
                format!(
                    "  call void asm sideeffect \"{needs}fence.{word}.{scope};\", \"~{{memory}}\"()\n  ret void\n"
                ),
            )
        })
        .collect()
}

/// Result, parameters and arms of the addition of 2 or 4 floats in global memory, each atomic for itself.
fn vector_add(lanes: usize) -> (String, String, Vec<(usize, String)>) {
    let names: Vec<String> = (0..lanes).map(|i| format!("float %v{i}")).collect();
    let list = format!("ptr %p, {}, ptr %out, i32 %code", names.join(", "));
    let tuple = |from: usize| {
        let numbers: Vec<String> = (from..from + lanes).map(|i| format!("${i}")).collect();
        format!("{{{}}}", numbers.join(","))
    };
    let kind = format!("{{ {} }}", vec!["float"; lanes].join(", "));
    let constraints = format!(
        "{},l,{}",
        vec!["=f"; lanes].join(","),
        vec!["f"; lanes].join(",")
    );
    let arm = |order: usize, scope: usize| {
        let (sem, scope) = (PTX_ORDERS[order], PTX_SCOPES[scope]);
        let fence = if order == SEQ_CST {
            format!("fence.sc.{scope}; ")
        } else {
            String::new()
        };
        let mut text = format!(
            "  %r# = call {kind} asm sideeffect \"/*sm90 ptx81*/{fence}atom.{sem}.{scope}.global.add.v{lanes}.f32 {}, [${lanes}], {};\", \"{constraints},~{{memory}}\"(ptr %p, {})\n",
            tuple(0),
            tuple(lanes + 1),
            names.join(", ")
        );
        for i in 0..lanes {
            let _ = write!(
                text,
                "  %e#x{i} = extractvalue {kind} %r#, {i}\n  %a#x{i} = getelementptr float, ptr %out, i64 {i}\n  store float %e#x{i}, ptr %a#x{i}, align 4\n"
            );
        }
        text + "  ret void\n"
    };
    let arms = codes(&[0, 1, 2, 3, SEQ_CST])
        .map(|(code, order, scope)| (code, arm(order, scope)))
        .collect();
    ("void".to_owned(), list, arms)
}
