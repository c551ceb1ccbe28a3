; pass: wide-min-max
; 32 and 64 bits are what the hardware has.
declare i32 @llvm.umax.i32(i32, i32)
declare i64 @llvm.smin.i64(i64, i64)
define i64 @words(i32 %a, i32 %b, i64 %c) {
  %x = call i32 @llvm.umax.i32(i32 %a, i32 %b)
  %w = zext i32 %x to i64
  %y = call i64 @llvm.smin.i64(i64 %w, i64 %c)
  ret i64 %y
}
; unchanged
