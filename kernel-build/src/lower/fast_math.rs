//! Kernels with `fast_math`: arithmetic of `f32` as nvcc's `-use_fast_math` has it, in the kernel and in all that it calls.
//!
//! | `f32` | other kernels | these |
//! |---|---|---|
//! | subnormal operands and results | kept | zero, with their sign: `.ftz` |
//! | `/`, `sqrt` | `div.rn`, `sqrt.rn` | `div.approx.ftz`, `sqrt.approx.ftz`; `1 / sqrt(x)` is `rsqrt.approx.ftz` |
//! | `a * b + c` | rounded twice | fused |
//! | functions of [`BODIES`] | the device library's | one to three instructions |
//!
//! LLVM knows of functions, not of operations, whether they flush subnormal numbers, and does not inline one kind into the other. So the kernels of
//! the two kinds share no code: [`relax`] changes a module that has only the kernels with `fast_math`, and [`join`] adds it to one with only the others.
//! [`relax_operations`] marks divisions, roots and what may be fused, when nothing is inlined any more.

use super::symbols::INTRINSIC;
use crate::llvm::{Attribute, Linkage, LlvmError, Module, TypeKind, Value};

/// What the functions of these kernels are known by.
const MARK: &str = "warploom.fast-math";

/// How LLVM 22 says that a function flushes subnormal `f32`.
const FLUSH: (&str, &str) = ("denormal-fp-math-f32", "preserve-sign,preserve-sign");
/// What later versions have instead, with a value of its own encoding; they replace [`FLUSH`] when they read it.
const FLUSH_SINCE_23: &str = "denormal_fpenv";

/// Functions of the device library, and what becomes of them: parameters, body, and what the body declares. Constants are those of nvcc 13.0.
#[rustfmt::skip]
const BODIES: &[(&str, &str, &str, &str)] = &[
    ("sin", "float %x", "%r = call float @llvm.nvvm.sin.approx.ftz.f(float %x)", SIN),
    ("cos", "float %x", "%r = call float @llvm.nvvm.cos.approx.ftz.f(float %x)", COS),
    ("tan", "float %x", "%s = call float @llvm.nvvm.sin.approx.ftz.f(float %x)\n%c = call float @llvm.nvvm.cos.approx.ftz.f(float %x)\n%r = fdiv float %s, %c", BOTH),
    ("tanh", "float %x", "%r = call float asm \"tanh.approx.f32 $0, $1;\", \"=f,f\"(float %x)", ""),
    ("exp", "float %x", "%p = fmul float %x, 0x3FF7154760000000\n%r = call float asm \"ex2.approx.ftz.f32 $0, $1;\", \"=f,f\"(float %p)", ""),
    ("exp2", "float %x", "%r = call float asm \"ex2.approx.ftz.f32 $0, $1;\", \"=f,f\"(float %x)", ""),
    ("exp10", "float %x", "%p = fmul float %x, 0x400A934F00000000\n%r = call float asm \"ex2.approx.ftz.f32 $0, $1;\", \"=f,f\"(float %p)", ""),
    ("log", "float %x", "%l = call float @llvm.nvvm.lg2.approx.ftz.f(float %x)\n%r = fmul float %l, 0x3FE62E4300000000", LG2),
    ("log2", "float %x", "%r = call float @llvm.nvvm.lg2.approx.ftz.f(float %x)", LG2),
    ("log10", "float %x", "%l = call float @llvm.nvvm.lg2.approx.ftz.f(float %x)\n%r = fmul float %l, 0x3FD3441360000000", LG2),
    ("pow", "float %x, float %y", "%l = call float @llvm.nvvm.lg2.approx.ftz.f(float %x)\n%p = fmul float %l, %y\n%r = call float asm \"ex2.approx.ftz.f32 $0, $1;\", \"=f,f\"(float %p)", LG2),
];

/// Sine and cosine in the halves of a number, as `sincos_merging` asks for them.
const SINCOS: (&str, &str) = (
    "sincos",
    "%s = call float @llvm.nvvm.sin.approx.ftz.f(float %x)
%c = call float @llvm.nvvm.cos.approx.ftz.f(float %x)
%sb = bitcast float %s to i32
%cb = bitcast float %c to i32
%sw = zext i32 %sb to i64
%cw = zext i32 %cb to i64
%high = shl i64 %cw, 32
%r = or i64 %high, %sw",
);

const SIN: &str = "declare float @llvm.nvvm.sin.approx.ftz.f(float)\n";
const COS: &str = "declare float @llvm.nvvm.cos.approx.ftz.f(float)\n";
const LG2: &str = "declare float @llvm.nvvm.lg2.approx.ftz.f(float)\n";
const BOTH: &str = "declare float @llvm.nvvm.sin.approx.ftz.f(float)
declare float @llvm.nvvm.cos.approx.ftz.f(float)
";

