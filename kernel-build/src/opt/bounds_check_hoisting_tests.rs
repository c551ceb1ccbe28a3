//! Loops with and without their early decision do the same, whatever the numbers are.

use super::hoist;
use crate::llvm::tests::context;
use crate::llvm::{Context, Machine, Module, Passes};
use crate::opt::canonical_counters::canonicalise;
use crate::run_on_host::{assert_same, for_host, printed};

/// Loops that rustc makes, rotated. Each adds up its indices; `@fail` ends it, as a panic does.
const LOOPS: &str = "
define i64 @row(i64 %a, i64 %b, i64 %n, i64 %len) {
start:
  %some = icmp ne i64 %n, 0
  br i1 %some, label %round, label %none
round:
  %ahead = phi i64 [ 1, %start ], [ %ahead2, %good ]
  %k = phi i64 [ 0, %start ], [ %ahead, %good ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %good ]
  %scaled = mul i64 %k, %b
  %index = add i64 %scaled, %a
  %right = icmp ult i64 %index, %len
  br i1 %right, label %good, label %bad
good:
  %sum2 = add i64 %sum, %index
  %ahead2 = add i64 %ahead, 1
  %last = icmp eq i64 %ahead, %n
  br i1 %last, label %done, label %round
done:
  ret i64 %sum2
none:
  ret i64 -1
bad:
  call void @fail(i64 %index)
  unreachable
}

define i64 @strided(i64 %a, i64 %b, i64 %n, i64 %len) {
start:
  %some = icmp ult i64 %a, %n
  br i1 %some, label %round, label %none
round:
  %j = phi i64 [ %a, %start ], [ %next, %good ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %good ]
  %index = add i64 %j, 7
  %wrong = icmp uge i64 %index, %len
  br i1 %wrong, label %bad, label %good
good:
  %sum2 = add i64 %sum, %index
  %next = add i64 %j, %b
  %again = icmp ult i64 %next, %n
  br i1 %again, label %round, label %done
done:
  ret i64 %sum2
none:
  ret i64 -1
bad:
  call void @fail(i64 %index)
  unreachable
}

define i64 @scaled(i64 %a, i64 %b, i64 %n, i64 %len) {
start:
  %some = icmp ult i64 %a, %n
  br i1 %some, label %round, label %none
round:
  %j = phi i64 [ %a, %start ], [ %next, %good ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %good ]
  %three = mul i64 %j, 3
  %index = add i64 %three, %b
  %wrong = icmp uge i64 %index, %len
  br i1 %wrong, label %bad, label %good
good:
  %sum2 = add i64 %sum, %index
  %next = add i64 %j, 4
  %again = icmp ult i64 %next, %n
  br i1 %again, label %round, label %done
done:
  ret i64 %sum2
none:
  ret i64 -1
bad:
  call void @fail(i64 %index)
  unreachable
}

define i64 @narrow(i64 %wide.a, i64 %wide.b, i64 %wide.n, i64 %len) {
start:
  %a = trunc i64 %wide.a to i32
  %b = trunc i64 %wide.b to i32
  %n = trunc i64 %wide.n to i32
  br label %round
round:
  %k = phi i32 [ 0, %start ], [ %next, %good ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %good ]
  %scaled = mul i32 %k, %b
  %place = add i32 %scaled, %a
  %index = zext i32 %place to i64
  %right = icmp ule i64 %index, %len
  br i1 %right, label %good, label %bad
good:
  %sum2 = add i64 %sum, %index
  %next = add i32 %k, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %round, label %done
done:
  ret i64 %sum2
bad:
  call void @fail(i64 %index)
  unreachable
}

