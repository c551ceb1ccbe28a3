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
