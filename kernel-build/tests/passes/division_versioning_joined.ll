; pass: division-versioning
; Where the code of both versions leads, values of both come together.
; ir: phi i64 [ 0, %0 ], [ %row, %divide ], [ %
; ir-count: 2 udiv i64
define i64 @f(i64 %i, i64 %width) {
  %one = icmp eq i64 %width, 0
  br i1 %one, label %end, label %divide
divide:
  %row = udiv i64 %i, %width
  br label %end
end:
  %v = phi i64 [ 0, %0 ], [ %row, %divide ]
  ret i64 %v
}
