//! Which latches are folded into the block that tests for the end. `tests/passes/jump_threading*.ll` show what becomes of whole loops.

use super::{MOST, fold};
use crate::llvm::Module;
use crate::llvm::tests::context;
use std::fmt::Write as _;

/// A loop that is left in the middle, then counts.
const LOOP: &str = "declare void @note(i64)
define i64 @f(i64 %n, i1 %right) {
start:
  br label %body
body:
  %i = phi i64 [ 0, %start ], [ %next, %latch ]
  %count = phi i64 [ 0, %start ], [ %more, %latch ]
  %next = add nuw i64 %i, 1
  %last = icmp eq i64 %next, %n
  br i1 %last, label %done, label %latch
latch:
  %more = add nuw i64 %count, 2
  br label %body
done:
  ret i64 %count
}
";

/// The function after folding, if something was folded.
#[track_caller]
fn folded(text: &str) -> Option<String> {
    let context = context();
    let module = Module::from_text(&context, text).unwrap();
    module.verify().unwrap();
    let f = module.function("f").unwrap();
    let before = f.to_text();
    let changed = fold(f);
    module.verify().unwrap();
    assert_eq!(changed, f.to_text() != before);
    changed.then(|| f.to_text())
}

#[track_caller]
fn with(from: &str, to: &str) -> String {
    let changed = LOOP.replace(from, to);
    assert_ne!(changed, LOOP, "{from}");
    changed
}

#[test]
fn counting_is_done_before_the_test() {
    let after = folded(LOOP).unwrap();
    let (body, latch) = after.split_once("latch:").unwrap();
    assert!(body.contains("add nuw i64 %count, 2"), "{after}");
    let first = latch.lines().nth(1).unwrap();
    assert_eq!(first.trim(), "br label %body", "{after}");
}

#[test]
fn effects_stay_behind_the_test() {
    let add = "  %more = add nuw i64 %count, 2\n";
    for effect in [
        "  call void @note(i64 %i)\n",
        "  store i64 %i, ptr null\n",
        "  %x = load i64, ptr null\n",
        "  %x = udiv i64 %n, %i\n",
    ] {
        assert_eq!(folded(&with(add, &format!("{add}{effect}"))), None);
    }
}

#[test]
fn so_many_instructions_are_folded_and_no_more() {
    let add = "  %more = add nuw i64 %count, 2\n";
    for (more, folds) in [(MOST - 1, true), (MOST, false)] {
        let mut all = add.to_owned();
        for n in 0..more {
            writeln!(all, "  %x.{n} = mul i64 %i, {}", n + 3).unwrap();
        }
        assert_eq!(folded(&with(add, &all)).is_some(), folds, "{more}");
    }
}

/// A check is not the end of a loop: folded, its failure would be what the loop counts to.
#[test]
fn a_loop_that_only_panics_leave_is_not_folded() {
    let panics = with("  ret i64 %count", "  unreachable");
    assert_eq!(folded(&panics), None);
}

/// The latch is entered from two blocks: there is no single test to fold it into.
#[test]
fn a_latch_behind_two_blocks_is_not_folded() {
    let two = with(
        "  br i1 %last, label %done, label %latch\n",
        "  br i1 %last, label %test, label %latch\ntest:\n  br i1 %right, label %done, label %latch\n",
    );
    assert_eq!(folded(&two), None);
}

/// What is chosen by the way into the latch is not known before it.
#[test]
fn a_latch_with_a_phi_is_not_folded() {
    let phi = with("latch:\n", "latch:\n  %same = phi i64 [ %next, %body ]\n");
    assert_eq!(folded(&phi), None);
}
