//! Which symbol provides what a kernel needs: everything here depends on the version of rustc and its LLVM, and on nothing else.
//!
//! The self-test compares the tables with the libraries of a rustc.

use super::retarget;
use crate::llvm::{Attribute, Context, Linkage, Module, Op, TypeKind, Value};

/// Prefix of the symbols that `warploom-device-std` calls and this crate lowers.
pub(crate) const INTRINSIC: &str = "__warploom.";
/// Prefix of those that stand for an LLVM intrinsic of the same type.
const LLVM_INTRINSIC: &str = "__warploom.llvm.";

/// Panics with `fmt::Arguments`, with a constant text, and with a text that may be none.
pub(super) const FORMATTED: &str = "__warploom_panic_fmt";
pub(super) const LITERAL: &str = "__warploom_panic_str";
const EXPECTED: &str = "__warploom_panic_expect";

/// A function of Rust's libraries, and the one of `warploom-device-std` that takes its place.
pub(crate) struct Replaced {
    /// `core::panicking::panic_fmt`
    pub(crate) path: &'static str,
    ours: &'static str,
    /// Its type in IR, which must be that of our function; `None` where it is that of a generic one.
    pub(crate) ty: Option<&'static str>,
}

const fn replaced(path: &'static str, ours: &'static str, ty: Option<&'static str>) -> Replaced {
    Replaced { path, ours, ty }
}

/// core's panic entry points. Most of those with fixed texts need no entry: they end in `panic_fmt` with a literal.
#[rustfmt::skip]
pub(crate) const PANICS: &[Replaced] = &[
    replaced("core::panicking::panic_fmt", FORMATTED, Some("void (ptr, ptr, ptr)")),
    replaced("core::panicking::panic", LITERAL, Some("void (ptr, i64, ptr)")),
    replaced("core::option::expect_failed", EXPECTED, Some("void (ptr, i64, ptr)")),
    replaced("core::panicking::panic_bounds_check", "__warploom_panic_bounds_check", Some("void (i64, i64, ptr)")),
    replaced("core::panicking::panic_nounwind", "__warploom_panic_nounwind", Some("void (ptr, i64)")),
    replaced("core::panicking::panic_nounwind_fmt", "__warploom_panic_nounwind_fmt", Some("void (ptr, ptr, i1, ptr)")),
    replaced("core::slice::index::slice_index_fail", "__warploom_slice_index_fail", Some("void (i64, i64, i64, ptr)")),
];

/// std's own ways to end a thread: `panic!` with a text in crates of the editions before 2021, and `abort`.
#[rustfmt::skip]
pub(crate) const ENDS: &[Replaced] = &[
    replaced("std::panicking::begin_panic::<&str>", EXPECTED, None),
    replaced("std::process::abort", "__warploom_abort", Some("void ()")),
];

/// What `Box` and `Vec` call.
#[rustfmt::skip]
pub(crate) const HEAP: &[Replaced] = &[
    replaced("__rustc::__rust_alloc", "__warploom_alloc", Some("ptr (i64, i64)")),
    replaced("__rustc::__rust_dealloc", "__warploom_dealloc", Some("void (ptr, i64, i64)")),
    replaced("__rustc::__rust_realloc", "__warploom_realloc", Some("ptr (ptr, i64, i64, i64)")),
    replaced("__rustc::__rust_alloc_zeroed", "__warploom_alloc_zeroed", Some("ptr (i64, i64)")),
    replaced("__rustc::__rust_no_alloc_shim_is_unstable_v2", "__warploom_no_alloc_shim", Some("void ()")),
    replaced("alloc::alloc::handle_alloc_error", "__warploom_alloc_error", Some("void (i64, i64)")),
];

/// The driver's own functions, which it links when it loads an image.
pub(crate) const OF_THE_DRIVER: &[&str] = &["malloc", "free"];

/// libm's names for what std's float methods call, where LLVM has no intrinsic.
const LIBM: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cosh", "expm1", "fdim",
    "fmod", "hypot", "log1p", "sinh", "tan", "tanh", "tgamma", "lgamma_r", "erf", "erfc", "sin",
    "cos", "exp", "exp2", "log", "log2", "log10", "pow", "ldexp",
];

