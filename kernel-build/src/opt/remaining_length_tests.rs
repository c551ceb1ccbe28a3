//! Loops that end where less than a step is left are counted, and do the same; what is not known to shrink by that step is left alone.

use super::count_steps;
use crate::llvm::Module;
use crate::llvm::tests::context;
use crate::opt::canonical_counters::canonicalise;
use crate::opt::loops;
use crate::run_on_host::{for_host, printed};

/// The sum of the elements of a slice `%step` apart, as `step_by` makes it: the first one is there.
const STRIDED: &str = "define i64 @f(ptr %start, i64 %n, i64 %step) {
entry:
  %end = getelementptr inbounds i32, ptr %start, i64 %n
  %last = ptrtoint ptr %end to i64
  %less = add i64 %step, -1
  br label %body
body:
  %p = phi ptr [ %start, %entry ], [ %next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %more, %body ]
  %x = load i32, ptr %p
  %wide = zext i32 %x to i64
  %more = add i64 %sum, %wide
  %behind = getelementptr inbounds i8, ptr %p, i64 4
  %here = ptrtoint ptr %behind to i64
  %bytes = sub nuw i64 %last, %here
  %left = lshr exact i64 %bytes, 2
  %next = getelementptr i32, ptr %p, i64 %step
  %again = icmp ult i64 %less, %left
  br i1 %again, label %body, label %done
done:
  ret i64 %more
}
";

/// The same with a step of three elements, and what is left in bytes: of whole elements more than 8 bytes are 12.
const CONSTANT: &str = "define i64 @f(ptr %start, i64 %n, i64 %step) {
entry:
  %end = getelementptr inbounds i32, ptr %start, i64 %n
  %last = ptrtoint ptr %end to i64
  br label %body
body:
  %p = phi ptr [ %start, %entry ], [ %next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %more, %body ]
  %x = load i32, ptr %p
  %wide = zext i32 %x to i64
  %more = add i64 %sum, %wide
  %behind = getelementptr inbounds i8, ptr %p, i64 4
  %here = ptrtoint ptr %behind to i64
  %bytes = sub nuw i64 %last, %here
  %next = getelementptr inbounds i8, ptr %p, i64 12
  %again = icmp ugt i64 %bytes, 8
  br i1 %again, label %body, label %done
done:
  ret i64 %more
}
";

/// The sum of the first elements of the chunks of a slice, as `chunks_exact` makes it: `%n` is at least `%step`.
const CHUNKS: &str = "define i64 @f(ptr %start, i64 %n, i64 %step) {
entry:
  %first = sub i64 %n, %step
  br label %body
body:
  %p = phi ptr [ %start, %entry ], [ %next, %body ]
  %left = phi i64 [ %first, %entry ], [ %taken, %body ]
  %sum = phi i64 [ 0, %entry ], [ %more, %body ]
  %x = load i32, ptr %p
  %wide = zext i32 %x to i64
  %more = add i64 %sum, %wide
  %over = icmp ugt i64 %step, %left
  %by = select i1 %over, i64 0, i64 %step
  %taken = sub nuw i64 %left, %by
  %next = getelementptr inbounds i32, ptr %p, i64 %by
  br i1 %over, label %done, label %body
done:
  ret i64 %more
}
";

/// The function after its loop was counted, if it was.
#[track_caller]
fn counted(text: &str) -> Option<String> {
    let context = context();
    let module = Module::from_text(&context, text).unwrap();
    module.verify().unwrap();
    let f = module.function("f").unwrap();
    let before = f.to_text();
    let found = loops::find(f);
    assert_eq!(found.len(), 1);
    let changed = count_steps(&found[0]);
    module.verify().unwrap();
    assert_eq!(changed, f.to_text() != before);
    changed.then(|| f.to_text())
}

