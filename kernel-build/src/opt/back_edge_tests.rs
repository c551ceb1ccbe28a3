//! What is known where the latch branches back, and what becomes of counters and conditions by it.

use crate::llvm::Module;
use crate::llvm::tests::context;
use crate::opt::canonical_counters::canonicalise;

/// A loop from zero on whose latch has these lines; `%next` is the next counter, `%again` decides.
fn looped(latch: &str, branch: &str) -> String {
    format!(
        "declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
define i64 @f(i64 %n, i1 %a, i1 %b) {{
start:
  br label %body
body:
  %i = phi i64 [ 0, %start ], [ %next, %body ]
{latch}  br i1 %again, {branch}
done:
  ret i64 %next
}}
"
    )
}

const BACK: &str = "label %body, label %done";
const LEAVE: &str = "label %done, label %body";

/// The next counter in the phi and the condition of the branch behind the pass, each with what computes it.
#[track_caller]
fn canonical(latch: &str, branch: &str) -> (String, String) {
    let context = context();
    let module = Module::from_text(&context, &looped(latch, branch)).unwrap();
    let function = module.function("f").unwrap();
    canonicalise(function);
    module.verify().unwrap();
    let text = function.to_text();
    let definition = |name: &str| {
        let start = format!("  {name} = ");
        let line = text.lines().find_map(|l| l.strip_prefix(&start));
        line.map_or(name.to_owned(), str::to_owned)
    };
    let (_, next) = text.split_once("[ 0, %start ], [ ").unwrap();
    let next = next.split(',').next().unwrap();
    let (_, condition) = text.split_once("  br i1 ").unwrap();
    let condition = condition.split(',').next().unwrap();
    (definition(next), definition(condition))
}

#[track_caller]
fn next_is(latch: &str, branch: &str, next: &str) {
    assert_eq!(canonical(latch, branch).0, next, "{latch}");
}

/// `RangeInclusive` stays at its last value: where the loop goes on it is not there.
#[test]
fn a_select_is_what_its_condition_chooses() {
    let select = "  %up = add nuw i64 %i, 1\n  %last = icmp eq i64 %i, %n\n  %next = select i1 %last, i64 %n, i64 %up\n";
    let up = "add nuw i64 %i, 1";
    let with = |condition: &str| format!("{select}  %again = {condition}\n");
    next_is(&with("xor i1 %last, true"), BACK, up);
    next_is(&with("or i1 %last, %a"), LEAVE, up);
    next_is(&with("or i1 %a, %last"), LEAVE, up);
    next_is(&with("select i1 %a, i1 true, i1 %last"), LEAVE, up);
    next_is(&with("select i1 %last, i1 %a, i1 false"), BACK, "%n");
    next_is(&with("and i1 %last, %a"), BACK, "%n");
    // Nothing is known of the parts where these send the loop on.
    let stays = "select i1 %last, i64 %n, i64 %up";
    next_is(&with("and i1 %last, %a"), LEAVE, stays);
    next_is(&with("or i1 %last, %a"), BACK, stays);
    next_is(&with("select i1 %last, i1 %a, i1 %b"), BACK, stays);
    next_is(&with("xor i1 %a, true"), BACK, stays);
}

/// `next <= n` is `true` where `umin` has chosen its first operand.
#[test]
fn a_minimum_is_its_first_operand_where_a_comparison_says_so() {
    let next = |least: &str, with: &str, comparison: &str, branch: &str| {
        let latch = format!(
            "  %least = call i64 @llvm.{least}.i64(i64 %i, i64 {with})\n  %next = add i64 %least, 1\n  %again = icmp {comparison}\n"
        );
        canonical(&latch, branch).0
    };
    let (up, stays) = ("add i64 %i, 1", "add i64 %least, 1");
    let cases = [
        ("umin", "%n", "ult i64 %i, %n", BACK, up),
        ("umin", "%n", "ule i64 %i, %n", BACK, up),
        ("umin", "%n", "uge i64 %i, %n", LEAVE, up),
        ("umin", "%n", "ugt i64 %n, %i", BACK, up),
        ("umin", "7", "ult i64 %i, 8", BACK, up),
        ("umin", "7", "ult i64 %i, 3", BACK, up),
        ("smin", "%n", "slt i64 %i, %n", BACK, up),
        ("smin", "-1", "sle i64 %i, -1", BACK, up),
        ("smin", "-1", "slt i64 %i, -7", BACK, up),
        // Another limit, another order, another direction.
        ("umin", "7", "ult i64 %i, 9", BACK, stays),
        ("umin", "%n", "slt i64 %i, %n", BACK, stays),
        ("smin", "%n", "ult i64 %i, %n", BACK, stays),
        ("umin", "%n", "ugt i64 %i, %n", BACK, stays),
        ("umin", "%n", "ult i64 %i, %n", LEAVE, stays),
        ("smin", "7", "ule i64 %i, -1", BACK, stays),
        ("umin", "7", "ne i64 %i, 7", BACK, stays),
    ];
    for (least, with, comparison, branch, expected) in cases {
        let is = next(least, with, comparison, branch);
        assert_eq!(is, expected, "{least} {with}, {comparison}, {branch}");
    }
}

