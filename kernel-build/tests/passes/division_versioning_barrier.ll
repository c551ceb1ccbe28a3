; pass: division-versioning
; unchanged
; Threads of a warp that ran different versions would wait at different barriers.
declare void @barrier() convergent
define i64 @f(i64 %i, i64 %width) {
  %row = udiv i64 %i, %width
  call void @barrier()
  ret i64 %row
}
