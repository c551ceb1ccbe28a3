//! What is decided after a loop is what the loop would have decided, and nothing else is read.

use super::{defer, is_wanted};
use crate::llvm::tests::context;
use crate::llvm::{Context, Machine, Module, Passes};
use std::process::Command;

/// A row of a sparse matrix, in 32 bits and in 64; `@fail` ends it, as a panic does.
const LOOPS: &str = "
target triple = \"x86_64-unknown-linux-gnu\"
declare void @fail(i64) noreturn

define i64 @narrow(ptr \"warploom.elements.4\" %columns, i64 %n, ptr \"warploom.elements.8\" %x, i64 %len, i64 %from, i64 %count) {
start:
  %row = getelementptr i32, ptr %columns, i64 %from
  br label %round
round:
  %k = phi i64 [ 0, %start ], [ %next, %good ]
  %sum = phi i64 [ 7, %start ], [ %sum2, %good ]
  %at = getelementptr inbounds i32, ptr %row, i64 %k
  %column = load i32, ptr %at, align 4, !noundef !0
  %index = zext i32 %column to i64
  %right = icmp samesign ult i64 %index, %len
  br i1 %right, label %good, label %bad
good:
  %of.x = getelementptr inbounds nuw i64, ptr %x, i64 %index
  %value = load i64, ptr %of.x, align 8, !noundef !0
  %product = mul i64 %value, %sum
  %sum2 = add i64 %product, %k
  %next = add nuw i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %round, label %done
done:
  ret i64 %sum2
bad:
  call void @fail(i64 %index)
  unreachable
}

define i64 @wide(ptr \"warploom.elements.8\" %columns, i64 %n, ptr \"warploom.elements.8\" %x, i64 %len, i64 %from, i64 %count) {
start:
  %row = getelementptr i64, ptr %columns, i64 %from
  br label %round
round:
  %k = phi i64 [ 0, %start ], [ %next, %good ]
  %sum = phi i64 [ 7, %start ], [ %sum2, %good ]
  %at = getelementptr inbounds i64, ptr %row, i64 %k
  %index = load i64, ptr %at, align 8
  %wrong = icmp ule i64 %len, %index
  br i1 %wrong, label %bad, label %good
good:
  %of.x = getelementptr inbounds i64, ptr %x, i64 %index
  %value = load i64, ptr %of.x, align 8
  %sum2 = add i64 %sum, %value
  %next = add i64 %k, 1
  %last = icmp eq i64 %next, %count
  br i1 %last, label %done, label %round
done:
  ret i64 %sum2
bad:
  call void @fail(i64 %index)
  unreachable
}

!0 = !{}
";

/// Both arrays end where memory ends: whatever reads behind them, or far from them, ends the program.
const CALLS: &str = r#"
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
typedef uint64_t u;
u narrow(void *, u, void *, u, u, u), wide(void *, u, void *, u, u, u);
static jmp_buf back;
static u failed;
void fail(u index) { failed = index; longjmp(back, 1); }
static char *ends(void) {
    char *start = mmap(0, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(start + 4096, 4096, PROT_READ | PROT_WRITE);
    return start + 2 * 4096;
}
int main(void) {
    static const u places[] = {0, 1, 2, 5, 9};
    static const u wrongs[] = {20, 21, 1000, 1u << 31, 0xffffffff, 1ull << 32, 1ull << 40, (u)-1};
    char *x_end = ends(), *columns_end = ends();
    for (u len = 0; len <= 20; len += 5)
        for (u count = 1; count <= 10; ++count)
            for (u from = 0; from < 3; ++from)
                for (int place = -1; place < 5; ++place)
                    for (int wrong = 0; wrong < (place < 0 ? 1 : 8); ++wrong)
                        for (int is_wide = 0; is_wide < 2; ++is_wide) {
                            u x[20], n = from + count, columns[13];
                            uint32_t columns32[13];
                            for (u i = 0; i < 20; ++i) x[i] = i * i + 3;
                            for (u i = 0; i < n; ++i) columns[i] = len ? (i * 7 + count) % len : 0;
                            if (place >= 0 && places[place] < count) columns[from + places[place]] = wrongs[wrong];
                            for (u i = 0; i < n; ++i) columns32[i] = (uint32_t)columns[i];
                            u size = is_wide ? 8 : 4;
                            char *at_x = x_end - 8 * len, *at_columns = columns_end - size * n;
                            memcpy(at_x, x, 8 * len);
                            memcpy(at_columns, is_wide ? (void *)columns : (void *)columns32, size * n);
                            printf("%d %llu %llu %llu %d %d ", is_wide, (unsigned long long)len, (unsigned long long)count, (unsigned long long)from, place, wrong);
                            /* With a length that is too short the other loop must not be entered; what there was does not look at it. */
                            u said = wrong == 7 ? n - 1 : n;
                            if (setjmp(back)) printf("fails at %llu\n", (unsigned long long)failed);
                            else printf("%llu\n", (unsigned long long)(is_wide ? wide : narrow)(at_columns, said, at_x, len, from, count));
                        }
    return 0;
}
"#;

fn loops<'ctx>(context: &'ctx Context, deferred: bool) -> Module<'ctx> {
    let mut module = Module::from_text(context, LOOPS).unwrap();
    if deferred {
        module.run(Passes::split_loops(), None).unwrap();
        for function in module.functions() {
            if !function.is_declaration() {
                assert!(
                    is_wanted(function) && defer(function),
                    "{}",
                    function.name()
                );
            }
        }
        module.verify().unwrap();
    }
    module
}

