; pass: canonical-counters
; `a..=b` behind O3: only the first iteration can find that the counter is above the end.
define i64 @count(i64 %a, i64 %b) {
start:
  br label %head
head:
  %k = phi i64 [ %a, %start ], [ %next, %body ]
  %sum = phi i64 [ 0, %start ], [ %more, %body ]
  %over = icmp ugt i64 %k, %b
  br i1 %over, label %done, label %body
body:
  %again = icmp ult i64 %k, %b
  %more = add i64 %sum, %k
  %next = add nuw i64 %k, 1
  br i1 %again, label %head, label %done
done:
  %result = phi i64 [ %sum, %head ], [ %more, %body ]
  ret i64 %result
}
; ir: start:
; ir-next: icmp ugt i64 %a, %b
