; pass: case-analysis
; `zip` behind `skip` and `step_by`: where the loop goes on, the index is 255 ahead, and the next one 256.
; ir: %1 = freeze i64 %start
; ir: %i = phi i64 [ %1, %entry ], [ %3, %body ]
; ir: %2 = add i64 %i, 255
; ir-next: %3 = add i64 %i, 256
; ir-next: %4 = add i64 %i, 255
; ir: icmp ult i64 %4, %6
; ir-next: br i1 %7, label %body, label %done
; ir: getelementptr float, ptr %x, i64 %2
define float @f(ptr %x, i32 %count, i32 %thread) {
entry:
  %len = zext i32 %count to i64
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
