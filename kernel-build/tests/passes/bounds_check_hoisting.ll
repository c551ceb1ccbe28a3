; pass: bounds-check-hoisting
; One condition in the preheader decides the check of every iteration; the original one stays behind it.
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
; ir: icmp ule i64
; ir: br label %body
; ir: icmp ult i64 %k, %len
; ir-next: select i1
; ir-next: br i1
