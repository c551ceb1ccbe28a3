; pass: local-arrays
; The trip count is not a constant: the loop cannot be unrolled, the array stays, and so does the counter.
define ptx_kernel void @count(ptr addrspace(1) %bins, i32 %word, i64 %n) {
start:
  %array = alloca [64 x i8]
  store i32 %word, ptr %array
  br label %next
next:
  %i = phi i64 [ 0, %start ], [ %i2, %use ]
  %end = icmp eq i64 %i, %n
  br i1 %end, label %said, label %some
some:
  %p = getelementptr i8, ptr %array, i64 %i
  %b = load i8, ptr %p
  %z = zext i8 %b to i64
  %up = add nuw nsw i64 %i, 1
  br label %said
said:
  %i2 = phi i64 [ 4, %next ], [ %up, %some ]
  %v = phi i64 [ 0, %next ], [ %z, %some ]
  br i1 %end, label %done, label %use
use:
  %q = getelementptr i32, ptr addrspace(1) %bins, i64 %v
  %old = atomicrmw add ptr addrspace(1) %q, i32 1 monotonic
  br label %next
done:
  ret void
}
; unchanged