/// LLVM's math intrinsics that the NVPTX back end cannot select.
const INTRINSIC_MATH: &[&str] = &[
    "sin", "cos", "tan", "exp", "exp2", "exp10", "log", "log2", "log10", "pow", "powi", "asin",
    "acos", "atan", "atan2", "sinh", "cosh", "tanh", "ldexp",
];

/// C functions of memory that rustc's code may call.
const MEMORY: &[(&str, &str)] = &[
    ("memcmp", "__warploom_memcmp"),
    ("bcmp", "__warploom_memcmp"),
];

/// Intrinsics that the NVPTX back end gives up on: conversions to 128 bits.
const FOREIGN: &[(&str, &str)] = &[
    ("llvm.fptoui.sat.i128.f32", "__warploom_fptoui_sat_i128_f32"),
    ("llvm.fptoui.sat.i128.f64", "__warploom_fptoui_sat_i128_f64"),
    ("llvm.fptosi.sat.i128.f32", "__warploom_fptosi_sat_i128_f32"),
    ("llvm.fptosi.sat.i128.f64", "__warploom_fptosi_sat_i128_f64"),
];

/// What stands in for an undefined symbol.
fn provider(name: &str) -> Option<String> {
    if let Some((_, ours)) = FOREIGN.iter().find(|(theirs, _)| *theirs == name) {
        return Some((*ours).to_owned());
    }
    if let Some(rest) = name.strip_prefix("llvm.") {
        let (op, ty) = rest.split_once('.')?;
        let suffix = match ty {
            "f32" | "f32.i32" => "f32",
            "f64" | "f64.i32" => "f64",
            _ => return None,
        };
        // Of `round`, LLVM makes a long sequence for f32.
        return (INTRINSIC_MATH.contains(&op) || (op, suffix) == ("round", "f32"))
            .then(|| format!("__warploom_math_{op}_{suffix}"));
    }
    if let Some((_, ours)) = MEMORY.iter().find(|(theirs, _)| *theirs == name) {
        return Some((*ours).to_owned());
    }
    if let Some(op) = LIBM.iter().find(|op| **op == name) {
        return Some(format!("__warploom_math_{op}_f64"));
    }
    if let Some(op) = name.strip_suffix('f').filter(|op| LIBM.contains(op)) {
        return Some(format!("__warploom_math_{op}_f32"));
    }
    panic_replacement(name).map(str::to_owned)
}

/// What takes the place of a function of Rust's libraries, by its mangled name.
pub(crate) fn panic_replacement(name: &str) -> Option<&'static str> {
    // Only these symbols are demangled: there are thousands.
    let telling = [
        "core9panicking",
        "core5slice5index",
        "6option13expect_failed",
        "7___rustc",
        "18handle_alloc_error",
        "9panicking11begin_panic",
        "7process5abort",
    ];
    if !telling.iter().any(|part| name.contains(part)) {
        return None;
    }
    let path = format!("{:#}", rustc_demangle::demangle(name));
    PANICS
        .iter()
        .chain(ENDS)
        .chain(HEAP)
        .find(|function| function.path == path)
        .map(|function| function.ours)
}

/// The symbols that must be there before anything of core is linked, since core's own versions would win otherwise.
pub(crate) fn panic_providers() -> impl Iterator<Item = &'static str> {
    let providers = PANICS.iter().chain(ENDS).chain(HEAP);
    providers.map(|function| function.ours)
}

/// Makes calls of float remainders: what NVPTX puts in their place (`x - y * trunc(x / y)`) loses the sign of zero and all precision
/// of large quotients.
pub(crate) fn call_remainders(module: &mut Module<'_>) {
    let remainders = module.functions().into_iter().flat_map(Value::instructions);
    let remainders: Vec<Value<'_>> = remainders.filter(|i| i.op() == Op::FRem).collect();
    for remainder in remainders {
        let ours = match remainder.ty().kind() {
            TypeKind::Float => "__warploom_math_fmod_f32",
            TypeKind::Double => "__warploom_math_fmod_f64",
            _ => continue,
        };
        let ty = remainder.ty();
        let function = module.declare(ours, ty.function(&[ty, ty]));
        let call = module.call_before(remainder, function, &remainder.operands());
        remainder.replace_all_uses_with(call);
        // SAFETY: its result was just replaced, and the handle ends here.
        unsafe { remainder.erase_instruction() };
    }
}