#[track_caller]
fn with(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

/// What `Option<&T>` adds: the loop ends too where the address is null.
fn with_null_test(text: &str) -> String {
    with(
        text,
        &[(
            "  %again = icmp ult i64 %less, %left\n",
            "  %more.left = icmp ult i64 %less, %left\n  %some = icmp ne ptr %next, null\n  %again = and i1 %some, %more.left\n",
        )],
    )
}

#[test]
fn a_step_that_is_not_constant_takes_a_division() {
    for text in [STRIDED.to_owned(), with_null_test(STRIDED)] {
        let after = counted(&text).unwrap();
        assert_eq!(after.matches("udiv").count(), 1, "{after}");
        assert!(!after.contains("br i1 %again"), "{after}");
    }
}

#[test]
fn a_constant_step_divides_by_a_constant() {
    let after = counted(CONSTANT).unwrap();
    assert!(after.contains(", 12\n"), "{after}");
    // Exactly a step: then no rest is too large.
    let exact = with(CONSTANT, &[("ugt i64 %bytes, 8", "uge i64 %bytes, 12")]);
    assert!(after.contains("select"), "{after}");
    assert!(!counted(&exact).unwrap().contains("select"));
}

#[test]
fn what_chunks_take_is_simplified_and_counted() {
    assert_eq!(counted(CHUNKS), None);
    let context = context();
    let module = Module::from_text(&context, CHUNKS).unwrap();
    let f = module.function("f").unwrap();
    assert!(canonicalise(f));
    module.verify().unwrap();
    let after = f.to_text();
    assert!(after.contains("udiv i64 %first"), "{after}");
}

/// It is not known that what is left shrinks by what it is compared with, or that the loop ends before that wraps around.
#[test]
fn other_steps_are_left_alone() {
    let strided = |from, to| with(STRIDED, &[(from, to)]);
    let constant = |from, to| with(CONSTANT, &[(from, to)]);
    for text in [
        // Another step, and another comparison.
        strided("ptr %p, i64 %step", "ptr %p, i64 %n"),
        strided("ult i64 %less, %left", "ult i64 %step, %left"),
        strided("ult i64 %less, %left", "ule i64 %less, %left"),
        strided("ult i64 %less, %left", "ne i64 %less, %left"),
        // A step of other elements than those that are left.
        strided("getelementptr i32, ptr %p", "getelementptr i64, ptr %p"),
        strided("getelementptr i32, ptr %p", "getelementptr i16, ptr %p"),
        // What is left grows, or stays.
        constant("ptr %p, i64 12", "ptr %p, i64 -12"),
        constant("ptr %p, i64 12", "ptr %p, i64 0"),
        // More is left at least than a step: the last iterations are others.
        constant("ugt i64 %bytes, 8", "ugt i64 %bytes, 12"),
        // Less: then what is left may wrap around.
        with(CONSTANT, &[("sub nuw", "sub")]),
        // The end moves.
        constant("i64 %last, %here", "i64 %sum, %here"),
        // Another address is null.
        with(&with_null_test(STRIDED), &[("ne ptr %next", "ne ptr %end")]),
        with(
            &with_null_test(STRIDED),
            &[("ne ptr %next", "eq ptr %next")],
        ),
        with(&with_null_test(STRIDED), &[("sub nuw", "sub")]),
    ] {
        assert_eq!(counted(&text), None, "{text}");
    }
}

/// Sums of up to 24 numbers, in steps of up to 30, run before and after.
#[test]
fn counted_loops_do_the_same() {
    const PROGRAM: &str = r#"
        u f(uint32_t *start, u n, u step);
        int main(void) {
            static uint32_t numbers[24];
            for (u k = 0; k < 24; k++) numbers[k] = 1000003 * (uint32_t)k + 7;
            for (u n = 1; n <= 24; n++) for (u step = 1; step <= 30; step++)
                if (LEAST <= n) printf("%llu\n", f(numbers, n, step));
            printf("%llu\n", f(numbers, 24, STRANGE));
        }"#;
    let exact = with(CONSTANT, &[("ugt i64 %bytes, 8", "uge i64 %bytes, 12")]);
    let never = "(u)-1";
    for (text, least, strange) in [
        (STRIDED.to_owned(), "1", never),
        // More than any number is never left: such a loop has one iteration.
        (STRIDED.to_owned(), "1", "0"),
        (with_null_test(STRIDED), "1", "0"),
        (CONSTANT.to_owned(), "1", "1"),
        (exact, "1", "1"),
        (CHUNKS.to_owned(), "step", "24"),
    ] {
        let context = context();
        let program = PROGRAM.replace("LEAST", least).replace("STRANGE", strange);
        let before = printed(&mut for_host(&context, &text), &program);
        let mut module = for_host(&context, &text);
        assert!(canonicalise(module.function("f").unwrap()), "{text}");
        module.verify().unwrap();
        let after = printed(&mut module, &program);
        assert!(before.lines().count() > 100, "{text}");
        assert_eq!(before, after, "{text}");
    }
}
