; pass: loop-rotation
; Whether the loop goes on is asked at its end, behind the check, and once before it.
; ir: icmp eq i64 %n, 0
; ir: head:
; ir: icmp ult i64 %next, %n
; ir-next: br i1 %more, label %body, label %
; ir: body:
; ir: icmp ult i64 %ahead, %len
; ir-next: br i1 %right, label %head, label %bad
define i64 @f(ptr %x, i64 %n, i64 %len) {
start:
  br label %head
head:
  %k = phi i64 [ 0, %start ], [ %next, %body ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %body ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %done
body:
  %at = getelementptr i64, ptr %x, i64 %k
  store i64 %sum, ptr %at
  %next = add i64 %k, 1
  %ahead = add i64 %k, 2
  %sum2 = add i64 %sum, %ahead
  %right = icmp ult i64 %ahead, %len
  br i1 %right, label %head, label %bad
done:
  ret i64 %sum
bad:
  call void @fail()
  unreachable
}
declare void @fail() noreturn