/// Redirects undefined symbols to their providers, and core's panic functions to ours where core itself defines them.
pub(crate) fn redirect(module: &mut Module<'_>) {
    for function in module.functions() {
        let name = function.name();
        let provider = if function.is_declaration() {
            provider(&name)
        } else {
            panic_replacement(&name).map(str::to_owned)
        };
        let Some(ours) = provider.filter(|ours| *ours != name) else {
            continue;
        };
        match module.function(&ours) {
            Some(found) => function.replace_all_uses_with(found),
            None if function.is_declaration() && !name.starts_with("llvm.") => {
                function.set_name(&ours)
            }
            None => {
                let declared = module.declare(&ours, function.value_type());
                function.replace_all_uses_with(declared);
            }
        }
    }
    call_literals(module);
}

/// Calls of [`FORMATTED`] whose arguments are a constant text, and of [`EXPECTED`] with one, become calls of [`LITERAL`]: formatting is not linked for them.
///
/// A constant text in `fmt::Arguments` is its address and, in place of the arguments' address, its length times two plus one.
fn call_literals(module: &mut Module<'_>) {
    let Some(literal) = module.function(LITERAL) else {
        return;
    };
    let functions = module.functions().into_iter();
    let calls = functions
        .flat_map(Value::instructions)
        .filter_map(Value::as_call);
    for call in calls.collect::<Vec<_>>() {
        let Some(callee) = call.callee().as_function().map(Value::name) else {
            continue;
        };
        let args = call.args();
        let len = match (&*callee, &args[..]) {
            (FORMATTED, [_, args, _]) => constant_address(*args)
                .filter(|n| n & 1 == 1)
                .map(|n| n >> 1),
            (EXPECTED, [_, len, _]) => len.as_integer(),
            _ => None,
        };
        let (Some(len), [text, .., at]) = (len, &args[..]) else {
            continue;
        };
        if text.as_global().is_none_or(|g| !g.is_constant_global()) {
            continue;
        }
        let len = module.i64_type().integer(len);
        module.call_before(call, literal, &[*text, len, *at]);
        // SAFETY: it has no result, and the handle ends here.
        unsafe { call.erase_instruction() };
    }
}

/// The number that is an address, as `inttoptr (i64 7 to ptr)`.
fn constant_address(value: Value<'_>) -> Option<u64> {
    if !value.is_constant() || value.as_global().is_some() || value.as_function().is_some() {
        return None;
    }
    match value.operands()[..] {
        [number] => number.as_integer(),
        _ => None,
    }
}

/// Prepares a module of an archive that is about to be linked: its definitions come on demand only.
///
/// Mutable statics that no other crate can name get a name of their own, so that a second visit to the same member finds them again.
pub(crate) fn offer(module: &mut Module<'_>, member: &str) {
    for function in module.functions() {
        if function.is_declaration() {
            continue;
        }
        let name = function.name();
        if let Some(ours) = panic_replacement(&name) {
            function.set_name(ours);
        }
        if !function.has_local_linkage() {
            function.clear_host_placement();
            function.set_linkage(Linkage::LinkOnceOdr);
        }
    }
    for global in module.globals() {
        if global.name().starts_with("llvm.") {
            // SAFETY: lists such as `llvm.used` are never referred to, and the handle is dropped here.
            unsafe { global.delete_global() };
            continue;
        }
        if global.is_declaration() || (global.has_local_linkage() && global.is_constant_global()) {
            continue;
        }
        if global.has_local_linkage() {
            global.set_name(&format!("{}${member}", global.name()));
        }
        global.set_linkage(Linkage::LinkOnceOdr);
    }
}

