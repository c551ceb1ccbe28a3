//! In which blocks of functions with `.aligned` operations jumps are threaded, and which functions are left as they are. `tests/passes/jump_threading*.ll`
//! show what becomes of loops.

use super::{MOST_ADDED, regions, thread};
use crate::llvm::tests::context;
use crate::llvm::{Block, Module};
use crate::opt::Changed;
use crate::opt::LARGE_FUNCTION;
use std::fmt::Write as _;

const DECLARATIONS: &str = "
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
declare void @fail() convergent noreturn
";

/// A loop that is left in three ways; all but the panic meet in `done`.
const LOOP: &str = "define void @f(i1 %a, i1 %b, i1 %c) {
start:
  br label %next
next:
  br i1 %a, label %over, label %body
body:
  br i1 %b, label %breaks, label %checked
checked:
  br i1 %c, label %next, label %panics
breaks:
  br label %done
over:
  br label %done
panics:
  call void @fail()
  unreachable
done:
  ret void
}
";

/// The function with a barrier at the beginning of a block.
fn with_barrier_in(block: &str, function: &str) -> String {
    let barrier = format!("{block}:\n  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n");
    let changed = function.replace(&format!("{block}:\n"), &barrier);
    assert_ne!(changed, function, "{block}");
    changed
}

/// The labels of the blocks in which edges of `@f` may be redirected.
#[track_caller]
fn threaded_in(function: &str) -> String {
    let context = context();
    let module = Module::from_text(&context, &format!("{DECLARATIONS}{function}")).unwrap();
    let f = module.function("f").unwrap();
    let found = regions(f);
    let labels = function.lines().filter_map(|l| l.strip_suffix(':'));
    let blocks = Block::all(f).into_iter().zip(labels);
    let labels: Vec<&str> = blocks
        .filter(|(b, _)| found.contains(b))
        .map(|(_, l)| l)
        .collect();
    labels.join(" ")
}

/// What is behind the loop belongs to it as far as its threads do not all meet before.
#[test]
fn a_region_is_left_to_one_block() {
    let region = "next body checked breaks over";
    assert_eq!(threaded_in(LOOP), region);
    assert_eq!(threaded_in(&with_barrier_in("done", LOOP)), region);
    assert_eq!(threaded_in(&with_barrier_in("start", LOOP)), region);
    assert_eq!(threaded_in(&with_barrier_in("panics", LOOP)), region);
}

/// Threads would come to one of two ends earlier than before.
#[test]
fn a_loop_with_a_convergent_operation_at_one_of_two_ends_is_no_region() {
    for block in ["breaks", "over", "next", "body", "checked"] {
        assert_eq!(threaded_in(&with_barrier_in(block, LOOP)), "", "{block}");
    }
}

/// A block behind the loop that others enter too is where threads meet: it does not belong to the region.
#[test]
fn blocks_that_others_enter_are_not_added() {
    let function = LOOP.replace(
        "start:\n  br label %next",
        "start:\n  br i1 %a, label %breaks, label %next",
    );
    assert_eq!(threaded_in(&function), "");
    let to_end = LOOP.replace(
        "start:\n  br label %next",
        "start:\n  br i1 %a, label %done, label %next",
    );
    assert_eq!(threaded_in(&to_end), "next body checked breaks over");
}

/// Two loops, the inner one without a barrier: it is a region of its own, and so is each of two loops in a row.
#[test]
fn inner_loops_are_regions_where_the_outer_one_is_none() {
    let nested = "define void @f(i1 %a, i1 %b) {
start:
  br label %outer
outer:
  br label %inner
inner:
  br i1 %a, label %inner, label %between
between:
  br label %second
second:
  br i1 %b, label %second, label %latch
latch:
  br i1 %a, label %outer, label %done
done:
  ret void
}
";
    let all = "outer inner between second latch";
    assert_eq!(threaded_in(nested), all);
    assert_eq!(
        threaded_in(&with_barrier_in("between", nested)),
        "inner second"
    );
    assert_eq!(threaded_in(&with_barrier_in("inner", nested)), "second");
}

/// A cycle with two entries: an edge could be redirected into it from one of them.
#[test]
fn cycles_with_two_entries_are_no_regions() {
    let function = "define void @f(i1 %a, i1 %b) {
start:
  br i1 %a, label %one, label %two
one:
  br label %two
two:
  br i1 %b, label %one, label %done
done:
  ret void
}
";
    assert_eq!(threaded_in(function), "");
}

#[test]
fn so_many_blocks_are_added_and_no_more() {
    let with_ends = |ends: usize| {
        let mut cases = String::new();
        let mut blocks = String::new();
        for n in 0..ends {
            let _ = write!(cases, " i32 {n}, label %end{n}");
            let _ = writeln!(blocks, "end{n}:\n  br label %done");
        }
        format!(
            "define void @f(i32 %n) {{
start:
  br label %next
next:
  switch i32 %n, label %next [{cases} ]
{blocks}done:
  ret void
}}
"
        )
    };
    let count = |ends| threaded_in(&with_ends(ends)).split_whitespace().count();
    assert_eq!(count(MOST_ADDED), MOST_ADDED + 1);
    assert_eq!(count(MOST_ADDED + 1), 0);
}

/// The loop over an inclusive range, with so many additions in each iteration.
fn inclusive(additions: usize) -> String {
    let text = include_str!("../../tests/passes/jump_threading.ll");
    let mut more = String::new();
    for n in 0..additions {
        let before = n
            .checked_sub(1)
            .map_or("%v".to_owned(), |n| format!("%more{n}"));
        let _ = writeln!(more, "  %more{n} = add i32 {before}, %v");
    }
    let end = "  %sum2 = add i32 %sum, %v\n";
    assert!(text.contains(end));
    text.replace(end, &format!("{more}{end}"))
}

/// Whether a pass changes the function `@sum` of a text.
fn is_changed(text: &str) -> bool {
    let context = context();
    let mut module = Module::from_text(&context, text).unwrap();
    let text = |m: &Module<'_>| m.function("sum").unwrap().to_text();
    let before = text(&module);
    let functions = Changed::with_loops(&module);
    thread(&mut module, &functions).unwrap();
    module.verify().unwrap();
    text(&module) != before
}

/// LLVM's passes take longer than in proportion.
#[test]
fn large_functions_are_left_alone() {
    assert!(is_changed(&inclusive(100)));
    assert!(!is_changed(&inclusive(LARGE_FUNCTION)));
}

/// What LLVM could simplify in it is simplified later.
#[test]
fn functions_without_loops_are_left_alone() {
    let straight = "define i32 @sum(i32 %a) {\n  %b = add i32 %a, 0\n  ret i32 %b\n}\n";
    assert!(!is_changed(straight));
}
