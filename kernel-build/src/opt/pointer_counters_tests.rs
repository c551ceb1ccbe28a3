//! Loops that end at a pointer, or at an offset from one, end after as many iterations when they are counted; the others are left alone.

use super::{count_elements, merge_next_pointers};
use crate::llvm::Module;
use crate::llvm::tests::context;
use crate::opt::loops;
use crate::run_on_host::{for_host, printed};

/// A loop without a counter, from `%start` to `%end`.
const POINTERS: &str = "define i64 @f(ptr %start, i64 %n) {
entry:
  %end = getelementptr inbounds i32, ptr %start, i64 %n
  br label %body
body:
  %p = phi ptr [ %start, %entry ], [ %next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %more, %body ]
  %x = load i32, ptr %p
  %wide = zext i32 %x to i64
  %more = add i64 %sum, %wide
  %next = getelementptr inbounds i32, ptr %p, i64 1
  %last = icmp eq ptr %next, %end
  br i1 %last, label %done, label %body
done:
  ret i64 %more
}
";

/// The same loop with offsets of four bytes.
const OFFSETS: &str = "define i64 @f(ptr %start, i64 %n) {
entry:
  %end = shl i64 %n, 2
  br label %body
body:
  %at = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %more, %body ]
  %p = getelementptr i8, ptr %start, i64 %at
  %x = load i32, ptr %p
  %wide = zext i32 %x to i64
  %more = add i64 %sum, %wide
  %next = add nuw i64 %at, 4
  %again = icmp ne i64 %next, %end
  br i1 %again, label %body, label %done
done:
  ret i64 %more
}
";

/// A loop over a part, from `%a` to `%b`, that carries the next pointer beside the present one, as `for` does.
const PART: &str = "define i64 @f(ptr %slice, i64 %a, i64 %b) {
entry:
  %start = getelementptr inbounds nuw i32, ptr %slice, i64 %a
  %end = getelementptr inbounds nuw i32, ptr %slice, i64 %b
  %second = getelementptr inbounds nuw i8, ptr %start, i64 4
  br label %body
body:
  %ahead = phi ptr [ %second, %entry ], [ %later, %body ]
  %p = phi ptr [ %start, %entry ], [ %ahead, %body ]
  %sum = phi i64 [ 0, %entry ], [ %more, %body ]
  %x = load i32, ptr %p
  %wide = zext i32 %x to i64
  %twice = mul i64 %sum, 3
  %more = add i64 %twice, %wide
  %last = icmp eq ptr %ahead, %end
  %step = select i1 %last, i64 0, i64 4
  %later = getelementptr inbounds nuw i8, ptr %ahead, i64 %step
  br i1 %last, label %done, label %body
done:
  ret i64 %more
}
";

/// Whether the next pointer of such a loop was merged, and the function then.
fn merged(text: &str) -> (bool, String) {
    let context = context();
    let module = Module::from_text(&context, text).unwrap();
    let f = module.function("f").unwrap();
    let changed = merge_next_pointers(&loops::find(f)[0]);
    module.verify().unwrap();
    (changed, f.to_text())
}

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
    let changed = count_elements(&found[0]);
    module.verify().unwrap();
    assert_eq!(changed, f.to_text() != before);
    changed.then(|| f.to_text())
}

/// The comparison of the latch after counting.
#[track_caller]
fn comparison(text: &str) -> String {
    let after = counted(text).expect("the loop is counted");
    let compared: Vec<&str> = after.lines().filter(|l| l.contains(" icmp ")).collect();
    compared.last().unwrap().trim().to_owned()
}

#[track_caller]
fn with(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

/// The same elements from the last one to the first.
const REVERSED: &str = "define i64 @f(ptr %start, i64 %n) {
entry:
  %end = getelementptr inbounds i32, ptr %start, i64 %n
  br label %body
body:
  %p = phi ptr [ %end, %entry ], [ %next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %more, %body ]
  %next = getelementptr inbounds i8, ptr %p, i64 -4
  %x = load i32, ptr %next
  %wide = zext i32 %x to i64
  %twice = mul i64 %sum, 3
  %more = add i64 %twice, %wide
  %last = icmp eq ptr %next, %start
  br i1 %last, label %done, label %body
done:
  ret i64 %more
}
";

