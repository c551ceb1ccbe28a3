; pass: range-versioning
; An index from memory has no bounds: the check stays, and nothing is copied.
; unchanged
define ptx_kernel void @f(ptr noalias %indices, ptr noalias %image, i64 range(i64 0, 4611686018427387904) %len, ptr noalias %out) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %below ]
  br label %pixel
pixel:
  %x = phi i64 [ 0, %row ], [ %x.next, %fits ]
  %place = getelementptr i64, ptr %indices, i64 %x
  %index = load i64, ptr %place
  %inside = icmp ult i64 %index, %len
  br i1 %inside, label %fits, label %panics
fits:
  %at = getelementptr i32, ptr %image, i64 %index
  %element = load i32, ptr %at
  store i32 %element, ptr %out
  %x.next = add i64 %x, 1
  %more.columns = icmp ult i64 %x.next, 5
  br i1 %more.columns, label %pixel, label %below
below:
  %y.next = add i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 9
  br i1 %more.rows, label %row, label %done
panics:
  call void @panic(i64 %index)
  unreachable
done:
  ret void
}
declare void @panic(i64)
