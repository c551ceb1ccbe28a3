; pass: bounds-check-hoisting
; As LLVM leaves `(lane..n).step_by(32)`: what is left is counted, and the next index begins with bits of the lane and of the step that do not overlap.
declare void @fail(i64) noreturn
define void @lanes(ptr %p, i64 %thread, i64 %count, i64 %len) {
start:
  %lane = and i64 %thread, 31
  %second = or disjoint i64 %lane, 32
  br label %body
body:
  %left = phi i64 [ %count, %start ], [ %less, %good ]
  %ahead = phi i64 [ %second, %start ], [ %next, %good ]
  %k = phi i64 [ %lane, %start ], [ %ahead, %good ]
  %less = add i64 %left, -1
  %right = icmp ult i64 %k, %len
  br i1 %right, label %good, label %bad
good:
  %at = getelementptr i32, ptr %p, i64 %k
  store i32 0, ptr %at
  %next = add i64 %ahead, 32
  %over = icmp eq i64 %less, 0
  br i1 %over, label %done, label %body
bad:
  call void @fail(i64 %k)
  unreachable
done:
  ret void
}
; ir: mul i64 32
; ir: %right = icmp ult i64 %k, %len
; ir-next: select i1
