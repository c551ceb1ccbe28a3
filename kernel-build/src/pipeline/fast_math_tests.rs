//! What `fast_math` of a kernel changes between IR and PTX, and what it leaves alone.

use super::tests::{ptx, storing};
use crate::sample::storing_fast;

/// The code of each function in a text, by its name.
fn body<'a>(ptx: &'a str, function: &str) -> &'a str {
    let start = ptx.find(&format!("{function}(")).expect(function);
    let end = ptx[start..].find("\n}").expect("its end");
    &ptx[start..start + end]
}

/// `%v` of two floats that the kernel reads, by this expression of `%x` and `%z`.
fn of_floats(expression: &str) -> String {
    format!(
        "  %x = load volatile float, ptr %y
  %z = load volatile float, ptr %y
{expression}
  %v = bitcast float %r to i32"
    )
}

const DECLARED: &str = "declare float @llvm.sqrt.f32(float)
declare float @llvm.fma.f32(float, float, float)
";

/// What functions of the library multiply their argument by here, so that a test sees them.
const OF_THE_LIBRARY: &str = "0f429A0000";

fn library() -> String {
    let function = |(name, params): (&str, &str)| {
        format!(
            "define float @__warploom_math_{name}_f32({params}) noinline {{\n  %r = fmul float %x, 77.0\n  ret float %r\n}}\n"
        )
    };
    let unary = [
        "sin", "cos", "tan", "tanh", "exp", "exp2", "exp10", "log", "log2", "log10",
    ];
    let unary = unary.map(|name| (name, "float %x"));
    let text: String = unary.into_iter().map(function).collect();
    text + &function(("pow", "float %x, float %y"))
        + "define i64 @__warploom_math_sincos_f32(float %x) noinline {
  %f = fmul float %x, 77.0
  %b = bitcast float %f to i32
  %r = zext i32 %b to i64
  ret i64 %r
}
define float @__warploom_math_sine_of_f32(i64 %b) {
  %t = trunc i64 %b to i32
  %r = bitcast i32 %t to float
  ret float %r
}
define float @__warploom_math_cosine_of_f32(i64 %b) {
  %h = lshr i64 %b, 32
  %t = trunc i64 %h to i32
  %r = bitcast i32 %t to float
  ret float %r
}
"
}

/// The PTX of a kernel with `fast_math` that computes this.
fn fast(expression: &str) -> String {
    let ir = storing_fast("fast", &of_floats(expression)) + DECLARED + &library();
    ptx(&ir)
}

/// The PTX of the same kernel without it.
fn accurate(expression: &str) -> String {
    let ir = storing("accurate", &of_floats(expression)) + DECLARED + &library();
    ptx(&ir)
}

/// As nvcc 13.0 with `-use_fast_math`.
#[test]
fn operations_and_functions_become_instructions() {
    let one = |f: &str| format!("  %r = call float @__warploom_math_{f}_f32(float %x)");
    for (expression, expected) in [
        ("  %r = fdiv float %x, %z", &["div.approx.ftz.f32"][..]),
        ("  %r = fdiv float 1.0, %x", &["rcp.approx.ftz.f32"]),
        (
            "  %r = call float @llvm.sqrt.f32(float %x)",
            &["sqrt.approx.ftz.f32"],
        ),
        (
            "  %s = call float @llvm.sqrt.f32(float %x)\n  %r = fdiv float 1.0, %s",
            &["rsqrt.approx.ftz.f32"],
        ),
        ("  %r = fadd float %x, %z", &["add.ftz.f32|add.rn.ftz.f32"]),
        ("  %r = fmul float %x, %z", &["mul.ftz.f32|mul.rn.ftz.f32"]),
        (
            "  %p = fmul float %x, %z\n  %r = fadd float %p, 3.0",
            &["fma.rn.ftz.f32"],
        ),
        (
            "  %r = call float @llvm.fma.f32(float %x, float %z, float 3.0)",
            &["fma.rn.ftz.f32"],
        ),
        (&one("sin"), &["sin.approx.ftz.f32"]),
        (&one("cos"), &["cos.approx.ftz.f32"]),
        (
            &one("tan"),
            &["sin.approx.ftz", "cos.approx.ftz", "div.approx.ftz"],
        ),
        (&one("tanh"), &["tanh.approx.f32"]),
        (
            &one("exp"),
            &["ftz.f32", "0f3FB8AA3B", "ex2.approx.ftz.f32"],
        ),
        (&one("exp2"), &["ex2.approx.ftz.f32"]),
        (
            &one("exp10"),
            &["ftz.f32", "0f40549A78", "ex2.approx.ftz.f32"],
        ),
        (
            &one("log"),
            &["lg2.approx.ftz.f32", "ftz.f32", "0f3F317218"],
        ),
        (&one("log2"), &["lg2.approx.ftz.f32"]),
        (
            &one("log10"),
            &["lg2.approx.ftz.f32", "ftz.f32", "0f3E9A209B"],
        ),
        (
            "  %r = call float @__warploom_math_pow_f32(float %x, float %z)",
            &["lg2.approx.ftz.f32", "ftz.f32", "ex2.approx.ftz.f32"],
        ),
        (
            "  %b = call i64 @__warploom_math_sincos_f32(float %x)
  %s = call float @__warploom_math_sine_of_f32(i64 %b)
  %c = call float @__warploom_math_cosine_of_f32(i64 %b)
  %r = fadd float %s, %c",
            &["sin.approx.ftz.f32", "cos.approx.ftz.f32", "ftz.f32"],
        ),
    ] {
        let ptx = fast(expression);
        for forms in expected {
            let found = forms.split('|').any(|form| ptx.contains(form));
            assert!(found, "no `{forms}` for {expression}:\n{ptx}");
        }
        for exact in [OF_THE_LIBRARY, "div.rn", "div.full", "sqrt.rn", "call"] {
            assert!(!ptx.contains(exact), "`{exact}` for {expression}:\n{ptx}");
        }
        let ptx = accurate(expression);
        assert!(!ptx.contains("ftz"), "{expression}:\n{ptx}");
        assert!(!ptx.contains("approx"), "{expression}:\n{ptx}");
    }
}

