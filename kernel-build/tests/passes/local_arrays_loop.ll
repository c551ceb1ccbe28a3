; pass: local-arrays
; The counter gets its value of the back edge: the trip count is known, the loop is unrolled, and the array is in registers.
define ptx_kernel void @count(ptr addrspace(1) %bins, i32 %word) {
start:
  %array = alloca [4 x i8]
  store i32 %word, ptr %array
  br label %next
next:
  %i = phi i64 [ 0, %start ], [ %i2, %use ]
  %end = icmp eq i64 %i, 4
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
; ir-count: 4 atomicrmw add
; ir-not: alloca
; ir-not: br 
