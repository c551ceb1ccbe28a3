//! The bodies of the symbols that `warploom-device-std` calls and that are no plain intrinsic: written as LLVM IR, on demand.

use crate::llvm::Type;

/// Prefix of inline PTX: the rest of the name is the text, in hexadecimal digits.
const PTX: &str = "__warploom.ptx:";

/// The variable of dynamic shared memory, of which there is one: aligned to the most that is asked for.
const DYNAMIC: &str =
    "@__warploom_dynamic_shared = external addrspace(3) global [0 x i8], align 128\n";
const DYNAMIC_1024: &str =
    "@__warploom_dynamic_shared = external addrspace(3) global [0 x i8], align 1024\n";

/// Definitions for the undefined symbols among `wanted` (name and type), as one module text, and what is wrong with some.
pub(crate) fn definitions(wanted: &[(String, Type<'_>)]) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut problems = Vec::new();
    let mut globals = std::collections::BTreeSet::new();
    let mut number = 0;
    for (name, ty) in wanted {
        if let Some(hex) = name.strip_prefix(PTX) {
            match inline_ptx(name, hex, *ty) {
                Ok(body) => text.push_str(&body),
                Err(problem) => problems.push(problem),
            }
        } else if name.starts_with(super::asm::ASM) {
            match super::asm::function(name, *ty) {
                Ok(body) => text.push_str(&body),
                Err(problem) => problems.push(problem),
            }
        } else if name.starts_with(super::register_asm::REGISTERS) {
            match super::register_asm::function(name, *ty) {
                Ok(body) => text.push_str(&body),
                Err(problem) => problems.push(problem),
            }
        } else if name.starts_with(super::atomic_bodies::ATOMIC) {
            match super::atomic_bodies::function(name, *ty) {
                Ok(body) => text.push_str(&body),
                Err(problem) => problems.push(problem),
            }
        } else if let Some(body) = super::memory_bodies::memory(name) {
            text.push_str(&body);
            globals.insert(super::memory_bodies::DECLARATIONS);
        } else if let Some(body) = super::memory_bodies::address(name) {
            text.push_str(&body);
        } else if let Some((body, needs)) = plain(name) {
            number += 1;
            let signature = body.replace("@@", &format!("@\"{name}\""));
            text.push_str(&signature.replace("NUMBER", &number.to_string()));
            globals.extend(needs.iter().copied());
        }
    }
    if globals.contains(DYNAMIC_1024) {
        globals.remove(DYNAMIC);
    }
    let globals: String = globals.into_iter().collect();
    (globals + &text, problems)
}

/// Body of a fixed symbol, with `@@` for its name, and the declarations it needs.
fn plain(name: &str) -> Option<(String, &'static [&'static str])> {
    let name = name.strip_prefix("__warploom.")?;
    const RECORD: &str =
        "@__warploom_panic_record = addrspace(1) externally_initialized global i64 0, align 8\n";
    const EXIT: &str = "declare void @llvm.nvvm.exit() noreturn\n";
    let atomic = |op: &str, ty: &str, align: u32| {
        define(
            ty,
            &format!("ptr %p, {ty} %v"),
            &format!(
                "  %r = atomicrmw {op} ptr %p, {ty} %v syncscope(\"device\") monotonic, align {align}\n  ret {ty} %r"
            ),
        )
    };
    Some(match name {
        "fence.cta" => (
            define(
                "void",
                "",
                "  fence syncscope(\"block\") seq_cst\n  ret void",
            ),
            &[],
        ),
        "fence.gpu" => (
            define(
                "void",
                "",
                "  fence syncscope(\"device\") seq_cst\n  ret void",
            ),
            &[],
        ),
        "fence.sys" => (define("void", "", "  fence seq_cst\n  ret void"), &[]),
        "atomic_add.u32" | "atomic_add.i32" => (atomic("add", "i32", 4), &[]),
        "atomic_add.u64" | "atomic_add.i64" => (atomic("add", "i64", 8), &[]),
        "atomic_add.f32" => (atomic("fadd", "float", 4), &[]),
        "atomic_add.f64" => (atomic("fadd", "double", 8), &[]),
        "shared_dynamic" | "shared_dynamic_1024" => (
            define(
                "ptr",
                "",
                "  ret ptr addrspacecast (ptr addrspace(3) @__warploom_dynamic_shared to ptr)",
            ),
            if name == "shared_dynamic" {
                &[DYNAMIC]
            } else {
                &[DYNAMIC_1024]
            },
        ),
        "panic_record" => (
            define(
                "ptr",
                "",
                "  ret ptr addrspacecast (ptr addrspace(1) @__warploom_panic_record to ptr)",
            ),
            &[RECORD],
        ),
        // The record is in host memory, which generic addresses reach in the global space.
        "panic_ready" => (
            define(
                "void",
                "ptr %p, i32 %kind",
                "  %g = addrspacecast ptr %p to ptr addrspace(1)\n  store atomic i32 %kind, ptr addrspace(1) %g release, align 4\n  ret void",
            ),
            &[],
        ),
        "exit" => (
            define("void", "", "  call void @llvm.nvvm.exit()\n  unreachable"),
            &[EXIT],
        ),
        "trap" => (
            define("void", "", "  call void @llvm.trap()\n  unreachable"),
            &["declare void @llvm.trap() noreturn\n"],
        ),
        "instantiate" => (define("void", "ptr %k, ptr %l", "  ret void"), &[]),
        _ => return of_the_host_or_driver(name),
    })
}

fn define(ret: &str, params: &str, body: &str) -> String {
    format!("define linkonce_odr {ret} @@({params}) alwaysinline {{\n{body}\n}}\n")
}

/// [`plain`], for what needs the host's or the driver's help, and for marks.
fn of_the_host_or_driver(name: &str) -> Option<(String, &'static [&'static str])> {
    const RING: &str =
        "@__warploom_print_ring = addrspace(1) externally_initialized global i64 0, align 8\n";
    Some(match name {
        "print_ring" => (
            define(
                "ptr",
                "",
                "  %a = load i64, ptr addrspace(1) @__warploom_print_ring, align 8\n  %p = inttoptr i64 %a to ptr\n  ret ptr %p",
            ),
            &[RING],
        ),
        "heap_alloc" => (
            define(
                "ptr",
                "i64 %n",
                "  %p = call ptr @malloc(i64 %n)\n  ret ptr %p",
            ),
            &["declare ptr @malloc(i64)\n"],
        ),
        "heap_free" => (
            define("void", "ptr %p", "  call void @free(ptr %p)\n  ret void"),
            &["declare void @free(ptr)\n"],
        ),
        // LLVM unrolls no loop with a call that must not be duplicated; ptxas heeds the pragma.
        "nounroll" => (
            define(
                "void",
                "",
                "  call void asm sideeffect \".pragma \\22nounroll\\22;\", \"\"() noduplicate\n  ret void",
            ),
            &[],
        ),
        _ => return None,
    })
}

