//! The bodies of loads and stores with a cache operator, and of conversions between address spaces.
//!
//! `__warploom.memory.load.b<bits>` and `__warploom.memory.store.b<bits>` end in a constant that names the operator; 128 bits travel through a
//! pointer to the kernel's own memory. `__warploom.address.to.<space>` and `__warploom.address.from.<space>` convert.

use std::fmt::Write as _;

pub(super) const MEMORY: &str = "__warploom.memory.";
pub(super) const ADDRESS: &str = "__warploom.address.";
/// What [`memory`] asks for besides its own text.
pub(super) const DECLARATIONS: &str = "declare i1 @llvm.nvvm.isspacep.global(ptr)\n";

/// By number. The last load is the one that is not coherent: only global memory has it.
const LOADS: [&str; 6] = ["ca", "cg", "cs", "lu", "cv", "nc"];
const STORES: [&str; 4] = ["wb", "cg", "cs", "wt"];

/// The definition of a load or store; `None` if there is no such.
pub(super) fn memory(name: &str) -> Option<String> {
    let rest = name.strip_prefix(MEMORY)?;
    let (operation, bits) = rest.split_once(".b")?;
    let (ty, register) = match bits {
        "8" => ("i8", "r"),
        "16" => ("i16", "h"),
        "32" => ("i32", "r"),
        "64" => ("i64", "l"),
        "128" => ("i64", "l"),
        _ => return None,
    };
    let wide = bits == "128";
    // The operator exists for every space; where the space is known, it is said.
    let mut body = String::from(
        "  %g = call i1 @llvm.nvvm.isspacep.global(ptr %p)\n  br i1 %g, label %global, label %generic\n",
    );
    let words: &[&str] = if operation == "load" { &LOADS } else { &STORES };
    for (label, space) in [("global", ".global"), ("generic", "")] {
        let _ = write!(body, "{label}:\n  switch i32 %hint, label %none [");
        for i in 0..words.len() {
            let _ = write!(body, " i32 {i}, label %{label}{i}");
        }
        body.push_str(" ]\n");
        for (i, word) in words.iter().enumerate() {
            let space = if *word == "nc" { ".global" } else { space };
            let at = format!("{label}{i}");
            let _ = writeln!(body, "{at}:");
            body.push_str(&match (operation, wide) {
                ("load", false) => load(&at, space, word, bits, ty, register),
                ("load", true) => load_wide(&at, space, word),
                (_, false) => store(&at, space, word, bits, ty, register),
                (_, true) => format!(
                    "  %x{at} = load i64, ptr %v, align 8\n  %n{at} = getelementptr i64, ptr %v, i64 1\n  %y{at} = load i64, ptr %n{at}, align 8\n  call void asm sideeffect \"st{space}.{word}.v2.b64 [$0], {{$1,$2}};\", \"l,l,l,~{{memory}}\"(ptr %p, i64 %x{at}, i64 %y{at})\n  ret void\n"
                ),
            });
        }
    }
    body.push_str("none:\n  unreachable\n");
    let (result, list) = match (operation, wide) {
        ("load", false) => (ty, "ptr %p, i32 %hint".to_owned()),
        ("load", true) => ("void", "ptr %p, ptr %out, i32 %hint".to_owned()),
        ("store", false) => ("void", format!("ptr %p, {ty} %v, i32 %hint")),
        ("store", true) => ("void", "ptr %p, ptr %v, i32 %hint".to_owned()),
        _ => return None,
    };
    Some(format!(
        "define linkonce_odr {result} @\"{name}\"({list}) alwaysinline {{\n{body}}}\n"
    ))
}

fn load(at: &str, space: &str, word: &str, bits: &str, ty: &str, register: &str) -> String {
    let wide = if bits == "8" { "i32" } else { ty };
    let mut text = format!(
        "  %r{at} = call {wide} asm sideeffect \"ld{space}.{word}.b{bits} $0, [$1];\", \"={register},l,~{{memory}}\"(ptr %p)\n"
    );
    if wide == ty {
        let _ = writeln!(text, "  ret {ty} %r{at}");
    } else {
        let _ = write!(
            text,
            "  %t{at} = trunc {wide} %r{at} to {ty}\n  ret {ty} %t{at}\n"
        );
    }
    text
}

fn load_wide(at: &str, space: &str, word: &str) -> String {
    format!(
        "  %r{at} = call {{ i64, i64 }} asm sideeffect \"ld{space}.{word}.v2.b64 {{$0,$1}}, [$2];\", \"=l,=l,l,~{{memory}}\"(ptr %p)\n  %x{at} = extractvalue {{ i64, i64 }} %r{at}, 0\n  %y{at} = extractvalue {{ i64, i64 }} %r{at}, 1\n  store i64 %x{at}, ptr %out, align 8\n  %n{at} = getelementptr i64, ptr %out, i64 1\n  store i64 %y{at}, ptr %n{at}, align 8\n  ret void\n"
    )
}

fn store(at: &str, space: &str, word: &str, bits: &str, ty: &str, register: &str) -> String {
    let (widen, operand) = if bits == "8" {
        (
            format!("  %w{at} = zext i8 %v to i32\n"),
            format!("i32 %w{at}"),
        )
    } else {
        (String::new(), format!("{ty} %v"))
    };
    format!(
        "{widen}  call void asm sideeffect \"st{space}.{word}.b{bits} [$0], $1;\", \"l,{register},~{{memory}}\"(ptr %p, {operand})\n  ret void\n"
    )
}

/// The definition of a conversion; `None` if there is no such.
pub(super) fn address(name: &str) -> Option<String> {
    let (direction, space) = name.strip_prefix(ADDRESS)?.split_once('.')?;
    // Windows of shared, local and constant memory are smaller than 4 GiB: their addresses fit into 32 bits.
    let (space, ty) = match space {
        "global" => (1, "i64"),
        "shared" => (3, "i32"),
        "constant" => (4, "i32"),
        "local" => (5, "i32"),
        _ => return None,
    };
    Some(match direction {
        "to" => format!(
            "define linkonce_odr {ty} @\"{name}\"(ptr %p) alwaysinline {{\n  %s = addrspacecast ptr %p to ptr addrspace({space})\n  %a = ptrtoint ptr addrspace({space}) %s to {ty}\n  ret {ty} %a\n}}\n"
        ),
        "from" => format!(
            "define linkonce_odr ptr @\"{name}\"({ty} %a) alwaysinline {{\n  %s = inttoptr {ty} %a to ptr addrspace({space})\n  %p = addrspacecast ptr addrspace({space}) %s to ptr\n  ret ptr %p\n}}\n"
        ),
        _ => return None,
    })
}
