; pass: wide-min-max
; The results of one signedness are no extensions of the other.
declare i16 @llvm.umax.i16(i16, i16)
declare i16 @llvm.smin.i16(i16, i16)
define i16 @between(i16 %a, i16 %b, i16 %c) {
  %x = call i16 @llvm.umax.i16(i16 %a, i16 %b)
  %y = call i16 @llvm.smin.i16(i16 %x, i16 %c)
  ret i16 %y
}
; ir-count: 2 zext i16
; ir-count: 2 sext i16
