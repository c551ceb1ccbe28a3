//! Instructions that the device library names by their PTX text.
//!
//! A symbol is `__warploom.asm:flags|text`. Constraints follow from the function's type: `$0` is the result (if there is one), then come
//! the arguments. Flags, joined by `+`: `volatile` (must run even if the result is unused), `memory` (other accesses must not move
//! across), `convergent` (lanes execute it together), `pure` (the result follows from the arguments alone: equal ones may be merged), `sm90` (the least architecture), `ptx83` (the least PTX version), `below90` (architectures
//! from that one on lack it), `exact90` (`sm_90a` alone has it). The last four end up as a comment in the text, where [`crate::linker`] reads them after optimisation: what was optimised away asks for nothing.

use crate::llvm::{Type, TypeKind};

/// Prefix of these symbols.
pub(crate) const ASM: &str = "__warploom.asm:";

/// The function around the instruction that `name` spells.
pub(crate) fn function(name: &str, ty: Type<'_>) -> Result<String, String> {
    let spec = name.strip_prefix(ASM).unwrap_or(name);
    let (flags, text) = spec
        .split_once('|')
        .ok_or_else(|| format!("no flags in front of the instruction: {spec}"))?;
    let flags: Vec<&str> = flags.split('+').filter(|f| !f.is_empty()).collect();
    let (result, params) = ty.signature();
    let unknown = |ty: Type<'_>| format!("no register for the type {}: {text}", ty.to_text());
    let mut body = String::new();
    let mut constraints = Vec::new();
    let returned = match result.kind() {
        TypeKind::Void => None,
        _ => Some(Register::of(result).ok_or_else(|| unknown(result))?),
    };
    if let Some(register) = &returned {
        constraints.push(format!("={}", register.letter));
    }
    let mut args = Vec::new();
    for (i, param) in params.iter().enumerate() {
        let register = Register::of(*param).ok_or_else(|| unknown(*param))?;
        constraints.push(register.letter.to_owned());
        let own = param.to_text();
        if own == register.llvm {
            args.push(format!("{own} %a{i}"));
        } else {
            body.push_str(&format!(
                "  %w{i} = zext {own} %a{i} to {}\n",
                register.llvm
            ));
            args.push(format!("{} %w{i}", register.llvm));
        }
    }
    if flags.contains(&"memory") {
        constraints.push("~{memory}".to_owned());
    }
    let effect = if flags.contains(&"volatile") || returned.is_none() {
        "sideeffect "
    } else {
        ""
    };
    let convergent = convergent(&flags);
    let pure = pure(&flags);
    let kind = returned.as_ref().map_or("void", |r| r.llvm);
    let target = if returned.is_some() { "%r = " } else { "" };
    body.push_str(&format!(
        "  {target}call {kind} asm {effect}\"{}\", \"{}\"({}){convergent}{pure}\n",
        super::library::escape(&(needs_comment(&flags) + text)),
        constraints.join(","),
        args.join(", ")
    ));
    let own = result.to_text();
    if returned.is_none() {
        body.push_str("  ret void\n");
    } else if own == kind {
        body.push_str(&format!("  ret {own} %r\n"));
    } else {
        body.push_str(&format!(
            "  %t = trunc {kind} %r to {own}\n  ret {own} %t\n"
        ));
    }
    let list: Vec<String> = params
        .iter()
        .enumerate()
        .map(|(i, p)| format!("{} %a{i}", p.to_text()))
        .collect();
    Ok(format!(
        "define linkonce_odr {own} @\"{}\"({}) alwaysinline{convergent} {{\n{body}}}\n",
        super::library::escape(name),
        list.join(", ")
    ))
}

/// The attribute of functions and calls.
pub(super) fn convergent(flags: &[&str]) -> &'static str {
    if flags.contains(&"convergent") {
        " convergent"
    } else {
        ""
    }
}

/// The attributes of a call whose result follows from its arguments alone: without them LLVM takes any inline assembly for one that accesses memory.
pub(super) fn pure(flags: &[&str]) -> &'static str {
    if flags.contains(&"pure") {
        " memory(none) nounwind willreturn"
    } else {
        ""
    }
}

/// What [`needs`] reads; nothing if every architecture and version will do.
pub(super) fn needs_comment(flags: &[&str]) -> String {
    let needs = |f: &&&str| {
        ["sm", "ptx", BELOW, EXACT]
            .iter()
            .any(|word| f.starts_with(word))
    };
    let needs: Vec<&str> = flags.iter().filter(needs).copied().collect();
    if needs.is_empty() {
        return String::new();
    }
    format!("/*{}*/", needs.join(" "))
}

/// What the instruction asks of the architecture and of PTX, as `function` wrote it: (90, 83).
pub(crate) fn needs(text: &str) -> (u32, u32) {
    let mut least = (0, 0);
    for comment in text.split("/*").skip(1) {
        let Some((words, _)) = comment.split_once("*/") else {
            continue;
        };
        for word in words.split(' ') {
            let number = |prefix| word.strip_prefix(prefix).and_then(|n| n.parse().ok());
            least.0 = least.0.max(number("sm").unwrap_or(0));
            least.1 = least.1.max(number("ptx").unwrap_or(0));
        }
    }
    least
}

/// In front of the architecture that alone has the instruction.
const EXACT: &str = "exact";

/// The architecture that alone has the instruction, as the flag `exact90` says.
pub(crate) fn exact(text: &str) -> Option<u32> {
    words(text)
        .filter_map(|word| word.strip_prefix(EXACT)?.parse().ok())
        .next()
}

/// In front of the architecture from which on the instruction is gone.
const BELOW: &str = "below";

/// The architecture from which on the instruction is gone, as the flag `below90` says.
pub(crate) fn gone_from(text: &str) -> Option<u32> {
    words(text)
        .filter_map(|word| word.strip_prefix(BELOW)?.parse().ok())
        .min()
}

/// The words of all comments of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let comments = text
        .split("/*")
        .skip(1)
        .filter_map(|part| part.split_once("*/"));
    comments.flat_map(|(words, _)| words.split(' '))
}

/// How a value of some type travels into the text.
pub(super) struct Register {
    pub(super) letter: &'static str,
    pub(super) llvm: &'static str,
}

impl Register {
    pub(super) fn of(ty: Type<'_>) -> Option<Register> {
        let (letter, llvm) = match ty.kind() {
            TypeKind::Integer(1 | 8 | 32) => ("r", "i32"),
            TypeKind::Integer(16) => ("h", "i16"),
            TypeKind::Integer(64) => ("l", "i64"),
            TypeKind::Integer(128) => ("q", "i128"),
            TypeKind::Float => ("f", "float"),
            TypeKind::Double => ("d", "double"),
            TypeKind::Pointer(0) => ("l", "ptr"),
            _ => return None,
        };
        Some(Register { letter, llvm })
    }
}

#[cfg(test)]
mod tests {
    use super::{exact, gone_from, needs};

    #[test]
    fn needs_are_read_from_the_comment() {
        assert_eq!(needs("/*sm90 ptx83*/atom.b128"), (90, 83));
        assert_eq!(needs("add.f16 /*round*/ $0, $1, $2;"), (0, 0));
        assert_eq!(needs("/*sm75 ptx63 below90*/wmma"), (75, 63));
        assert_eq!(gone_from("/*sm75 ptx63 below90*/wmma"), Some(90));
        assert_eq!(gone_from("/*sm90 ptx83*/atom.b128"), None);
        assert_eq!(exact("/*exact90 ptx80*/wgmma.fence"), Some(90));
        assert_eq!(exact("/*sm90 ptx80*/elect.sync"), None);
    }
}
