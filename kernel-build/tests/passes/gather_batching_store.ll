; pass: gather-batching
; A loop with a store is not batched: a later gather could read it.
declare void @fail(i64) noreturn
define i64 @narrow(ptr "warploom.elements.4" %columns, i64 %n, ptr "warploom.elements.8" %x, i64 %len, i64 %from, i64 %count) {
start:
  %row = getelementptr i32, ptr %columns, i64 %from
  br label %round
round:
  %k = phi i64 [ 0, %start ], [ %next, %good ]
  %sum = phi i64 [ 7, %start ], [ %sum2, %good ]
  %at = getelementptr inbounds i32, ptr %row, i64 %k
  %column = load i32, ptr %at, align 4, !noundef !0
  %index = zext i32 %column to i64
  %right = icmp samesign ult i64 %index, %len
  br i1 %right, label %good, label %bad
good:
  %of.x = getelementptr inbounds nuw i64, ptr %x, i64 %index
  %value = load i64, ptr %of.x, align 8, !noundef !0
  store i64 %k, ptr %of.x
  %product = mul i64 %value, %sum
  %sum2 = add i64 %product, %k
  %next = add nuw i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %round, label %done
done:
  ret i64 %sum2
bad:
  call void @fail(i64 %index)
  unreachable
}
!0 = !{}
; ir-count: 1 load i32
; ir-count: 1 load i64
