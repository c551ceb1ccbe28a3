; pass: canonical-counters
; As LLVM leaves `StepBy<slice::Iter>`: the loop ends where less than a step is left.
define void @strided(ptr %start, i64 %n) {
entry:
  %end = getelementptr inbounds i32, ptr %start, i64 %n
  %last = ptrtoint ptr %end to i64
  br label %body
body:
  %p = phi ptr [ %start, %entry ], [ %next, %body ]
  store i32 0, ptr %p
  %next = getelementptr inbounds i8, ptr %p, i64 128
  %here = ptrtoint ptr %next to i64
  %left = sub nuw i64 %last, %here
  %again = icmp ugt i64 %left, 127
  br i1 %again, label %body, label %done
done:
  ret void
}
; ir: udiv i64
; ir: phi i64 [ 0, %entry ]
; ir: icmp ne i64
; ir-not: br i1 %again
