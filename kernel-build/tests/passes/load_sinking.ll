; pass: load-sinking
; Two elements with a check each: both are loaded behind the second check, in their order, and what is computed from them goes along.
declare void @fail(i64) noreturn
define i32 @both(ptr %a, ptr %b, i64 %i, i64 %j, i64 %len) {
start:
  %right.i = icmp ult i64 %i, %len
  br i1 %right.i, label %good.i, label %bad.i
good.i:
  %at.i = getelementptr i32, ptr %a, i64 %i
  %x = load i32, ptr %at.i
  %twice = shl i32 %x, 1
  %right.j = icmp ult i64 %j, %len
  br i1 %right.j, label %good.j, label %bad.j
good.j:
  %at.j = getelementptr i32, ptr %b, i64 %j
  %y = load i32, ptr %at.j
  %more = add i64 %i, %j
  %right.k = icmp ult i64 %more, %len
  br i1 %right.k, label %good.k, label %bad.k
good.k:
  %sum = add i32 %twice, %y
  ret i32 %sum
bad.i:
  call void @fail(i64 %i)
  unreachable
bad.j:
  call void @fail(i64 %j)
  unreachable
bad.k:
  call void @fail(i64 %more)
  unreachable
}
; ir: good.i:
; ir-next: %at.i = getelementptr i32
; ir-next: %right.j = icmp
; ir-next: br i1 %right.j
; ir: good.j:
; ir-next: %at.j = getelementptr i32
; ir-next: %more = add i64
; ir-next: %right.k = icmp
; ir-next: br i1 %right.k
; ir: good.k:
; ir-next: %0 = load i32, ptr %at.i
; ir-next: %1 = shl i32 %0, 1
; ir-next: %2 = load i32, ptr %at.j
; ir-next: %sum = add i32 %1, %2
