//! What stands in for instructions computes what the processor does, and what needs more than every processor has panics.

use super::{GENERIC, intrinsics, make_portable, templates};
use crate::llvm::tests::context;
use crate::llvm::{Module, Value};
use crate::run_on_host::{for_host, printed};
use std::fmt::Write as _;

/// A program that calls each pair of functions with numbers of every kind and prints where they differ. Buffers have 64 bytes.
fn comparing(pairs: &[(String, String)]) -> String {
    let mut text = String::new();
    for (native, generic) in pairs {
        let _ = writeln!(
            text,
            "void {native}(void *, const void *); void {generic}(void *, const void *);"
        );
    }
    let list = |which: fn(&(String, String)) -> &String| {
        let names: Vec<&str> = pairs.iter().map(|p| which(p).as_str()).collect();
        names.join(", ")
    };
    let _ = write!(
        text,
        r#"
static void (*native[])(void *, const void *) = {{ {} }};
static void (*generic[])(void *, const void *) = {{ {} }};
static u state = 1;
static u random64(void) {{ state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }}
static double doubles[] = {{ 0, -0.0, 0.5, -0.5, 1.5, 2.5, -2147483648.0, -2147483648.5, -2147483649.0, 2147483647.0, 2147483647.5, 2147483648.0, 9.3e18, -9.3e18, 4503599627370495.5, 1e300, -1e300, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0, 8388607.5, 1e-310 }};
static void fill(unsigned char *in, int how) {{
    for (int i = 0; i < 64; i += 8) {{
        u bits = random64();
        double d = doubles[bits % 22];
        float f = (float)d;
        if (how == 1) memcpy(&bits, &d, 8);
        if (how == 2) {{ uint32_t b; memcpy(&b, &f, 4); bits = b | (u)(random64() % 2 ? b : b ^ 0x80000000u) << 32; }}
        if (how == 3) bits &= 0x1f;
        if (how == 4) {{ d = (double)(int64_t)bits / 4294967296.0; memcpy(&bits, &d, 8); }}
        if (how == 5) {{ f = (float)(int32_t)bits / 1024.0f; uint32_t b; memcpy(&b, &f, 4); bits = b | (u)b << 32; }}
        memcpy(in + i, &bits, 8);
    }}
}}
int main(void) {{
    for (int k = 0; k < (int)(sizeof native / sizeof *native); k++) {{
        int wrong = 0;
        for (int round = 0; round < 3000 && !wrong; round++) {{
            unsigned char in[64] __attribute__((aligned(64))), a[64] __attribute__((aligned(64))) = {{0}}, b[64] __attribute__((aligned(64))) = {{0}};
            fill(in, round % 6);
            if (round % 2) memcpy(in + 16, in + 32, 8);
            native[k](a, in);
            generic[k](b, in);
            wrong = memcmp(a, b, 64) != 0;
        }}
        if (wrong) printf("%d ", k);
    }}
    printf("done");
}}
"#,
        list(|p| &p.0),
        list(|p| &p.1)
    );
    text
}

/// A function that calls `callee` with arguments of a buffer, 16 bytes apart, and stores the result.
fn caller(
    name: &str,
    callee: &str,
    result: &str,
    params: &[&str],
    immediate: Option<u32>,
) -> String {
    let mut text = format!("define void @{name}(ptr %out, ptr %in) {{\n");
    let mut args = Vec::new();
    for (k, ty) in params.iter().enumerate() {
        match immediate.filter(|_| k + 1 == params.len()) {
            Some(number) => args.push(format!("{ty} {number}")),
            None => {
                let _ = write!(
                    text,
                    "  %p{k} = getelementptr i8, ptr %in, i64 {}\n  %v{k} = load {ty}, ptr %p{k}, align 16\n",
                    k * 16
                );
                args.push(format!("{ty} %v{k}"));
            }
        }
    }
    let _ = write!(
        text,
        "  %r = call {result} {callee}({})\n  store {result} %r, ptr %out, align 16\n  ret void\n}}\n",
        args.join(", ")
    );
    text
}

#[cfg(target_arch = "x86_64")]
#[test]
fn generic_operations_do_what_the_processor_does() {
    let mut text = String::new();
    let (mut pairs, mut names) = (Vec::new(), Vec::new());
    for generic in intrinsics::table_of_all() {
        let name = &generic.name;
        let is_exact = !name.contains("rcp") && !name.contains("rsqrt") && name != "xgetbv";
        if generic.result == "void" || !is_exact {
            continue;
        }
        text.push_str(&generic.definition(&format!("{GENERIC}{name}")));
        let immediates: Vec<Option<u32>> = match name.contains(".cmp.") {
            true => (0..8).map(Some).collect(),
            false => vec![None],
        };
        for immediate in immediates {
            let k = names.len();
            for (prefix, callee) in [
                ("native", format!("@llvm.x86.{name}")),
                ("generic", format!("@\"{GENERIC}{name}\"")),
            ] {
                let function = format!("{prefix}{k}");
                text.push_str(&caller(
                    &function,
                    &callee,
                    generic.result,
                    &generic.params,
                    immediate,
                ));
            }
            pairs.push((format!("native{k}"), format!("generic{k}")));
            names.push(name.clone());
        }
    }
    assert!(names.len() > 70, "{names:?}");
    let context = context();
    let mut module = for_host(&context, &text);
    let said = printed(&mut module, &comparing(&pairs));
    let wrong: Vec<&str> = said
        .split(' ')
        .filter_map(|number| names.get(number.parse::<usize>().ok()?))
        .map(String::as_str)
        .collect();
    assert!(
        wrong.is_empty() && said.ends_with("done"),
        "{wrong:?}: {said}"
    );
}

