; pass: division-versioning
; The narrow version makes the check behind the store before it, and has no panic.
; ir: udiv i64
; ir: icmp ult i64 %row, %len
; ir-next: br i1 %fits, label %10, label %16
; ir: icmp uge i64 %12, %len
; ir: icmp eq i1 %14, false
; ir: br i1 %15, label %in, label %16
; ir: store i32 1
; ir-next: br label %next.in
; ir: store i32 2
; ir: udiv i64 %i, %width
; ir: store i32 1
; ir: br i1
; ir: store i32 2
; ir-count: 2 call void @fail
declare void @fail(i64) noreturn
define void @f(i64 %i, i64 %width, ptr noalias %x, i64 %len) {
  %row = udiv i64 %i, %width
  %fits = icmp ult i64 %row, %len
  br i1 %fits, label %in, label %out
in:
  %at = getelementptr i32, ptr %x, i64 %row
  store i32 1, ptr %at
  %next = add i64 %row, %width
  %past = icmp uge i64 %next, %len
  br i1 %past, label %next.out, label %next.in
next.in:
  %next.at = getelementptr i32, ptr %x, i64 %next
  store i32 2, ptr %next.at
  ret void
out:
  call void @fail(i64 %row)
  unreachable
next.out:
  call void @fail(i64 %next)
  unreachable
}
