; pass: index-narrowing
; A remainder that is written as a difference is narrow as its dividend is, also where LLVM has frozen one, and in functions with loops.
; ir: urem i32
; ir: udiv i32
; ir-not: udiv i64
define i64 @f(i32 %i, i32 %width, i32 %size, i64 %end) {
  %wide.i = zext i32 %i to i64
  %wide.width = zext i32 %width to i64
  %wide.size = zext i32 %size to i64
  %row = udiv i64 %wide.i, %wide.width
  %start = mul i64 %row, %wide.width
  %column = sub i64 %wide.i, %start
  %frozen = freeze i64 %column
  br label %again
again:
  %n = phi i64 [ 0, %0 ], [ %next, %again ]
  %part = udiv i64 %frozen, %wide.size
  %next = add i64 %n, %part
  %more = icmp ult i64 %next, %end
  br i1 %more, label %again, label %done
done:
  ret i64 %next
}
