; pass: canonical-counters
; As LLVM leaves `Range::next`: the next value grows by the condition of the latch.
define i64 @count(i64 %n) {
start:
  br label %body
body:
  %k = phi i64 [ 0, %start ], [ %next, %body ]
  %again = icmp ult i64 %k, %n
  %one = zext i1 %again to i64
  %next = add i64 %k, %one
  br i1 %again, label %body, label %done
done:
  ret i64 %k
}
; ir: %k = phi i64 [ 0, %start ], [ %0, %body ]
; ir: %0 = add i64 %k, 1
; ir-next: br i1 %again
