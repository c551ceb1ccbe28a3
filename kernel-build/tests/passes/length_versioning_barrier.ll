; pass: length-versioning
; What threads wait for is not copied.
; unchanged
declare void @barrier() convergent
define ptx_kernel void @f(ptr noalias %v, ptr noalias %w, i64 %len, ptr noalias %out) {
entry:
  %trips = call i64 @llvm.umin.i64(i64 %len, i64 17)
  %none = icmp eq i64 %len, 0
  br i1 %none, label %done, label %round
round:
  %k = phi i64 [ 0, %entry ], [ %next, %round ]
  %sum = phi i32 [ 0, %entry ], [ %both, %round ]
  %at.v = getelementptr i32, ptr %v, i64 %k
  %at.w = getelementptr i32, ptr %w, i64 %k
  %a = load i32, ptr %at.v
  %b = load i32, ptr %at.w
  %product = mul i32 %a, %b
  %both = add i32 %sum, %product
  call void @barrier() convergent
  %next = add i64 %k, 1
  %last = icmp eq i64 %next, %trips
  br i1 %last, label %done, label %round
done:
  %all = phi i32 [ 0, %entry ], [ %both, %round ]
  store i32 %all, ptr %out
  ret void
}
declare i64 @llvm.umin.i64(i64, i64)