const STRIDE_12: [(&str, &str); 2] = [
    ("inbounds i32, ptr %start", "inbounds i8, ptr %start"),
    ("inbounds i32, ptr %p, i64 1", "inbounds i8, ptr %p, i64 12"),
];

#[test]
fn an_end_in_elements_is_the_number_of_iterations() {
    let after = counted(POINTERS).unwrap();
    assert!(!after.contains("udiv"), "{after}");
    assert!(comparison(POINTERS).ends_with(", %n"), "{after}");
    let bytes = with(
        POINTERS,
        &[("inbounds i32, ptr %p, i64 1", "inbounds i8, ptr %p, i64 4")],
    );
    assert!(comparison(&bytes).ends_with(", %n"));
}

#[test]
fn an_end_in_bytes_is_divided() {
    for stride in ["4", "12"] {
        let step = format!("inbounds i8, ptr %p, i64 {stride}");
        let text = with(
            POINTERS,
            &[STRIDE_12[0], ("inbounds i32, ptr %p, i64 1", &step)],
        );
        let after = counted(&text).unwrap();
        assert!(after.contains(&format!("udiv i64 %n, {stride}")), "{after}");
    }
}

#[test]
fn a_loop_from_the_end_to_the_start_is_counted() {
    assert!(comparison(REVERSED).ends_with(", %n"));
    let reversed = |from, to| with(REVERSED, &[(from, to)]);
    for text in [
        reversed("ptr %p, i64 -4", "ptr %p, i64 -8"),
        reversed("ptr %p, i64 -4", "ptr %p, i64 4"),
        reversed("%next = getelementptr inbounds", "%next = getelementptr"),
        reversed("%p = phi ptr [ %end,", "%p = phi ptr [ %start,"),
        reversed("%next, %start", "%next, %end"),
    ] {
        assert_eq!(counted(&text), None, "{text}");
    }
}

#[test]
fn an_offset_ends_after_as_many_steps() {
    assert!(counted(OFFSETS).unwrap().contains("udiv i64 %end, 4"));
    let constant = with(OFFSETS, &[("%next, %end", "%next, 48")]);
    assert!(comparison(&constant).ends_with(", 12"));
}

#[test]
fn a_counter_of_the_loop_is_taken() {
    let with_counter = with(
        POINTERS,
        &[
            (
                "  %x = load",
                "  %k = phi i64 [ 0, %entry ], [ %k.next, %body ]\n  %x = load",
            ),
            ("  %last =", "  %k.next = add i64 %k, 1\n  %last ="),
        ],
    );
    assert!(comparison(&with_counter).contains("%k.next, %n"));
    let after = counted(&with_counter).unwrap();
    assert_eq!(after.matches(" phi i64").count(), 2, "{after}");
    assert_eq!(counted(POINTERS).unwrap().matches(" phi i64").count(), 2);
}

#[test]
fn a_part_of_a_slice_is_counted_from_its_first_element() {
    let (changed, text) = merged(PART);
    assert!(changed);
    let after = counted(&text).unwrap();
    assert!(after.contains("sub i64 %b, %a"), "{after}");
    // Elements of different sizes, of another slice, and addresses that may wrap around.
    for (from, to) in [
        ("nuw i32, ptr %slice, i64 %a", "nuw i64, ptr %slice, i64 %a"),
        ("nuw i32, ptr %slice, i64 %b", "nuw i32, ptr null, i64 %b"),
        (
            "%start = getelementptr inbounds nuw",
            "%start = getelementptr",
        ),
        ("%end = getelementptr inbounds nuw", "%end = getelementptr"),
    ] {
        assert_eq!(counted(&with(&text, &[(from, to)])), None, "{to}");
    }
}

#[test]
fn a_next_pointer_is_computed_from_the_present_one() {
    let always = with(PART, &[("i64 %step\n", "i64 4\n")]);
    for text in [PART, &always] {
        let (changed, after) = merged(text);
        assert!(
            changed && after.contains("inbounds nuw i8, ptr %p, i64 4"),
            "{after}"
        );
    }
    for (from, to) in [
        // Not always as far ahead, or ahead by something that is no constant.
        ("ptr %start, i64 4", "ptr %start, i64 8"),
        ("ptr %start, i64 4", "ptr %start, i64 %a"),
        ("ptr %start, i64 4", "ptr %slice, i64 4"),
        ("i64 0, i64 4", "i64 4, i64 0"),
        ("select i1 %last, i64 0, i64 4", "add i64 %b, 4"),
        // Where one of both could wrap around, the merged one would be poison.
        (
            "%second = getelementptr inbounds nuw",
            "%second = getelementptr",
        ),
        (
            "%later = getelementptr inbounds nuw",
            "%later = getelementptr",
        ),
    ] {
        assert!(!merged(&with(PART, &[(from, to)])).0, "{to}");
    }
}

