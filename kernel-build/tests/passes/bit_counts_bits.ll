; pass: bit-counts
; unchanged
; The loop does something with each bit.
define void @f(i64 %x, ptr %bits) {
  br label %again
again:
  %rest = phi i64 [ %x, %0 ], [ %left, %again ]
  %less = add i64 %rest, -1
  %left = and i64 %less, %rest
  store volatile i64 %rest, ptr %bits
  %over = icmp eq i64 %left, 0
  br i1 %over, label %done, label %again
done:
  ret void
}
