//! Loops that count down how many rounds are left, as `step_by` does, and those whose counter is the index: with and without their early decision
//! they do the same.

use crate::llvm::tests::context;
use crate::llvm::{Module, Passes};
use crate::opt::bounds_check_hoisting::hoist;
use crate::run_on_host::{assert_same, for_host, printed};

/// The first three have `n` iterations with indices `a`, `a + b`, …, and `shrinking` with `a`, `a - 3`, …; with `n` zero they wrap around and run through all numbers. The others run below `n`, or up to 99.
const LOOPS: &str = "
define i64 @wide(i64 %a, i64 %b, i64 %n, i64 %len) {
start:
  br label %round
round:
  %left = phi i64 [ %n, %start ], [ %less, %good ]
  %k = phi i64 [ 0, %start ], [ %next, %good ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %good ]
  %scaled = mul i64 %k, %b
  %index = add i64 %scaled, %a
  %right = icmp ult i64 %index, %len
  br i1 %right, label %good, label %bad
good:
  %sum2 = add i64 %sum, %index
  %next = add i64 %k, 1
  %less = add i64 %left, -1
  %last = icmp eq i64 %less, 0
  br i1 %last, label %done, label %round
done:
  ret i64 %sum2
bad:
  call void @fail(i64 %index)
  unreachable
}

define i64 @shrinking(i64 %a, i64 %b, i64 %n, i64 %len) {
start:
  br label %round
round:
  %left = phi i64 [ %n, %start ], [ %less, %good ]
  %k = phi i64 [ 0, %start ], [ %next, %good ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %good ]
  %scaled = mul i64 %k, 3
  %index = sub i64 %a, %scaled
  %right = icmp ult i64 %index, %len
  br i1 %right, label %good, label %bad
good:
  %sum2 = add i64 %sum, %index
  %next = add i64 %k, 1
  %less = add i64 %left, -1
  %last = icmp eq i64 %less, 0
  br i1 %last, label %done, label %round
done:
  ret i64 %sum2
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
  %left = phi i32 [ %n, %start ], [ %less, %good ]
  %place = phi i32 [ %a, %start ], [ %next, %good ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %good ]
  %index = zext i32 %place to i64
  %wrong = icmp ugt i64 %index, %len
  br i1 %wrong, label %bad, label %good
good:
  %sum2 = add i64 %sum, %index
  %next = add i32 %place, %b
  %less = add i32 %left, -1
  %again = icmp ne i32 %less, 0
  br i1 %again, label %round, label %done
done:
  ret i64 %sum2
bad:
  call void @fail(i64 %index)
  unreachable
}

define i64 @by_eight(i64 %a, i64 %b, i64 %n, i64 %len) {
start:
  %up = add i64 %n, 7
  %rounds = lshr i64 %up, 3
  %none = icmp eq i64 %rounds, 0
  br i1 %none, label %done, label %round
round:
  %left = phi i64 [ %rounds, %start ], [ %less, %good ]
  %from = phi i64 [ 0, %start ], [ %next, %good ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %good ]
  %row = add i64 %from, %a
  %scaled = mul i64 %row, %b
  %index = add i64 %scaled, 3
  %right = icmp ult i64 %index, %len
  br i1 %right, label %good, label %bad
good:
  %sum2 = add i64 %sum, %index
  %next = add i64 %from, 8
  %less = add i64 %left, -1
  %last = icmp eq i64 %less, 0
  br i1 %last, label %done, label %round
done:
  %all = phi i64 [ -1, %start ], [ %sum2, %good ]
  ret i64 %all
bad:
  call void @fail(i64 %index)
  unreachable
}

define i64 @counter(i64 %a, i64 %b, i64 %n, i64 %len) {
start:
  br label %round
round:
  %at = phi i64 [ %a, %start ], [ %next, %good ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %good ]
  %right = icmp ult i64 %at, %len
  br i1 %right, label %good, label %bad
good:
  %sum2 = add i64 %sum, %at
  %next = add i64 %at, %b
  %again = icmp ult i64 %next, %n
  br i1 %again, label %round, label %done
done:
  ret i64 %sum2
bad:
  call void @fail(i64 %at)
  unreachable
}

define i64 @inclusive_counter(i64 %a, i64 %b, i64 %n, i64 %len) {
start:
  br label %round
round:
  %at = phi i64 [ %a, %start ], [ %next, %good ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %good ]
  %right = icmp ult i64 %at, %len
  br i1 %right, label %good, label %bad
good:
  %sum2 = add i64 %sum, %at
  %next = add i64 %at, %b
  %again = icmp ule i64 %next, 99
  br i1 %again, label %round, label %done
done:
  ret i64 %sum2
bad:
  call void @fail(i64 %at)
  unreachable
}

define i64 @narrow_counter(i64 %wide.a, i64 %wide.b, i64 %wide.n, i64 %len) {
start:
  %a = trunc i64 %wide.a to i32
  %b = trunc i64 %wide.b to i32
  %n = trunc i64 %wide.n to i32
  br label %round
round:
  %at = phi i32 [ %a, %start ], [ %next, %good ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %good ]
  %index = zext i32 %at to i64
  %right = icmp ule i64 %index, %len
  br i1 %right, label %good, label %bad
good:
  %sum2 = add i64 %sum, %index
  %next = add i32 %at, %b
  %again = icmp ult i32 %next, %n
  br i1 %again, label %round, label %done
done:
  ret i64 %sum2
bad:
  call void @fail(i64 %index)
  unreachable
}
";