/// The function around one piece of inline PTX. Inputs are its first parameters, outputs are written through the pointers that follow.
///
/// The text is `v1|flags|constraints|template`, as `warploom-macros` writes it.
fn inline_ptx(name: &str, hex: &str, ty: Type<'_>) -> Result<String, String> {
    let spec = decode(hex).ok_or_else(|| format!("inline PTX with an unreadable name: {name}"))?;
    let parts: Vec<&str> = spec.splitn(4, '|').collect();
    let [version, flags, constraints, template] = parts[..] else {
        return Err(format!("inline PTX with an unreadable text: {spec}"));
    };
    if version != "v1" {
        return Err(format!(
            "inline PTX of another version of warploom-macros ({version}); use the same version of all warploom crates"
        ));
    }
    let outs: Vec<&str> = constraints
        .split(',')
        .filter(|c| c.starts_with('='))
        .collect();
    let (_, params) = ty.signature();
    let inputs = params
        .len()
        .checked_sub(outs.len())
        .ok_or_else(|| format!("inline PTX with fewer operands than outputs: {template}"))?;
    let out_types: Vec<&str> = outs
        .iter()
        .map(|c| llvm_type(c.trim_start_matches('=')))
        .collect::<Option<_>>()
        .ok_or_else(|| format!("inline PTX with an unknown constraint: {constraints}"))?;
    let mut constraints = constraints.to_owned();
    if flags.contains("memory") {
        constraints.push_str(if constraints.is_empty() {
            "~{memory}"
        } else {
            ",~{memory}"
        });
    }
    let list: Vec<String> = params
        .iter()
        .enumerate()
        .map(|(i, p)| format!("{} %a{i}", p.to_text()))
        .collect();
    let args: Vec<String> = params
        .iter()
        .take(inputs)
        .enumerate()
        .map(|(i, p)| format!("{} %a{i}", p.to_text()))
        .collect();
    let result = match out_types.as_slice() {
        [] => "void".to_owned(),
        [one] => (*one).to_owned(),
        many => format!("{{ {} }}", many.join(", ")),
    };
    let effect = if flags.contains("volatile") || outs.is_empty() {
        "sideeffect "
    } else {
        ""
    };
    let convergent = if flags.contains("convergent") {
        " convergent"
    } else {
        ""
    };
    let target = if outs.is_empty() { "" } else { "%r = " };
    let mut body = format!(
        "  {target}call {result} asm {effect}\"{}\", \"{constraints}\"({}){convergent}\n",
        escape(template),
        args.join(", ")
    );
    for (i, ty) in out_types.iter().enumerate() {
        let value = if out_types.len() == 1 {
            "%r".to_owned()
        } else {
            body.push_str(&format!("  %o{i} = extractvalue {result} %r, {i}\n"));
            format!("%o{i}")
        };
        body.push_str(&format!("  store {ty} {value}, ptr %a{}\n", inputs + i));
    }
    Ok(format!(
        "define linkonce_odr void @\"{name}\"({}) alwaysinline{convergent} {{\n{body}  ret void\n}}\n",
        list.join(", ")
    ))
}

