//! Which stores may come before a load.

use super::HOST;
use crate::instrument::access::instrument;
use crate::instrument::places::Places;
use crate::instrument::table::bind;
use crate::llvm::tests::context;
use crate::llvm::{Machine, Module};

const DECLARED: &str = "declare i32 @__warploom.atomic.load.u32(ptr, i32)
declare void @__warploom.atomic.store.u32(ptr, i32, i32)
declare void @outside()
";

/// The lines of a function of this body that ask for a hook or access memory; its parameters are `%p`, `%q` (pointers), `%n` (64 bits) and `%v` (32 bits).
fn lines(body: &str) -> Vec<String> {
    let context = context();
    let ir = format!(
        "{HOST}{DECLARED}define i32 @f(ptr %p, ptr %q, i64 %n, i32 %v) {{\n{body}\n  ret i32 %a\n}}\n"
    );
    let mut module = Module::from_text(&context, &ir).unwrap();
    let machine = Machine::of_host(&context, &module.triple()).unwrap();
    let hooked = instrument(&mut module, &mut Places::new());
    module.verify().unwrap();
    let text = module.function("f").unwrap().to_text();
    bind(&mut module, &machine, &hooked.groups).unwrap();
    module.verify().unwrap();
    let lines = text.lines().map(|line| line.trim().to_owned());
    let is_told = |line: &String| {
        ["call ", "load ", "store "]
            .iter()
            .any(|one| line.contains(one))
    };
    lines.filter(is_told).collect()
}

/// Whether the store of a body may come early.
fn is_early(body: &str) -> bool {
    let lines = lines(body);
    let asks = lines.iter().any(|line| line.contains("check.early"));
    let makes = lines.iter().any(|line| line.contains("check.late"));
    assert_eq!(asks, makes, "{lines:?}");
    asks
}

#[test]
fn a_store_may_come_before_the_load_before_it() {
    let body = "  %a = load atomic i32, ptr %p monotonic, align 4\n  store atomic i32 %v, ptr %q monotonic, align 4";
    assert_eq!(
        lines(body),
        [
            "%1 = call i1 @\"check.early:i32\"(ptr %p, i32 4, ptr %q, i32 4, i32 %v, i32 3, i32 0)",
            "call void @check.atomic(ptr %p, i32 4, i32 0, i32 0)",
            "%a = load atomic i32, ptr %p monotonic, align 4",
            "call void @\"check.late:i32\"(ptr %q, i32 4, i32 %v, i32 3, i1 %1, i32 0)",
        ]
    );
}

#[test]
fn so_may_one_by_intrinsics() {
    let body = "  %a = call i32 @__warploom.atomic.load.u32(ptr %p, i32 2)
  call void @__warploom.atomic.store.u32(ptr %q, i32 1, i32 0)";
    let lines = lines(body);
    assert!(
        lines[0].contains("@\"check.early:i32\"(ptr %p, i32 4, ptr %q, i32 4, i32 1, i32 0,"),
        "{lines:?}"
    );
    assert!(
        !lines.iter().any(|line| line.contains("atomic.store")),
        "{lines:?}"
    );
}

#[test]
fn what_it_stores_and_where_are_computed_before_the_load() {
    let body = "  %a = load atomic i32, ptr %p monotonic, align 4\n  %at = getelementptr i32, ptr %q, i64 %n
  %b = add i32 %v, 1\n  store atomic i32 %b, ptr %at monotonic, align 4";
    assert!(is_early(body));
}

#[test]
fn a_store_that_depends_on_the_load_comes_behind_it() {
    let load = "  %a = load atomic i32, ptr %p monotonic, align 4\n";
    for rest in [
        "  store atomic i32 %a, ptr %q monotonic, align 4",
        "  %b = xor i32 %a, %a\n  store atomic i32 %b, ptr %q monotonic, align 4",
        "  %i = zext i32 %a to i64\n  %at = getelementptr i32, ptr %q, i64 %i\n  store atomic i32 %v, ptr %at monotonic, align 4",
        "  %c = icmp eq i32 %a, 1\n  br i1 %c, label %yes, label %no\nyes:\n  store atomic i32 %v, ptr %q monotonic, align 4\n  br label %no\nno:",
    ] {
        assert!(!is_early(&format!("{load}{rest}")), "{rest}");
    }
}

#[test]
fn what_orders_the_two_or_stands_between_them_keeps_their_order() {
    let (load, store) = (
        "  %a = load atomic i32, ptr %p monotonic, align 4\n",
        "  store atomic i32 %v, ptr %q monotonic, align 4",
    );
    for between in [
        "  fence acq_rel\n",
        "  call void @outside()\n",
        "  store i32 %v, ptr %q, align 4\n",
        "  %x = atomicrmw add ptr %q, i32 1 monotonic\n",
    ] {
        assert!(!is_early(&format!("{load}{between}{store}")), "{between}");
    }
    let body = [
        "  %a = load atomic i32, ptr %p acquire, align 4\n  store atomic i32 %v, ptr %q monotonic, align 4",
        "  %a = load atomic i32, ptr %p monotonic, align 4\n  store atomic i32 %v, ptr %q release, align 4",
        "  %a = load i32, ptr %p, align 4\n  store atomic i32 %v, ptr %q monotonic, align 4",
        "  %a = load atomic volatile i32, ptr %p monotonic, align 4\n  store atomic i32 %v, ptr %q monotonic, align 4",
        "  %a = call i32 @__warploom.atomic.load.u32(ptr %p, i32 6)\n  store atomic i32 %v, ptr %q monotonic, align 4",
    ];
    body.iter()
        .for_each(|body| assert!(!is_early(body), "{body}"));
}
