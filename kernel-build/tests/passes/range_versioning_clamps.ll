; pass: range-versioning
; In the version without the check, clamps, divisions and the product with a clamped number take 32 bits; in the other one they stay.
; ir: define ptx_kernel void @f
; ir: trunc i64 %moved to i32
; ir: icmp ugt i32
; ir-next: sub i32
; ir-next: select i1
; ir: icmp ult i32
; ir: udiv i32
; ir: mul nuw i64
; ir: llvm.umin.i64
; ir-count: 2 call i64 @llvm.usub.sat.i64
; ir-count: 2 udiv i64
declare i64 @llvm.usub.sat.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare void @panic(i64)
define ptx_kernel void @f(ptr noalias %image, i64 range(i64 0, 4611686018427387904) %len, i64 %width, i64 %last, ptr noalias %out) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %below ]
  br label %pixel
pixel:
  %x = phi i64 [ 0, %row ], [ %x.next, %fits ]
  %sum = phi i32 [ 0, %row ], [ %both, %fits ]
  %moved = add i64 %x, %width
  %back = call i64 @llvm.usub.sat.i64(i64 %moved, i64 16)
  %column = call i64 @llvm.umin.i64(i64 %back, i64 %last)
  %part = udiv i64 %y, 3
  %first = mul i64 %column, %width
  %index = add i64 %first, %part
  %inside = icmp ult i64 %index, %len
  br i1 %inside, label %fits, label %panics
fits:
  %at = getelementptr i32, ptr %image, i64 %index
  %element = load i32, ptr %at
  %both = add i32 %sum, %element
  %x.next = add i64 %x, 1
  %more.columns = icmp ult i64 %x.next, 33
  br i1 %more.columns, label %pixel, label %below
below:
  %to = getelementptr i32, ptr %out, i64 %y
  store i32 %both, ptr %to
  %y.next = add i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 33
  br i1 %more.rows, label %row, label %done
panics:
  call void @panic(i64 %index)
  unreachable
done:
  ret void
}
