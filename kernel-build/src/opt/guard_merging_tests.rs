//! Loops in which threads meet do the same, and write the same before they fail, where their checks are passed together.

use crate::llvm::tests::context;
use crate::llvm::{Module, Passes};
use crate::opt::bounds_check_hoisting::merge_guards;
use crate::run_on_host::{assert_same, for_host, printed};

/// Four numbers in each round, at four indices; `@note` is where threads meet. Two checks have an end of their own, two share one.
const LOOPS: &str = "
declare void @note(i64) convergent

define i64 @down(ptr %x, i64 %a, i64 %b, i64 %n, i64 %len) {
start:
  br label %round
round:
  %left = phi i64 [ %n, %start ], [ %less, %good.3 ]
  %k = phi i64 [ 0, %start ], [ %next, %good.3 ]
  %sum = phi i64 [ 0, %start ], [ %sum.3, %good.3 ]
  %index.0 = add i64 %k, %a
  %right.0 = icmp ult i64 %index.0, %len
  br i1 %right.0, label %good.0, label %bad.0
good.0:
  %at.0 = getelementptr i32, ptr %x, i64 %index.0
  %value.0 = load i32, ptr %at.0
  %index.1 = add i64 %index.0, %b
  %wrong.1 = icmp uge i64 %index.1, %len
  br i1 %wrong.1, label %bad.1, label %good.1
good.1:
  %at.1 = getelementptr i32, ptr %x, i64 %index.1
  %value.1 = load i32, ptr %at.1
  %both = add i32 %value.0, %value.1
  %three = mul i64 %k, 3
  %index.2 = add i64 %three, 2
  %right.2 = icmp ult i64 %index.2, %len
  br i1 %right.2, label %good.2, label %bad.shared
good.2:
  %at.2 = getelementptr i32, ptr %x, i64 %index.2
  %value.2 = load i32, ptr %at.2
  %scaled = mul i64 %k, %b
  %index.3 = add i64 %scaled, 5
  %right.3 = icmp ult i64 %index.3, %len
  br i1 %right.3, label %good.3, label %bad.shared
good.3:
  %at.3 = getelementptr i32, ptr %x, i64 %index.3
  %value.3 = load i32, ptr %at.3
  %sum.0 = mul i64 %sum, 31
  %last.two = sub i32 %value.2, %value.3
  %all = xor i32 %both, %last.two
  %wide = zext i32 %all to i64
  %sum.3 = add i64 %sum.0, %wide
  call void @note(i64 %sum.3)
  %next = add i64 %k, 1
  %less = add i64 %left, -1
  %last = icmp eq i64 %less, 0
  br i1 %last, label %done, label %round
done:
  ret i64 %sum.3
bad.0:
  call void @fail(i64 %index.0)
  unreachable
bad.1:
  %said.1 = add i64 %index.1, 1000000
  call void @fail(i64 %said.1)
  unreachable
bad.shared:
  %which = phi i64 [ 2000000, %good.1 ], [ 3000000, %good.2 ]
  %said = phi i64 [ %index.2, %good.1 ], [ %index.3, %good.2 ]
  %together = add i64 %which, %said
  call void @fail(i64 %together)
  unreachable
}
";

/// Says of each call what it gave, or where it failed, and what it has noted until then.
const CALLS: &str = r#"
u down(uint32_t *, u, u, u, u);
static uint32_t x[1000];
static u noted, notes;
void note(u value) { noted = noted * 17 + value; ++notes; }
int main(void) {
    static const u starts[] = {0, 1, 5, 90, 99, 1000, 1ull << 62, (u)-3};
    static const u steps[] = {0, 1, 2, 10, 0x7fffffff, 0x80000000, (u)-1, (u)-2, 1ull << 63};
    static const u counts[] = {0, 1, 2, 9, 10, 32, 33, 34, 100, 1ull << 32, (u)-1};
    static const u lens[] = {0, 1, 3, 6, 98, 99, 100, 101, 300, 1000};
    for (int i = 0; i < 1000; ++i) x[i] = i * 2654435761u;
    for (int s = 0; s < 8; ++s)
        for (int w = 0; w < 9; ++w)
            for (int c = 0; c < 11; ++c)
                for (int e = 0; e < 10; ++e) {
                    noted = notes = 0;
                    /* Whatever the start, the third index of a round is past the end soon. */
                    if (FAILS) printf("%d %d %d %d fails at %llu", s, w, c, e, failed);
                    else printf("%d %d %d %d gives %llu", s, w, c, e, down(x, starts[s], steps[w], counts[c], lens[e]));
                    printf(", noted %llu %llu\n", notes, noted);
                }
    return 0;
}
"#;

