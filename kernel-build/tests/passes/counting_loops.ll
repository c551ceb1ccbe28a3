; pass: counting-loops
; `nth` of two zipped slices asks for each element before the one it wants: where it ends is known before the loop.
; ir: icmp ugt i64 %2, %0
; ir-next: select
; ir-next: sub i64 %4, %0
; ir: icmp ult i64 %5, %7
; ir-next: select i1 %8, i64 %5, i64 %7
; ir: icmp eq i64 %5, %9
; ir: label %none, label %step
; ir: br i1 true, label %some, label %test
; ir-not: ret i64 %i
define i64 @nth(i64 %first, i64 %len, i64 %n) {
entry:
  br label %test
test:
  %i = phi i64 [ %first, %entry ], [ %next, %step ]
  %left = phi i64 [ %n, %entry ], [ %less, %step ]
  %more = icmp uge i64 %i, %len
  br i1 %more, label %none, label %step
step:
  %next = add nuw i64 %i, 1
  %less = add i64 %left, -1
  %done = icmp eq i64 %left, 0
  br i1 %done, label %some, label %test
none:
  ret i64 -1
some:
  ret i64 %i
}
