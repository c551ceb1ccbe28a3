; pass: length-versioning
; LLVM has unrolled a loop of at most four iterations, with an end behind each: from four elements on none of them is taken.
; ir: icmp uge i64
; ir: br i1 false, label %latch, label %two
; ir: br i1 false, label %latch, label %three
; ir: br i1 true, label %four, label %latch
; ir: br i1 %6, label %12, label %7
define ptx_kernel void @f(ptr noalias %v, i64 %len, i64 %rounds) {
entry:
  br label %one
one:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  store volatile i32 1, ptr %v
  %is.1 = icmp eq i64 %len, 1
  br i1 %is.1, label %latch, label %two
two:
  store volatile i32 2, ptr %v
  %is.2 = icmp eq i64 %len, 2
  br i1 %is.2, label %latch, label %three
three:
  store volatile i32 3, ptr %v
  %is.not.3 = icmp ne i64 %len, 3
  br i1 %is.not.3, label %four, label %latch
four:
  store volatile i32 4, ptr %v
  br label %latch
latch:
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %rounds
  br i1 %more, label %one, label %done
done:
  ret void
}