/// `i + (i < n)`: one where the loop goes on, and also if another part of the condition is tested.
#[test]
fn an_extended_condition_is_a_number() {
    let sum = "  %more = icmp ult i64 %i, %n\n  %one = zext i1 %more to i64\n  %next = add nuw i64 %i, %one\n";
    let both = format!("{sum}  %again = and i1 %more, %a\n");
    next_is(&both, BACK, "add i64 %i, 1");
    let not = format!("{sum}  %not = xor i1 %more, true\n  %again = or i1 %not, %a\n");
    next_is(&not, LEAVE, "add i64 %i, 1");
    let other = format!("{sum}  %again = and i1 %b, %a\n");
    next_is(&other, BACK, "add nuw i64 %i, %one");
}

/// Counters of widths in which no numbers are made stay.
#[test]
fn narrow_counters_stay() {
    let context = context();
    let text = "define i8 @f(i8 %n, i1 %a) {
start:
  br label %body
body:
  %i = phi i8 [ 0, %start ], [ %next, %body ]
  %more = icmp ult i8 %i, %n
  %one = zext i1 %more to i8
  %next = add i8 %i, %one
  %again = and i1 %more, %a
  br i1 %again, label %body, label %done
done:
  ret i8 %next
}
";
    let module = Module::from_text(&context, text).unwrap();
    let function = module.function("f").unwrap();
    let before = function.to_text();
    assert!(!canonicalise(function));
    assert_eq!(function.to_text(), before);
}

/// `i >= n || next > n`: the second follows from the first.
#[test]
fn what_the_rest_of_a_condition_implies_is_left_out() {
    let range = "  %last = icmp uge i64 %i, %n\n  %up = add nuw i64 %i, 1\n  %next = select i1 %last, i64 %i, i64 %up\n  %over = icmp ugt i64 %next, %n\n";
    for end in ["select i1 %last, i1 true, i1 %over", "or i1 %last, %over"] {
        let (next, condition) = canonical(&format!("{range}  %again = {end}\n"), LEAVE);
        assert_eq!(next, "add nuw i64 %i, 1");
        assert_eq!(condition, "icmp uge i64 %i, %n");
    }
    // From `i != n` nothing follows: `i` may be above.
    let unequal = range.replace("icmp uge", "icmp eq");
    let (_, condition) = canonical(&format!("{unequal}  %again = or i1 %last, %over\n"), LEAVE);
    assert!(
        condition.starts_with("select i1 %last, i1 true, i1 %"),
        "{condition}"
    );
    // Of another limit nothing follows either, nor from a signed comparison.
    for (from, to) in [("uge i64 %i, %n", "uge i64 %i, 7"), ("uge i64", "sge i64")] {
        let other = range.replace(from, to);
        assert_ne!(other, range);
        let (_, condition) = canonical(&format!("{other}  %again = or i1 %last, %over\n"), LEAVE);
        assert!(
            condition.starts_with("select i1 %last, i1 true"),
            "{to}: {condition}"
        );
    }
}

/// Where the loop ends `i + 1` may wrap around, in spite of its `nuw`: it must not be asked there, and the comparison promises nothing.
#[test]
fn a_comparison_of_simpler_values_is_no_poison_where_the_loop_ends() {
    let range = "  %last = icmp eq i64 %i, %n\n  %up = add nuw i64 %i, 1\n  %next = select i1 %last, i64 %n, i64 %up\n  %over = icmp samesign ugt i64 %next, %n\n";
    let cases = [
        ("or i1 %last, %over", "select i1 %last, i1 true, i1 "),
        ("or i1 %over, %last", "select i1 %last, i1 true, i1 "),
        (
            "or disjoint i1 %last, %over",
            "select i1 %last, i1 true, i1 ",
        ),
        (
            "select i1 %last, i1 true, i1 %over",
            "select i1 %last, i1 true, i1 ",
        ),
    ];
    for (end, expected) in cases {
        let latch = format!("{range}  %again = {end}\n");
        let (_, condition) = canonical(&latch, LEAVE);
        let name = condition.strip_prefix(expected).expect(end);
        let context = context();
        let module = Module::from_text(&context, &looped(&latch, LEAVE)).unwrap();
        let function = module.function("f").unwrap();
        canonicalise(function);
        let compared = format!("{name} = icmp ugt i64 %up, %n");
        assert!(
            function.to_text().contains(&compared),
            "{end}: {}",
            function.to_text()
        );
    }
    // The comparison decides first here, where `last` may not be asked.
    let first = format!("{range}  %again = select i1 %over, i1 true, i1 %last\n");
    let (next, condition) = canonical(&first, LEAVE);
    assert_eq!(next, "add nuw i64 %i, 1");
    assert_eq!(condition, "select i1 %over, i1 true, i1 %last");
}
