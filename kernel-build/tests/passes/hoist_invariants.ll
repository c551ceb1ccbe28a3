; pass: hoist-invariants
; A length in memory is loaded before the loop, in which nothing is stored.
declare void @fail() noreturn
define i64 @sum(ptr %x, ptr noalias dereferenceable(8) %len, i64 %n) {
start:
  br label %body
body:
  %k = phi i64 [ 0, %start ], [ %next, %good ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %good ]
  %most = load i64, ptr %len
  %right = icmp ult i64 %k, %most
  br i1 %right, label %good, label %bad
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
; ir: start:
; ir: %most = load i64, ptr %len
; ir: body:
; ir-count: 1 ptr %len,
