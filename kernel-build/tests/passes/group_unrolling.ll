; pass: group-unrolling
; Four iterations are run at once where four are left, then the loop goes on as before.
; ir: %1 = add i64 %start, %step
; ir: mul i64 %2, 2
; ir: icmp ult i64 %1, %end
; ir-next: icmp ult i64 %4, %end
; ir: mul i64 %2, 3
; ir-count: 5 load i32
; ir: add i64 %36, %10
; ir-next: icmp ult i64 %38, %end
; ir: br i1 %39, label %15, label %40
; ir: br i1 %37, label %entry, label %done
; ir: br i1 %more, label %round, label %done, !llvm.loop
define i32 @f(ptr %a, i64 %start, i64 %step, i64 %end) {
entry:
  br label %round
round:
  %at = phi i64 [ %start, %entry ], [ %next, %round ]
  %sum = phi i32 [ 0, %entry ], [ %both, %round ]
  %place = getelementptr i32, ptr %a, i64 %at
  %element = load i32, ptr %place
  %both = add i32 %sum, %element
  %next = add i64 %at, %step
  %more = icmp ult i64 %next, %end
  br i1 %more, label %round, label %done
done:
  %all = phi i32 [ %both, %round ]
  ret i32 %all
}