define i64 @before(i64 %a, i64 %b, i64 %n, i64 %len) {
start:
  %first = add i64 %a, 1
  %second = add i64 %a, 2
  %some = icmp ult i64 %first, %n
  br i1 %some, label %round, label %none
round:
  %ahead = phi i64 [ %second, %start ], [ %ahead2, %good ]
  %k = phi i64 [ %first, %start ], [ %ahead, %good ]
  %index = phi i64 [ %b, %start ], [ %k, %good ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %good ]
  %right = icmp ult i64 %index, %len
  br i1 %right, label %good, label %bad
good:
  %sum2 = add i64 %sum, %index
  %ahead2 = add i64 %ahead, 1
  %again = icmp ult i64 %ahead, %n
  br i1 %again, label %round, label %done
done:
  ret i64 %sum2
none:
  ret i64 -1
bad:
  call void @fail(i64 %index)
  unreachable
}
";

/// Calls each loop with every combination of numbers, small ones and those at which something wraps around.
const CALLS: &str = r#"
u row(u, u, u, u), strided(u, u, u, u), narrow(u, u, u, u), scaled(u, u, u, u), before(u, u, u, u);
int main(void) {
    static u (*const loops[])(u, u, u, u) = {row, strided, narrow, scaled, before};
    static const u starts[] = {0, 1, 5, 90, 1000, 0x7fffffff, 0xfffffff0, 1ull << 40, 1ull << 62, (u)-3, (u)-100};
    static const u steps[] = {1, 2, 10, 0x7fffffff, 0x80000000, 1ull << 33, (u)-1, (u)-2, 1ull << 63};
    static const u counts[] = {0, 1, 2, 9, 10, 11, 17, 100, 0x80000001, 1ull << 32, 1ull << 62, (u)-1};
    static const u lens[] = {0, 1, 8, 100, 1000, 0xffffffff, 1ull << 34};
    for (int l = 0; l < 5; ++l)
        for (int s = 0; s < 11; ++s)
            for (int w = 0; w < 9; ++w)
                for (int c = 0; c < 12; ++c)
                    for (int e = 0; e < 7; ++e) {
                        u a = starts[s], b = steps[w], n = counts[c], len = lens[e];
                        /* Those that end within a moment: few rounds, or few places. */
                        int short_way = (l == 2 ? (uint32_t)n : n) <= 100 || (len <= 1000 && b >= 1 && b <= 10);
                        if (l == 1 && n > 1000 && len > 1000) continue;
                        if (!short_way && l != 1 && l < 3) continue;
                        if ((l == 1 || l >= 3) && !(n <= 100 || len <= 1000)) continue;
                        if (FAILS) printf("%d %d %d %d %d fails at %llu\n", l, s, w, c, e, failed);
                        else printf("%d %d %d %d %d %llu\n", l, s, w, c, e, loops[l](a, b, n, len));
                    }
    return 0;
}
"#;

/// One of its two checks never runs unless `b` is 12345; its length is poison. Both are decided together.
const POISONED: &str = "
define i64 @poisoned(i64 %a, i64 %b, i64 %n, i64 %len) {
start:
  %none = shl i64 1, 64
  %is.rare = icmp eq i64 %b, 12345
  br label %round
round:
  %k = phi i64 [ 0, %start ], [ %next, %good ]
  %index = add i64 %k, %a
  br i1 %is.rare, label %rare, label %usual
rare:
  %below.none = icmp ult i64 %index, %none
  br i1 %below.none, label %good, label %bad
usual:
  %right = icmp ult i64 %index, %len
  br i1 %right, label %good, label %bad
good:
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %round, label %done
done:
  ret i64 %index
bad:
  call void @fail(i64 %index)
  unreachable
}
";

const CALL_POISONED: &str = r#"
u poisoned(u, u, u, u);
int main(void) {
    for (u len = 15; len >= 14; --len)
        if (FAILS) printf("fails at %llu\n", failed);
        else printf("ends at %llu\n", poisoned(5, 1, 10, len));
    return 0;
}
"#;

/// As they are, or decided and then optimised.
fn loops<'ctx>(context: &'ctx Context, text: &str, decided: Option<Passes>) -> Module<'ctx> {
    let mut module = for_host(context, text);
    if let Some(passes) = decided {
        for function in module.functions() {
            if !function.is_declaration() {
                canonicalise(function);
                assert!(hoist(function), "{}", function.name());
            }
        }
        module.verify().unwrap();
        module.run(passes, None).unwrap();
        module.verify().unwrap();
    }
    module
}

