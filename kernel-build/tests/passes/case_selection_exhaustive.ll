; pass: case-selection
; No other number is possible: the last way stands for all that are left.
; ir-not: switch
; ir-count: 1 icmp eq i32
; ir: select i1
define i32 @f(ptr addrspace(1) %ways, i64 %n) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %join ]
  %sum = phi i32 [ 0, %0 ], [ %new, %join ]
  %at = getelementptr i32, ptr addrspace(1) %ways, i64 %i
  %way = load i32, ptr addrspace(1) %at
  switch i32 %way, label %never [
    i32 0, label %left
    i32 1, label %right
  ]
left:
  %less = mul i32 %sum, 3
  br label %join
right:
  %more = xor i32 %sum, 5
  br label %join
never:
  unreachable
join:
  %new = phi i32 [ %less, %left ], [ %more, %right ]
  %next = add i64 %i, 1
  %over = icmp eq i64 %next, %n
  br i1 %over, label %done, label %loop
done:
  ret i32 %new
}
