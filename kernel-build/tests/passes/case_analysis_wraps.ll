; pass: case-analysis
; A length near 2^64: 255 more than an index below it may wrap around to a small number.
; unchanged
define float @f(ptr %x, i64 %len, i32 %thread) {
entry:
  %wide = zext i32 %thread to i64
  %start = call i64 @llvm.umin.i64(i64 %wide, i64 %len)
  br label %test
test:
  %i = phi i64 [ %start, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more.sum, %body ]
  %rest = sub i64 %len, %i
  %taken = call i64 @llvm.umin.i64(i64 %rest, i64 255)
  %moved = add i64 %taken, %i
  %reached = call i64 @llvm.umax.i64(i64 %i, i64 %moved)
  %short = xor i64 %taken, 255
  %left = call i64 @llvm.usub.sat.i64(i64 %len, i64 %reached)
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
declare i64 @llvm.usub.sat.i64(i64, i64)
