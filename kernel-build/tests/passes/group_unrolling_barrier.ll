; pass: group-unrolling
; What threads wait for is not copied.
; unchanged
declare void @barrier() convergent
define i32 @f(ptr %a, i64 %start, i64 %step, i64 %end) {
entry:
  br label %round
round:
  %at = phi i64 [ %start, %entry ], [ %next, %round ]
  %sum = phi i32 [ 0, %entry ], [ %both, %round ]
  %place = getelementptr i32, ptr %a, i64 %at
  %element = load i32, ptr %place
  %both = add i32 %sum, %element
  call void @barrier() convergent
  %next = add i64 %at, %step
  %more = icmp ult i64 %next, %end
  br i1 %more, label %round, label %done
done:
  %all = phi i32 [ %both, %round ]
  ret i32 %all
}
