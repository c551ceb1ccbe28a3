; pass: step-narrowing
; A step that a condition before the loop says to be small is multiplied from 32 bits; where the condition is frozen as a whole, its parts are frozen instead. A
; step of the loop with checks stays, and so does one of which the condition says nothing.
; ir: %0 = freeze i64 %step
; ir-next: %1 = freeze i64 %last
; ir-next: %2 = or i64 %0, %1
; ir-next: %3 = icmp ult i64 %2, 2147483648
; ir-next: %4 = freeze i1 %in
; ir-next: %5 = and i1 %3, %4
; ir: br i1 %5, label %fast, label %slow
; ir: trunc i64 %step to i32
; ir-next: zext i32 %6 to i64
; ir-next: mul i64 %7, 4
; ir: getelementptr i8, ptr %p, i64 %8
; ir: getelementptr i32, ptr %p, i64 %other
; ir: getelementptr i32, ptr %q, i64 %step
define i32 @f(ptr %a, i64 %step, i64 %last, i64 %other, i1 %in, i64 %n) {
entry:
  %both = or i64 %step, %last
  %small = icmp ult i64 %both, 2147483648
  %all = and i1 %small, %in
  %frozen = freeze i1 %all
  br i1 %frozen, label %fast, label %slow
fast:
  %k = phi i64 [ 0, %entry ], [ %k.next, %fast ]
  %p = phi ptr [ %a, %entry ], [ %p.next, %fast ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %fast ]
  %p.next = getelementptr i32, ptr %p, i64 %step
  %p.other = getelementptr i32, ptr %p, i64 %other
  %x = load i32, ptr %p
  %y = load i32, ptr %p.other
  %both.elements = add i32 %x, %y
  %sum.next = add i32 %sum, %both.elements
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %fast, label %done
slow:
  %l = phi i64 [ 0, %entry ], [ %l.next, %slow ]
  %q = phi ptr [ %a, %entry ], [ %q.next, %slow ]
  %added = phi i32 [ 0, %entry ], [ %added.next, %slow ]
  %q.next = getelementptr i32, ptr %q, i64 %step
  %z = load i32, ptr %q
  %added.next = add i32 %added, %z
  %l.next = add i64 %l, 1
  %again = icmp ult i64 %l.next, %n
  br i1 %again, label %slow, label %done
done:
  %result = phi i32 [ %sum.next, %fast ], [ %added.next, %slow ]
  ret i32 %result
}
