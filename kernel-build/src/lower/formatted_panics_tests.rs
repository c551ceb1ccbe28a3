//! Which panics leave their text to the host.

use super::lower;
use crate::llvm::Module;
use crate::llvm::tests::context;

/// rustc's names of `<u32 as Display>::fmt`, `<&u32 as Debug>::fmt`, `<str as Display>::fmt` and so on.
const U32: &str = "_RNvXs8_NtNtNtCsgEmfK2I1SDS_4core3fmt3num3impmNtB9_7Display3fmt";
const REFERENCE: &str = "_RNvXs1g_NtCsgEmfK2I1SDS_4core3fmtRmNtB6_5Debug3fmtCsjrHSEGnQ3l9_3std";
const STR: &str = "_RNvXs1i_NtCsgEmfK2I1SDS_4core3fmtReNtB6_7Display3fmtB8_";
const ASSERT_FAILED: &str = "_RNvNtCsgEmfK2I1SDS_4core9panicking19assert_failed_inner";
const UNWRAP_FAILED: &str = "_RNvNtCsgEmfK2I1SDS_4core6result13unwrap_failed";

/// The function `f` of a module after the pass. It gets `%a`, a number, and `%p`, the address of one.
fn lowered(template: &str, body: &str) -> String {
    let text = format!(
        "
target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"
@at = private constant i64 0
@template = private constant <{{ [{size} x i8] }}> <{{ [{size} x i8] c\"{template}\" }}>
@text = private constant [4 x i8] c\"lost\"
@reference = private constant <{{ ptr, [8 x i8] }}> <{{ ptr @text, [8 x i8] c\"\\04\\00\\00\\00\\00\\00\\00\\00\" }}>
@methods = private constant <{{ [24 x i8], ptr }}> <{{ [24 x i8] c\"\\00\\00\\00\\00\\00\\00\\00\\00\\08\\00\\00\\00\\00\\00\\00\\00\\08\\00\\00\\00\\00\\00\\00\\00\", ptr @{REFERENCE} }}>
declare i1 @{U32}(ptr, ptr)
declare i1 @{REFERENCE}(ptr, ptr)
declare i1 @{STR}(ptr, ptr)
declare i1 @mine(ptr, ptr)
declare void @__warploom_panic_fmt(ptr, ptr, ptr) noreturn
declare void @__warploom_panic_str(ptr, i64, ptr) noreturn
declare void @__warploom_panic_values_1(ptr, i64, ptr, i64) noreturn
declare void @__warploom_panic_values_2(ptr, i64, ptr, i64, i64) noreturn
declare void @{ASSERT_FAILED}(i8, ptr, ptr, ptr, ptr, ptr, ptr, ptr) noreturn
declare void @{UNWRAP_FAILED}(ptr, i64, ptr, ptr, ptr) noreturn
declare void @__warploom.keep(ptr)
declare void @other(ptr)
define void @f(i32 %a, ptr %p) {{
  %args = alloca [32 x i8], align 8
  %v = alloca i32, align 4
  store i32 %a, ptr %v, align 4
  call void @__warploom.keep(ptr @__warploom_panic_values_1)
{body}  unreachable
}}
define void @unknown(ptr %args) {{
  call void @__warploom_panic_fmt(ptr @template, ptr %args, ptr @at)
  unreachable
}}
",
        size = length(template),
    );
    let context = context();
    let mut module = Module::from_text(&context, &text).unwrap();
    lower(&mut module).unwrap();
    module.verify().unwrap();
    let unknown = module.function("unknown").unwrap().to_text();
    assert!(unknown.contains("@__warploom_panic_fmt"), "{unknown}");
    let messages = module
        .globals()
        .into_iter()
        .filter(|g| g.name().starts_with("message"));
    let messages: String = messages.map(|g| g.to_text() + "\n").collect();
    let function = module.function("f").unwrap().to_text();
    assert!(!function.contains("__warploom.keep"), "{function}");
    function + &messages
}

/// Bytes of a text in IR, where `\5C` is one.
fn length(text: &str) -> usize {
    text.len() - 2 * text.matches('\\').count()
}

/// Stores the argument number `number`.
fn argument(number: usize, value: &str, function: &str) -> String {
    let at = 16 * number;
    format!(
        "  %v{number} = getelementptr i8, ptr %args, i64 {at}
  store ptr {value}, ptr %v{number}, align 8
  %f{number} = getelementptr i8, ptr %args, i64 {}
  store ptr @{function}, ptr %f{number}, align 8
",
        at + 8
    )
}

const PANIC: &str = "  call void @__warploom_panic_fmt(ptr @template, ptr %args, ptr @at)\n";

#[test]
fn numbers_are_stored_as_they_are() {
    let body = argument(0, "%v", U32) + &argument(1, "%p", REFERENCE) + PANIC;
    let text = lowered("\\02a \\C0\\01 \\C0\\00", &body);
    assert!(!text.contains("panic_fmt"), "{text}");
    assert!(
        text.contains("call void @__warploom_panic_values_2(ptr @message, i64 19, ptr @at, i64"),
        "{text}"
    );
    assert!(text.contains("load i32, ptr %v, align 4"), "{text}");
    assert!(text.contains("load ptr, ptr %p, align 8"), "{text}");
}

#[test]
fn a_constant_text_becomes_part_of_the_message() {
    let body = argument(0, "@reference", STR) + PANIC;
    let text = lowered("\\06it is \\C0\\00", &body);
    assert!(
        text.contains("call void @__warploom_panic_str(ptr @message, i64 10, ptr @at)"),
        "{text}"
    );
    assert!(text.contains("c\"it is lost\""), "{text}");
}

#[test]
fn what_is_not_known_is_formatted_by_the_thread() {
    let known = argument(0, "%v", U32);
    let others = [
        ("\\C0\\00", argument(0, "%v", "mine") + PANIC),
        ("\\C2\\05\\00\\00", known.clone() + PANIC),
        ("\\C0\\C0\\00", known.clone() + PANIC),
        (
            "\\C0\\00",
            known.clone() + "  call void @other(ptr %args)\n" + PANIC,
        ),
        (
            "\\C0\\00",
            known.clone()
                + "  %far = getelementptr i8, ptr %args, i32 %a\n  store ptr null, ptr %far\n"
                + PANIC,
        ),
        (
            "\\C0\\00",
            known.clone() + "  store <2 x ptr> zeroinitializer, ptr %args\n" + PANIC,
        ),
        ("\\C0\\00", known + "  store ptr null, ptr %p\n" + PANIC),
    ];
    for (template, body) in others {
        let text = lowered(template, &body);
        assert!(text.contains("call void @__warploom_panic_fmt("), "{text}");
        assert!(!text.contains("message"), "{text}");
    }
}

#[test]
fn the_last_value_stored_counts() {
    let body = argument(0, "%p", U32) + "  store ptr %v, ptr %v0, align 8\n" + PANIC;
    let text = lowered("\\C0\\00", &body);
    assert!(text.contains("load i32, ptr %v, align 4"), "{text}");
}

#[test]
fn assertions_of_two_values_need_no_formatting() {
    let body = format!(
        "  call void @{ASSERT_FAILED}(i8 1, ptr %p, ptr @methods, ptr %args, ptr @methods, ptr null, ptr undef, ptr @at)\n"
    );
    let text = lowered(
        "\\00",
        &(argument(0, "%v", U32) + PANIC.trim_end() + "\n" + &body),
    );
    assert!(
        text.contains("assertion `left != right` failed\\0A  left: "),
        "{text}"
    );
    assert!(text.contains("@__warploom_panic_values_2("), "{text}");
    assert!(!text.contains("assert_failed_inner"), "{text}");
}

#[test]
fn an_error_of_a_known_type_needs_no_formatting() {
    let body =
        format!("  call void @{UNWRAP_FAILED}(ptr @text, i64 4, ptr %p, ptr @methods, ptr @at)\n");
    let text = lowered("\\00", &body);
    assert!(text.contains("lost: "), "{text}");
    assert!(text.contains("@__warploom_panic_values_1("), "{text}");
}
