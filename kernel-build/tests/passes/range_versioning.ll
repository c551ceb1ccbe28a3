; pass: range-versioning
; The largest index of the nest is that of the last pixel: one question before the nest, and a version without the check.
; ir: freeze i64 %width
; ir: icmp ult i64
; ir: 2147483648
; ir: icmp sle i64
; ir: br i1 true, label %fits, label %panics
; ir: llvm.loop
; ir: icmp ult i64
; ir-count: 2 load i32
; ir-count: 1 br i1 true
define ptx_kernel void @f(ptr noalias %image, i64 range(i64 0, 4611686018427387904) %len, i64 %width, i64 %height, ptr noalias %out) {
entry:
  %no.row = icmp eq i64 %height, 0
  br i1 %no.row, label %done, label %before
before:
  %no.column = icmp eq i64 %width, 0
  br i1 %no.column, label %done, label %row
row:
  %y = phi i64 [ 0, %before ], [ %y.next, %below ]
  %sum = phi i32 [ 0, %before ], [ %both, %below ]
  %first = mul i64 %y, %width
  br label %pixel
pixel:
  %x = phi i64 [ 0, %row ], [ %x.next, %fits ]
  %of.row = phi i32 [ %sum, %row ], [ %both, %fits ]
  %index = add i64 %first, %x
  %inside = icmp ult i64 %index, %len
  br i1 %inside, label %fits, label %panics
fits:
  %at = getelementptr i32, ptr %image, i64 %index
  %element = load i32, ptr %at
  %both = add i32 %of.row, %element
  %x.next = add i64 %x, 1
  %more.columns = icmp ult i64 %x.next, %width
  br i1 %more.columns, label %pixel, label %below
below:
  %y.next = add i64 %y, 1
  %more.rows = icmp ult i64 %y.next, %height
  br i1 %more.rows, label %row, label %done
panics:
  call void @panic(i64 %index)
  unreachable
done:
  %all = phi i32 [ 0, %entry ], [ 0, %before ], [ %both, %below ]
  store i32 %all, ptr %out
  ret void
}
declare void @panic(i64)
