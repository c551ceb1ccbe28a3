; pass: division-versioning
; A division of numbers that parameters determine gets a version for narrow ones. Where its check fails, it goes to the start of the wide version, which
; panics.
; ir: %2 = freeze i64 %i
; ir-next: %3 = freeze i64 %width
; ir-next: %4 = or i64 %2, %3
; ir-next: %5 = icmp ult i64 %4, 4294967296
; ir-next: br i1 %5, label %divide, label %10
; ir: trunc i64 %i to i32
; ir: trunc i64 %width to i32
; ir: udiv i64 %7, %9
; ir: br i1 %fits, label %in, label %10
; ir: udiv i64 %i, %width
; ir-count: 2 udiv i64
; ir-count: 1 call void @fail
; ir-count: 2 load i32
declare void @fail(i64) noreturn
define i32 @f(i64 %i, i64 %width, ptr noalias %x, i64 %len) {
  %one = icmp eq i64 %width, 0
  br i1 %one, label %zero, label %divide
zero:
  ret i32 0
divide:
  %row = udiv i64 %i, %width
  %fits = icmp ult i64 %row, %len
  br i1 %fits, label %in, label %out
in:
  %at = getelementptr i32, ptr %x, i64 %row
  %v = load i32, ptr %at
  ret i32 %v
out:
  call void @fail(i64 %row)
  unreachable
}
