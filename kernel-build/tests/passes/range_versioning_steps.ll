; pass: range-versioning
; A loop that counts what is left, as `step_by` does: how often it goes round bounds the index that grows beside it, here by 63 + 17 * 64.
; ir: icmp sle i64
; ir: udiv i32
; ir: br i1 true, label %fits, label %panics
; ir-count: 1 br i1 true
declare void @panic(i64)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @f(ptr noalias %image, i64 range(i64 0, 4611686018427387904) %len, i64 %width, ptr noalias %out) {
entry:
  %thread = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = zext i32 %thread to i64
  %ahead = sub nuw nsw i64 1152, %from
  %steps = lshr i64 %ahead, 6
  br label %row
row:
  %place = phi i64 [ %from, %entry ], [ %place.next, %below ]
  %left = phi i64 [ %steps, %entry ], [ %left.next, %below ]
  %y = udiv i64 %place, 33
  %first = mul i64 %y, %width
  br label %pixel
pixel:
  %x = phi i64 [ 0, %row ], [ %x.next, %fits ]
  %sum = phi i32 [ 0, %row ], [ %both, %fits ]
  %index = add i64 %first, %x
  %inside = icmp ult i64 %index, %len
  br i1 %inside, label %fits, label %panics
fits:
  %at = getelementptr i32, ptr %image, i64 %index
  %element = load i32, ptr %at
  %both = add i32 %sum, %element
  %x.next = add i64 %x, 1
  %more.columns = icmp ult i64 %x.next, 4
  br i1 %more.columns, label %pixel, label %below
below:
  %to = getelementptr i32, ptr %out, i64 %place
  store i32 %both, ptr %to
  %place.next = add i64 %place, 64
  %left.next = add i64 %left, -1
  %over = icmp eq i64 %left.next, 0
  br i1 %over, label %done, label %row
panics:
  call void @panic(i64 %index)
  unreachable
done:
  ret void
}
