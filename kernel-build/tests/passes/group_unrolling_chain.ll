; pass: group-unrolling
; Each load waits for the one before it: a group would gain nothing.
; unchanged
define i64 @f(ptr %a, i64 %start, i64 %step, i64 %end) {
entry:
  br label %round
round:
  %at = phi i64 [ %start, %entry ], [ %next, %round ]
  %link = phi i64 [ 0, %entry ], [ %element, %round ]
  %place = getelementptr i64, ptr %a, i64 %link
  %element = load i64, ptr %place
  %next = add i64 %at, %step
  %more = icmp ult i64 %next, %end
  br i1 %more, label %round, label %done
done:
  %last = phi i64 [ %element, %round ]
  ret i64 %last
}
