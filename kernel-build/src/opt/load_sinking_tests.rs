//! How many loads are sunk at once. `tests/passes/load_sinking*.ll` show which ones are.

use super::{MOST_LOADS, sink_all};
use crate::llvm::Module;
use crate::llvm::tests::context;

/// How many of so many loads before a check are behind it afterwards.
fn sunk_of(loads: usize) -> usize {
    let all = (0..loads).map(|n| {
        format!(
            "  %at.{n} = getelementptr i32, ptr %a, i64 {n}\n  %x.{n} = load i32, ptr %at.{n}\n"
        )
    });
    let text = format!(
        "declare void @fail(i64) noreturn
define void @f(ptr %a, i64 %i, i64 %len) {{
start:
{}  %right = icmp ult i64 %i, %len
  br i1 %right, label %good, label %bad
good:
  ret void
bad:
  call void @fail(i64 %i)
  unreachable
}}
",
        all.collect::<String>()
    );
    let context = context();
    let module = Module::from_text(&context, &text).unwrap();
    sink_all(&module);
    module.verify().unwrap();
    let after = module.function("f").unwrap().to_text();
    let (above, below) = after.split_once("good:").unwrap();
    let count = |text: &str| text.matches(" load i32").count();
    assert_eq!(count(above) + count(below), loads);
    count(below)
}

#[test]
fn so_many_loads_are_sunk_and_no_more() {
    assert_eq!(sunk_of(MOST_LOADS), MOST_LOADS);
    assert_eq!(sunk_of(MOST_LOADS + 1), 0);
}