/// `f64` is computed as without the option, contraction included.
#[test]
fn doubles_are_left_alone() {
    let body = "  %x = load volatile double, ptr %y
  %p = fmul double %x, %x
  %s = fadd double %p, 3.0
  %q = fdiv double %s, %x
  %r = call double @llvm.sqrt.f64(double %q)
  %v = fptosi double %r to i32";
    let declared = "declare double @llvm.sqrt.f64(double)\n";
    let lines = |ir: String| {
        let ptx = ptx(&(ir + declared));
        let code = body_of_only_kernel(&ptx);
        for expected in ["mul.rn.f64", "add.rn.f64", "div.rn.f64", "sqrt.rn.f64"] {
            assert!(code.contains(expected), "no {expected} in\n{code}");
        }
        code
    };
    let accurate = lines(storing("kernel", body));
    assert_eq!(lines(storing_fast("kernel", body)), accurate);
}

fn body_of_only_kernel(ptx: &str) -> String {
    body(ptx, "kernel").to_owned()
}

/// A function that is not inlined, and one that a table of functions holds, are there in both forms.
#[test]
fn kernels_share_no_code_with_others() {
    let call = "  %x = load volatile float, ptr %y
  %a = call float @helper(float %x)
  %f = load volatile ptr, ptr @table
  %r = call float %f(float %a)
  %v = bitcast float %r to i32";
    let ir = storing("accurate", call)
        + &storing_fast("fast", call)
        + &storing("third", call)
        + "@table = internal constant [1 x ptr] [ptr @pointed]
define float @helper(float %x) noinline {
  %r = fdiv float %x, 3.25
  ret float %r
}
define float @pointed(float %x) noinline {
  %r = fdiv float 3.5, %x
  ret float %r
}
";
    let ptx = ptx(&ir);
    for (kernel, quotient) in [
        ("accurate", "div.rn.f32"),
        ("fast", "div.approx.ftz.f32"),
        ("third", "div.rn.f32"),
    ] {
        // Each has an image of its own, with both functions.
        let image = image(&ptx, kernel);
        assert_eq!(image.matches(quotient).count(), 2, "{kernel}:\n{image}");
        assert_eq!(image.matches("div.").count(), 2, "{kernel}:\n{image}");
    }
}

/// The image that has this kernel.
fn image<'a>(ptx: &'a str, kernel: &str) -> &'a str {
    let mut images = ptx.split(".version ");
    let is_its = |image: &&str| image.contains(&format!(".entry {kernel}("));
    images.find(is_its).expect(kernel)
}

/// A static is in one image, for all kernels that use it: there is one of it, and each kernel has its own function.
#[test]
fn kernels_of_one_image_share_statics() {
    let call = "  %x = load volatile float, ptr %y
  %a = call float @helper(float %x)
  %v = bitcast float %a to i32";
    let ir = storing("accurate", call)
        + &storing_fast("fast", call)
        + "@count = internal global i32 7
define float @helper(float %x) noinline {
  %n = atomicrmw add ptr @count, i32 1 syncscope(\"device\") monotonic
  %f = uitofp i32 %n to float
  %r = fdiv float %x, %f
  ret float %r
}
";
    let ptx = ptx(&ir);
    assert_eq!(ptx.matches(".version ").count(), 1, "{ptx}");
    let variables = ptx.lines().filter(|l| l.contains(".global .align"));
    assert_eq!(variables.count(), 1, "{ptx}");
    assert_eq!(ptx.matches("atom.").count(), 2, "{ptx}");
    assert_eq!(ptx.matches("div.rn.f32").count(), 1, "{ptx}");
    assert_eq!(ptx.matches("div.approx.ftz.f32").count(), 1, "{ptx}");
    for kernel in ["accurate", "fast"] {
        assert!(ptx.contains(&format!(".visible .entry {kernel}(")), "{ptx}");
    }
}

/// Small functions are inlined into both, panics are called by both.
#[test]
fn functions_are_inlined_into_both() {
    let body = "  %x = load volatile float, ptr %y
  %bad = icmp ugt i64 %n, 4
  br i1 %bad, label %panics, label %good
panics:
  call void @__warploom_panic_bounds_check(i64 %n, i64 4, ptr null)
  unreachable
good:
  %a = call float @small(float %x)
  %v = bitcast float %a to i32";
    let ir = storing("accurate", body)
        + &storing_fast("fast", body)
        + "define float @small(float %x) {
  %r = fdiv float %x, 3.25
  ret float %r
}
define void @__warploom_panic_bounds_check(i64 %i, i64 %n, ptr %at) noreturn noinline {
  call void @__warploom.exit()
  unreachable
}
declare void @__warploom.exit() noreturn
";
    let ptx = ptx(&ir);
    assert!(!ptx.contains("call"), "{ptx}");
    assert!(body_has(&ptx, "accurate", "div.rn.f32"), "{ptx}");
    assert!(body_has(&ptx, "fast", "div.approx.ftz.f32"), "{ptx}");
    assert_eq!(
        ptx.matches("// __warploom_panic_bounds_check").count(),
        2,
        "{ptx}"
    );
}

fn body_has(ptx: &str, kernel: &str, text: &str) -> bool {
    body(ptx, kernel).contains(text)
}
