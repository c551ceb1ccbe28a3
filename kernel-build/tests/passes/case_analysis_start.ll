; pass: case-analysis
; A first index that may lie behind the end: what is left wraps around then, and the loop goes on in two cases.
; unchanged
define float @f(ptr %x, i32 %count, i32 %thread) {
entry:
  %len = zext i32 %count to i64
  %start = zext i32 %thread to i64
  br label %test
test:
  %i = phi i64 [ %start, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more.sum, %body ]
  %rest = sub i64 %len, %i
  %taken = call i64 @llvm.umin.i64(i64 %rest, i64 255)
  %moved = add i64 %taken, %i
  %reached = call i64 @llvm.umax.i64(i64 %i, i64 %moved)
  %short = xor i64 %taken, 255
  %left = sub i64 %len, %reached
  %again = call i64 @llvm.umin.i64(i64 %left, i64 %short)
  %index = add i64 %again, %reached
  %next = add i64 %index, 1
  %goes.on = icmp ugt i64 %left, %short
  br i1 %goes.on, label %body, label %done
body:
  %at = getelementptr float, ptr %x, i64 %index
  %element = load float, ptr %at
  %more.sum = fadd float %sum, %element
  br label %test
done:
  ret float %sum
}
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
