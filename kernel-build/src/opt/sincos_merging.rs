//! Sine and cosine of one angle are computed together.
//!
//! std's `f32::sin_cos` computes one after the other: two range reductions, each with a call for large arguments, where one serves both. CUDA's
//! `sincosf` is what `warploom-device-std` has for that. (`f64` does not need it: its two functions begin with the same reduction, which LLVM computes
//! once.)

use crate::llvm::{Module, Value};

/// By the names that std's methods, LLVM and the linker give them.
const SINE: [&str; 3] = ["sinf", "llvm.sin.f32", "__warploom_math_sin_f32"];
const COSINE: [&str; 3] = ["cosf", "llvm.cos.f32", "__warploom_math_cos_f32"];
/// Both, in the halves of a number of 64 bits, and the functions that take them out.
const BOTH: &str = "__warploom_math_sincos_f32";
const SINE_OF: &str = "__warploom_math_sine_of_f32";
const COSINE_OF: &str = "__warploom_math_cosine_of_f32";

/// Replaces a sine and a cosine of the same value in one block. Must run before symbols are resolved.
pub(crate) fn merge(module: &mut Module<'_>) {
    for function in module.functions() {
        let instructions = function.instructions().into_iter();
        let calls: Vec<Value<'_>> = instructions.filter_map(Value::as_call).collect();
        let of = |names: &[&str]| -> Vec<Value<'_>> {
            let named = calls.iter().copied().filter(|c| is_of(*c, names));
            named.collect()
        };
        let (sines, mut cosines) = (of(&SINE), of(&COSINE));
        for sine in sines {
            let same = |c: &Value<'_>| c.args() == sine.args() && c.block() == sine.block();
            if let Some(at) = cosines.iter().position(same) {
                replace(module, &calls, sine, cosines.swap_remove(at));
            }
        }
    }
}

fn is_of(call: Value<'_>, names: &[&str]) -> bool {
    let callee = call.callee().as_function();
    callee.is_some_and(|f| names.contains(&f.name().as_str()))
}

fn replace<'ctx>(
    module: &mut Module<'ctx>,
    calls: &[Value<'ctx>],
    sine: Value<'ctx>,
    cosine: Value<'ctx>,
) {
    let first = calls.iter().copied().find(|c| *c == sine || *c == cosine);
    let first = first.unwrap_or(sine);
    let (float, bits) = (sine.ty(), module.i64_type());
    let both = module.declare(BOTH, bits.function(&[float]));
    let both = module.call_before(first, both, &sine.args());
    for (old, half) in [(sine, SINE_OF), (cosine, COSINE_OF)] {
        let half = module.declare(half, float.function(&[bits]));
        let half = module.call_before(first, half, &[both]);
        old.replace_all_uses_with(half);
    }
    for old in [sine, cosine] {
        // SAFETY: its result was just replaced, and the handle is not used again: a call is in one pair at most.
        unsafe { old.erase_instruction() };
    }
}

#[cfg(test)]
mod tests {
    use super::merge;
    use crate::llvm::Module;
    use crate::llvm::tests::context;

    /// The names of what a function with this body calls.
    fn called(body: &str) -> Vec<String> {
        let context = context();
        let text = format!(
            "declare float @llvm.sin.f32(float)\ndeclare float @llvm.cos.f32(float)\ndeclare float @sinf(float)\ndeclare float @cosf(float)
define float @f(float %x, float %y, i1 %which) {{\n{body}\n}}\n"
        );
        let mut module = Module::from_text(&context, &text).unwrap();
        merge(&mut module);
        module.verify().unwrap();
        let function = module.function("f").unwrap();
        let calls = function.instructions().into_iter();
        let callees = calls.filter_map(|i| i.as_call()?.callee().as_function());
        callees.map(|f| f.name()).collect()
    }

    const TOGETHER: [&str; 3] = [
        "__warploom_math_sincos_f32",
        "__warploom_math_sine_of_f32",
        "__warploom_math_cosine_of_f32",
    ];

    #[test]
    fn sine_and_cosine_of_a_number_are_one_call() {
        let body = "  %s = call float @llvm.sin.f32(float %x)\n  %c = call float @llvm.cos.f32(float %x)\n  %v = fadd float %s, %c\n  ret float %v";
        assert_eq!(called(body), TOGETHER);
        // The other order, with a use between them.
        let body = "  %c = call float @cosf(float %x)\n  %u = fadd float %c, %y\n  %s = call float @sinf(float %x)\n  %v = fadd float %s, %u\n  ret float %v";
        assert_eq!(called(body), TOGETHER);
    }

    #[test]
    fn other_calls_stay() {
        let of_two = "  %s = call float @sinf(float %x)\n  %c = call float @cosf(float %y)\n  %v = fadd float %s, %c\n  ret float %v";
        assert_eq!(called(of_two), ["sinf", "cosf"]);
        let sines = "  %s = call float @sinf(float %x)\n  %c = call float @sinf(float %x)\n  %v = fadd float %s, %c\n  ret float %v";
        assert_eq!(called(sines), ["sinf", "sinf"]);
        let apart = "  br i1 %which, label %a, label %b\na:\n  %s = call float @sinf(float %x)\n  ret float %s\nb:\n  %c = call float @cosf(float %x)\n  ret float %c";
        assert_eq!(called(apart), ["sinf", "cosf"]);
    }

    /// Two sines, one cosine: one pair.
    #[test]
    fn a_call_is_in_one_pair_at_most() {
        let body = "  %s = call float @sinf(float %x)\n  %t = call float @sinf(float %x)\n  %c = call float @cosf(float %x)\n  %u = fadd float %s, %t\n  %v = fadd float %u, %c\n  ret float %v";
        let called = called(body);
        assert_eq!(called.len(), 4, "{called:?}");
        assert!(called.contains(&"sinf".to_owned()), "{called:?}");
    }
}
