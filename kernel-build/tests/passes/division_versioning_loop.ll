; pass: division-versioning
; unchanged
; Beside a loop, one division takes little time.
define i64 @f(i64 %i, i64 %width) {
  %row = udiv i64 %i, %width
  br label %again
again:
  %n = phi i64 [ 0, %0 ], [ %next, %again ]
  %next = add i64 %n, 1
  %more = icmp ult i64 %next, %row
  br i1 %more, label %again, label %end
end:
  ret i64 %next
}
