; pass: bit-counts
; A loop that clears the lowest bit until none is left has as many iterations as there are bits.
; ir: call i64 @llvm.ctpop.i64(i64 %x)
; ir: select
; ir: br i1 true, label %done, label %again
; ir: phi i32
define i32 @f(i64 %x) {
  %none = icmp eq i64 %x, 0
  br i1 %none, label %done, label %before
before:
  br label %again
again:
  %rest = phi i64 [ %x, %before ], [ %left, %again ]
  %count = phi i32 [ 0, %before ], [ %more, %again ]
  %less = add i64 %rest, -1
  %left = and i64 %less, %rest
  %more = add i32 %count, 1
  %over = icmp eq i64 %left, 0
  br i1 %over, label %done, label %again
done:
  %counted = phi i32 [ 0, %0 ], [ %more, %again ]
  ret i32 %counted
}