fn llvm_type(constraint: &str) -> Option<&'static str> {
    Some(match constraint {
        "h" => "i16",
        "r" => "i32",
        "l" => "i64",
        "f" => "float",
        "d" => "double",
        _ => return None,
    })
}

/// The bytes that LLVM's text syntax cannot hold as they are become `\xx`.
pub(super) fn escape(text: &str) -> String {
    text.bytes()
        .map(|b| {
            if b == b'"' || b == b'\\' || !(32..127).contains(&b) {
                format!("\\{b:02X}")
            } else {
                char::from(b).to_string()
            }
        })
        .collect()
}

fn decode(hex: &str) -> Option<String> {
    let digits: Vec<u8> = hex
        .chars()
        .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
        .collect::<Option<_>>()?;
    String::from_utf8(
        digits
            .chunks(2)
            .map(|pair| pair.iter().fold(0, |n, d| n << 4 | d))
            .collect(),
    )
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dynamic_shared_memory_is_aligned_to_the_most_that_is_asked_for() {
        let context = crate::llvm::tests::context();
        let declared = |names: &[&str]| {
            let text: String = names
                .iter()
                .map(|name| format!("declare ptr @\"{name}\"()\n"))
                .collect();
            let module = crate::llvm::Module::from_text(&context, &text).unwrap();
            let wanted: Vec<_> = module
                .functions()
                .into_iter()
                .map(|f| (f.name(), f.value_type()))
                .collect();
            let (text, problems) = definitions(&wanted);
            assert_eq!(problems, Vec::<String>::new());
            text
        };
        let (plain, aligned) = (
            "__warploom.shared_dynamic",
            "__warploom.shared_dynamic_1024",
        );
        assert!(declared(&[plain]).starts_with(DYNAMIC));
        for names in [&[aligned][..], &[plain, aligned]] {
            let text = declared(names);
            assert!(text.starts_with(DYNAMIC_1024), "{text}");
            assert_eq!(text.matches("external").count(), 1, "{text}");
        }
    }

    #[test]
    fn hexadecimal_names_are_read_back() {
        assert_eq!(decode("76317c7c"), Some("v1||".into()));
        assert_eq!(decode("7g"), None);
    }

    #[test]
    fn quotes_in_ptx_are_escaped() {
        assert_eq!(escape("a\"b\n"), "a\\22b\\0A");
    }
}