fn joined(module: &mut Module<'_>) {
    assert!(merge_guards(module.function("down").unwrap()));
    module.verify().unwrap();
}

#[cfg(target_arch = "x86_64")]
#[test]
fn results_failures_and_what_was_written_are_the_same() {
    let context = context();
    let plain = printed(&mut for_host(&context, LOOPS), CALLS);
    for passes in [Passes::drop_unused(), Passes::unswitch_loops()] {
        let mut module = for_host(&context, LOOPS);
        joined(&mut module);
        module.run(passes, None).unwrap();
        assert_same(&plain, &printed(&mut module, CALLS), 500);
    }
}

/// The lines of a block, without its name.
fn block<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let lines = text
        .lines()
        .skip_while(|l| !l.starts_with(&format!("{name}:")));
    let own = lines.skip(1).take_while(|l| l.starts_with("  "));
    own.collect()
}

#[test]
fn all_loads_are_behind_all_checks() {
    let context = context();
    let mut module = for_host(&context, LOOPS);
    joined(&mut module);
    let text = module.to_text();
    let reads = block(&text, "good.3");
    assert_eq!(
        reads.iter().filter(|l| l.contains("= load ")).count(),
        4,
        "{text}"
    );
    // The checks alone are left where they were.
    for name in ["round", "good.0", "good.1", "good.2"] {
        assert_eq!(block(&text, name).len(), 1, "{name}: {text}");
    }
    // Nothing is left to do.
    assert!(!merge_guards(module.function("down").unwrap()));
}

/// A check behind what is written, or called, must not be made before it; and three checks are too few.
#[test]
fn a_store_ends_a_run() {
    let context = context();
    let reads = "  %value.1 = load i32, ptr %at.1\n";
    for other in [
        "  store i32 7, ptr %at.0\n",
        "  call void @note(i64 %k)\n",
        "  %again = load volatile i32, ptr %at.0\n",
        "  %again = load atomic i32, ptr %at.0 monotonic, align 4\n",
        "  %again = udiv i64 %b, %k\n",
    ] {
        let text = LOOPS.replace(reads, &format!("{reads}{other}"));
        let module = for_host(&context, &text);
        let function = module.function("down").unwrap();
        let before = function.to_text();
        assert!(!merge_guards(function), "{other}");
        assert_eq!(function.to_text(), before, "{other}");
    }
}

/// What a check asks for, or its failure says, may have to be read first.
#[test]
fn a_check_that_depends_on_a_load_ends_a_run() {
    let context = context();
    for (from, to) in [
        (
            "%said.1 = add i64 %index.1, 1000000",
            "%said.1 = zext i32 %value.0 to i64",
        ),
        (
            "[ %index.2, %good.1 ], [ %index.3, %good.2 ]",
            "[ %index.2, %good.1 ], [ %late, %good.2 ]",
        ),
    ] {
        let text = LOOPS.replace(from, to).replace(
            "  %scaled = mul i64 %k, %b\n",
            "  %late = zext i32 %value.2 to i64\n  %scaled = mul i64 %k, %b\n",
        );
        let module = for_host(&context, &text);
        assert!(!merge_guards(module.function("down").unwrap()), "{to}");
    }
}
