; pass: pointer-strength-reduction
; A column of a matrix: the step is known at launch only.
define i64 @column(ptr %b, i64 %x, i64 %n) {
start:
  br label %body
body:
  %k = phi i64 [ 0, %start ], [ %next, %body ]
  %sum = phi i64 [ 0, %start ], [ %sum2, %body ]
  %row = mul i64 %k, %n
  %index = add i64 %row, %x
  %at = getelementptr i64, ptr %b, i64 %index
  %value = load i64, ptr %at
  %sum2 = add i64 %sum, %value
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %done
done:
  ret i64 %sum2
}
; ir: start:
; ir: getelementptr i64, ptr %b
; ir: body:
; ir: phi ptr
; ir: load i64, ptr %
