//! Directives that hold, and each kind that does not.

use super::{Image, compare, contains, definition, parse};

const PTX: &str = "
.extern .func outside(.param .b32 p);
.func helper
(.param .b32 p)
{
\tfence.sc.sys;
\tret;
}
.func unreached()
{
\ttrap;
}
.visible .entry kernel(
\t.param .u64 kernel_param_0
)
{
\tld.global.b32 \t%r1, [%rd1];
\tadd.s32 \t%r2, %r1, 7;
\tst.global.b32 \t[%rd1], %r2;
\tcall.uni helper, (param0);
\tst.global.b32 \t[%rd2], %r2;
}
.visible .entry kernel_2()
{
\tbar;
\t// begin inline asm
\t// __warploom_panic_bounds_check
\t// end inline asm
\tbar;
\texit;
\tbar;
}
";

fn image() -> Image {
    Image {
        target: "t".into(),
        arch: "sm_75".into(),
        kernels: vec![
            ("t::kernel".into(), "kernel".into()),
            ("t::other<u32>".into(), "kernel_2".into()),
        ],
        ptx: PTX.into(),
    }
}

fn verdict(directives: &str) -> Result<(), String> {
    let source = format!("#[kernel]\nfn kernel(y: u32) {{\n}}\n{directives}\n");
    compare("t", &source, &[image()])
}

#[track_caller]
fn fails(directives: &str, with: &str) {
    let text = verdict(directives).expect_err("this must not hold");
    assert!(text.contains(with), "no {with:?} in: {text}");
}

#[test]
fn what_is_there_holds() {
    let all = "// ptx: ld.global.b32\n// ptx-next: add.s32 %r2, ..., 7;\n// ptx: st.global\n// ptx: [%rd2]\n// ptx-not: trap\n// ptx-count: 2 st.global\n// ptx-module: fence.sc\n// ptx-module-not: trap";
    assert_eq!(verdict(all), Ok(()));
}

#[test]
fn what_is_not_there_fails_with_line_directive_and_ptx() {
    fails("// ptx: mul.lo", "line 4: `mul.lo` is nowhere");
    fails("// ptx: mul.lo", "call.uni helper");
}

#[test]
fn the_wrong_order_fails() {
    fails(
        "// ptx: st.global\n// ptx: ld.global",
        "line 5: `ld.global` stands before",
    );
}

#[test]
fn a_line_between_fails() {
    fails(
        "// ptx: ld.global\n// ptx-next: st.global",
        "is not the next line",
    );
}

#[test]
fn what_must_not_be_there_fails() {
    fails("// ptx-not: call.uni", "`call.uni` is there");
}

#[test]
fn a_wrong_count_fails() {
    fails("// ptx-count: 1 st.global", "is there 2 times, not 1");
}

#[test]
fn reached_functions_count_for_the_module_and_no_others() {
    fails("// ptx: fence.sc", "is nowhere");
    fails("// ptx-module: trap", "in no function either");
    fails("// ptx-module-not: fence.sc", "is there: fence.sc.sys;");
}

#[test]
fn mistakes_in_the_test_fail() {
    fails("// ptx-nto: call", "line 4 is no directive");
    fails("// ptx-count: many call", "line 4 is no directive");
    fails("", "promises nothing");
    let under_none = parse("// ptx: call\n#[kernel]\nfn kernel() {}\n");
    assert!(under_none.unwrap_err().contains("stands under no kernel"));
}

#[test]
fn a_missing_kernel_or_architecture_fails() {
    let missing = compare("t", "#[kernel]\nfn absent() {}\n// ptx: call\n", &[image()]);
    assert!(
        missing
            .unwrap_err()
            .contains("no PTX of kernel `t::absent`")
    );
    let source = "//@ arch: sm_75 sm_90\n#[kernel]\nfn kernel() {}\n// ptx: call\n";
    let missing = compare("t", source, &[image()]);
    assert!(missing.unwrap_err().contains("for sm_90"));
}

#[test]
fn every_instance_of_a_generic_kernel_is_checked() {
    let source = "#[kernel(block(3))]\nfn other<T>() {}\n// ptx: bar;\n";
    assert_eq!(compare("t", source, &[image()]), Ok(()));
    let mut two = image();
    two.kernels.push(("t::other<u8>".into(), "kernel".into()));
    assert!(
        compare("t", source, &[two])
            .unwrap_err()
            .contains("t::other<u8>")
    );
}

#[test]
fn definitions_end_at_their_brace_and_declarations_are_none() {
    assert!(definition(PTX, "kernel").is_some_and(|d| !d.contains("bar;")));
    assert_eq!(definition(PTX, "outside"), None);
    assert!(definition(PTX, "helper").is_some_and(|d| d.contains("fence") && !d.contains("trap")));
}

#[test]
fn dots_stand_for_anything() {
    assert!(contains(
        "atom.add.u32 %r1, [%rd1], 3;",
        "atom...add.u32 ..., 3;"
    ));
    assert!(!contains("atom.add.u32 %r1, [%rd1], 3;", "add ... atom"));
}

#[test]
fn panics_are_not_counted() {
    let count = |n: u32| format!("#[kernel]\nfn other() {{}}\n// ptx-count: {n} bar;\n");
    assert_eq!(compare("t", &count(2), &[image()]), Ok(()));
    assert!(compare("t", &count(3), &[image()]).is_err());
}
