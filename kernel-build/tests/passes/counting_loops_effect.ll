; pass: counting-loops
; A loop that does something else stays.
; unchanged
define i64 @f(ptr %x, i64 %len, i64 %n) {
entry:
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %next, %step ]
  %left = phi i64 [ %n, %entry ], [ %less, %step ]
  %more = icmp uge i64 %i, %len
  br i1 %more, label %none, label %step
step:
  %at = getelementptr i8, ptr %x, i64 %i
  store i8 0, ptr %at
  %next = add nuw i64 %i, 1
  %less = add i64 %left, -1
  %done = icmp eq i64 %left, 0
  br i1 %done, label %some, label %test
none:
  ret i64 -1
some:
  ret i64 %i
}