/// Parts of 24 numbers, run before and after.
#[test]
fn counted_parts_do_the_same() {
    const PROGRAM: &str = r#"
        u f(uint32_t *slice, u a, u b);
        int main(void) {
            static uint32_t numbers[24];
            for (u k = 0; k < 24; k++) numbers[k] = 1000003 * (uint32_t)k + 7;
            for (u a = 0; a < 24; a++) for (u b = a + 1; b <= 24; b++) printf("%llu\n", f(numbers, a, b));
        }"#;
    let context = context();
    let before = printed(&mut for_host(&context, PART), PROGRAM);
    let mut module = for_host(&context, PART);
    let found = loops::find(module.function("f").unwrap());
    assert!(merge_next_pointers(&found[0]) && count_elements(&found[0]));
    assert_eq!(before.lines().count(), 300);
    assert_eq!(before, printed(&mut module, PROGRAM));
}

/// With such an end it is not known that the loop ends where the counter does, or at all.
#[test]
fn other_ends_are_left_alone() {
    let offset = |to| with(OFFSETS, &[("%next, %end", to)]);
    let pointer = |from, to| with(POINTERS, &[(from, to)]);
    for text in [
        // No multiples of four, and one that the offset has only after it has wrapped around.
        offset("%next, 47"),
        offset("%next, 0"),
        offset("%next, %n"),
        with(OFFSETS, &[("shl i64 %n, 2", "shl i64 %n, 1")]),
        // Zero where the shift cuts off all bits: then the offset has to wrap around.
        with(OFFSETS, &[("add nuw i64 %at, 4", "add i64 %at, 4")]),
        with(OFFSETS, &[("%at = phi i64 [ 0,", "%at = phi i64 [ 4,")]),
        // An address that may wrap around is at the end more than once, or earlier.
        pointer("%next = getelementptr inbounds", "%next = getelementptr"),
        pointer("%end = getelementptr inbounds", "%end = getelementptr"),
        // Two elements per iteration, and a number of elements of another size.
        pointer("%p, i64 1", "%p, i64 2"),
        pointer(
            "%end = getelementptr inbounds i32",
            "%end = getelementptr inbounds i64",
        ),
        pointer("icmp eq", "icmp uge"),
        pointer("%p = phi ptr [ %start,", "%p = phi ptr [ null,"),
        // A negative number of 8 bits.
        pointer("%p, i64 1", "%p, i8 -1"),
    ] {
        assert_eq!(counted(&text), None, "{text}");
    }
}

/// Sums of 1 to 24 numbers, and of as many threes of them, run before and after.
#[test]
fn counted_loops_do_the_same() {
    const PROGRAM: &str = r#"
        u f(uint32_t *start, u n);
        int main(void) {
            static uint32_t numbers[24];
            for (u k = 0; k < 24; k++) numbers[k] = 1000003 * (uint32_t)k + 7;
            for (u n = 1; n <= 24; n++) if (n % STEP == 0) printf("%llu\n", f(numbers, SCALE * n));
        }"#;
    for (text, step, scale) in [
        (POINTERS.to_owned(), 1, 1),
        (OFFSETS.to_owned(), 1, 1),
        (REVERSED.to_owned(), 1, 1),
        (with(POINTERS, &STRIDE_12), 3, 4),
    ] {
        let context = context();
        let program = PROGRAM.replace("STEP", &step.to_string());
        let program = program.replace("SCALE", &scale.to_string());
        let before = printed(&mut for_host(&context, &text), &program);
        let mut module = for_host(&context, &text);
        let found = loops::find(module.function("f").unwrap());
        assert!(count_elements(&found[0]), "{text}");
        let after = printed(&mut module, &program);
        assert_eq!(before.lines().count(), 24 / step, "{text}");
        assert_eq!(before, after, "{text}");
    }
}
