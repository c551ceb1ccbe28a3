//! Which kernels have their panics written in place.

use super::{keep, mark};
use crate::llvm::tests::context;
use crate::llvm::{Module, Passes};
use crate::opt::optimise;

/// Functions that panic, and one that does not.
const HEAD: &str = "
target triple = \"nvptx64-nvidia-cuda\"
declare void @llvm.nvvm.exit() noreturn
declare i64 @llvm.ctpop.i64(i64)
@at = addrspace(1) global i64 0
define internal void @wrong(i64 %i) noinline noreturn {
  store volatile i64 %i, ptr addrspace(1) @at
  call void @llvm.nvvm.exit()
  unreachable
}
define internal void @more_wrong(i64 %i) noinline noreturn {
  call void @wrong(i64 %i)
  unreachable
}
define internal void @helped(i64 %i) noinline noreturn {
  %j = call i64 @helper(i64 %i)
  call void @wrong(i64 %j)
  unreachable
}
define internal void @endless(i64 %i) noinline noreturn {
  call void @endless(i64 %i)
  unreachable
}
define internal i64 @helper(i64 %i) noinline {
  ret i64 %i
}
";

/// The kernel `k` with this body, after all, and whether anything was marked.
fn compiled(body: &str) -> (String, bool) {
    compiled_with(body, "")
}

fn compiled_with(body: &str, attributes: &str) -> (String, bool) {
    let long = "  store volatile i64 %i, ptr addrspace(1) @at\n".repeat(100);
    let long = format!(
        "define internal void @long(i64 %i) noinline noreturn {{\n{long}  call void @llvm.nvvm.exit()\n  unreachable\n}}\n"
    );
    let text = format!(
        "{HEAD}{long}define ptx_kernel void @k(i64 %i, i64 %n) {attributes} {{\n{body}}}\n"
    );
    let context = context();
    let mut module = Module::from_text(&context, &text).unwrap();
    let marked = mark(&module, &["k".to_owned()]);
    module.run(Passes::inline_always(), None).unwrap();
    module.verify().unwrap();
    (module.function("k").unwrap().to_text(), marked)
}

/// Panics with each of these functions in turn where the index is too large.
fn checks(panics: &[&str]) -> String {
    let mut body = String::from("  br label %check0\n");
    for (k, panic) in panics.iter().enumerate() {
        let next = k + 1;
        body += &format!(
            "check{k}:
  %i{k} = add i64 %i, {k}
  %fits{k} = icmp ult i64 %i{k}, %n
  br i1 %fits{k}, label %check{next}, label %bad{k}
bad{k}:
  call void @{panic}(i64 %i{k}) noinline
  unreachable
"
        );
    }
    body + &format!("check{}:\n  ret void\n", panics.len())
}

#[test]
fn a_panic_stands_where_it_happens() {
    let (kernel, marked) = compiled(&checks(&["wrong"]));
    assert!(marked);
    assert!(!kernel.contains("@wrong"), "{kernel}");
    assert!(kernel.contains("call void @llvm.nvvm.exit()"), "{kernel}");
    assert!(kernel.contains("\"// wrong\""), "{kernel}");
}

#[test]
fn each_place_has_a_copy_of_its_own() {
    let (kernel, _) = compiled(&checks(&["wrong", "wrong"]));
    assert_eq!(kernel.matches("@llvm.nvvm.exit").count(), 2, "{kernel}");
}

#[test]
fn many_places_share_a_function() {
    let (kernel, marked) = compiled(&checks(&["wrong"; super::MOST_PANICS + 1]));
    assert!(!marked);
    assert!(kernel.contains("call void @wrong"), "{kernel}");
}

#[test]
fn a_long_panic_stays_a_function() {
    let (kernel, marked) = compiled(&checks(&["long"]));
    assert!(!marked && kernel.contains("call void @long"), "{kernel}");
}

/// Functions of core that each have one text.
#[test]
fn a_panic_that_only_calls_a_panic_is_written_in_place_with_it() {
    let (kernel, marked) = compiled(&checks(&["more_wrong"]));
    assert!(marked);
    assert!(
        !kernel.contains("wrong(") && kernel.contains("\"// wrong\""),
        "{kernel}"
    );
}

#[test]
fn a_panic_that_calls_something_else_stays_a_function() {
    let (kernel, marked) = compiled(&checks(&["helped"]));
    assert!(!marked && kernel.contains("call void @helped"), "{kernel}");
}

#[test]
fn panics_that_call_one_another_stay_functions() {
    let (kernel, marked) = compiled(&checks(&["endless"]));
    assert!(!marked && kernel.contains("call void @endless"), "{kernel}");
}

#[test]
fn a_kernel_with_another_call_keeps_its_calls() {
    let other = "  %m = call i64 @helper(i64 %n)\n".to_owned();
    let (kernel, marked) = compiled(&(other + &checks(&["wrong"])));
    assert!(!marked && kernel.contains("call void @wrong"), "{kernel}");
}

#[test]
fn an_intrinsic_is_no_call() {
    let other = "  %m = call i64 @llvm.ctpop.i64(i64 %n)\n".to_owned();
    let (kernel, marked) = compiled(&(other + &checks(&["wrong"])));
    assert!(marked && !kernel.contains("@wrong"), "{kernel}");
}

/// ptxas spilled registers of a loop around the calls.
#[test]
fn a_kernel_with_a_cap_on_registers_has_its_panics_in_place_too() {
    let body = checks(&["wrong"]);
    for cap in ["\"nvvm.minctasm\"=\"3\"", "\"nvvm.maxnreg\"=\"40\""] {
        let (text, marked) = compiled_with(&body, cap);
        assert!(marked && !text.contains("call void @wrong"), "{text}");
    }
}

/// A constant that all callers pass would be known in the function otherwise, and the parameter go.
#[test]
fn a_panic_that_is_called_once_keeps_its_parameters() {
    let call = "  call void @wrong(i64 7) noinline\n  unreachable\n";
    let text = format!("{HEAD}define ptx_kernel void @k() {{\n{call}}}\n");
    let context = context();
    let optimised = |is_kept: bool| {
        let mut module = Module::from_text(&context, &text).unwrap();
        if is_kept {
            keep(&module);
        }
        optimise(&mut module, None).unwrap();
        module.to_text()
    };
    assert!(!optimised(false).contains("@wrong(i64"));
    assert!(optimised(true).contains("@wrong(i64 7)"));
}