/// The name of a function of `f32` in the device library.
fn library_name(function: &str) -> String {
    format!("__warploom_math_{function}_f32")
}

/// The text of a module with fast bodies for the functions of the device library that `module` has.
fn bodies(module: &Module<'_>) -> (String, Vec<(String, String)>) {
    let (mut declarations, mut text, mut names) = (Vec::new(), String::new(), Vec::new());
    let sincos = (SINCOS.0, "float %x", SINCOS.1, BOTH);
    for (function, params, body, needs) in BODIES.iter().copied().chain([sincos]) {
        let library = library_name(function);
        if module.function(&library).is_none() {
            continue;
        }
        let ty = if function == SINCOS.0 { "i64" } else { "float" };
        let fast = format!("__warploom_fast_{function}_f32");
        text.push_str(&format!(
            "define {ty} @{fast}({params}) alwaysinline {{\n{body}\nret {ty} %r\n}}\n"
        ));
        declarations.extend(needs.lines());
        names.push((library, fast));
    }
    declarations.sort_unstable();
    declarations.dedup();
    (declarations.join("\n") + "\n" + &text, names)
}

/// Makes all functions of a module fast: it has no kernels but those with `fast_math`.
pub(crate) fn relax(module: &mut Module<'_>) -> Result<(), LlvmError> {
    let (text, names) = bodies(module);
    let mut fast = Module::from_text(module.context(), &text)?;
    fast.set_target(&module.triple(), &module.data_layout());
    module.link(fast)?;
    for (library, fast) in names {
        if let (Some(library), Some(fast)) = (module.function(&library), module.function(&fast)) {
            library.replace_all_uses_with(fast);
            fast.set_linkage(Linkage::Internal);
        }
    }
    let context = module.context();
    let (mark, flush) = (
        Attribute::text(context, MARK, ""),
        Attribute::text(context, FLUSH.0, FLUSH.1),
    );
    for function in defined(module) {
        function.add_attribute(Attribute::FUNCTION, mark);
        function.add_attribute(Attribute::FUNCTION, flush);
    }
    if Attribute::named(context, FLUSH_SINCE_23, 0).is_some() {
        *module = Module::from_bitcode(context, &module.to_bitcode())?;
    }
    Ok(())
}

/// Adds a module with other kernels, which was a copy of this one: each keeps its code, and both have the same variables.
///
/// Functions of the device library that calculate nothing, such as panics, are there once too: passes know them by their names.
pub(crate) fn join<'ctx>(module: &mut Module<'ctx>, other: Module<'ctx>) -> Result<(), LlvmError> {
    let local: Vec<String> = [&*module, &other]
        .into_iter()
        .flat_map(|m| {
            shared(m)
                .filter(|v| v.has_local_linkage())
                .collect::<Vec<_>>()
        })
        .map(Value::name)
        .collect();
    for side in [&*module, &other] {
        shared(side).for_each(|v| v.set_linkage(Linkage::LinkOnceOdr));
    }
    module.link(other)?;
    for value in shared(module) {
        value.set_linkage(if local.contains(&value.name()) {
            Linkage::Internal
        } else {
            Linkage::External
        });
    }
    Ok(())
}

/// What is defined once for all kernels: variables, and what passes know by its name.
fn shared<'ctx>(module: &Module<'ctx>) -> impl Iterator<Item = Value<'ctx>> + use<'ctx> {
    let ours = |name: &str| {
        let math = ["__warploom_math_", "__warploom_fast_"];
        let ours = name.starts_with("__warploom_") && !name.starts_with(INTRINSIC);
        ours && !math.iter().any(|prefix| name.starts_with(prefix))
    };
    let functions = defined(module).filter(move |f| !f.is_kernel() && ours(&f.name()));
    let globals = module.globals().into_iter();
    let globals = globals.filter(|g| !g.is_declaration() && !g.name().is_empty());
    functions.chain(globals.filter(move |g| !g.is_constant_global() || ours(&g.name())))
}

/// Lets divisions and roots of `f32` be approximations, and sums of products be fused, in the functions that [`relax`] has marked.
pub(crate) fn relax_operations(module: &Module<'_>) {
    for function in defined(module).filter(|f| is_fast(*f)) {
        for instruction in function.instructions() {
            if instruction.ty().scalar().kind() == TypeKind::Float {
                instruction.allow_contraction();
                instruction.allow_approximation();
            }
        }
    }
}

/// Whether it belongs to kernels with `fast_math`.
fn is_fast(function: Value<'_>) -> bool {
    let found = function.string_attribute(Attribute::FUNCTION, MARK);
    found.is_some()
}

fn defined<'ctx>(module: &Module<'ctx>) -> impl Iterator<Item = Value<'ctx>> + use<'ctx> {
    let functions = module.functions().into_iter();
    functions.filter(|f| !f.is_declaration())
}

#[cfg(test)]
#[path = "fast_math_tests.rs"]
mod tests;
