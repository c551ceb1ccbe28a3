; pass: bounds-check-hoisting
; A loop with a barrier must not be versioned.
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
declare void @fail() noreturn
define i64 @sum(ptr %x, i64 %n, i64 %len) {
start:
  br label %body
body:
  %k = phi i64 [ 0, %start ], [ %next, %good ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %good ]
  %right = icmp ult i64 %k, %len
  br i1 %right, label %good, label %bad
good:
  %at = getelementptr i64, ptr %x, i64 %k
  %value = load i64, ptr %at
  %sum2 = add i64 %sum, %value
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %done
done:
  ret i64 %sum2
bad:
  call void @fail()
  unreachable
}
; unchanged
