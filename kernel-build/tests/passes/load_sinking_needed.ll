; pass: load-sinking
; What a condition, a panic or the value that a shared panic gets from here is computed from stays.
declare void @fail(i64) noreturn
define i64 @condition(ptr %a, i64 %i) {
start:
  %len = load i64, ptr %a
  %less = sub i64 %len, 1
  %right = icmp ult i64 %i, %less
  br i1 %right, label %good, label %bad
good:
  ret i64 %len
bad:
  call void @fail(i64 %i)
  unreachable
}
define i64 @panic(ptr %a, i64 %i, i64 %len) {
start:
  %x = load i64, ptr %a
  %right = icmp ult i64 %i, %len
  br i1 %right, label %good, label %bad
good:
  ret i64 %x
bad:
  %said = add i64 %x, 1
  call void @fail(i64 %said)
  unreachable
}
define i64 @shared_panic(ptr %a, i64 %i, i64 %len) {
start:
  %right.i = icmp ult i64 %i, %len
  br i1 %right.i, label %good.i, label %bad
good.i:
  %x = load i64, ptr %a
  %more = add i64 %i, 1
  %right.x = icmp ult i64 %more, %len
  br i1 %right.x, label %good.x, label %bad
good.x:
  ret i64 %x
bad:
  %said = phi i64 [ %i, %start ], [ %x, %good.i ]
  call void @fail(i64 %said)
  unreachable
}
; unchanged
