; pass: length-versioning
; The trip count is the smaller of 17 and a length: for lengths of 17 and more it is 17, and the length is not zero.
; ir: freeze i64 %len
; ir-next: icmp uge i64
; ir: br i1 false, label %done, label %round
; ir: icmp eq i64 %next, 17
; ir: call i64 @llvm.umin.i64(i64 %len, i64 17)
; ir-count: 4 load i32
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
  %next = add i64 %k, 1
  %last = icmp eq i64 %next, %trips
  br i1 %last, label %done, label %round
done:
  %all = phi i32 [ 0, %entry ], [ %both, %round ]
  store i32 %all, ptr %out
  ret void
}
declare i64 @llvm.umin.i64(i64, i64)
