//! What becomes of loops between IR and PTX.

use super::tests::{ptx, storing};

/// Ways back in a text: branches to labels above them.
fn ways_back(ptx: &str) -> usize {
    let lines: Vec<&str> = ptx.lines().map(str::trim).collect();
    let is_way_back = |(at, line): (usize, &&str)| {
        let target = line.split("bra").nth(1)?;
        let label = target
            .trim_start_matches(".uni")
            .trim()
            .trim_end_matches(';');
        lines[..at]
            .contains(&format!("{label}:").as_str())
            .then_some(())
    };
    lines.iter().enumerate().filter_map(is_way_back).count()
}

/// A loop over a tile of `len` slots as 256 threads fill it, with a way out for the value that none may have.
fn fill(len: u32) -> String {
    let first = len.min(256);
    storing(
        "fill",
        &format!(
            "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = urem i32 %tid, {first}
  br label %round
round:
  %slot = phi i32 [ %start, %0 ], [ %next, %good ]
  %sum = phi i32 [ 0, %0 ], [ %sum2, %good ]
  %part = udiv i32 %slot, 36
  %wide = zext i32 %part to i64
  %at = getelementptr i32, ptr %y, i64 %wide
  %x = load volatile i32, ptr %at
  %bad = icmp eq i32 %x, -1
  br i1 %bad, label %failed, label %good
failed:
  call void @llvm.trap()
  unreachable
good:
  %sum2 = add i32 %sum, %x
  %next = add nuw nsw i32 %slot, 256
  %again = icmp ult i32 %next, {len}
  br i1 %again, label %round, label %done
done:
  %v = add i32 %sum2, 0"
        ),
    ) + "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndeclare void @llvm.trap()\n"
}

#[test]
fn a_loop_of_few_rounds_is_straight_code() {
    let ptx = ptx(&fill(432));
    assert_eq!(ways_back(&ptx), 0, "{ptx}");
    assert_eq!(
        ptx.matches("ld.volatile").count(),
        2,
        "one for each round:\n{ptx}"
    );
}

#[test]
fn a_loop_of_many_rounds_stays_one() {
    let ptx = ptx(&fill(256 * 64));
    assert_eq!(ways_back(&ptx), 1, "{ptx}");
}

/// Squares until a limit of rounds or of values is reached: a loop whose condition has two parts.
const TWO_CONDITIONS: &str = "  %k = alloca i32
  %x = alloca float
  %limit = load i32, ptr %y
  %c = load volatile float, ptr %y
  store float %c, ptr %x
  store i32 0, ptr %k
  br label %head
head:
  %k1 = load i32, ptr %k
  %in = icmp ult i32 %k1, %limit
  br i1 %in, label %square, label %done
square:
  %x1 = load float, ptr %x
  %x2 = fmul float %x1, %x1
  %c2 = fmul float %c, %c
  %s = fadd float %x2, %c2
  %is = fcmp ole float %s, 4.0
  br i1 %is, label %more, label %done
more:
  %x3 = load float, ptr %x
  %x4 = load float, ptr %x
  %x5 = fmul float %x3, %x4
  %x6 = fadd float %x5, %c
  store float %x6, ptr %x
  %k2 = load i32, ptr %k
  %k3 = add i32 %k2, 1
  store i32 %k3, ptr %k
  br label %head
done:
  %v = load i32, ptr %k";

/// A sum over an inclusive range, the end of which is a flag that O3 does not see through on this target.
const INCLUSIVE_RANGE: &str = "  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %next, %body ]
  %over = phi i1 [ false, %0 ], [ %last, %body ]
  %sum = phi i32 [ 0, %0 ], [ %sum2, %body ]
  %in = icmp ule i32 %i, 8
  %not = xor i1 %over, true
  %goes = and i1 %not, %in
  br i1 %goes, label %step, label %done
step:
  %inner = icmp ult i32 %i, 8
  br i1 %inner, label %add, label %end
add:
  %inc = add nuw i32 %i, 1
  br label %body
end:
  br label %body
body:
  %next = phi i32 [ %inc, %add ], [ %i, %end ]
  %last = phi i1 [ %over, %add ], [ true, %end ]
  %x = load volatile i32, ptr %y
  %sum2 = add i32 %sum, %x
  br label %head
done:
  %v = add i32 %sum, 0";

#[test]
fn code_of_a_kernel_does_not_depend_on_loops_of_others() {
    let whole = storing("whole", TWO_CONDITIONS);
    let early = storing("early", INCLUSIVE_RANGE);
    let (alone, early_alone) = (ptx(&whole), ptx(&early));
    assert!(
        !early_alone.contains("selp"),
        "no flag is left, as the loop was treated early:\n{early_alone}"
    );
    let both = ptx(&(whole + &early));
    assert!(both.contains(&alone), "{alone}\nbeside the other:\n{both}");
    assert!(
        both.contains(&early_alone),
        "{early_alone}\nbeside the other:\n{both}"
    );
}

#[test]
fn code_of_a_kernel_does_not_depend_on_other_callers_of_its_functions() {
    // Too large for each of several callers, but not for one.
    let step = |i: u32| {
        let before = i - 1;
        format!("  %x{i} = load volatile i32, ptr %y\n  %sum{i} = add i32 %sum{before}, %x{i}\n")
    };
    let steps: String = (1..1000).map(step).collect();
    let large = format!(
        "define internal i32 @large(ptr %y) {{\n  %sum0 = add i32 0, 0\n{steps}  ret i32 %sum999\n}}\n"
    );
    let calls = |name| storing(name, "  %v = call i32 @large(ptr %y)");
    let (first, second) = (calls("first"), calls("second"));
    let alone = ptx(&format!("{first}{large}"));
    assert!(!alone.contains(".func"), "it is inlined:\n{alone}");
    let both = ptx(&format!("{first}{second}{large}"));
    assert!(both.contains(&alone), "{alone}\nbeside the other:\n{both}");
}
