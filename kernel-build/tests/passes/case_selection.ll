; pass: case-selection
; Arms that count: all counts are computed, and the loop is one block.
; ir-not: switch
; ir: load i8
; ir: icmp eq i8
; ir: icmp eq i8
; ir: br i1
; ir-count: 2 br
define i32 @f(ptr addrspace(1) %bytes, i64 %n) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %join ]
  %zeros = phi i32 [ 0, %0 ], [ %all.zeros, %join ]
  %ones = phi i32 [ 0, %0 ], [ %all.ones, %join ]
  %at = getelementptr i8, ptr addrspace(1) %bytes, i64 %i
  %byte = load i8, ptr addrspace(1) %at
  switch i8 %byte, label %join [
    i8 48, label %zero
    i8 49, label %one
  ]
zero:
  %more.zeros = add i32 %zeros, 1
  br label %join
one:
  %more.ones = add i32 %ones, 1
  br label %join
join:
  %all.zeros = phi i32 [ %zeros, %loop ], [ %more.zeros, %zero ], [ %zeros, %one ]
  %all.ones = phi i32 [ %ones, %loop ], [ %ones, %zero ], [ %more.ones, %one ]
  %next = add i64 %i, 1
  %over = icmp eq i64 %next, %n
  br i1 %over, label %done, label %loop
done:
  %sum = shl i32 %all.ones, 16
  %result = or i32 %sum, %all.zeros
  ret i32 %result
}