/// Assembly as rustc writes it: text, constraints, result, parameters.
const ASSEMBLY: [(&str, &str, &str, &[&str]); 8] = [
    (
        "sqrtsd ${0:x}, ${0:x}",
        "=&x,0,~{dirflag},~{fpsr},~{flags}",
        "double",
        &["double"],
    ),
    ("sqrtss ${0:x}, ${0:x}", "=&x,0", "float", &["float"]),
    ("sqrtss ${0:x}, ${1:x}", "=x,x", "float", &["float"]),
    ("bswap ${0:q}", "=&r,0", "i64", &["i64"]),
    ("bswap ${0:k}", "=&r,0", "i32", &["i32"]),
    ("/* ${0:q} */", "=&r,0,~{memory}", "i64", &["i64"]),
    ("", "=&r,=&r,0,1", "{ i64, i32 }", &["i64", "i32"]),
    ("# nothing\n", "=&x,0", "float", &["float"]),
];

/// A caller of each, with this prefix.
fn callers_of_assembly(prefix: &str) -> String {
    let mut text = String::new();
    for (k, (assembly, constraints, result, params)) in ASSEMBLY.iter().enumerate() {
        let assembly = super::super::library::escape(assembly);
        let callee = format!("asm inteldialect \"{assembly}\", \"{constraints}\"");
        text.push_str(&caller(
            &format!("{prefix}{k}"),
            &callee,
            result,
            params,
            None,
        ));
    }
    // The upper half is less than the divisor, or the processor traps.
    let _ = write!(
        text,
        "define void @{prefix}{k}(ptr %out, ptr %in) {{\n  %q = getelementptr i8, ptr %in, i64 16\n  %s = getelementptr i8, ptr %in, i64 24\n  %x = load i64, ptr %in\n  %y = load i64, ptr %q\n  %l = load i64, ptr %s\n  %d = or i64 %x, 1\n  %h = urem i64 %y, %d\n  %r = call {{ i64, i64 }} asm inteldialect \"div ${{2:q}}\", \"=&{{dx}},=&{{ax}},r,0,1,~{{dirflag}},~{{fpsr}},~{{flags}}\"(i64 %d, i64 %h, i64 %l)\n  store {{ i64, i64 }} %r, ptr %out\n  ret void\n}}\n",
        k = ASSEMBLY.len()
    );
    text
}

#[cfg(target_arch = "x86_64")]
#[test]
fn assembly_of_the_table_does_what_the_processor_does() {
    let context = context();
    let mut module = for_host(&context, &callers_of_assembly("generic"));
    make_portable(&mut module, &[]).unwrap();
    assert!(!module.to_text().contains(" asm "), "{}", module.to_text());
    module
        .link(for_host(&context, &callers_of_assembly("native")))
        .unwrap();
    let numbers = 0..=ASSEMBLY.len();
    let pairs: Vec<_> = numbers
        .map(|k| (format!("native{k}"), format!("generic{k}")))
        .collect();
    assert_eq!(printed(&mut module, &comparing(&pairs)), "done");
}

