; pass: load-sinking
; A load does not leave the way on which it is made: others come to the block behind this check too.
declare void @fail(i64) noreturn
define i32 @merge(ptr %a, i64 %i, i64 %len, i1 %known) {
start:
  br i1 %known, label %good, label %checked
checked:
  %x = load i32, ptr %a
  %right = icmp ult i64 %i, %len
  br i1 %right, label %good, label %bad
good:
  %y = phi i32 [ 0, %start ], [ %x, %checked ]
  ret i32 %y
bad:
  call void @fail(i64 %i)
  unreachable
}
; unchanged