/// What a program in C says that calls such loops.
fn said(text: &str, calls: &str, decided: Option<Passes>) -> String {
    printed(&mut loops(&context(), text, decided), calls)
}

#[cfg(target_arch = "x86_64")]
#[test]
fn results_and_failures_are_the_same() {
    let plain = said(LOOPS, CALLS, None);
    let decided = said(LOOPS, CALLS, Some(Passes::unswitch_loops()));
    assert_same(&plain, &decided, 500);
}

/// LLVM may take what is poison for whatever suits it, and `true & poison` is poison.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_poison_check_leaves_others_intact() {
    // These look for the most convenient value before the loop is made two.
    let passes = Passes::after_instrumenting();
    let said = said(POISONED, CALL_POISONED, Some(passes));
    assert_eq!(said, "ends at 14\nfails at 14\n");
}

#[test]
fn a_fitting_loop_has_no_check() {
    let context = context();
    let text = loops(&context, LOOPS, Some(Passes::unswitch_loops())).to_text();
    let checks = text.matches(", label %bad").count();
    let rounds = text.matches("= add i64 %sum").count();
    // Two loops of each, one of them with its check.
    assert_eq!((checks, rounds), (5, 10), "{text}");
}

/// Its step is not known before the launch, so its rounds are counted: LLVM unrolls the loop without checks.
#[test]
fn a_long_strided_loop_is_unrolled() {
    let context = context();
    let triple = "nvptx64-nvidia-cuda";
    let machine = Machine::new(&context, triple, "sm_75", "+ptx71").unwrap();
    // A sum that no formula tells.
    let text = LOOPS.replace(
        "%sum2 = add i64 %sum,",
        "%both = mul i64 %sum, %sum\n  %sum2 = xor i64 %both,",
    );
    let mut module = loops(&context, &text, Some(Passes::unswitch_loops()));
    module.set_target(triple, &machine.data_layout());
    crate::opt::optimise(&mut module, Some(&machine)).unwrap();
    let strided = module.function("strided").unwrap().to_text();
    // Four of them, one of what is left over, one with its check.
    let rounds = strided.matches("= xor i64 %both").count();
    assert_eq!(rounds, 6, "{strided}");
}

/// Where LLVM would not unroll it a division were for nothing.
#[test]
fn trip_counts_of_large_loops_are_not_computed() {
    let context = context();
    let counters = |text: &str| {
        let module = for_host(&context, text);
        let strided = module.function("strided").unwrap();
        assert!(hoist(strided));
        module.verify().unwrap();
        strided.to_text().matches("= phi i32").count()
    };
    let work: String = (0..40)
        .map(|n| format!("  %work{n} = mul i64 %j, %sum\n"))
        .collect();
    let large = LOOPS.replace(
        "  %index = add i64 %j, 7\n",
        &format!("{work}  %index = add i64 %j, 7\n"),
    );
    assert_eq!((counters(LOOPS), counters(&large)), (1, 0));
}

/// Indices 7, 17, … 97: behind the counter, which ends at 90, but not as far behind as the end of the loop is.
#[test]
fn the_last_iteration_of_a_strided_loop_is_known() {
    let context = context();
    let checks = |len: &str| {
        let known = LOOPS
            .replace("ult i64 %a, %n", "ult i64 0, 100")
            .replace(
                "[ %a, %start ], [ %next, %good ]",
                "[ 0, %start ], [ %next, %good ]",
            )
            .replace("add i64 %j, %b", "add i64 %j, 10")
            .replace("ult i64 %next, %n", "ult i64 %next, 100")
            .replace("uge i64 %index, %len", &format!("uge i64 %index, {len}"));
        let module = loops(&context, &known, Some(Passes::unswitch_loops()));
        let strided = module.function("strided").unwrap().to_text();
        strided.matches("label %bad").count()
    };
    assert_eq!((checks("98"), checks("97")), (0, 1));
}

