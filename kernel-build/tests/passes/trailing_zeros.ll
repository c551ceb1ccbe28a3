; pass: trailing-zeros
; Trailing zeros are the bits below the lowest one, also of zero.
; ir: xor i64 %1, -1
; ir-next: add i64 %1, -1
; ir-next: and i64 %2, %3
; ir-next: call i64 @llvm.ctpop.i64(i64 %4)
; ir-not: i1 false
; ir: call i32 @llvm.cttz.i32(i32 %y, i1 true)
; ir-count: 1 llvm.ctpop
declare i64 @llvm.cttz.i64(i64, i1)
declare i32 @llvm.cttz.i32(i32, i1)
define i64 @f(i64 %x, i32 %y) {
  %zeros = call i64 @llvm.cttz.i64(i64 %x, i1 false)
  %known = call i32 @llvm.cttz.i32(i32 %y, i1 true)
  %wide = zext i32 %known to i64
  %all = add i64 %zeros, %wide
  ret i64 %all
}