/// Numbers of which each order of additions gives another sum.
#[test]
fn sums_of_lanes_are_those_of_an_aarch64() {
    let context = context();
    let mut module = for_host(
        &context,
        "
declare float @llvm.aarch64.neon.faddv.f32.v4f32(<4 x float>)
declare float @llvm.aarch64.neon.faddv.f32.v2f32(<2 x float>)
declare double @llvm.aarch64.neon.faddv.f64.v2f64(<2 x double>)
define float @four(ptr %in) {
  %a = load <4 x float>, ptr %in, align 4
  %r = call float @llvm.aarch64.neon.faddv.f32.v4f32(<4 x float> %a)
  ret float %r
}
define float @two(ptr %in) {
  %a = load <2 x float>, ptr %in, align 4
  %r = call float @llvm.aarch64.neon.faddv.f32.v2f32(<2 x float> %a)
  ret float %r
}
define double @wide(ptr %in) {
  %a = load <2 x double>, ptr %in, align 8
  %r = call double @llvm.aarch64.neon.faddv.f64.v2f64(<2 x double> %a)
  ret double %r
}
",
    );
    make_portable(&mut module, &[]).unwrap();
    drop_unreachable(&mut module);
    assert!(
        !module.to_text().contains("aarch64"),
        "{}",
        module.to_text()
    );
    let said = printed(
        &mut module,
        "float four(const float *), two(const float *); double wide(const double *);
        int main(void) {
            float a[] = { 1e8f, 3, -1e8f, 5 };
            double b[] = { 0.5, 0.25 };
            printf(\"%d %d %d\", four(a) == (a[0] + a[1]) + (a[2] + a[3]), two(a) == a[0] + a[1], wide(b) == 0.75);
        }",
    );
    assert_eq!(said, "1 1 1");
}

#[test]
fn operands_of_a_fused_product_are_in_the_order_of_the_digits() {
    let product = |mnemonic: &str, places: &str| {
        let text = format!("{mnemonic} {places}");
        let doubles = vec!["double".to_owned(); 3];
        templates::body(&text, "=&x,0,x,x,~{flags}", "double", &doubles).unwrap_or_default()
    };
    let three = "${0:x}, ${2:x}, ${3:x}";
    for (mnemonic, places, order) in [
        ("vfmadd213sd", three, "double %a1, double %a0, double %a2"),
        ("vfmadd231sd", three, "double %a1, double %a2, double %a0"),
        ("vfmadd132sd", three, "double %a0, double %a2, double %a1"),
        (
            "vfmaddsd",
            "${0:x}, ${0:x}, ${2:x}, ${3:x}",
            "double %a0, double %a1, double %a2",
        ),
    ] {
        let body = product(mnemonic, places);
        assert!(
            body.contains(&format!("@llvm.fma.f64({order})")),
            "{mnemonic}: {body}"
        );
    }
    assert_eq!(product("vfnmadd213sd", three), "");
}

#[test]
fn cpuid_says_that_nothing_is_there() {
    let context = context();
    let mut module = for_host(
        &context,
        "define i32 @entry(i32 %leaf) {\n  %a = call { i32, i32, i32, i32 } asm sideeffect inteldialect \"mov ${0:q}, rbx\\0Acpuid\\0Axchg ${0:q}, rbx\", \"=&r,=&{ax},=&{cx},=&{dx},1,2,~{memory}\"(i32 %leaf, i32 0)\n  %v = extractvalue { i32, i32, i32, i32 } %a, 3\n  %x = call i64 @llvm.x86.xgetbv(i32 0)\n  %t = trunc i64 %x to i32\n  %r = or i32 %v, %t\n  ret i32 %r\n}\n",
    );
    make_portable(&mut module, &[]).unwrap();
    let said = printed(
        &mut module,
        "int entry(int); int main(void) { printf(\"%d %d\", entry(0), entry(7)); }",
    );
    assert_eq!(said, "0 0");
}

const DETECTED: &str = "
define i32 @entry(i1 %detected, <4 x i64> %x) #0 {
  br i1 %detected, label %yes, label %no
yes:
  %r = call i32 @fast(<4 x i64> %x)
  ret i32 %r
no:
  %e = call i32 @everywhere()
  ret i32 %e
}
define internal i32 @fast(<4 x i64> %x) #1 {
  %b = bitcast <4 x i64> %x to <32 x i8>
  %r = call i32 @llvm.x86.avx2.pmovmskb(<32 x i8> %b)
  ret i32 %r
}
define internal i32 @everywhere() #2 {
  ret i32 7
}
attributes #0 = { \"target-cpu\"=\"x86-64\" }
attributes #1 = { \"target-features\"=\"+avx,+sse2,+sse,+avx2\" }
attributes #2 = { \"target-features\"=\"+sse,+sse2\" }
";

#[test]
fn what_a_test_must_have_found_panics_with_its_name() {
    let context = context();
    let mut module = for_host(&context, DETECTED);
    let entry: Vec<Value<'_>> = module.function("entry").into_iter().collect();
    make_portable(&mut module, &entry).unwrap();
    drop_unreachable(&mut module);
    let text = module.to_text();
    assert!(!text.contains("llvm.x86"), "{text}");
    assert!(
        text.contains("`fast` needs `avx2` of the host's processor"),
        "{text}"
    );
    assert!(text.contains("call i32 @everywhere()"), "{text}");
    assert!(
        text.contains("call void @__warploom_panic_nounwind("),
        "{text}"
    );
}

#[test]
fn features_of_the_kernels_processor_are_known() {
    let context = context();
    let ir = DETECTED.replace(
        "\"target-cpu\"=\"x86-64\"",
        "\"target-features\"=\"+avx,+avx2\"",
    );
    let mut module = for_host(&context, &ir);
    let entry: Vec<Value<'_>> = module.function("entry").into_iter().collect();
    make_portable(&mut module, &entry).unwrap();
    assert!(module.to_text().contains("llvm.x86.avx2.pmovmskb"));
}

fn drop_unreachable(module: &mut Module<'_>) {
    module
        .run(crate::llvm::Passes::drop_unreachable(), None)
        .unwrap();
}
