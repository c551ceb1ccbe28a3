; pass: division-versioning
; A barrier in front of the first division is in neither version, though it is in the same block.
; ir: call void @barrier()
; ir-next: freeze i64 %i
; ir: icmp ult i64
; ir-count: 2 udiv i64
; ir-count: 1 call void @barrier()
declare void @barrier() convergent
define i64 @f(i64 %i, i64 %width) {
  call void @barrier() convergent
  %row = udiv i64 %i, %width
  ret i64 %row
}