/// Calls each loop with every combination of numbers, small ones and those at which something wraps around.
const CALLS: &str = r#"
u wide(u, u, u, u), narrow(u, u, u, u), by_eight(u, u, u, u), counter(u, u, u, u), narrow_counter(u, u, u, u), inclusive_counter(u, u, u, u), shrinking(u, u, u, u);
/* How many rounds a counter has that nothing ends early, or more than 100. */
static u goes(u a, u b, u n, u mask) {
    u rounds = 1;
    while (((a += b) & mask) < (n & mask) && rounds <= 100) ++rounds;
    return rounds;
}
int main(void) {
    static u (*const loops[])(u, u, u, u) = {wide, narrow, by_eight, counter, narrow_counter, inclusive_counter, shrinking};
    static const u starts[] = {0, 1, 5, 90, 1000, 0x7fffffff, 0xfffffff0, 1ull << 40, 1ull << 62, (u)-3, (u)-100};
    static const u steps[] = {1, 2, 10, 0x7fffffff, 0x80000000, 1ull << 33, (u)-1, (u)-2, 1ull << 63};
    static const u counts[] = {0, 1, 2, 9, 10, 11, 17, 100, 0x80000001, 1ull << 32, 1ull << 62, (u)-1, (u)-7};
    static const u lens[] = {0, 1, 8, 98, 99, 100, 1000, 0xffffffff, 1ull << 34};
    for (int l = 0; l < 7; ++l)
        for (int s = 0; s < 11; ++s)
            for (int w = 0; w < 9; ++w)
                for (int c = 0; c < 13; ++c)
                    for (int e = 0; e < 9; ++e) {
                        u a = starts[s], b = steps[w], n = counts[c], len = lens[e];
                        u rounds = l == 0 || l == 6 ? n - 1 : l == 1 ? (uint32_t)n - 1u : l == 2 ? (n + 7) / 8 : goes(a, b, l == 5 ? 100 : n, l == 4 ? 0xffffffffull : ~0ull);
                        /* Those that end within a moment: few rounds, or few places. */
                        if (!(rounds < 100 || (len <= 1000 && b >= 1 && b <= 10))) continue;
                        if (FAILS) printf("%d %d %d %d %d fails at %llu\n", l, s, w, c, e, failed);
                        else printf("%d %d %d %d %d %llu\n", l, s, w, c, e, loops[l](a, b, n, len));
                    }
    return 0;
}
"#;

/// Decides all of them, and makes two loops of each.
fn decided(module: &mut Module<'_>) {
    for function in module.functions() {
        if !function.is_declaration() {
            assert!(hoist(function), "{}", function.name());
        }
    }
    module.verify().unwrap();
    module.run(Passes::unswitch_loops(), None).unwrap();
    module.verify().unwrap();
}

#[cfg(target_arch = "x86_64")]
#[test]
fn results_and_failures_are_the_same() {
    let context = context();
    let signed = LOOPS.replace("%index = zext i32", "%index = sext i32");
    assert_ne!(signed, LOOPS);
    for text in [LOOPS, &signed] {
        let plain = printed(&mut for_host(&context, text), CALLS);
        let mut module = for_host(&context, text);
        decided(&mut module);
        assert_same(&plain, &printed(&mut module, CALLS), 500);
    }
}

#[test]
fn a_loop_that_fits_has_no_check() {
    let context = context();
    let mut module = for_host(&context, LOOPS);
    decided(&mut module);
    let text = module.to_text();
    let checks = text.matches(", label %bad").count();
    let rounds = text.matches("= add i64 %sum").count();
    // Two loops of each, one of them with its check.
    assert_eq!((checks, rounds), (7, 14), "{text}");
}

/// By two it may go past zero, and up to another number than zero it does not say how many rounds are left.
#[test]
fn other_ways_to_count_down_are_left_alone() {
    let context = context();
    for (from, to) in [
        ("add i64 %left, -1", "add i64 %left, -2"),
        ("add i64 %left, -1", "add i64 %left, %b"),
        ("icmp eq i64 %less, 0", "icmp eq i64 %less, 1"),
        ("icmp eq i64 %less, 0", "icmp eq i64 %less, %a"),
        ("icmp eq i64 %less, 0", "icmp slt i64 %less, 1"),
    ] {
        let module = for_host(&context, &LOOPS.replace(from, to));
        let function = module.function("wide").unwrap();
        let before = function.to_text();
        assert!(!hoist(function), "{to}");
        assert_eq!(function.to_text(), before);
    }
}

/// One more than the maximum is zero, and of a variable end it is not known whether it is the maximum.
#[test]
fn an_inclusive_end_is_a_number_below_the_maximum() {
    let context = context();
    let condition = "icmp ule i64 %next, 99";
    for other in [
        "icmp ule i64 %next, -1",
        "icmp ule i64 %next, %n",
        "icmp sle i64 %next, 99",
    ] {
        let module = for_host(&context, &LOOPS.replace(condition, other));
        let function = module.function("inclusive_counter").unwrap();
        let before = function.to_text();
        assert!(!hoist(function), "{other}");
        assert_eq!(function.to_text(), before);
    }
    for (end, decided) in [("99", true), ("-2", true), ("-1", false)] {
        let narrow = LOOPS.replace(
            "icmp ult i32 %next, %n",
            &format!("icmp ule i32 %next, {end}"),
        );
        let module = for_host(&context, &narrow);
        let function = module.function("narrow_counter").unwrap();
        assert_eq!(hoist(function), decided, "{end}");
    }
}
