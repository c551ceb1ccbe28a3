; pass: load-sinking
; Volatile and atomic loads stay, and a load before one is not moved across it.
declare void @fail(i64) noreturn
define i32 @volatile(ptr %a, ptr %b, i64 %i, i64 %len) {
start:
  %y = load i32, ptr %b
  %x = load volatile i32, ptr %a
  %right = icmp ult i64 %i, %len
  br i1 %right, label %good, label %bad
good:
  %sum = add i32 %x, %y
  ret i32 %sum
bad:
  call void @fail(i64 %i)
  unreachable
}
define i32 @atomic(ptr %a, ptr %b, i64 %i, i64 %len) {
start:
  %y = load i32, ptr %b
  %x = load atomic i32, ptr %a monotonic, align 4
  %right = icmp ult i64 %i, %len
  br i1 %right, label %good, label %bad
good:
  %sum = add i32 %x, %y
  ret i32 %sum
bad:
  call void @fail(i64 %i)
  unreachable
}
; unchanged