/// Replaces symbols that name LLVM intrinsics by these; defines those that LLVM has in another form, and adds those that it does not know to `problems`.
pub(crate) fn bind_intrinsics(module: &mut Module<'_>, problems: &mut Vec<String>) {
    super::warp_group::bind(module, problems);
    super::tensor_memory::bind(module, problems);
    for function in module.functions() {
        let symbol = function.name();
        let Some(rest) = symbol.strip_prefix(LLVM_INTRINSIC) else {
            continue;
        };
        let name = format!("llvm.{rest}");
        if module.is_overloaded_intrinsic(&name) {
            // LLVM knows it by its name, and verifies that the types fit the suffix.
            match module.function(&name) {
                Some(known) => function.replace_all_uses_with(known),
                None => function.set_name(&name),
            }
            continue;
        }
        match module.intrinsic(&name) {
            Some(intrinsic)
                if intrinsic.value_type().to_text() == function.value_type().to_text() =>
            {
                function.replace_all_uses_with(intrinsic);
            }
            Some(intrinsic) => problems.push(format!(
                "llvm.{rest} has type {}, not {}",
                intrinsic.value_type().to_text(),
                function.value_type().to_text()
            )),
            None => {
                let ty = function.value_type().to_text();
                let linked = upgraded(module.context(), &symbol, &name, &ty)
                    .is_some_and(|definition| link_definition(module, definition));
                if !linked {
                    problems.push(format!("llvm.{rest} is not an intrinsic of this LLVM"));
                }
            }
        }
    }
}

/// Reads of special registers give a thread the same value wherever it makes them: LLVM may move and copy them then.
pub(crate) fn free_register_reads(function: Value<'_>) {
    for call in function
        .instructions()
        .into_iter()
        .filter_map(Value::as_call)
    {
        if call.callee().name().starts_with(REGISTER_READ) {
            call.remove_call_attribute(Attribute::FUNCTION, "convergent");
        }
    }
}

/// Prefix of the intrinsics that read special registers: `tid.x`, `laneid`.
const REGISTER_READ: &str = "llvm.nvvm.read.ptx.sreg.";

fn link_definition<'ctx>(module: &mut Module<'ctx>, mut definition: Module<'ctx>) -> bool {
    retarget::mark_convergent(&definition);
    definition.set_target(&module.triple(), &module.data_layout());
    module.link(definition).is_ok()
}

/// A definition of `symbol` by an intrinsic that this LLVM has no longer, in the form in which it reads the intrinsic in older IR; `None` if it knows none.
/// LLVM 24 has `llvm.nvvm.add.rm.d` in such a form only. `ty`: the intrinsic's, as `i32 (i32, i1)`.
pub(crate) fn upgraded<'ctx>(
    context: &'ctx Context,
    symbol: &str,
    intrinsic: &str,
    ty: &str,
) -> Option<Module<'ctx>> {
    let (result, params) = ty.strip_suffix(')')?.split_once(" (")?;
    let params = params.split(", ").filter(|p| !p.is_empty()).enumerate();
    let args: Vec<String> = params.map(|(i, ty)| format!("{ty} %a{i}")).collect();
    let args = args.join(", ");
    let body = match result {
        "void" => format!("call void @{intrinsic}({args})\n  ret void"),
        _ => format!("%r = call {result} @{intrinsic}({args})\n  ret {result} %r"),
    };
    let text = format!(
        "declare {result} @{intrinsic}({args})\ndefine linkonce_odr {result} @\"{symbol}\"({args}) alwaysinline {{\n  {body}\n}}\n"
    );
    let module = Module::from_text(context, &text).ok()?;
    module.verify().ok()?;
    let is_left = module.function(intrinsic).is_some_and(Value::is_used);
    (!is_left).then_some(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_found_by_path_whatever_the_hash() {
        let name = "_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check";
        assert_eq!(
            provider(name).as_deref(),
            Some("__warploom_panic_bounds_check")
        );
        let text = "_RINvNtCsjrHSEGnQ3l9_3std9panicking11begin_panicReEB4_";
        assert_eq!(provider(text).as_deref(), Some(EXPECTED));
        let other = "_RINvNtCsjrHSEGnQ3l9_3std9panicking11begin_panicmEB4_";
        assert_eq!(provider(other), None);
        let abort = "_RNvNtCsjrHSEGnQ3l9_3std7process5abort";
        assert_eq!(provider(abort).as_deref(), Some("__warploom_abort"));
    }

    #[test]
    fn math_is_found_by_libm_and_by_intrinsic_name() {
        assert_eq!(provider("tanf").as_deref(), Some("__warploom_math_tan_f32"));
        assert_eq!(
            provider("llvm.pow.f64").as_deref(),
            Some("__warploom_math_pow_f64")
        );
        assert_eq!(
            provider("llvm.round.f32").as_deref(),
            Some("__warploom_math_round_f32")
        );
        assert_eq!(provider("llvm.round.f64"), None);
        assert_eq!(provider("llvm.sqrt.f32"), None);
        assert_eq!(provider("open64"), None);
    }
}
