use super::*;
use crate::llvm::tests::context;
use crate::lower::retarget::TRIPLE;

/// Every function that has a fast body, and nothing else: the bodies are valid IR, and take the place of the library's.
#[test]
fn all_functions_get_their_bodies() {
    let context = context();
    let names = BODIES.iter().map(|(name, params, ..)| (*name, *params));
    let mut text = String::new();
    for (name, params) in names.clone().chain([("asin", "float %x")]) {
        let types = params.replace(" %x", "").replace(" %y", "");
        let arguments = params.replace("float %y", "float 2.0").replace("%x", "1.0");
        let library = library_name(name);
        text += &format!(
            "declare float @{library}({types})\ndefine float @{name}() {{\n  %r = call float @{library}({arguments})\n  ret float %r\n}}\n"
        );
    }
    text += "declare i64 @__warploom_math_sincos_f32(float)\ndefine i64 @sincos() {\n  %r = call i64 @__warploom_math_sincos_f32(float 1.0)\n  ret i64 %r\n}\n";
    let mut module = Module::from_text(&context, &text).unwrap();
    module.set_target(TRIPLE, &module.data_layout());
    relax(&mut module).unwrap();
    module.verify().unwrap();
    let called = |function: &str| {
        let instructions = module.function(function).unwrap().instructions();
        let call = instructions.into_iter().find_map(Value::as_call).unwrap();
        call.callee().name()
    };
    for (name, _) in names.chain([("sincos", "")]) {
        assert_eq!(called(name), format!("__warploom_fast_{name}_f32"));
    }
    assert_eq!(called("asin"), "__warploom_math_asin_f32");
}

/// Flags of `f32`, not of `f64` and integers, in marked functions alone.
#[test]
fn operations_of_marked_functions_are_relaxed() {
    let context = context();
    let function = |name: &str| {
        format!(
            "define float @{name}(float %x, double %d, <2 x float> %p) {{
  %q = fdiv float %x, 3.0
  %s = fdiv <2 x float> %p, %p
  %e = fdiv double %d, 3.0
  ret float %q
}}\n"
        )
    };
    let mut marked = Module::from_text(&context, &function("marked")).unwrap();
    relax(&mut marked).unwrap();
    let mut module = Module::from_text(&context, &function("other")).unwrap();
    join(&mut module, marked).unwrap();
    relax_operations(&module);
    let text = |name: &str| module.function(name).unwrap().to_text();
    let marked = text("marked");
    for expected in [
        "fdiv contract afn float",
        "fdiv contract afn <2 x float>",
        "%e = fdiv double",
    ] {
        assert!(marked.contains(expected), "{marked}");
    }
    let other = text("other");
    assert!(
        !other.contains("afn") && !other.contains("contract"),
        "{other}"
    );
}

/// Variables and panics are there once, under the linkage that they had; functions and constants that refer to them twice.
#[test]
fn variables_are_joined() {
    let context = context();
    let text = "@count = internal addrspace(1) global i32 7
@__warploom_static_SHOWN = addrspace(1) externally_initialized global i32 3
@table = internal constant [1 x ptr] [ptr @helper]
define internal void @helper() {
  store i32 1, ptr addrspace(1) @count
  store i32 1, ptr addrspace(1) @__warploom_static_SHOWN
  call void @__warploom_panic_bounds_check()
  ret void
}
define internal void @__warploom_panic_bounds_check() {
  ret void
}
";
    let kernel = |name: &str| {
        format!(
            "define ptx_kernel void @{name}() {{\n  %f = load ptr, ptr @table\n  call void %f()\n  ret void\n}}\n"
        )
    };
    let read =
        |name: &str| Module::from_text(&context, &(text.to_owned() + &kernel(name))).unwrap();
    let (mut module, mut other) = (read("accurate"), read("fast"));
    relax(&mut other).unwrap();
    join(&mut module, other).unwrap();
    module.verify().unwrap();
    let text = module.to_text();
    let count = |of: &str| text.lines().filter(|l| l.contains(of)).count();
    assert_eq!(count("= internal addrspace(1) global i32 7"), 1, "{text}");
    assert_eq!(
        count("= addrspace(1) externally_initialized global i32 3"),
        1,
        "{text}"
    );
    assert_eq!(count("constant [1 x ptr]"), 2, "{text}");
    assert_eq!(count("define internal void @helper"), 2, "{text}");
    assert_eq!(
        count("define internal void @__warploom_panic_bounds_check"),
        1,
        "{text}"
    );
    assert_eq!(count("define ptx_kernel"), 2, "{text}");
}
