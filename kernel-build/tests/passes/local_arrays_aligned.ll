; pass: local-arrays
; The counter is not resolved, and threads would be redirected past the block where the warp reconverges, before an aligned barrier.
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
define ptx_kernel void @count(ptr addrspace(1) %bins, i32 %word) {
start:
  %array = alloca [80 x i8]
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
  %same = mul i64 %i, 1
  %up = add nuw nsw i64 %same, 1
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
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
; unchanged