fn said(deferred: bool) -> String {
    let context = context();
    let machine = Machine::of_host(&context, "x86_64-unknown-linux-gnu").unwrap();
    let mut module = loops(&context, deferred);
    if deferred {
        // With all that LLVM may conclude.
        module.run(Passes::optimize(), Some(&machine)).unwrap();
    }
    let object = module.emit_object(&machine).unwrap();
    let folder =
        std::env::temp_dir().join(format!("warploom-late-{deferred}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str| folder.join(name);
    std::fs::write(file("loops.o"), object).unwrap();
    std::fs::write(file("calls.c"), CALLS).unwrap();
    let built = Command::new("cc")
        .arg(file("calls.c"))
        .arg(file("loops.o"))
        .arg("-o")
        .arg(file("calls"))
        .status();
    assert!(built.unwrap().success());
    let output = Command::new(file("calls")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    std::fs::remove_dir_all(&folder).unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[cfg(target_arch = "x86_64")]
#[test]
fn results_and_failures_are_the_same() {
    let (plain, deferred) = (said(false), said(true));
    let fails = plain.lines().filter(|l| l.contains("fails")).count();
    let passes = plain.lines().count() - fails;
    assert!(fails > 500 && passes > 500, "{fails} and {passes}");
    for (a, b) in plain.lines().zip(deferred.lines()) {
        assert_eq!(a, b);
    }
    assert_eq!(plain.len(), deferred.len());
}

#[test]
fn the_other_loop_has_no_way_out() {
    let context = context();
    let text = loops(&context, true).to_text();
    // Two loops of each; a check in one of them.
    assert_eq!(text.matches("call void @fail").count(), 2, "{text}");
    assert_eq!(text.matches("= load i64, ptr %of.x").count(), 2, "{text}");
    let ways = text.matches(", label %bad").count() + text.matches("label %bad, ").count();
    assert_eq!(ways, 2, "{text}");
    assert_eq!(text.matches("!noundef").count(), 2, "{text}");
}

/// What writes, calls or reads elsewhere, or what nobody knows the size of, cannot be run to see whether it fails.
#[test]
fn other_loops_are_left_alone() {
    let context = context();
    let writes = ("  %next =", "  store i64 %k, ptr %x\n  %next =");
    let calls = ("  %next =", "  call void @fail(i64 1)\n  %next =");
    let divides = (
        "%sum2 = add i64 %product,",
        "%some = udiv i64 %k, %value\n  %sum2 = add i64 %some,",
    );
    let elsewhere = (
        "  %product = mul i64 %value,",
        "  %away = inttoptr i64 %value to ptr\n  %more = load i64, ptr %away\n  %product = mul i64 %more,",
    );
    let volatile = ("%value = load i64", "%value = load volatile i64");
    let unknown = ("\"warploom.elements.8\" %x", "%x");
    let smaller = ("\"warploom.elements.8\" %x", "\"warploom.elements.4\" %x");
    let other_length = ("ult i64 %index, %len", "ult i64 %index, %n");
    let strides = ("%next = add nuw i64 %k, 1", "%next = add nuw i64 %k, 4");
    let even = (
        "%index = zext i32 %column to i64",
        "%index = add i64 %k, %from",
    );
    for (from, to) in [
        writes,
        calls,
        divides,
        elsewhere,
        volatile,
        unknown,
        smaller,
        other_length,
        strides,
        even,
    ] {
        assert!(LOOPS.contains(from), "{from}");
        let mut module = Module::from_text(&context, &LOOPS.replace(from, to)).unwrap();
        module.run(Passes::split_loops(), None).unwrap();
        let function = module.function("narrow").unwrap();
        let before = function.to_text();
        assert!(!is_wanted(function) && !defer(function), "{before}");
        assert_eq!(function.to_text(), before);
    }
}
