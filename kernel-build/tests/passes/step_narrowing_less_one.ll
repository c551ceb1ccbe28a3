; pass: step-narrowing
; A number less one is asked for where zero is excluded too; a shifted step is a product with another factor.
; ir: br i1 %small, label %loop, label %done
; ir: trunc i64 %step to i32
; ir-next: zext i32
; ir-next: mul i64 %1, 16
; ir: getelementptr i8, ptr %p, i64 %2
define void @f(ptr %a, i64 %step, i64 %n) {
entry:
  %bytes = shl i64 %step, 4
  %less = add i64 %step, -1
  %small = icmp ult i64 %less, 4294967295
  br i1 %small, label %loop, label %done
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %p = phi ptr [ %a, %entry ], [ %p.next, %loop ]
  store i32 1, ptr %p
  %p.next = getelementptr i8, ptr %p, i64 %bytes
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