/// The index comes from memory, or shrinks by large steps: nothing is known before the loop.
#[test]
fn other_loops_are_left_alone() {
    let context = context();
    let from_memory = LOOPS.replace(
        "%index = add i64 %scaled, %a",
        "%at = getelementptr i64, ptr null, i64 %scaled\n  %index = load i64, ptr %at",
    );
    let shrinking = LOOPS.replace(
        "%index = add i64 %scaled, %a",
        "%down = mul i64 %k, -2097152\n  %index = add i64 %down, %a",
    );
    for text in [from_memory, shrinking] {
        let module = for_host(&context, &text);
        let function = module.function("row").unwrap();
        let before = function.to_text();
        assert!(!hoist(function));
        assert_eq!(function.to_text(), before);
    }
}

/// As LLVM leaves `Range::next`: the number that is ahead grows by the condition.
#[test]
fn a_counter_that_grows_by_its_condition_is_canonicalised() {
    let context = context();
    let hidden = LOOPS.replace(
        "  %ahead2 = add i64 %ahead, 1
  %last = icmp eq i64 %ahead, %n
  br i1 %last, label %done, label %round",
        "  %again = icmp ult i64 %ahead, %n
  %one = zext i1 %again to i64
  %ahead2 = add i64 %ahead, %one
  br i1 %again, label %round, label %done",
    );
    let module = for_host(&context, &hidden);
    let function = module.function("row").unwrap();
    assert!(!hoist(function));
    assert!(canonicalise(function) && hoist(function));
    module.verify().unwrap();
    assert!(!canonicalise(function));
}

/// As `Range` leaves them: the next number beside the present one.
#[test]
fn a_next_value_is_computed_from_the_present_one() {
    let context = context();
    let module = for_host(&context, LOOPS);
    let function = module.function("row").unwrap();
    assert!(canonicalise(function));
    module.verify().unwrap();
    let text = function.to_text();
    let made = text
        .lines()
        .find(|l| l.contains("= add i64 %k, 1"))
        .unwrap();
    let name = made.trim().split(' ').next().unwrap();
    assert!(
        text.contains(&format!("[ 0, %start ], [ {name}, %good ]")),
        "{text}"
    );
    assert!(text.contains(&format!("icmp eq i64 {name}, %n")), "{text}");
    // Two numbers that start otherwise, or grow otherwise, stay as they are.
    for (from, to) in [
        ("[ 1, %start ]", "[ 3, %start ]"),
        ("[ 1, %start ]", "[ %a, %start ]"),
        ("%ahead, 1", "%ahead, 2"),
    ] {
        let module = for_host(&context, &LOOPS.replace(from, to));
        assert!(
            !canonicalise(module.function("row").unwrap()),
            "{from} {to}"
        );
    }
}

/// As LLVM leaves the elements of a thread that takes every `b`-th: the present and the next index are phis, and the step is zero at the end.
#[test]
fn a_step_that_is_zero_at_the_end_is_canonicalised() {
    let context = context();
    let hidden = LOOPS
        .replace(
            "  %some = icmp ult i64 %a, %n\n",
            "  %some = icmp ult i64 %a, %n\n  %second = add i64 %b, %a\n",
        )
        .replace(
            "  %j = phi i64 [ %a, %start ], [ %next, %good ]\n",
            "  %j = phi i64 [ %a, %start ], [ %ahead, %good ]\n  %ahead = phi i64 [ %second, %start ], [ %next, %good ]\n",
        )
        .replace(
            "  %next = add i64 %j, %b\n  %again = icmp ult i64 %next, %n\n",
            "  %again = icmp ult i64 %ahead, %n\n  %step = select i1 %again, i64 %b, i64 0\n  %next = add i64 %step, %ahead\n",
        );
    let module = for_host(&context, &hidden);
    let function = module.function("strided").unwrap();
    assert!(!hoist(function));
    assert!(canonicalise(function) && hoist(function));
    module.verify().unwrap();
    assert!(!canonicalise(function));
}
