; pass: case-selection
; unchanged
; A division by zero is undefined where it was not executed.
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
define i32 @f(ptr addrspace(1) %ways, i64 %n) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %join ]
  %sum = phi i32 [ 0, %0 ], [ %new, %join ]
  %at = getelementptr i32, ptr addrspace(1) %ways, i64 %i
  %way = load i32, ptr addrspace(1) %at
  switch i32 %way, label %join [
    i32 7, label %left
    i32 1, label %right
  ]
left:
  %less = udiv i32 %sum, %way
  
  br label %join
right:
  %more = xor i32 %sum, 5
  br label %join
join:
  %new = phi i32 [ %sum, %loop ], [ %less, %left ], [ %more, %right ]
  %next = add i64 %i, 1
  %over = icmp eq i64 %next, %n
  br i1 %over, label %done, label %loop
done:
  ret i32 %new
}
