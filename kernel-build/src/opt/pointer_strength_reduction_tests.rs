//! Addresses that walk are those that were computed.

use super::reduce;
use crate::llvm::tests::context;
use crate::run_on_host::{for_host, printed};

/// The dot product of a row and a column, then of a column and a diagonal.
const LOOPS: &str = "
define i64 @column(ptr %a, ptr %b, i64 %x, i64 %n) {
start:
  br label %round
round:
  %k = phi i64 [ 0, %start ], [ %next, %round ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %round ]
  %of.a = getelementptr i64, ptr %a, i64 %k
  %v.a = load i64, ptr %of.a
  %row = mul i64 %k, %n
  %at.row = getelementptr i64, ptr %b, i64 %row
  %of.b = getelementptr i64, ptr %at.row, i64 %x
  %v.b = load i64, ptr %of.b
  %product = mul i64 %v.a, %v.b
  %sum2 = add i64 %sum, %product
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %round, label %done
done:
  ret i64 %sum2
}

define i64 @diagonal(ptr %a, ptr %b, i64 %x, i64 %n) {
start:
  br label %round
round:
  %k = phi i64 [ 0, %start ], [ %next, %round ]
  %at = phi i64 [ %x, %start ], [ %at2, %round ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %round ]
  %row = mul i64 %k, %n
  %place = add i64 %row, %k
  %of.a = getelementptr i64, ptr %a, i64 %place
  %v.a = load i64, ptr %of.a
  %of.b = getelementptr i64, ptr %b, i64 %at
  %v.b = load i64, ptr %of.b
  %product = mul i64 %v.a, %v.b
  %sum2 = add i64 %sum, %product
  %at2 = add i64 %at, %n
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %round, label %done
done:
  ret i64 %sum2
}
";

const CALLS: &str = r#"
u column(const u *, const u *, u, u), diagonal(const u *, const u *, u, u);
int main(void) {
    static u a[400], b[400];
    for (u i = 0; i < 400; ++i) a[i] = i * i + 3, b[i] = 7 * i + 1;
    for (u n = 1; n < 20; ++n)
        for (u x = 0; x < n; ++x)
            printf("%llu %llu\n", column(a, b, x, n), diagonal(a, b, x, n));
    return 0;
}
"#;

fn said(walking: bool) -> String {
    let context = context();
    let mut module = for_host(&context, LOOPS);
    if walking {
        for name in ["column", "diagonal"] {
            assert!(reduce(module.function(name).unwrap()), "{name}");
        }
        module.verify().unwrap();
    }
    printed(&mut module, CALLS)
}

#[cfg(target_arch = "x86_64")]
#[test]
fn sums_are_the_same() {
    let (computed, walked) = (said(false), said(true));
    assert_eq!(computed.lines().count(), 190);
    assert_eq!(computed, walked);
}

#[test]
fn the_last_address_is_reduced() {
    let context = context();
    let module = for_host(&context, LOOPS);
    let function = module.function("column").unwrap();
    assert!(reduce(function));
    let text = function.to_text();
    // The row of `a` has a step of one element and stays.
    assert_eq!(text.matches("= phi ptr").count(), 1, "{text}");
    let walking = text.lines().find(|l| l.contains("= phi ptr")).unwrap();
    let name = walking.trim().split(' ').next().unwrap();
    assert!(
        text.contains(&format!("%v.b = load i64, ptr {name},")),
        "{text}"
    );
}

/// A step that changes, a number that may wrap around in 32 bits, a branch in the loop, two neighbours: none of them walks.
#[test]
fn others_stay() {
    let context = context();
    let changes = LOOPS.replace("%row = mul i64 %k, %n", "%row = mul i64 %k, %k");
    let narrow = LOOPS.replace(
        "%row = mul i64 %k, %n",
        "%k32 = trunc i64 %k to i32\n  %n32 = trunc i64 %n to i32\n  %row32 = mul i32 %k32, %n32\n  %row = zext i32 %row32 to i64",
    );
    let branches = LOOPS.replace(
        "  %product =",
        "  %odd = trunc i64 %v.b to i1\n  br i1 %odd, label %rest, label %done\nrest:\n  %product =",
    )
    .replace("%round ]", "%rest ]")
    .replace("ret i64 %sum2", "ret i64 0");
    let neighbours = LOOPS.replace(
        "  %product =",
        "  %row1 = add i64 %row, 5\n  %near = getelementptr i64, ptr %b, i64 %row1\n  %v.n = load i64, ptr %near\n  %product =",
    );
    for text in [changes, narrow, branches, neighbours] {
        let module = for_host(&context, &text);
        module.verify().unwrap();
        let function = module.function("column").unwrap();
        let before = function.to_text();
        assert!(!reduce(function), "{before}");
        assert_eq!(function.to_text(), before);
    }
}
