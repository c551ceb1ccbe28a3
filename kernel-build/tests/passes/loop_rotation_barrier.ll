; pass: loop-rotation
; A loop with a barrier stays as it is.
; unchanged
define i64 @f(i64 %n, i64 %len) {
start:
  br label %head
head:
  %k = phi i64 [ 0, %start ], [ %next, %body ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %done
body:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i64 %k, 1
  %right = icmp ult i64 %next, %len
  br i1 %right, label %head, label %bad
done:
  ret i64 %k
bad:
  call void @fail()
  unreachable
}
declare void @fail() noreturn
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
