//! What is decided for a group of rounds is what the loop would have decided, and nothing else is read.

use super::{batch, is_candidate};
use crate::llvm::tests::context;
use crate::llvm::{Context, Machine, Module, Passes};
use crate::run_on_host::{assert_same, for_host, printed};

/// A row of a sparse matrix, in 32 bits and in 64, there with what else goes from round to round; `@fail` ends it, as a panic does.
const LOOPS: &str = "
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
  %seen = phi i64 [ 3, %start ], [ %seen2, %good ]
  %begun = phi i64 [ 5, %start ], [ %from, %good ]
  %at = getelementptr inbounds i64, ptr %row, i64 %k
  %index = load i64, ptr %at, align 8
  %wrong = icmp ule i64 %len, %index
  br i1 %wrong, label %bad, label %good
good:
  %of.x = getelementptr inbounds i64, ptr %x, i64 %index
  %value = load i64, ptr %of.x, align 8
  %seen2 = mul i64 %seen, %index
  %part = add i64 %value, %seen
  %both = add i64 %part, %begun
  %sum2 = add i64 %sum, %both
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
u narrow(void *, u, void *, u, u, u), wide(void *, u, void *, u, u, u);
static char *ends(void) {
    char *start = mmap(0, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(start + 4096, 4096, PROT_READ | PROT_WRITE);
    return start + 2 * 4096;
}
int main(void) {
    static const u places[] = {0, 1, 3, 14, 15, 16, 18, 20, 37, 39}, counts[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 19, 20, 21, 32, 40};
    static const u wrongs[] = {20, 21, 1000, 1u << 31, 0xffffffff, 1ull << 32, 1ull << 40, (u)-1};
    char *x_end = ends(), *columns_end = ends();
    for (u len = 0; len <= 20; len += 5)
        for (int which = 0; which < 14; ++which)
            for (u from = 0; from < 3; ++from)
                for (int place = -1; place < 10; ++place)
                    for (int wrong = 0; wrong < (place < 0 ? 1 : 8); ++wrong)
                        for (int is_wide = 0; is_wide < 2; ++is_wide) {
                            u x[20], count = counts[which], n = from + count, columns[43];
                            uint32_t columns32[43];
                            for (u i = 0; i < 20; ++i) x[i] = i * i + 3;
                            for (u i = 0; i < n; ++i) columns[i] = len ? (i * 7 + count) % len : 0;
                            if (place >= 0 && places[place] < count) columns[from + places[place]] = wrongs[wrong];
                            for (u i = 0; i < n; ++i) columns32[i] = (uint32_t)columns[i];
                            u size = is_wide ? 8 : 4;
                            char *at_x = x_end - 8 * len, *at_columns = columns_end - size * n;
                            memcpy(at_x, x, 8 * len);
                            memcpy(at_columns, is_wide ? (void *)columns : (void *)columns32, size * n);
                            printf("%d %llu %llu %llu %d %d ", is_wide, len, count, from, place, wrong);
                            /* With a length that is too short the batches must not be entered; the original loop does not read it. */
                            u said = wrong == 7 ? n - 1 : n;
                            if (FAILS) printf("fails at %llu\n", failed);
                            else printf("%llu\n", (is_wide ? wide : narrow)(at_columns, said, at_x, len, from, count));
                        }
    return 0;
}
"#;

fn loops<'ctx>(context: &'ctx Context, deferred: bool) -> Module<'ctx> {
    let mut module = for_host(context, LOOPS);
    if deferred {
        module.run(Passes::unswitch_loops(), None).unwrap();
        for function in module.functions() {
            if !function.is_declaration() {
                assert!(
                    is_candidate(function) && batch(function),
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
        crate::opt::optimise(&mut module, Some(&machine)).unwrap();
    }
    printed(&mut module, CALLS)
}

#[cfg(target_arch = "x86_64")]
/// As LLVM's instruction combiner writes them since version 23.
#[test]
fn strides_may_be_arrays_of_bytes() {
    let context = context();
    let element = [("i32", "[4 x i8]"), ("i64", "[8 x i8]")];
    let bytes = element.iter().fold(LOOPS.to_owned(), |text, (ty, bytes)| {
        [
            "getelementptr",
            "getelementptr inbounds",
            "getelementptr inbounds nuw",
        ]
        .iter()
        .fold(text, |text, op| {
            text.replace(&format!("{op} {ty}, "), &format!("{op} {bytes}, "))
        })
    });
    let module = for_host(&context, &bytes);
    for function in ["narrow", "wide"].map(|name| module.function(name).unwrap()) {
        assert!(function.to_text().contains("x i8], ptr %x"));
        assert!(is_candidate(function), "{}", function.to_text());
    }
}

#[test]
fn results_and_failures_are_the_same() {
    let (plain, deferred) = (said(false), said(true));
    assert_same(&plain, &deferred, 500);
}

#[test]
fn batches_check_their_indices_first() {
    let context = context();
    let module = loops(&context, true);
    let text = module.function("narrow").unwrap().to_text();
    // Of 16 rounds, of 4, and of one.
    assert_eq!(text.matches("= load i64, ptr %").count(), 21, "{text}");
    assert_eq!(text.matches("= load i32, ptr %").count(), 21, "{text}");
    // One comparison with the largest index for each batch, and the original one.
    assert_eq!(
        text.matches("= icmp ugt i32").count(),
        15 + 1 + 3 + 1,
        "{text}"
    );
    assert_eq!(text.matches("label %bad").count(), 1, "{text}");
    // Metadata of loads holds only where the original loop executes them.
    assert_eq!(text.matches("!noundef").count(), 2, "{text}");
}

/// Loops with stores, calls, or loads of unknown extent cannot be speculated.
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
    let strided = (
        "%index = zext i32 %column to i64",
        "%index = add i64 %k, %from",
    );
    // An index that another index finds is not known before that is known to be right.
    let chained = (
        "%column = load i32, ptr %at, align 4, !noundef !0\n  %index = zext i32 %column to i64",
        "%column = load i32, ptr %at, align 4\n  %known = zext i32 %column to i64\n  %index = add i64 %known, %sum",
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
        strided,
        chained,
    ] {
        assert!(LOOPS.contains(from), "{from}");
        let mut module = for_host(&context, &LOOPS.replace(from, to));
        module.run(Passes::unswitch_loops(), None).unwrap();
        let function = module.function("narrow").unwrap();
        let before = function.to_text();
        assert!(!is_candidate(function) && !batch(function), "{before}");
        assert_eq!(function.to_text(), before);
    }
}
