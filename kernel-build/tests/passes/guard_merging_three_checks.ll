; pass: guard-merging
; Three checks cost no more than the branch that would replace them.
declare void @note(i64) convergent
declare void @fail(i64) noreturn
define i64 @down(ptr %x, i64 %a, i64 %b, i64 %n, i64 %len) {
start:
  br label %round
round:
  %left = phi i64 [ %n, %start ], [ %less, %good.3 ]
  %k = phi i64 [ 0, %start ], [ %next, %good.3 ]
  %sum = phi i64 [ 0, %start ], [ %sum.3, %good.3 ]
  %index.0 = add i64 %k, %a
  %right.0 = icmp ult i64 %index.0, %len
  br i1 %right.0, label %good.0, label %bad.0
good.0:
  %at.0 = getelementptr i32, ptr %x, i64 %index.0
  %value.0 = load i32, ptr %at.0
  %index.1 = add i64 %index.0, %b
  %wrong.1 = icmp uge i64 %index.1, %len
  br i1 %wrong.1, label %bad.1, label %good.1
good.1:
  %at.1 = getelementptr i32, ptr %x, i64 %index.1
  %value.1 = load i32, ptr %at.1
  %both = add i32 %value.0, %value.1
  %three = mul i64 %k, 3
  %index.2 = add i64 %three, 2
  %right.2 = icmp ult i64 %index.2, %len
  br i1 %right.2, label %good.2, label %bad.shared
good.2:
  %at.2 = getelementptr i32, ptr %x, i64 %index.2
  %value.2 = load i32, ptr %at.2
  %scaled = mul i64 %k, %b
  %index.3 = add i64 %scaled, 5
  %right.3 = icmp ult i64 %index.3, %len
  br label %good.3
good.3:
  %at.3 = getelementptr i32, ptr %x, i64 %index.3
  %value.3 = load i32, ptr %at.3
  %sum.0 = mul i64 %sum, 31
  %last.two = sub i32 %value.2, %value.3
  %all = xor i32 %both, %last.two
  %wide = zext i32 %all to i64
  %sum.3 = add i64 %sum.0, %wide
  call void @note(i64 %sum.3)
  %next = add i64 %k, 1
  %less = add i64 %left, -1
  %last = icmp eq i64 %less, 0
  br i1 %last, label %done, label %round
done:
  ret i64 %sum.3
bad.0:
  call void @fail(i64 %index.0)
  unreachable
bad.1:
  %said.1 = add i64 %index.1, 1000000
  call void @fail(i64 %said.1)
  unreachable
bad.shared:
  %which = phi i64 [ 2000000, %good.1 ]
  %said = phi i64 [ %index.2, %good.1 ]
  %together = add i64 %which, %said
  call void @fail(i64 %together)
  unreachable
}
; unchanged
