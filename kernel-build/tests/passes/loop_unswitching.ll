; pass: loop-unswitching
; A loop becomes two on a loop-invariant condition.
declare void @fail() noreturn
define i64 @sum(ptr %x, i64 %n, i64 %len, i1 %fits) {
start:
  br label %body
body:
  %k = phi i64 [ 0, %start ], [ %next, %good ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %good ]
  %right = icmp ult i64 %k, %len
  %checked = select i1 %fits, i1 true, i1 %right
  br i1 %checked, label %good, label %bad
good:
  %at = getelementptr i64, ptr %x, i64 %k
  %value = load i64, ptr %at
  %sum2 = add i64 %sum, %value
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %done
done:
  ret i64 %sum2
bad:
  call void @fail()
  unreachable
}
; ir: br i1 %fits
; ir-count: 2 load i64
